//===- MergeGroups.cpp - Merging groups with equal splits -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase may take payload of clusters of several nested groups whose bounds
// are shown to be the same (PCF-114). Such groups have to be split at the same
// points. Each cluster of the inner group is then replaced by the outer one's
// in the same place, and the inner group's code is code of the outer one.
//
//===----------------------------------------------------------------------===//
#include "MergeGroups.h"

#include "distaff/PCF/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace distaff {
#define GEN_PASS_DEF_PCFMERGEGROUPS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// Returns the sources of a phase; none for other ops.
static TypeRange sourcesOf(Operation *op) {
  if (auto phase = dyn_cast<RunThreadOp>(op))
    return phase.getSources().getTypes();
  if (auto phase = dyn_cast<RunClusterOp>(op))
    return phase.getSources().getTypes();
  return {};
}

/// Returns whether corresponding clusters of two groups have equal bounds.
static bool areSplitAlike(TileGroupOp a, TileGroupOp b) {
  SmallVector<Value> rangesOfA = a.getAllRangeValues(),
                     rangesOfB = b.getAllRangeValues();
  if (a.getClusters().size() != b.getClusters().size())
    return false;
  return llvm::all_of(
      llvm::zip_equal(a.getClusters(), b.getClusters()), [&](auto clusters) {
        auto [left, right] = clusters;
        return haveEqualBounds(cast<ClusterType>(left.getType()), rangesOfA,
                               cast<ClusterType>(right.getType()), rangesOfB);
      });
}

namespace {
/// Pairs clusters of two groups that supply payload to one phase.
struct Join {
  BlockArgument outer, inner;

  TileGroupOp outerGroup() const { return groupOf(outer); }
  TileGroupOp innerGroup() const { return groupOf(inner); }

private:
  static TileGroupOp groupOf(BlockArgument cluster) {
    return cast<TileGroupOp>(cluster.getOwner()->getParentOp());
  }
};
} // namespace

/// Pairs the first source's cluster with each source's cluster of another
/// group.
static SmallVector<Join> findJoins(Operation *phase) {
  SmallVector<Join> joins;
  BlockArgument first;
  for (Type type : sourcesOf(phase)) {
    auto cluster = dyn_cast<ClusterType>(type);
    BlockArgument next =
        cluster ? lookupCluster(phase, cluster.getId()) : BlockArgument();
    if (!next)
      continue;
    if (!first)
      first = next;
    // Both groups are around the phase.
    if (first.getOwner() != next.getOwner()) {
      bool isFirstOuter = first.getOwner()->getParentOp()->isProperAncestor(
          next.getOwner()->getParentOp());
      joins.push_back(isFirstOuter ? Join{first, next} : Join{next, first});
    }
  }
  return joins;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifyJoin(Operation *phase, const Join &join) {
  TileGroupOp outer = join.outerGroup(), inner = join.innerGroup();
  auto fail = [&](const Twine &message) {
    InFlightDiagnostic error = phase->emitOpError() << message;
    error.attachNote(outer.getLoc()) << "the outer group is split here";
    error.attachNote(inner.getLoc()) << "the inner group is split here";
    return failure();
  };
  if (!areSplitAlike(outer, inner) ||
      join.outer.getArgNumber() != join.inner.getArgNumber())
    return fail("takes payload of clusters of two groups that are not split "
                "alike; split both at the same points, and take payload of "
                "clusters in the same place");
  return success();
}

/// Verifies the groups that a cluster is split into, which name their bounds by
/// the cluster's range values.
static LogicalResult verifyParts(const Join &join) {
  TileGroupOp outer = join.outerGroup(), inner = join.innerGroup();
  for (auto [from, to] :
       llvm::zip_equal(inner.getClusters(), outer.getClusters())) {
    auto own = cast<ClusterType>(from.getType());
    if (own.getBounds() == cast<ClusterType>(to.getType()).getBounds())
      continue;
    for (Operation *user : from.getUsers())
      if (isa<TileGroupOp>(user)) {
        InFlightDiagnostic error =
            user->emitOpError()
            << "splits cluster " << own.getId().str()
            << ", which is to be one with a cluster whose bounds are written "
               "in another way; write both by the same range values";
        error.attachNote(outer.getLoc()) << "the outer group is split here";
        return failure();
      }
  }
  return success();
}

LogicalResult pcf::verifyMergeable(SharedExecutorOp executor) {
  WalkResult result = executor.getExecute().walk([](Operation *op) {
    for (const Join &join : findJoins(op))
      if (failed(verifyJoin(op, join)) || failed(verifyParts(join)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Gives an op on clusters the range values that their bounds take.
static void setRanges(Operation *op, ValueRange ranges) {
  unsigned count = 0;
  for (Type type : op->getOperandTypes())
    if (isHandle(type))
      count = std::max(count, getNumRangeOperands(type));
  ValueRange leading = ranges.take_front(count);
  if (auto phase = dyn_cast<RunThreadOp>(op))
    phase.getRangesMutable().assign(leading);
  else if (auto phase = dyn_cast<RunClusterOp>(op))
    phase.getRangesMutable().assign(leading);
  else if (auto barrier = dyn_cast<BarrierOp>(op))
    barrier.getRangesMutable().assign(leading);
}

/// Replaces cluster types in a region and its ops.
static void replaceClusters(
    Region &region,
    function_ref<std::optional<Type>(ClusterType cluster)> replacement) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(replacement);
  for (Block &block : region)
    for (BlockArgument argument : block.getArguments())
      argument.setType(replacer.replace(argument.getType()));
  region.walk([&](Operation *op) {
    replacer.replaceElementsIn(op, /*replaceAttrs=*/false,
                               /*replaceLocs=*/false, /*replaceTypes=*/true);
  });
}

/// Keeps group ids unique inside a group whose own name, the last of `path`, is
/// dropped: a part without a name takes it, the others drop it.
static void renameParts(TileGroupOp group, ArrayRef<StringAttr> path) {
  StringAttr name = group.getNsAttr();
  if (!name)
    return;
  auto dropName = [&](ClusterType type) -> std::optional<Type> {
    SmallVector<StringAttr> parts(type.getId().getPath());
    if (parts.size() <= path.size() ||
        ArrayRef(parts).take_front(path.size()) != path)
      return std::nullopt;
    parts.erase(parts.begin() + path.size() - 1);
    return ClusterType::get(type.getScope(), type.getBounds(),
                            NsSymAttr::get(type.getContext(), parts),
                            getSharedPayload(type), getPrivatePayload(type));
  };
  group.getBody().walk<WalkOrder::PreOrder>([&](TileGroupOp part) {
    if (part.getNs())
      replaceClusters(part.getBody(), dropName);
    else
      part.setNsAttr(name);
    return WalkResult::skip();
  });
}

/// Replaces the inner group's clusters by the outer one's, and inlines its code
/// there.
static void merge(TileGroupOp outer, TileGroupOp inner,
                  RewriterBase &rewriter) {
  llvm::DenseMap<NsSymAttr, ClusterType> types;
  for (auto [from, to] :
       llvm::zip_equal(inner.getClusters(), outer.getClusters()))
    types[cast<ClusterType>(from.getType()).getId()] =
        cast<ClusterType>(to.getType());
  SmallVector<Operation *> users;
  inner.getBody().walk([&](Operation *op) {
    if (llvm::any_of(op->getOperandTypes(), [&](Type type) {
          auto cluster = dyn_cast<ClusterType>(type);
          return cluster && types.contains(cluster.getId());
        }))
      users.push_back(op);
  });
  SmallVector<StringAttr> path(
      cast<ClusterType>(inner.getClusters().front().getType())
          .getId()
          .getNamespacePath());
  replaceClusters(
      inner.getBody(), [&](ClusterType type) -> std::optional<Type> {
        ClusterType to = types.lookup(type.getId());
        return to ? std::optional(withPayloads(to, getSharedPayload(type),
                                               getPrivatePayload(type)))
                  : std::nullopt;
      });
  renameParts(inner, path);
  for (auto [from, to] :
       llvm::zip_equal(inner.getClusters(), outer.getClusters()))
    rewriter.replaceAllUsesWith(from, to);
  for (Operation *user : users)
    setRanges(user, outer.getAllRangeValues());
  Block *body = &inner.getBody().front();
  rewriter.eraseOp(body->getTerminator());
  body->eraseArguments(0, body->getNumArguments());
  rewriter.inlineBlockBefore(body, inner);
  rewriter.eraseOp(inner);
}

void pcf::mergeGroups(SharedExecutorOp executor, RewriterBase &rewriter) {
  while (true) {
    TileGroupOp outer, inner;
    executor.getExecute().walk([&](Operation *op) {
      SmallVector<Join> joins = findJoins(op);
      if (joins.empty())
        return WalkResult::advance();
      outer = joins.front().outerGroup();
      inner = joins.front().innerGroup();
      return WalkResult::interrupt();
    });
    if (!inner)
      return;
    merge(outer, inner, rewriter);
  }
}

namespace {
struct MergeGroups final : distaff::impl::PCFMergeGroupsBase<MergeGroups> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    WalkResult result = getOperation()->walk([&](SharedExecutorOp executor) {
      if (failed(verifyMergeable(executor)))
        return WalkResult::interrupt();
      mergeGroups(executor, rewriter);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
