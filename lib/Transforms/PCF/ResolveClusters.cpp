//===- ResolveClusters.cpp - From clusters to a switch on the worker id ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cluster resolution (chapter 5 of the pcf specification): a `tile_group`
// becomes a switch with one case per cluster, each a copy of the whole region,
// in which that cluster's handles are their payloads and the others' are
// nothing. Outer groups go first; inner ones are resolved in every copy. Data
// is not touched, and no value is invented.
//
//===----------------------------------------------------------------------===//
#include "distaff/Transforms/PCF/Passes.h"

#include "BarrierSequence.h"
#include "ClusterFrame.h"
#include "HandleConversion.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace distaff {
#define GEN_PASS_DEF_PCFRESOLVECLUSTERS
#include "distaff/Transforms/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// What must hold before
//===----------------------------------------------------------------------===//

/// Writes of the group that every worker would repeat.
static bool isCollectiveWrite(Operation *op) {
  // The latter are what barriers became when a coarser scope was resolved.
  if (isa<BarrierOp, FenceOp, compat::FenceOp, compat::LaneBarrierOp,
          compat::GlobalSubgroupBarrierOp>(op))
    return false;
  // What an op with regions does, the ops in them do.
  if (op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects ? effects.hasEffect<MemoryEffects::Write>() : true;
}

static LogicalResult verifyDistributed(SharedExecutorOp executor) {
  WalkResult result =
      executor.getExecute().walk<WalkOrder::PreOrder>([&](Operation *op) {
        auto sharesPayload = [](Type type) {
          return !getPayload(type).empty() && !hasPrivatePayload(type);
        };
        if (isa<RunClusterOp>(op) ||
            llvm::any_of(op->getResultTypes(), sharesPayload)) {
          executor.emitError()
              << "expected fully distributed clusters: " << op->getName();
          return WalkResult::interrupt();
        }
        // Executors in it are resolved already; code of their workers is a
        // worker's, as that of a phase is.
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

/// Only ops whose conversion is known use handles.
static LogicalResult verifyUsers(SharedExecutorOp executor) {
  WalkResult result = executor.getExecute().walk([&](Operation *op) {
    if (isa<RunThreadOp, TileGroupOp, BarrierOp, arith::SelectOp, scf::ForOp,
            scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
            scf::YieldOp, scf::ConditionOp, BranchOpInterface>(op))
      return WalkResult::advance();
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    const Type *handle = llvm::find_if(types, isHandle);
    if (handle == types.end())
      return WalkResult::advance();
    auto cluster = dyn_cast<ClusterType>(*handle);
    op->emitError() << "cluster handle "
                    << (cluster ? cluster.getId().str() : "of all workers")
                    << " is used by " << op->getName()
                    << ", which cannot be converted";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Whether a scope has barriers of some of its workers: asked of code that
/// nobody keeps.
static bool hasSubsetBarrier(Attribute scope, Location loc) {
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(loc);
  auto builder = OpBuilder::atBlockEnd(scratch->getBody());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  return succeeded(cast<ScopeAttrInterface>(scope).addSubsetBarrier(
      builder, loc, /*id=*/1, one, /*spaces=*/{}));
}

//===----------------------------------------------------------------------===//
// One executor
//===----------------------------------------------------------------------===//

namespace {
class ExecutorResolver {
public:
  ExecutorResolver(SharedExecutorOp executor, Attribute telescopeTo)
      : executor(executor), telescopeTo(telescopeTo),
        rewriter(executor.getContext()) {}

  /// The switches made are in `switches`, the generic in `generic`.
  LogicalResult resolve();

  GenericOp generic;

private:
  LogicalResult numberBarriers();
  void makeFrame();
  LogicalResult resolveGroup(TileGroupOp group, bool isOutermost);
  LogicalResult resolveCase(TileGroupOp group, ClusterType active, Block *body,
                            bool isOutermost);
  LogicalResult resolveInner(const llvm::SmallDenseSet<NsSymAttr> &symbols,
                             NsSymAttr active, Block *body);
  Value computeCase(TileGroupOp group);
  Block *cloneInto(TileGroupOp group, Region &region);
  LogicalResult resolveThreadgroup();
  void wrap(Block *body, Value placeholder);

  SharedExecutorOp executor;
  Attribute telescopeTo;
  IRRewriter rewriter;
  ClusterFrame frame;
  /// A value in the place of the executor's handle until all are resolved.
  Value groupHandle;
  /// Whether phases of all workers stand beside groups: then the body is
  /// wrapped as a whole.
  bool wrapsBody = false;
};
} // namespace

/// Every set of participants has a barrier of its own, counted from 1.
LogicalResult ExecutorResolver::numberBarriers() {
  llvm::MapVector<std::pair<Operation *, ArrayAttr>, int64_t> sets;
  WalkResult result = executor.getExecute().walk([&](BarrierOp barrier) {
    if (barrier.getClusters().empty())
      return WalkResult::advance();
    if (!hasSubsetBarrier(barrier.getScope(), barrier.getLoc())) {
      barrier.emitError() << "scope " << barrier.getScope()
                          << " has no subset barrier";
      return WalkResult::interrupt();
    }
    SmallVector<Attribute> ids;
    Operation *owner = nullptr;
    for (Value handle : barrier.getClusters()) {
      NsSymAttr id = cast<ClusterType>(handle.getType()).getId();
      Operation *definer = lookupCluster(barrier, id).getOwner()->getParentOp();
      if (owner && owner != definer) {
        barrier.emitError()
            << "'among' lists clusters of different tile_groups";
        return WalkResult::interrupt();
      }
      owner = definer;
      ids.push_back(id);
    }
    llvm::sort(ids, [](Attribute a, Attribute b) {
      return cast<NsSymAttr>(a).str() < cast<NsSymAttr>(b).str();
    });
    ids.erase(llvm::unique(ids), ids.end());
    int64_t next = sets.size() + 1;
    int64_t number =
        sets.insert({{owner, rewriter.getArrayAttr(ids)}, next}).first->second;
    if (number > 15) {
      barrier.emitError()
          << "more than 15 sets of participants in one executor";
      return WalkResult::interrupt();
    }
    frame.barrierNumbers[barrier] = number;
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// The generic that the executor becomes, with the executor's body in it.
void ExecutorResolver::makeFrame() {
  Location loc = executor.getLoc();
  int64_t rank =
      cast<ScopeAttrInterface>(executor.getScope()).getNativeNumProcessorIds();
  RefOwnerParts parts = RefOwnerParts::of(executor);
  SmallVector<Type> leading(
      llvm::map_range(executor.getLeadingArgs(),
                      [](BlockArgument arg) { return arg.getType(); }));
  rewriter.setInsertionPoint(executor);
  generic = GenericOp::create(rewriter, loc, parts, rank, leading);
  generic->setDiscardableAttrs(executor->getDiscardableAttrDictionary());
  generic.getInitializer().takeBody(executor.getInitializer());

  Block *body = &generic.getExecute().front();
  rewriter.setInsertionPointToStart(body);
  groupHandle =
      makePlaceholder(rewriter, loc, executor.getThreadgroup().getType());
  SmallVector<Value> arguments(generic.getLeadingArgs());
  llvm::append_range(arguments, generic.getRefArgs());
  arguments.push_back(groupHandle);
  rewriter.mergeBlocks(executor.getBody(), body, arguments);
  rewriter.replaceOp(executor, generic.getResults());
  frame.ids = llvm::to_vector_of<Value>(generic.getIds());
  frame.counts = llvm::to_vector_of<Value>(generic.getCounts());
}

/// The number of the cluster that a worker is in: dimension 0 slowest.
Value ExecutorResolver::computeCase(TileGroupOp group) {
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

/// A copy of the group's region, which knows its barriers' numbers.
Block *ExecutorResolver::cloneInto(TileGroupOp group, Region &region) {
  IRMapping mapping;
  group.getBody().cloneInto(&region, mapping);
  for (auto [from, to] : mapping.getOperationMap())
    if (auto it = frame.barrierNumbers.find(from);
        it != frame.barrierNumbers.end()) {
      int64_t number = it->second;
      frame.barrierNumbers[to] = number;
    }
  Block *body = &region.front();
  rewriter.setInsertionPointToStart(body);
  for (BlockArgument argument : body->getArguments())
    argument.replaceAllUsesWith(
        makePlaceholder(rewriter, group.getLoc(), argument.getType()));
  body->eraseArguments(0, body->getNumArguments());
  Operation *end = body->getTerminator();
  rewriter.setInsertionPoint(end);
  scf::YieldOp::create(rewriter, end->getLoc());
  rewriter.eraseOp(end);
  return body;
}

/// Groups in `body` that are outermost there.
static SmallVector<TileGroupOp> collectGroups(Block *body) {
  SmallVector<TileGroupOp> groups;
  for (Operation &op : *body)
    op.walk<WalkOrder::PreOrder>([&](TileGroupOp group) {
      groups.push_back(group);
      return WalkResult::skip();
    });
  return groups;
}

/// Prunes groups of other clusters, and resolves those that are left.
LogicalResult
ExecutorResolver::resolveInner(const llvm::SmallDenseSet<NsSymAttr> &symbols,
                               NsSymAttr active, Block *body) {
  for (TileGroupOp inner : collectGroups(body)) {
    auto source = dyn_cast<ClusterType>(inner.getSource().getType());
    if (source && symbols.contains(source.getId()) && source.getId() != active)
      rewriter.eraseOp(inner);
    else if (failed(resolveGroup(inner, /*isOutermost=*/false)))
      return failure();
  }
  return success();
}

LogicalResult ExecutorResolver::resolveCase(TileGroupOp group,
                                            ClusterType active, Block *body,
                                            bool isOutermost) {
  HandleConversion conversion(frame, telescopeTo);
  conversion.active = active.getId();
  for (auto [id, handle] : group.getDefinedSymbols())
    conversion.symbols.insert(id);
  Location loc = group.getLoc();
  rewriter.setInsertionPointToStart(body);
  conversion.localIds =
      makeLocalIds(rewriter, loc, active, frame, group.getAllRangeValues());
  bool wraps = telescopeTo && isOutermost && !wrapsBody;
  if (wraps)
    // The phases of the case are those of the finer scope's group.
    frame.finerHandle =
        makePlaceholder(rewriter, loc, ThreadgroupType::get(telescopeTo));
  // Groups in it are of the same executor of the finer scope.
  conversion.handle = frame.finerHandle;
  if (failed(resolveInner(conversion.symbols, active.getId(), body)) ||
      failed(conversion.run(*body)))
    return failure();
  if (wraps)
    wrap(body, conversion.handle);
  for (Value id : conversion.localIds)
    if (id.use_empty() && id.getDefiningOp())
      rewriter.eraseOp(id.getDefiningOp());
  return success();
}

LogicalResult ExecutorResolver::resolveGroup(TileGroupOp group,
                                             bool isOutermost) {
  Location loc = group.getLoc();
  auto symbols = group.getDefinedSymbols();
  rewriter.setInsertionPoint(group);
  Value number = computeCase(group);
  SmallVector<int64_t> cases =
      llvm::to_vector(llvm::seq<int64_t>(0, symbols.size() - 1));
  auto op = scf::IndexSwitchOp::create(rewriter, loc, TypeRange(), number,
                                       cases, cases.size());
  for (auto [i, symbol] : llvm::enumerate(symbols)) {
    Region &region =
        i < cases.size() ? op.getCaseRegions()[i] : op.getDefaultRegion();
    Block *body = cloneInto(group, region);
    if (failed(resolveCase(group, cast<ClusterType>(symbol.second.getType()),
                           body, isOutermost)))
      return failure();
  }
  rewriter.eraseOp(group);
  if (!cases.empty())
    return success();
  // One cluster is everybody.
  Block *only = &op.getDefaultRegion().front();
  rewriter.eraseOp(only->getTerminator());
  rewriter.inlineBlockBefore(only, op);
  rewriter.eraseOp(op);
  return success();
}

/// Phases of all workers, and what handles of theirs are left.
LogicalResult ExecutorResolver::resolveThreadgroup() {
  Block *body = &generic.getExecute().front();
  HandleConversion conversion(frame, telescopeTo);
  conversion.handle = frame.finerHandle;
  conversion.localIds = frame.ids;
  conversion.threadgroupScope = generic.getScope();
  if (failed(conversion.run(*body)))
    return failure();
  if (wrapsBody)
    wrap(body, frame.finerHandle);
  return success();
}

/// Moves what follows a placeholder in a block, but the block's end, into an
/// executor of the finer scope, whose handle takes the placeholder's place.
void ExecutorResolver::wrap(Block *body, Value placeholder) {
  Location loc = generic.getLoc();
  rewriter.setInsertionPoint(body->getTerminator());
  auto inner = SharedExecutorOp::create(rewriter, loc,
                                        RefOwnerParts{telescopeTo, false, {}});
  Block *target = inner.getBody();
  Operation *marker = placeholder.getDefiningOp();
  target->getOperations().splice(target->end(), body->getOperations(),
                                 std::next(marker->getIterator()),
                                 Block::iterator(inner));
  rewriter.setInsertionPointToEnd(target);
  ReturnOp::create(rewriter, loc);
  rewriter.replaceAllUsesWith(placeholder, inner.getThreadgroup());
  rewriter.eraseOp(marker);
}

/// A member's part can be the work of workers below it, and of no others.
static LogicalResult verifyIsFiner(SharedExecutorOp executor,
                                   Attribute telescopeTo) {
  Attribute scope = executor.getScope();
  if (!telescopeTo || cast<ScopeAttrInterface>(telescopeTo).getNestingLevel() >
                          cast<ScopeAttrInterface>(scope).getNestingLevel())
    return success();
  return executor.emitOpError()
         << "members at " << scope << " are no groups of workers at "
         << telescopeTo << "; 'telescope-to' needs a finer scope";
}

LogicalResult ExecutorResolver::resolve() {
  if (failed(verifyIsFiner(executor, telescopeTo)) ||
      failed(verifyDistributed(executor)) || failed(verifyUsers(executor)) ||
      failed(numberBarriers()))
    return failure();
  makeFrame();
  Block *body = &generic.getExecute().front();
  SmallVector<TileGroupOp> groups = collectGroups(body);
  WalkResult ofAll = body->walk([&](RunThreadOp op) {
    return isa<ThreadgroupType>(op.getGroupType()) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
  });
  wrapsBody = telescopeTo && (groups.empty() || ofAll.wasInterrupted());
  if (wrapsBody) {
    rewriter.setInsertionPointToStart(body);
    frame.finerHandle = makePlaceholder(rewriter, generic.getLoc(),
                                        ThreadgroupType::get(telescopeTo));
  }
  for (TileGroupOp group : groups)
    if (failed(resolveGroup(group, /*isOutermost=*/true)))
      return failure();
  return resolveThreadgroup();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ResolveClusters final
    : distaff::impl::PCFResolveClustersBase<ResolveClusters> {
  using PCFResolveClustersBase::PCFResolveClustersBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PCFResolveClustersBase::getDependentDialects(registry);
    registerScopeDialects<&PCFConversionDialectInterface::
                              loadStructuralLoweringDependentDialects>(
        registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    if (telescopeTo.empty())
      return success();
    finerScope = parseAttribute(telescopeTo, context);
    if (isa_and_nonnull<ScopeAttrInterface>(finerScope))
      return success();
    return emitError(UnknownLoc::get(context))
           << "'telescope-to' must be a scope, got '" << telescopeTo << "'";
  }

  void runOnOperation() override {
    // Inner executors first: their workers' code is then plain code of a phase.
    SmallVector<SharedExecutorOp> executors;
    getOperation()->walk<WalkOrder::PostOrder>(
        [&](SharedExecutorOp executor) { executors.push_back(executor); });
    for (SharedExecutorOp executor : executors) {
      ExecutorResolver resolver(executor, finerScope);
      if (failed(resolver.resolve()) ||
          (verifyBarriers && failed(verifyBarrierSequences(resolver.generic))))
        return signalPassFailure();
    }
  }

  Attribute finerScope;
};
} // namespace
