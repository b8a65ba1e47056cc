//===- LlvmPredicated.cpp - llvm intrinsics under a mask ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's language reference, "Vector Predication Intrinsics": the last operands
// are a mask and a number of elements. A disabled element (its bit is false, or
// it is not below the number) is undefined in a result, is not part of a
// reduction, and divides nothing. Here it is computed where that is harmless.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// The enabled elements.
struct Predicate {
  std::optional<Reg> mask;
  Reg length;

  static Predicate get(Operation *op, Translator &t) {
    unsigned n = op->getNumOperands();
    return {t.reg(op->getOperand(n - 2)), t.reg(op->getOperand(n - 1))};
  }

  bool holds(Agent &agent, int64_t lane, int64_t element) const {
    return element < agent.integer(length, lane) &&
           (!mask || agent.integer(*mask, lane, element) != 0);
  }
  bool isUndecided(Agent &agent, int64_t lane, int64_t element) const {
    return agent.isUndecided(length, lane) ||
           (mask && agent.isUndecided(*mask, lane, element));
  }
};
} // namespace

/// Returns the translator of a division with disabled divisors replaced by 1.
static OpRegistry::Translate predicatedDivision(IntegerBinary function,
                                                bool isSigned) {
  return [=](Operation *op, Translator &t) -> LogicalResult {
    Reg a = t.reg(op->getOperand(0)), b = t.reg(op->getOperand(1)),
        r = t.reg(op->getResult(0));
    Binary divide = t.domain().binary(function, r.kind.width);
    if (!divide)
      return t.notModelled(op, "a division in this domain");
    Predicate predicate = Predicate::get(op, t);
    Reg divisor = t.scratch(b.kind, b.elements);
    int64_t least = llvm::minIntN(a.kind.width);
    t.emit(op, [=](Agent &agent) {
      std::memcpy(agent.cells(divisor), agent.cells(b),
                  agent.numCells(b) * b.cellBytes);
      for (int64_t e = 0; e < r.elements; ++e)
        for (int64_t l = 0; l < agent.lanes(); ++l)
          if (!predicate.holds(agent, l, e))
            agent.setInteger(divisor, 1, l, e);
      forEachLane(agent.mask(), [&](int64_t l) {
        for (int64_t e = 0; e < r.elements; ++e) {
          int64_t by = agent.integer(divisor, l, e),
                  number = agent.integer(a, l, e);
          if (by == 0 || (isSigned && by == -1 && number == least))
            agent.fault(op, FaultKind::Undefined,
                        agent.describe(l) + " divides " + Twine(number) +
                            " by " + Twine(by),
                        agent.placeOf(l));
        }
      });
      divide(agent.numCells(r), agent.cells(a), agent.cells(divisor),
             agent.cells(r));
    });
    return success();
  };
}

/// Returns the translator of a reduction of the enabled elements in order,
/// starting with the first operand.
static OpRegistry::Translate
predicatedReduction(vector::CombiningKind combining) {
  return [=](Operation *op, Translator &t) -> LogicalResult {
    Reg vector = t.reg(op->getOperand(1)), r = t.reg(op->getResult(0));
    Binary combine = t.domain().combiner(combining, r.kind);
    Ternary select = t.domain().select(r.kind);
    if (!combine || !select)
      return t.notModelled(op, "this reduction of this type");
    Predicate predicate = Predicate::get(op, t);
    t.copy(op, t.reg(op->getOperand(0)), r);
    Reg condition = t.scratch(Kind::integer(1)), with = t.scratch(r.kind);
    t.emit(op, [=](Agent &agent) {
      int64_t lanes = agent.lanes(), step = lanes * r.cellBytes;
      for (int64_t e = 0; e < vector.elements; ++e) {
        for (int64_t l = 0; l < lanes; ++l) {
          agent.setInteger(condition, predicate.holds(agent, l, e) ? -1 : 0, l);
          if (predicate.isUndecided(agent, l, e))
            agent.makeUndecided(condition, l);
        }
        combine(lanes, agent.cells(r), agent.cells(vector) + e * step,
                agent.cells(with));
        select(lanes, agent.cells(condition), agent.cells(with), agent.cells(r),
               agent.cells(r));
      }
    });
    return success();
  };
}

/// Returns the translator of a choice. `merges`: from the length on the result
/// is the third operand; for a select it is undefined there.
static OpRegistry::Translate predicatedChoice(bool merges) {
  return [=](Operation *op, Translator &t) -> LogicalResult {
    Reg condition = t.reg(op->getOperand(0)), a = t.reg(op->getOperand(1)),
        b = t.reg(op->getOperand(2)), r = t.reg(op->getResult(0));
    Ternary select = t.domain().select(r.kind);
    if (!select)
      return t.notModelled(op, "a choice in this domain");
    Predicate predicate = {condition, t.reg(op->getOperand(3))};
    Reg taken = t.scratch(condition.kind, condition.elements);
    t.emit(op, [=](Agent &agent) {
      for (int64_t e = 0; e < r.elements; ++e)
        for (int64_t l = 0; l < agent.lanes(); ++l) {
          bool holds = merges ? predicate.holds(agent, l, e)
                              : agent.integer(condition, l, e) != 0;
          agent.setInteger(taken, holds ? -1 : 0, l, e);
          if (predicate.isUndecided(agent, l, e))
            agent.makeUndecided(taken, l, e);
        }
      select(agent.numCells(r), agent.cells(taken), agent.cells(a),
             agent.cells(b), agent.cells(r));
    });
    return success();
  };
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Registers ops that may compute disabled elements: by the name after "vp.",
/// which is an instruction's or an intrinsic's.
static void registerUnmasked(OpRegistry &registry) {
  for (StringRef name :
       {"add",     "sub",   "mul",    "and",    "or",     "xor",
        "shl",     "lshr",  "ashr",   "fadd",   "fsub",   "fmul",
        "fdiv",    "frem",  "fneg",   "trunc",  "zext",   "sext",
        "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"})
    registry.addAlias(("llvm.intr.vp." + name).str(), ("llvm." + name).str());
  for (StringRef name :
       {"smax",     "smin",   "umax",   "umin",      "fma",    "fmuladd",
        "abs",      "ctlz",   "cttz",   "ctpop",     "fabs",   "sqrt",
        "ceil",     "floor",  "rint",   "nearbyint", "round",  "roundeven",
        "copysign", "minnum", "maxnum", "minimum",   "maximum"})
    registry.addAlias(("llvm.intr.vp." + name).str(),
                      ("llvm.intr." + name).str());
  registry.addAlias("llvm.intr.vp.roundtozero", "llvm.intr.trunc");
}

static void registerPredicatedReductions(OpRegistry &registry) {
  using Kind = vector::CombiningKind;
  registry.add<LLVM::VPReduceAddOp>(predicatedReduction(Kind::ADD));
  registry.add<LLVM::VPReduceMulOp>(predicatedReduction(Kind::MUL));
  registry.add<LLVM::VPReduceAndOp>(predicatedReduction(Kind::AND));
  registry.add<LLVM::VPReduceOrOp>(predicatedReduction(Kind::OR));
  registry.add<LLVM::VPReduceXorOp>(predicatedReduction(Kind::XOR));
  registry.add<LLVM::VPReduceSMaxOp>(predicatedReduction(Kind::MAXSI));
  registry.add<LLVM::VPReduceSMinOp>(predicatedReduction(Kind::MINSI));
  registry.add<LLVM::VPReduceUMaxOp>(predicatedReduction(Kind::MAXUI));
  registry.add<LLVM::VPReduceUMinOp>(predicatedReduction(Kind::MINUI));
  registry.add<LLVM::VPReduceFAddOp>(predicatedReduction(Kind::ADD));
  registry.add<LLVM::VPReduceFMulOp>(predicatedReduction(Kind::MUL));
  registry.add<LLVM::VPReduceFMaxOp>(predicatedReduction(Kind::MAXNUMF));
  registry.add<LLVM::VPReduceFMinOp>(predicatedReduction(Kind::MINNUMF));
  registry.addByOperands("llvm.intr.vp.reduce.fmaximum",
                         predicatedReduction(Kind::MAXIMUMF));
  registry.addByOperands("llvm.intr.vp.reduce.fminimum",
                         predicatedReduction(Kind::MINIMUMF));
}

void distaff::simt::registerLlvmPredicated(OpRegistry &registry) {
  registerUnmasked(registry);
  registerPredicatedReductions(registry);
  registry.add<LLVM::VPSDivOp>(predicatedDivision(IntegerBinary::DivS, true));
  registry.add<LLVM::VPUDivOp>(predicatedDivision(IntegerBinary::DivU, false));
  registry.add<LLVM::VPSRemOp>(predicatedDivision(IntegerBinary::RemS, true));
  registry.add<LLVM::VPURemOp>(predicatedDivision(IntegerBinary::RemU, false));
  registry.add<LLVM::VPSelectMinOp>(predicatedChoice(/*merges=*/false));
  registry.add<LLVM::VPMergeMinOp>(predicatedChoice(/*merges=*/true));
}
