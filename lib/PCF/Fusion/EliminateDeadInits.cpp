//===- EliminateDeadInits.cpp - Dead-initializer elimination --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matmul onto an argument that it fills first does not need the argument's
// values. As long as its loop names the argument as the result's init, the
// result cannot be memory of its own without a copy.
//
//===----------------------------------------------------------------------===//
#include "Covering.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/PCF/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_PCFELIMINATEDEADINITS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

static bool isUnseen(RefOwnerOpInterface owner, BlockArgument ref,
                     bool assumeCovering) {
  auto type = cast<ShapedType>(ref.getType());
  if (type.hasStaticShape() && type.getNumElements() == 0)
    return true;
  bool isWritten = false;
  return seesNoValue(ref, isWritten) && isWritten &&
         (assumeCovering || isCovered(owner, ref, /*assumed=*/false));
}

/// Returns whether a value is computed, or part of another one, and no
/// argument. A computed init is not assumed to be overwritten as a whole, since
/// its author had a reason to compute it.
static bool isComputed(Value init) { return !isa<BlockArgument>(init); }

namespace {
struct EliminateDeadInits final
    : distaff::impl::PCFEliminateDeadInitsBase<EliminateDeadInits> {
  using PCFEliminateDeadInitsBase::PCFEliminateDeadInitsBase;

  void runOnOperation() override {
    getOperation()->walk([&](RefOwnerOpInterface owner) {
      for (OpResult result : owner->getResults())
        dropInit(owner, result.getResultNumber());
    });
  }

  void dropInit(RefOwnerOpInterface owner, unsigned result) {
    OpOperand *init = owner.getTiedInit(result);
    if (!init || !isa<RankedTensorType>(init->get().getType()) ||
        init->get().getDefiningOp<tensor::EmptyOp>() ||
        !isUnseen(owner, owner.getRefOfResult(result),
                  assumeCovering && !isComputed(init->get())))
      return;
    OpBuilder builder(owner);
    pcf::dropInit(builder, owner, *init);
  }
};
} // namespace
