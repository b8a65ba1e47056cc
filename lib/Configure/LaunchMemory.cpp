//===- LaunchMemory.cpp - What lies between launches on a CPU -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LaunchMemory.h"
#include "distaff/Analysis/AccessWidth.h"
#include "distaff/Analysis/ContractionBody.h"
#include "distaff/Analysis/OnlineSoftmax.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;

bool distaff::isHeavy(Operation *op) {
  if (isa<linalg::SoftmaxOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0;
}

/// Features of queries and values, of ops that are an attention of some rows
/// and nothing else that is heavy; none where they are not, or only a launch
/// knows. A core walks its keys with the scores in memory.
static std::optional<int64_t>
featuresOfAttention(Operation *root, const llvm::SetVector<Operation *> &ops) {
  SmallVector<Operation *> chain = findAttention(root);
  auto isHere = [&](Operation *op) { return ops.contains(op); };
  auto isOfChain = [&](Operation *op) {
    return !isHeavy(op) || llvm::is_contained(chain, op);
  };
  if (chain.empty() || !llvm::all_of(chain, isHere) ||
      !llvm::all_of(ops, isOfChain))
    return std::nullopt;
  // A row alone reads each key once: there is nothing to transpose it for. Of
  // few keys the scores are as near as a workgroup's memory.
  constexpr int64_t fewestRows = 6, fewestKeys = 24;
  std::optional<ContractionBody> last = matchContraction(root);
  if (!last || last->m.empty())
    return std::nullopt;
  SmallVector<int64_t> ofRoot =
      cast<linalg::LinalgOp>(root).getStaticLoopRanges();
  auto isFew = [](int64_t extent, int64_t least) {
    return !ShapedType::isDynamic(extent) && extent < least;
  };
  if (isFew(ofRoot[last->m.back()], fewestRows) ||
      isFew(ofRoot[last->k.back()], fewestKeys))
    return std::nullopt;
  int64_t features = 0;
  for (Operation *op : chain) {
    std::optional<ContractionBody> body = matchProduct(op);
    if (!body)
      continue;
    SmallVector<int64_t> extents =
        cast<linalg::LinalgOp>(op).getStaticLoopRanges();
    for (unsigned loop : op == root ? body->n : body->k) {
      if (ShapedType::isDynamic(extents[loop]))
        return std::nullopt;
      features = saturatingSum(features, extents[loop]);
    }
  }
  return features;
}

/// Bytes of what ops make; none where only a launch knows.
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
  for (Operation *op : heavy)
    if (std::optional<int64_t> features = featuresOfAttention(op, ops))
      return *features > mostFeatures && bytes && *bytes <= mostBytes;
  return !bytes || *bytes <= mostBytes;
}
