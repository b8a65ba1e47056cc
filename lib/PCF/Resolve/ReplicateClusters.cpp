//===- ReplicateClusters.cpp - Replicating code for each cluster ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This is the first step of cluster resolution (5.1, steps 0 to 3): an executor
// becomes a `pcf.generic`, and each of its groups a switch on the worker's id
// with one case per cluster, each a copy of the whole region. Handles are not
// converted, but become results of casts (HandleCasts.h). Outer groups go
// first; in each copy groups of other clusters are dropped, and the others
// replicated.
//
//===----------------------------------------------------------------------===//
#include "ReplicateClusters.h"

#include "../Distribute/MergeGroups.h"
#include "ClusterFrame.h"
#include "HandleCasts.h"
#include "HandleConversion.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Preconditions
//===----------------------------------------------------------------------===//

/// Returns whether an op is a write of the group, which every worker would
/// repeat.
static bool isCollectiveWrite(Operation *op) {
  // The iree ops are barriers that were lowered when a coarser scope was
  // resolved.
  if (isa<BarrierOp, FenceOp, iree::FenceOp, iree::LaneBarrierOp,
          iree::GlobalSubgroupBarrierOp>(op))
    return false;
  // The effects of such an op are those of its nested ops.
  if (op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects ? effects.hasEffect<MemoryEffects::Write>() : true;
}

static LogicalResult verifyDistributed(SharedExecutorOp executor) {
  WalkResult result =
      executor.getExecute().walk<WalkOrder::PreOrder>([&](Operation *op) {
        auto sharesPayload = [](Type type) {
          return !getSharedPayload(type).empty();
        };
        if (isa<RunClusterOp>(op) ||
            llvm::any_of(op->getResultTypes(), sharesPayload)) {
          executor.emitError()
              << "expected fully distributed clusters: " << op->getName()
              << "; distribute the phases of " << executor.getScope()
              << " before, by pcf-distribute, or write them for subgroups or "
                 "lanes";
          return WalkResult::interrupt();
        }
        // Executors in it are resolved already; code of their workers belongs
        // to a worker, as that of a phase does.
        if (isa<RunThreadOp, GenericOp, LoopOp>(op))
          return WalkResult::skip();
        if (!isCollectiveWrite(op))
          return WalkResult::advance();
        op->emitError() << "collective operation " << op->getName()
                        << " outside a phase";
        return WalkResult::interrupt();
      });
  return failure(result.wasInterrupted());
}

/// Returns whether a scope has barriers of some of its workers: this is tried
/// in a temporary module.
static bool hasSubsetBarrier(Attribute scope, Location loc) {
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(loc);
  auto builder = OpBuilder::atBlockEnd(scratch->getBody());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  return succeeded(cast<ScopeAttrInterface>(scope).addSubsetBarrier(
      builder, loc, /*id=*/1, one, /*spaces=*/{}));
}

//===----------------------------------------------------------------------===//
// Barrier ids
//===----------------------------------------------------------------------===//

/// A set of clusters that wait for each other: the group that defines them, and
/// their ids.
using Participants = std::pair<Operation *, ArrayAttr>;

static FailureOr<Participants> participantsOf(BarrierOp barrier) {
  SmallVector<Attribute> ids;
  Operation *owner = nullptr;
  for (Value handle : barrier.getClusters()) {
    NsSymAttr id = cast<ClusterType>(handle.getType()).getId();
    Operation *definer = lookupCluster(barrier, id).getOwner()->getParentOp();
    if (owner && owner != definer)
      return barrier.emitError()
             << "'among' lists clusters of different tile_groups";
    owner = definer;
    ids.push_back(id);
  }
  llvm::sort(ids, [](Attribute a, Attribute b) {
    return cast<NsSymAttr>(a).str() < cast<NsSymAttr>(b).str();
  });
  ids.erase(llvm::unique(ids), ids.end());
  return Participants(owner, ArrayAttr::get(barrier.getContext(), ids));
}

/// Assigns a barrier id to every set of participants: the id that one of its
/// barriers has, else the first from 1 that no other set has.
static LogicalResult numberBarriers(SharedExecutorOp executor) {
  llvm::MapVector<BarrierOp, Participants> sets;
  llvm::MapVector<int64_t, Participants> owners;
  llvm::DenseMap<Participants, int64_t> ids;
  WalkResult result = executor.getExecute().walk([&](BarrierOp barrier) {
    if (barrier.getClusters().empty())
      return WalkResult::advance();
    if (!hasSubsetBarrier(barrier.getScope(), barrier.getLoc())) {
      barrier.emitError() << "scope " << barrier.getScope()
                          << " has no subset barrier";
      return WalkResult::interrupt();
    }
    FailureOr<Participants> participants = participantsOf(barrier);
    if (failed(participants))
      return WalkResult::interrupt();
    sets[barrier] = *participants;
    std::optional<uint64_t> id = barrier.getId();
    if (!id)
      return WalkResult::advance();
    auto [owner, isNewId] = owners.insert({*id, *participants});
    auto [known, isNewSet] = ids.try_emplace(*participants, *id);
    if (owner->second == *participants && known->second == int64_t(*id))
      return WalkResult::advance();
    barrier.emitError() << "barrier id " << *id
                        << " is of one set of participants, and each set has "
                           "one id";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto [barrier, participants] : sets) {
    int64_t next = 1;
    if (!ids.contains(participants))
      while (owners.contains(next))
        ++next;
    int64_t id = ids.try_emplace(participants, next).first->second;
    owners.insert({id, participants});
    if (id > BarrierOp::mostIds)
      return barrier.emitError() << "more than " << BarrierOp::mostIds
                                 << " sets of participants in one executor";
    barrier.setId(id);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// One executor
//===----------------------------------------------------------------------===//

namespace {
class Replication {
public:
  Replication(SharedExecutorOp executor, RewriterBase &rewriter)
      : executor(executor), rewriter(rewriter) {}

  GenericOp run();

private:
  GenericOp makeFrame();
  void replicate(TileGroupOp group);
  void fillCase(TileGroupOp group, NsSymAttr active, Region &region);
  Value computeCase(TileGroupOp group);

  SharedExecutorOp executor;
  RewriterBase &rewriter;
  ClusterFrame frame;
};
} // namespace

/// Creates the generic that replaces the executor, with the executor's body in
/// it.
GenericOp Replication::makeFrame() {
  Location loc = executor.getLoc();
  int64_t rank =
      cast<ScopeAttrInterface>(executor.getScope()).getNativeNumProcessorIds();
  RefOwnerParts parts = RefOwnerParts::of(executor);
  SmallVector<Type> leading(
      llvm::map_range(executor.getLeadingArgs(),
                      [](BlockArgument arg) { return arg.getType(); }));
  rewriter.setInsertionPoint(executor);
  auto generic = GenericOp::create(rewriter, loc, parts, rank, leading);
  generic->setDiscardableAttrs(executor->getDiscardableAttrDictionary());
  generic.getInitializer().takeBody(executor.getInitializer());

  Block *body = &generic.getExecute().front();
  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> arguments(generic.getLeadingArgs());
  llvm::append_range(arguments, generic.getRefArgs());
  arguments.push_back(makeHandleCast(
      rewriter, loc, executor.getThreadgroup().getType(), generic.getIds()));
  rewriter.mergeBlocks(executor.getBody(), body, arguments);
  rewriter.replaceOp(executor, generic.getResults());
  frame.ids = llvm::to_vector_of<Value>(generic.getIds());
  frame.counts = llvm::to_vector_of<Value>(generic.getCounts());
  return generic;
}

/// Computes the number of the cluster that a worker is in: dimension 0 varies
/// slowest.
Value Replication::computeCase(TileGroupOp group) {
  Location loc = group.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  SmallVector<Value> ranges = group.getAllRangeValues();
  Value number;
  for (auto [dim, id] : llvm::enumerate(frame.ids)) {
    SmallVector<Value> points =
        llvm::map_to_vector(group.getPointsOf(dim), [&](AffineExpr point) {
          return makeBound(rewriter, loc, point, frame, ranges);
        });
    Value index = points.empty() && number ? Value() : constant(0);
    for (auto [j, point] : llvm::enumerate(points)) {
      Value beyond = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::uge, id, point);
      Value next = constant(j + 1);
      index = arith::SelectOp::create(rewriter, loc, beyond, next, index);
    }
    if (!index)
      continue; // One range: it adds nothing.
    if (!number) {
      number = index;
      continue;
    }
    Value scaled = arith::MulIOp::create(rewriter, loc, number,
                                         constant(points.size() + 1));
    number = arith::AddIOp::create(rewriter, loc, scaled, index);
  }
  return number;
}

/// Returns the outermost groups in `body`.
static SmallVector<TileGroupOp> collectGroups(Block *body) {
  SmallVector<TileGroupOp> groups;
  for (Operation &op : *body)
    op.walk<WalkOrder::PreOrder>([&](TileGroupOp group) {
      groups.push_back(group);
      return WalkResult::skip();
    });
  return groups;
}

/// Fills a case with the group's region, as the code of the cluster `active`.
void Replication::fillCase(TileGroupOp group, NsSymAttr active,
                           Region &region) {
  IRMapping mapping;
  group.getBody().cloneInto(&region, mapping);
  Block *body = &region.front();
  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> ids;
  llvm::SmallDenseSet<NsSymAttr> others;
  for (BlockArgument argument : body->getArguments())
    if (auto type = cast<ClusterType>(argument.getType());
        type.getId() == active)
      ids = makeLocalIds(rewriter, group.getLoc(), type, frame,
                         group.getAllRangeValues());
    else
      others.insert(type.getId());
  for (BlockArgument argument : body->getArguments()) {
    auto type = cast<ClusterType>(argument.getType());
    bool isOther = others.contains(type.getId());
    argument.replaceAllUsesWith(
        makeHandleCast(rewriter, group.getLoc(), type,
                       isOther ? ValueRange() : ValueRange(ids)));
  }
  body->eraseArguments(0, body->getNumArguments());
  Operation *end = body->getTerminator();
  rewriter.setInsertionPoint(end);
  scf::YieldOp::create(rewriter, end->getLoc());
  rewriter.eraseOp(end);
  // Groups of other clusters have no code here.
  for (TileGroupOp inner : collectGroups(body)) {
    auto source = dyn_cast<ClusterType>(inner.getSource().getType());
    if (source && others.contains(source.getId()))
      rewriter.eraseOp(inner);
    else
      replicate(inner);
  }
}

void Replication::replicate(TileGroupOp group) {
  Location loc = group.getLoc();
  auto symbols = group.getDefinedSymbols();
  rewriter.setInsertionPoint(group);
  Value number = computeCase(group);
  SmallVector<int64_t> cases =
      llvm::to_vector(llvm::seq<int64_t>(0, symbols.size() - 1));
  auto op = scf::IndexSwitchOp::create(rewriter, loc, TypeRange(), number,
                                       cases, cases.size());
  for (auto [i, symbol] : llvm::enumerate(symbols))
    fillCase(group, symbol.first,
             i < cases.size() ? op.getCaseRegions()[i] : op.getDefaultRegion());
  rewriter.eraseOp(group);
}

GenericOp Replication::run() {
  GenericOp generic = makeFrame();
  for (TileGroupOp group : collectGroups(&generic.getExecute().front()))
    replicate(group);
  return generic;
}

LogicalResult pcf::verifyReplicable(SharedExecutorOp executor) {
  if (failed(verifyDistributed(executor)) ||
      failed(verifyHandleUsers(executor.getExecute())) ||
      failed(verifyMergeable(executor)))
    return failure();
  return numberBarriers(executor);
}

GenericOp pcf::replicateClusters(SharedExecutorOp executor,
                                 RewriterBase &rewriter) {
  mergeGroups(executor, rewriter);
  return Replication(executor, rewriter).run();
}
