//===- LlvmIntrinsics.cpp - llvm intrinsics of several steps --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer intrinsics compute on zero-extended 64-bit numbers, as LLVM's
// language reference defines them.
//
//===----------------------------------------------------------------------===//
#include "../Machine/Pointer.h"
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// The operands of one element of one lane; missing operands are 0.
struct Integers {
  uint64_t a, b, c;
  unsigned width;

  uint64_t ones() const { return ~uint64_t(0) >> (64 - width); }
  int64_t asSigned(uint64_t value) const {
    return llvm::SignExtend64(value, width);
  }
};
using IntegerFunction = uint64_t (*)(const Integers &);
} // namespace

/// Returns whether an operand depends on an undecided choice.
static bool isUndecided(Agent &agent, ArrayRef<Reg> operands, int64_t lane,
                        int64_t element) {
  return llvm::any_of(operands, [&](Reg operand) {
    return agent.isUndecided(operand, lane, element);
  });
}

static LogicalResult translateIntegers(Operation *op, IntegerFunction function,
                                       Translator &t) {
  SmallVector<Reg, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(t.reg(operand));
  Reg r = t.reg(op->getResult(0));
  t.emit(op, [=](Agent &agent) {
    Integers numbers = {0, 0, 0, r.kind.width};
    uint64_t *places[] = {&numbers.a, &numbers.b, &numbers.c};
    for (int64_t e = 0; e < r.elements; ++e)
      for (int64_t l = 0; l < agent.lanes(); ++l) {
        for (auto [place, operand] : llvm::zip(places, operands))
          *place = uint64_t(agent.integer(operand, l, e)) & numbers.ones();
        agent.setInteger(
            r, numbers.asSigned(function(numbers) & numbers.ones()), l, e);
        if (isUndecided(agent, operands, l, e))
          agent.makeUndecided(r, l, e);
      }
  });
  return success();
}

static OpRegistry::Translate llvmIntegers(IntegerFunction function) {
  return [=](Operation *op, Translator &t) {
    return translateIntegers(op, function, t);
  };
}

/// Computes a funnel shift: two numbers side by side, shifted by a number
/// modulo their width. The result is the upper half of a left shift, the lower
/// one of a right shift.
static uint64_t funnelLeft(const Integers &n) {
  unsigned by = n.c % n.width;
  return by ? n.a << by | n.b >> (n.width - by) : n.a;
}
static uint64_t funnelRight(const Integers &n) {
  unsigned by = n.c % n.width;
  return by ? n.b >> by | n.a << (n.width - by) : n.b;
}

static uint64_t saturateSigned(const Integers &n, __int128 value) {
  __int128 most = n.ones() >> 1, least = -most - 1;
  return uint64_t(int64_t(std::clamp(value, least, most)));
}
static uint64_t addSaturatedSigned(const Integers &n) {
  return saturateSigned(n, __int128(n.asSigned(n.a)) + n.asSigned(n.b));
}
static uint64_t subSaturatedSigned(const Integers &n) {
  return saturateSigned(n, __int128(n.asSigned(n.a)) - n.asSigned(n.b));
}
static uint64_t addSaturated(const Integers &n) {
  return n.a > n.ones() - n.b ? n.ones() : n.a + n.b;
}
static uint64_t subSaturated(const Integers &n) {
  return n.a < n.b ? 0 : n.a - n.b;
}
static uint64_t swapBytes(const Integers &n) {
  return llvm::byteswap(n.a) >> (64 - n.width);
}
static uint64_t reverseBits(const Integers &n) {
  return llvm::reverseBits(n.a) >> (64 - n.width);
}

static void registerIntegerIntrinsics(OpRegistry &registry) {
  registry.add<LLVM::FshlOp>(llvmIntegers(funnelLeft));
  registry.add<LLVM::FshrOp>(llvmIntegers(funnelRight));
  registry.add<LLVM::SAddSat>(llvmIntegers(addSaturatedSigned));
  registry.add<LLVM::SSubSat>(llvmIntegers(subSaturatedSigned));
  registry.add<LLVM::UAddSat>(llvmIntegers(addSaturated));
  registry.add<LLVM::USubSat>(llvmIntegers(subSaturated));
  registry.add<LLVM::ByteSwapOp>(llvmIntegers(swapBytes));
  registry.add<LLVM::BitReverseOp>(llvmIntegers(reverseBits));
}

//===----------------------------------------------------------------------===//
// Results with an overflow bit
//===----------------------------------------------------------------------===//

using Fits = bool (*)(const Integers &);

static OpRegistry::Translate llvmOverflow(IntegerFunction function, Fits fits) {
  return [=](Operation *op, Translator &t) {
    Reg a = t.reg(op->getOperand(0)), b = t.reg(op->getOperand(1));
    SmallVector<Reg> parts = t.parts(t.reg(op->getResult(0)));
    if (parts.size() != 2)
      return t.notModelled(op, "a result that is no number and a bit");
    t.emit(op, [=, r = parts[0], bit = parts[1]](Agent &agent) {
      Integers n = {0, 0, 0, r.kind.width};
      for (int64_t e = 0; e < r.elements; ++e)
        for (int64_t l = 0; l < agent.lanes(); ++l) {
          n.a = uint64_t(agent.integer(a, l, e)) & n.ones();
          n.b = uint64_t(agent.integer(b, l, e)) & n.ones();
          bool isFine = fits(n);
          agent.setInteger(r, n.asSigned(function(n) & n.ones()), l, e);
          agent.setInteger(bit, isFine ? 0 : -1, l, e);
          if (isUndecided(agent, {a, b}, l, e)) {
            agent.makeUndecided(r, l, e);
            agent.makeUndecided(bit, l, e);
          }
        }
    });
    return success();
  };
}

static bool fitsSigned(const Integers &n, __int128 value) {
  return value >= -__int128(n.ones() >> 1) - 1 && value <= n.ones() >> 1;
}
static bool fitsUnsigned(const Integers &n, __int128 value) {
  return value >= 0 && value <= n.ones();
}

static void registerOverflows(OpRegistry &registry) {
  auto add = [](const Integers &n) { return n.a + n.b; };
  auto sub = [](const Integers &n) { return n.a - n.b; };
  auto mul = [](const Integers &n) { return n.a * n.b; };
  registry.add<LLVM::UAddWithOverflowOp>(
      llvmOverflow(add, [](const Integers &n) {
        return fitsUnsigned(n, __int128(n.a) + n.b);
      }));
  registry.add<LLVM::USubWithOverflowOp>(
      llvmOverflow(sub, [](const Integers &n) {
        return fitsUnsigned(n, __int128(n.a) - n.b);
      }));
  registry.add<LLVM::UMulWithOverflowOp>(
      llvmOverflow(mul, [](const Integers &n) {
        return n.a == 0 || n.b <= n.ones() / n.a;
      }));
  registry.add<LLVM::SAddWithOverflowOp>(
      llvmOverflow(add, [](const Integers &n) {
        return fitsSigned(n, __int128(n.asSigned(n.a)) + n.asSigned(n.b));
      }));
  registry.add<LLVM::SSubWithOverflowOp>(
      llvmOverflow(sub, [](const Integers &n) {
        return fitsSigned(n, __int128(n.asSigned(n.a)) - n.asSigned(n.b));
      }));
  registry.add<LLVM::SMulWithOverflowOp>(
      llvmOverflow(mul, [](const Integers &n) {
        return fitsSigned(n, __int128(n.asSigned(n.a)) * n.asSigned(n.b));
      }));
}

//===----------------------------------------------------------------------===//
// Classes of floats
//===----------------------------------------------------------------------===//

/// Translates a class test. Each bit of the mask stands for one class,
/// signalling NaNs being the lowest one. Classes are read from bit patterns,
/// which only one domain has.
static LogicalResult translateIsFPClass(LLVM::IsFPClass op, Translator &t) {
  if (!t.domain().mayReinterpretMemory())
    return t.notModelled(op, "classes of numbers whose bits are not known");
  Reg in = t.reg(op.getIn()), r = t.reg(op.getResult());
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType()));
  const llvm::fltSemantics *semantics = &type.getFloatSemantics();
  unsigned width = type.getWidth(), mask = op.getBit();
  const Domain *domain = &t.domain();
  t.emit(op, [=](Agent &agent) {
    for (int64_t e = 0; e < r.elements; ++e)
      for (int64_t l = 0; l < agent.lanes(); ++l) {
        uint64_t bits =
            *domain->pattern(in.kind, agent.cellsAs<uint8_t>(in, l, e));
        APFloat number(*semantics, APInt(width, bits));
        agent.setInteger(r, number.classify() & mask ? -1 : 0, l, e);
      }
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Combines elements in order; `hasStart`: starting with the first operand.
static OpRegistry::Translate llvmReduction(vector::CombiningKind combining,
                                           bool hasStart = false) {
  return [=](Operation *op, Translator &t) {
    Reg vector = t.reg(op->getOperand(hasStart ? 1 : 0)),
        r = t.reg(op->getResult(0));
    Binary combine = t.domain().combiner(combining, r.kind);
    if (!combine)
      return t.notModelled(op, "this reduction of this type");
    if (hasStart)
      t.copy(op, t.reg(op->getOperand(0)), r);
    int64_t step = t.lanes() * r.cellBytes;
    t.emit(op, [=](Agent &agent) {
      const uint8_t *cells = agent.cells(vector);
      if (!hasStart)
        std::memcpy(agent.cells(r), cells, step);
      for (int64_t e = hasStart ? 0 : 1; e < vector.elements; ++e)
        combine(agent.lanes(), agent.cells(r), cells + e * step,
                agent.cells(r));
    });
    return success();
  };
}

static void registerReductions(OpRegistry &registry) {
  using Kind = vector::CombiningKind;
  registry.add<LLVM::vector_reduce_add>(llvmReduction(Kind::ADD));
  registry.add<LLVM::vector_reduce_mul>(llvmReduction(Kind::MUL));
  registry.add<LLVM::vector_reduce_and>(llvmReduction(Kind::AND));
  registry.add<LLVM::vector_reduce_or>(llvmReduction(Kind::OR));
  registry.add<LLVM::vector_reduce_xor>(llvmReduction(Kind::XOR));
  registry.add<LLVM::vector_reduce_smax>(llvmReduction(Kind::MAXSI));
  registry.add<LLVM::vector_reduce_smin>(llvmReduction(Kind::MINSI));
  registry.add<LLVM::vector_reduce_umax>(llvmReduction(Kind::MAXUI));
  registry.add<LLVM::vector_reduce_umin>(llvmReduction(Kind::MINUI));
  registry.add<LLVM::vector_reduce_fmax>(llvmReduction(Kind::MAXNUMF));
  registry.add<LLVM::vector_reduce_fmin>(llvmReduction(Kind::MINNUMF));
  registry.add<LLVM::vector_reduce_fmaximum>(llvmReduction(Kind::MAXIMUMF));
  registry.add<LLVM::vector_reduce_fminimum>(llvmReduction(Kind::MINIMUMF));
  registry.add<LLVM::vector_reduce_fadd>(llvmReduction(Kind::ADD, true));
  registry.add<LLVM::vector_reduce_fmul>(llvmReduction(Kind::MUL, true));
}

//===----------------------------------------------------------------------===//
// Hints to LLVM
//===----------------------------------------------------------------------===//

/// Emits the check of "align"(pointer, alignment[, offset]): the pointer minus
/// the offset lies on a multiple.
static LogicalResult
emitAssumedAlignment(LLVM::AssumeOp op, OperandRange operands, Translator &t) {
  if (operands.size() < 2 || operands.size() > 3)
    return t.notModelled(op, "this assumption");
  SmallVector<Reg, 3> numbers;
  for (Value operand : operands)
    numbers.push_back(t.reg(operand));
  t.emit(op, [=](Agent &agent) {
    Workgroup &group = agent.workgroup();
    forEachLane(agent.mask(), [&](int64_t lane) {
      Pointer pointer = Pointer::decode(agent.integer(numbers[0], lane));
      int64_t alignment = agent.integer(numbers[1], lane);
      int64_t offset =
          numbers.size() == 3 ? agent.integer(numbers[2], lane) : 0;
      if (alignment > 0 && pointer.buffer >= 0 &&
          pointer.buffer < group.numBuffers())
        agent.checkAddress(op, group.buffer(pointer.buffer), lane,
                           pointer.byte - offset, alignment);
    });
  });
  return success();
}

static LogicalResult translateAssume(LLVM::AssumeOp op, Translator &t) {
  for (auto [number, operands] : llvm::enumerate(op.getOpBundleOperands())) {
    StringRef tag =
        cast<StringAttr>(op.getOpBundleTagsAttr()[number]).getValue();
    if (tag != "align")
      return t.notModelled(op, "the assumption \"" + tag + "\"");
    if (failed(emitAssumedAlignment(op, operands, t)))
      return failure();
  }
  Reg condition = t.reg(op.getCond());
  t.emit(op, [=](Agent &agent) {
    forEachLane(agent.mask(), [&](int64_t lane) {
      if (!agent.integer(condition, lane))
        agent.fault(op, FaultKind::Assertion,
                    agent.describe(lane) + ": what LLVM is told to assume "
                                           "does not hold",
                    agent.placeOf(lane));
    });
  });
  return success();
}

void distaff::simt::registerLlvmIntrinsics(OpRegistry &registry) {
  registerIntegerIntrinsics(registry);
  registerOverflows(registry);
  registerReductions(registry);
  registry.add<LLVM::IsFPClass>(translateIsFPClass);
  registry.add<LLVM::AssumeOp>(translateAssume);
  registry.addNothing(LLVM::LifetimeStartOp::getOperationName());
  registry.addNothing(LLVM::LifetimeEndOp::getOperationName());
}
