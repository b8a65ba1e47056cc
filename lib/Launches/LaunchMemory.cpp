//===- LaunchMemory.cpp - Memory for intermediates on a CPU ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LaunchMemory.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;

bool distaff::isHeavy(Operation *op) {
  if (isa<linalg::SoftmaxOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0;
}

/// Returns whether ops are the attention that `root` ends, with no other heavy
/// op, and a loop over its keys pays off. A single row reads each key once, so
/// a transposed copy has no use. The scores of few keys are as near as a
/// workgroup's memory.
static bool isWorthWalking(Operation *root,
                           const llvm::SetVector<Operation *> &ops) {
  constexpr int64_t fewestRows = 6, fewestKeys = 24;
  SmallVector<Operation *> chain = findAttention(root);
  auto isHere = [&](Operation *op) { return ops.contains(op); };
  auto isOfChain = [&](Operation *op) {
    return !isHeavy(op) || llvm::is_contained(chain, op);
  };
  std::optional<ContractionBody> body = matchContraction(root);
  if (!body || body->m.empty() || chain.empty() ||
      !llvm::all_of(chain, isHere) || !llvm::all_of(ops, isOfChain))
    return false;
  SmallVector<int64_t> extents =
      cast<linalg::LinalgOp>(root).getStaticLoopRanges();
  auto isFew = [&](unsigned loop, int64_t least) {
    return !ShapedType::isDynamic(extents[loop]) && extents[loop] < least;
  };
  return !isFew(body->m.back(), fewestRows) &&
         !isFew(body->k.back(), fewestKeys);
}

/// Returns the bytes of the results of ops; none where they are dynamic.
static std::optional<int64_t> bytesOfResults(ArrayRef<Operation *> ops) {
  int64_t bytes = 0;
  for (Operation *op : ops)
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape())
        return std::nullopt;
      bytes = saturatingSum(
          bytes, saturatingProduct(saturatingProduct(tensor.getShape()),
                                   bytesInMemory(tensor.getElementType())));
    }
  return bytes;
}

bool distaff::wantsMemoryBetween(const llvm::SetVector<Operation *> &ops) {
  constexpr int64_t mostBytes = 256 << 20, mostFeatures = 1024;
  SmallVector<Operation *> heavy(llvm::make_filter_range(ops, isHeavy));
  if (heavy.size() < 2 || llvm::none_of(heavy, [](Operation *op) {
        return matchProduct(op).has_value();
      }))
    return false;
  if (llvm::all_of(heavy,
                   [](Operation *op) { return findAttention(op).empty(); }))
    return true;
  std::optional<int64_t> bytes = bytesOfResults(ArrayRef(heavy).drop_back());
  for (Operation *op : heavy) {
    std::optional<int64_t> features = featuresOfAttention(op);
    if (features && isWorthWalking(op, ops))
      return *features > mostFeatures && bytes && *bytes <= mostBytes;
  }
  return !bytes || *bytes <= mostBytes;
}
