//===- RaiseIntrinsics.cpp - LLVM's 1-D vector ops as n-D vector ops ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An author may flatten vectors and call LLVM's ops on them. An op with an
// equivalent in other dialects gets that form (IntrinsicForms.h), and with it
// layouts and code everywhere (VX-150). The rest are instructions of one kind
// of CPU, which only code for that CPU can have: for other targets they are
// refused here, and for an instruction set level that lacks them (VX-151).
//
//===----------------------------------------------------------------------===//
#include "IntrinsicForms.h"
#include "IntrinsicSignatures.h"
#include "distaff/Analysis/Legality/CpuInstructions.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Import/Passes.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Conversion/ArmNeon2dToIntr/ArmNeon2dToIntr.h"
#include "mlir/Dialect/ArmNeon/ArmNeonDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_RAISEINTRINSICS
#include "distaff/Import/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// Erases ops whose pure forms have replaced them: addresses, and numbers with
/// an overflow bit.
static void eraseUnusedSources(FunctionOpInterface kernel) {
  SmallVector<Operation *> ops;
  kernel->walk([&](Operation *op) {
    if (isa<LLVM::IntToPtrOp, LLVM::GEPOp, arith::IndexCastOp,
            arith::IndexCastUIOp, memref::ExtractAlignedPointerAsIndexOp>(op) ||
        intrinsicOf(op).contains(".with.overflow"))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

static LogicalResult checkSignatures(FunctionOpInterface kernel) {
  return failure(kernel
                     ->walk([](LLVM::CallIntrinsicOp call) {
                       return WalkResult(checkSignature(call));
                     })
                     .wasInterrupted());
}

static void raiseForms(FunctionOpInterface kernel) {
  SmallVector<Operation *> ops;
  kernel->walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    if (replaceColumnAccess(b, op) || replaceMaskedAccess(b, op))
      continue;
    if (Value form = emitForm(b, op)) {
      op->getResult(0).replaceAllUsesWith(form);
      op->erase();
    }
  }
  eraseUnusedSources(kernel);
}

/// Replaces Arm's ops on vectors of two dims by those on flattened vectors.
static LogicalResult flattenArmOps(FunctionOpInterface kernel) {
  SmallVector<Operation *> ops;
  kernel->walk([&](arm_neon::Sdot2dOp op) { ops.push_back(op); });
  if (ops.empty())
    return success();
  RewritePatternSet patterns(kernel->getContext());
  populateConvertArmNeon2dToIntrPatterns(patterns);
  return applyOpPatternsGreedily(ops, guarded(std::move(patterns)));
}

namespace {
struct RaiseIntrinsics final
    : distaff::impl::RaiseIntrinsicsBase<RaiseIntrinsics> {
  using RaiseIntrinsicsBase::RaiseIntrinsicsBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    for (FunctionOpInterface kernel : findKernels(getOperation())) {
      if (failed(checkSignatures(kernel)))
        return signalPassFailure();
      // A lane's program is written for its target already.
      if (!isa<func::FuncOp>(kernel))
        continue;
      raiseForms(kernel);
      if (failed(flattenArmOps(kernel)) ||
          failed(checkCpuInstructions(kernel, *machine)))
        return signalPassFailure();
    }
  }
};
} // namespace
