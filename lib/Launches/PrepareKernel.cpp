//===- PrepareKernel.cpp - Normalization of kernels for ranking -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Launches/PrepareKernel.h"
#include "Loops/ControlFlow.h"
#include "Loops/Recurrences.h"
#include "Normalize/BodyForms.h"
#include "Normalize/InputLegality.h"
#include "Normalize/ReadThrough.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Legality/UserConfig.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/ContractionKernel.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Launches/Normalize/LogSumExp.h"
#include "distaff/Launches/Scans/Scans.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;
using iree::LoweringConfigAttr;

/// Returns whether upstream's patterns can drop unit loops of a product: their
/// ops sign-extend, and two loops with a dynamic extent between them become a
/// shape that cannot be tiled.
static bool mayDropUnitLoops(linalg::LinalgOp op) {
  auto cast = op->getAttrOfType<linalg::TypeFnAttr>("cast");
  if (op->hasAttr(LoweringConfigAttr::attributeName) ||
      (cast && cast.getValue() == linalg::TypeFn::cast_unsigned))
    return false;
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (tensor.getRank() <= 2 || tensor.hasStaticShape());
  });
}

/// Returns the ops of attentions of several rows: they keep a batch of one.
static llvm::SmallPtrSet<Operation *, 8> attentionsOf(func::FuncOp kernel) {
  llvm::SmallPtrSet<Operation *, 8> ops;
  kernel.walk([&](linalg::LinalgOp op) {
    std::optional<ContractionBody> body = matchContraction(op);
    if (!body)
      return;
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    if (llvm::any_of(body->m,
                     [&](unsigned loop) { return extents[loop] != 1; }))
      ops.insert_range(findAttention(op));
  });
  return ops;
}

/// Drops loops of one step from products, which then are matrix-vector
/// products: they have no data reuse, and no tiles to choose. Products for
/// which the user has chosen tiles stay. Applies to CPUs: instructions of GPUs
/// have rows and columns to fill.
static void dropUnitLoops(func::FuncOp kernel) {
  llvm::SmallPtrSet<Operation *, 8> attentions = attentionsOf(kernel);
  SmallVector<Operation *> ops;
  kernel.walk([&](linalg::LinalgOp op) {
    if (mayDropUnitLoops(op) && !attentions.contains(op))
      ops.push_back(op);
  });
  RewritePatternSet patterns(kernel.getContext());
  linalg::populateContractionOpRankReducingPatterns(patterns);
  (void)applyOpPatternsGreedily(ops, guarded(std::move(patterns)));
}

LogicalResult distaff::prepareKernel(func::FuncOp kernel, const Target &target,
                                     bool strictFp) {
  // A pass has loaded the dialects before; other callers need not load them.
  kernel.getContext()
      ->loadDialect<affine::AffineDialect, iree::IREECodegenDialect,
                    iree::IREEGPUDialect, core::DistaffDialect,
                    arith::ArithDialect, linalg::LinalgDialect,
                    memref::MemRefDialect, tensor::TensorDialect,
                    vector::VectorDialect>();
  bool isRaised = mentionsTensors(kernel) && !comesTiled(kernel) &&
                  kernel.getBody().hasOneBlock();
  if (isRaised && strictFp && failed(checkLogSumExpOrder(kernel)))
    return failure();
  if (isRaised && !strictFp)
    splitLogSumExp(kernel);
  if (isRaised && target.isHost() &&
      !kernel->hasAttr(LoweringConfigAttr::attributeName))
    dropUnitLoops(kernel);
  if (isRaised && (failed(flattenBodyBranches(kernel)) ||
                   failed(attachBodyAssertions(kernel))))
    return failure();
  if (isRaised && failed(countConditionalLoops(kernel)))
    return failure();
  if (isRaised)
    raiseScans(kernel, target, strictFp);
  if (isRaised)
    raiseRecurrences(kernel);
  if (isRaised &&
      (failed(straightenControlFlow(kernel)) || failed(raiseTensorOps(kernel))))
    return failure();
  if (isRaised) {
    splitResults(kernel);
    separateZeroPoints(kernel);
    widenBits(kernel);
  }
  // Layouts apply to whole tensors, also to those that a branch yields.
  if (laysOutTensors(kernel) &&
      (failed(selectBranches(kernel)) ||
       (!findWorkgroupLoop(kernel) && failed(raiseMovements(kernel)))))
    return failure();
  if (failed(checkForm(kernel, target)) ||
      failed(checkAttributes(kernel, target)) ||
      failed(passVectorsInMemory(kernel)) ||
      failed(checkLaunchShape(kernel, target)))
    return failure();
  // A kernel with a loop over workgroups needs no other form.
  if (!mentionsTensors(kernel) || findWorkgroupLoop(kernel))
    return success();
  if (failed(normalizeTensors(kernel)))
    return failure();
  return isRaised ? readThroughElementwise(kernel) : success();
}

/// Refuses elements that a body extracts from a tensor outside of the op: they
/// belong to no operand that phases could share out.
static LogicalResult checkGathers(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](tensor::ExtractOp op) {
    if (!op->getParentOfType<linalg::LinalgOp>())
      return WalkResult::advance();
    op.emitOpError("takes elements at places that are computed, and phases "
                   "share out whole operands; --pipeline=vector-distribute "
                   "takes such a kernel");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Refuses packed results: their bytes are written by a launch of their own,
/// and phases belong to one launch.
static LogicalResult checkNothingPacked(func::FuncOp kernel) {
  for (Type type : kernel.getResultTypes())
    if (isPackedElement(getElementTypeOrSelf(type)))
      return kernel.emitOpError("returns ")
             << type << ", of which several elements share a byte, and phases "
             << "write single elements; --pipeline=vector-distribute takes "
                "such a kernel";
  return success();
}

LogicalResult distaff::prepareForClusters(func::FuncOp kernel,
                                          const Target &target) {
  if (!mentionsTensors(kernel))
    return kernel.emitOpError("has no tensors to form phases of; "
                              "--pipeline=vector-distribute takes vectors");
  if (failed(checkForm(kernel, target, /*isTiledByPhases=*/true)) ||
      failed(checkAttributes(kernel, target)) || failed(checkGathers(kernel)) ||
      failed(checkNothingPacked(kernel)) ||
      failed(passVectorsInMemory(kernel)) ||
      failed(checkLaunchShape(kernel, target)))
    return failure();
  return normalizeTensors(kernel);
}

bool distaff::isOneProduct(func::FuncOp kernel, const Target &target) {
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  // Tries on a copy in the same module, because it needs the module's symbols.
  OpBuilder builder(kernel);
  auto copy = cast<func::FuncOp>(builder.clone(*kernel));
  bool isOne = kernel.getBody().hasOneBlock() &&
               succeeded(prepareForClusters(copy, target)) &&
               succeeded(ContractionKernel::match(copy));
  copy.erase();
  return isOne;
}
