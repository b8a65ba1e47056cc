//===- MergeGroups.cpp - Groups that are split alike are one --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MergeGroups.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace distaff;
using namespace distaff::pcf;

/// The group that defines a cluster which an op uses.
static TileGroupOp definerOf(Operation *op, ClusterType cluster) {
  return cast<TileGroupOp>(
      lookupCluster(op, cluster.getId()).getOwner()->getParentOp());
}

/// Whether each cluster of a group is the one of the other in its place.
static bool areSplitAlike(TileGroupOp a, TileGroupOp b) {
  SmallVector<Value> rangesOfA = a.getAllRangeValues(),
                     rangesOfB = b.getAllRangeValues();
  return a.getClusters().size() == b.getClusters().size() &&
         llvm::all_of(llvm::zip_equal(a.getClusters(), b.getClusters()),
                      [&](auto clusters) {
                        auto [left, right] = clusters;
                        return haveEqualBounds(
                            cast<ClusterType>(left.getType()), rangesOfA,
                            cast<ClusterType>(right.getType()), rangesOfB);
                      });
}

/// The group inside of another one of which a phase has a source besides; null
/// where a phase has one group. `outer` is set with it.
static TileGroupOp findInner(RunThreadOp phase, TileGroupOp &outer) {
  auto first = dyn_cast<ClusterType>(phase.getGroupType());
  if (!first)
    return {};
  for (Type type : phase.getSources().getTypes()) {
    TileGroupOp a = definerOf(phase, first),
                b = definerOf(phase, cast<ClusterType>(type));
    if (a == b)
      continue;
    bool isFirstOuter = a->isProperAncestor(b);
    outer = isFirstOuter ? a : b;
    return isFirstOuter ? b : a;
  }
  return {};
}

LogicalResult pcf::verifyMergeable(SharedExecutorOp executor) {
  WalkResult result = executor.getExecute().walk([](RunThreadOp phase) {
    TileGroupOp outer, inner = findInner(phase, outer);
    if (!inner || areSplitAlike(inner, outer))
      return WalkResult::advance();
    InFlightDiagnostic error =
        phase.emitOpError() << "takes payload of clusters of two groups that "
                               "are not split alike; split both at the same "
                               "points";
    error.attachNote(outer.getLoc()) << "the outer group is split here";
    error.attachNote(inner.getLoc()) << "the inner group is split here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Makes the inner group's clusters the outer one's, and its code plain code
/// there.
static void merge(TileGroupOp outer, TileGroupOp inner,
                  RewriterBase &rewriter) {
  llvm::DenseMap<NsSymAttr, ClusterType> types;
  for (auto [from, to] :
       llvm::zip_equal(inner.getClusters(), outer.getClusters()))
    types[cast<ClusterType>(from.getType()).getId()] =
        cast<ClusterType>(to.getType());
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ClusterType type) -> std::optional<Type> {
    ClusterType to = types.lookup(type.getId());
    return to ? std::optional(withPayloads(to, getSharedPayload(type),
                                           getPrivatePayload(type)))
              : std::nullopt;
  });
  SmallVector<Value> ranges = outer.getAllRangeValues();
  inner.getBody().walk([&](Operation *op) {
    bool isRenamed = llvm::any_of(op->getOperandTypes(), [&](Type type) {
      auto cluster = dyn_cast<ClusterType>(type);
      return cluster && types.contains(cluster.getId());
    });
    replacer.replaceElementsIn(op, /*replaceAttrs=*/false,
                               /*replaceLocs=*/false, /*replaceTypes=*/true);
    if (auto phase = dyn_cast<RunThreadOp>(op); phase && isRenamed)
      phase.getRangesMutable().assign(ValueRange(ranges).take_front(
          getNumRangeOperands(types.begin()->second)));
  });
  for (auto [from, to] :
       llvm::zip_equal(inner.getClusters(), outer.getClusters()))
    rewriter.replaceAllUsesWith(from, to);
  Block *body = &inner.getBody().front();
  rewriter.eraseOp(body->getTerminator());
  body->eraseArguments(0, body->getNumArguments());
  rewriter.inlineBlockBefore(body, inner);
  rewriter.eraseOp(inner);
}

void pcf::mergeGroups(SharedExecutorOp executor, RewriterBase &rewriter) {
  while (true) {
    TileGroupOp outer, inner;
    executor.getExecute().walk([&](RunThreadOp phase) {
      inner = findInner(phase, outer);
      return inner ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!inner)
      return;
    merge(outer, inner, rewriter);
  }
}
