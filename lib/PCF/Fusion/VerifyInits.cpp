//===- VerifyInits.cpp - Verifying initial values of results --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If collective code initializes a result by an argument, CopyInits.cpp copies
// the argument. Code of lanes has no such copy: which elements belong to a lane
// is determined by the lane's own code.
//
//===----------------------------------------------------------------------===//
#include "Covering.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/PCF/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace distaff {
#define GEN_PASS_DEF_PCFVERIFYINITS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Fails if `owner`'s result has initial values that its memory cannot have.
static LogicalResult verifyInit(RefOwnerOpInterface owner, OpResult result) {
  OpOperand *init = owner.getTiedInit(result.getResultNumber());
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || result.use_empty() ||
      (type.hasStaticShape() && type.getNumElements() == 0))
    return success();
  bool isWritten = false;
  bool isSeen =
      !seesNoValue(owner.getRefOfResult(result.getResultNumber()), isWritten);
  if (!isSeen && !isWritten &&
      (!init || init->get().getDefiningOp<tensor::EmptyOp>()))
    return owner->emitOpError("writes nothing to its result ")
           << result.getResultNumber()
           << ", which begins without values; write it, or begin with an "
              "argument's values by a pcf.generic of subgroups before";
  auto argument = init ? dyn_cast<BlockArgument>(init->get()) : BlockArgument();
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return success();
  return owner->emitOpError("begins its result ")
         << result.getResultNumber() << " with the values of argument "
         << argument.getArgNumber()
         << ", and keeps or reads some of them, but an argument is only read; "
            "begin with tensor.empty, read the argument by a readonly ref, and "
            "write all elements";
}

namespace {
struct VerifyInits final : distaff::impl::PCFVerifyInitsBase<VerifyInits> {
  void runOnOperation() override {
    WalkResult walked = getOperation()->walk([&](RefOwnerOpInterface owner) {
      for (OpResult result : owner->getResults())
        if (failed(verifyInit(owner, result)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
