//===- LlvmWideProducts.cpp - Products of double width --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// arith.mulsi_extended of i64 becomes a product of i128 that is split in two.
// Such an integer is two registers, its low 64 bits and the upper ones, which
// are sign-extended like the machine's integers.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "LlvmTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;
using namespace distaff::simt;

using Wide = unsigned __int128;

static unsigned widthOf(Value value) {
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

/// Returns the low `width` bits, extended by the sign, or by zeros.
static Wide extend(Wide bits, unsigned width, bool isSigned) {
  unsigned above = 128 - width;
  bits <<= above;
  return isSigned ? Wide(__int128(bits) >> above) : bits >> above;
}

static Wide readWide(Agent &agent, ArrayRef<Reg> parts, int64_t lane,
                     int64_t element) {
  Wide low = uint64_t(agent.integer(parts.front(), lane, element));
  if (parts.size() == 1)
    return Wide(__int128(int64_t(low)));
  return low | Wide(uint64_t(agent.integer(parts.back(), lane, element))) << 64;
}

static void writeWide(Agent &agent, ArrayRef<Reg> parts, Wide value,
                      unsigned width, int64_t lane, int64_t element) {
  value = extend(value, width, /*isSigned=*/true);
  agent.setInteger(parts.front(), int64_t(uint64_t(value)), lane, element);
  if (parts.size() == 2)
    agent.setInteger(parts.back(), int64_t(uint64_t(value >> 64)), lane,
                     element);
}

/// Emits an op of one or two operands, each of one register or of two.
static LogicalResult
emitWide(Operation *op, Translator &t,
         std::function<Wide(ArrayRef<Wide> operands)> compute) {
  SmallVector<SmallVector<Reg>> operands;
  for (Value operand : op->getOperands())
    operands.push_back(t.parts(t.reg(operand)));
  SmallVector<Reg> result = t.parts(t.reg(op->getResult(0)));
  unsigned width = widthOf(op->getResult(0));
  t.emit(op, [=](Agent &agent) {
    for (int64_t e = 0; e < result.front().elements; ++e)
      for (int64_t l = 0; l < agent.lanes(); ++l) {
        SmallVector<Wide> values;
        for (const SmallVector<Reg> &operand : operands)
          values.push_back(readWide(agent, operand, l, e));
        writeWide(agent, result, compute(values), width, l, e);
      }
  });
  return success();
}

bool simt::isWideInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer && integer.getWidth() > 64 && integer.getWidth() <= 128;
}

/// Returns a translator that takes wide integers, and leaves the others to
/// `narrow`.
static OpRegistry::Translate
orWide(OpRegistry::Translate narrow,
       std::function<Wide(ArrayRef<Wide>, unsigned width)> compute) {
  return [=](Operation *op, Translator &t) {
    if (!isWideInteger(op->getOperand(0).getType()) &&
        !isWideInteger(op->getResult(0).getType()))
      return narrow(op, t);
    unsigned width = widthOf(op->getOperand(0));
    return emitWide(op, t, [=](ArrayRef<Wide> operands) {
      return compute(operands, width);
    });
  };
}

void simt::addWideProducts(OpRegistry &registry) {
  auto widen = [&]<typename Op>(auto compute) {
    registry.add<Op>(orWide(*registry.lookup(Op::getOperationName()), compute));
  };
  widen.operator()<LLVM::SExtOp>([](ArrayRef<Wide> a, unsigned width) {
    return extend(a[0], width, /*isSigned=*/true);
  });
  widen.operator()<LLVM::ZExtOp>([](ArrayRef<Wide> a, unsigned width) {
    return extend(a[0], width, /*isSigned=*/false);
  });
  widen.operator()<LLVM::TruncOp>(
      [](ArrayRef<Wide> a, unsigned) { return a[0]; });
  widen.operator()<LLVM::MulOp>(
      [](ArrayRef<Wide> a, unsigned) { return a[0] * a[1]; });
  // A shift by the width or more is poison, for which 0 is as good.
  widen.operator()<LLVM::LShrOp>([](ArrayRef<Wide> a, unsigned width) {
    return a[1] < width ? extend(a[0], width, /*isSigned=*/false) >> a[1] : 0;
  });
  widen.operator()<LLVM::AShrOp>([](ArrayRef<Wide> a, unsigned width) {
    return a[1] < width ? Wide(__int128(a[0]) >> a[1]) : 0;
  });
}
