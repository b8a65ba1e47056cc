//===- ApproximateMath.cpp - Instructions for exp2 and reciprocals --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, rcp.approx.ftz.f32 and ex2.approx.ftz.f32; AMD's "CDNA3 ISA",
// V_RCP_F32 and V_EXP_F32: subnormal operands and results are flushed to zeros
// of their sign. The results here are correctly rounded; the hardware's error
// is not modelled.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// Flushes subnormal numbers of f32 to zeros of their sign.
struct FlushToZero {
  Regroup toBits, back;
  Reg word; // scratch

  static std::optional<FlushToZero> get(Kind kind, Translator &t) {
    Kind word = Kind::integer(32);
    FlushToZero flush = {t.domain().bitcast(kind, word),
                         t.domain().bitcast(word, kind), t.scratch(word)};
    if (!flush.toBits || !flush.back)
      return std::nullopt;
    return flush;
  }

  void run(Agent &agent, Reg from, Reg to) const {
    int64_t lanes = agent.lanes();
    toBits(lanes, 1, agent.cells(from), 1, agent.cells(word));
    for (int64_t l = 0; l < lanes; ++l) {
      uint32_t bits = uint32_t(agent.integer(word, l));
      if ((bits & 0x7F800000) == 0)
        agent.setInteger(word, int32_t(bits & 0x80000000), l);
    }
    back(lanes, 1, agent.cells(word), 1, agent.cells(to));
  }
};
} // namespace

/// A function that computes the cells of a register in place.
using Function = std::function<void(Agent &, Reg)>;

/// Translates a function of one f32 between two flushes.
static LogicalResult translateFlushing(Operation *op, Function function,
                                       Translator &t) {
  Reg a = t.reg(op->getOperand(0)), r = t.reg(op->getResult(0));
  if (!function || r.elements != 1 || !a.kind.isFloat ||
      a.kind.format != FloatFormat::F32)
    return t.notModelled(op, "an approximation of other than one f32");
  std::optional<FlushToZero> flush = FlushToZero::get(a.kind, t);
  if (!flush)
    return t.notModelled(op, "a flush of subnormal numbers in this domain");
  t.emit(op, [=, flush = *flush](Agent &agent) {
    flush.run(agent, a, r);
    function(agent, r);
    flush.run(agent, r, r);
  });
  return success();
}

static LogicalResult translateReciprocal(Operation *op, Translator &t) {
  Function function;
  Reg one =
      t.constant(t.reg(op->getResult(0)).kind, llvm::bit_cast<uint32_t>(1.0f));
  if (Binary divide = t.domain().binary(FloatBinary::Div, FloatFormat::F32))
    function = [=](Agent &agent, Reg r) {
      divide(agent.numCells(r), agent.cells(one), agent.cells(r),
             agent.cells(r));
    };
  return translateFlushing(op, std::move(function), t);
}

static LogicalResult translateExp2(Operation *op, Translator &t) {
  Function function;
  if (Unary exp2 = t.domain().unary(FloatUnary::Exp2, FloatFormat::F32))
    function = [=](Agent &agent, Reg r) {
      exp2(agent.numCells(r), agent.cells(r), agent.cells(r));
    };
  return translateFlushing(op, std::move(function), t);
}

void distaff::simt::registerApproximateMath(OpRegistry &registry) {
  registry.add<NVVM::RcpApproxFtzF32Op>(translateReciprocal);
  registry.add<ROCDL::ROCDLRcp>(translateReciprocal);
  // NVIDIA's intrinsic is called by name.
  registry.addByOperands("llvm.intr.nvvm.ex2.approx.ftz", translateExp2);
  registry.add<ROCDL::ROCDLExp2>(translateExp2);
}
