//===- LowerChecks.cpp - Checked values as assertions ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %r = distaff.check %c, %v, "m" : vector<2xi1>, vector<2xf32>
//   =>  %all = vector.reduction <and>, %c
//       cf.assert %all, "m"                 // and %v for %r
//
// This pass runs after all passes that move or split values: an assertion stays
// in front of the ops that follow it.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERCHECKS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// Returns whether a condition holds for all elements.
static Value holdsForAll(ImplicitLocOpBuilder &b, Value condition) {
  auto type = dyn_cast<VectorType>(condition.getType());
  if (!type)
    return condition;
  auto flat = VectorType::get(type.getNumElements(), type.getElementType());
  if (type != flat)
    condition = vector::ShapeCastOp::create(b, flat, condition);
  return vector::ReductionOp::create(b, vector::CombiningKind::AND, condition);
}

namespace {
struct LowerChecksPass final : distaff::impl::LowerChecksBase<LowerChecksPass> {
  void runOnOperation() override {
    getOperation()->walk([](core::CheckOp check) {
      if (!check.use_empty()) {
        ImplicitLocOpBuilder b(check.getLoc(), check);
        cf::AssertOp::create(b, holdsForAll(b, check.getCondition()),
                             check.getMessageAttr());
        check.replaceAllUsesWith(check.getValue());
      }
      check.erase();
    });
  }
};
} // namespace
