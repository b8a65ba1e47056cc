//===- SplitThreadgroup.cpp - Splitting a group's work into clusters ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This pass works on a copy of the executor: it computes the cuts
// (SplitCuts.h), rewrites the body into a tile_group, with one phase per
// cluster for each phase, and checks the order of accesses (PhaseOrder.h),
// because data that one group wrote and read in one interval may now be written
// by one cluster and read by another. Only then does the copy replace the
// executor.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Distribute/WorkerGrids.h"
#include "../Order/PhaseOrder.h"
#include "SplitBody.h"
#include "SplitCuts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

namespace distaff {
#define GEN_PASS_DEF_PCFSPLITTHREADGROUP
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
struct SplitOptions {
  std::string ns;
  SmallVector<std::string> names;
  SmallVector<int64_t> points;
  int64_t dim;

  int64_t getParts() const { return names.size(); }
};

class GroupSplitter {
public:
  GroupSplitter(SharedExecutorOp executor, const SplitOptions &options,
                const SplitCuts &cuts, RewriterBase &rewriter)
      : executor(executor), options(options), cuts(cuts), rewriter(rewriter) {}
  void run();

private:
  SmallVector<Value> makePoints();
  void copyOp(Operation &op);
  void copyBlock(Block &block) {
    for (Operation &op : block)
      copyOp(op);
  }
  void copyPhase(RunClusterOp phase);
  void copyLoop(scf::ForOp loop);
  void copyBranch(scf::IfOp branch);
  SmallVector<Value> expand(ValueRange values);
  SmallVector<Type> expandTypes(ValueRange values);
  void map(ValueRange values, ValueRange expanded);

  SharedExecutorOp executor;
  const SplitOptions &options;
  const SplitCuts &cuts;
  RewriterBase &rewriter;
  TileGroupOp group;
  SmallVector<Value> points;
  IRMapping numbers;
  /// The clusters' handles for each handle of the group.
  llvm::DenseMap<Value, SmallVector<Value>> handles;
};
} // namespace

//===----------------------------------------------------------------------===//
// Preconditions
//===----------------------------------------------------------------------===//

/// Checks the ops between phases.
static LogicalResult verifyCollective(Block &block) {
  for (Operation &op : block) {
    if (isa<RunClusterOp, FenceOp>(op) ||
        op.hasTrait<mlir::OpTrait::IsTerminator>())
      continue;
    if (isa<TileGroupOp>(op))
      return op.emitOpError("names clusters already; phases on a threadgroup "
                            "can be split");
    if (isa<RunThreadOp>(op))
      return op.emitOpError("is distributed already; phases of a group can be "
                            "split");
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      if (!barrier.getClusters().empty())
        return barrier.emitOpError("'among' clusters cannot be split");
      continue;
    }
    if (isa<scf::ForOp, scf::IfOp>(op)) {
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          if (failed(verifyCollective(nested)))
            return failure();
      continue;
    }
    if (op.getNumRegions() == 0 && isPure(&op) &&
        llvm::none_of(op.getOperandTypes(), isHandle))
      continue;
    return op.emitOpError("between phases has no rule to split it");
  }
  return success();
}

/// Checks that every cluster has a worker: the part of a cluster without one
/// would not be computed.
static LogicalResult verifyWorkers(RunClusterOp phase,
                                   const SplitOptions &options) {
  WorkerGrid grid = getWorkerGrid(phase);
  std::optional<int64_t> count = grid.counts.front()
                                     ? getConstantIntValue(grid.counts.front())
                                     : std::nullopt;
  if (!count)
    return phase.emitOpError(
        "cannot be split: the number of its workers is not "
        "known, so a cluster may have none; give the "
        "kernel a translation_info");
  if (*count < options.getParts())
    return phase.emitOpError("cannot be split: ")
           << *count << " workers are not enough for " << options.getParts()
           << " clusters";
  int64_t last = 0;
  for (int64_t point : options.points) {
    if (point <= last || point >= *count)
      return phase.emitOpError("cannot be split at worker ")
             << point << ": every cluster of the " << *count
             << " workers needs one";
    last = point;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

SmallVector<Value> GroupSplitter::makePoints() {
  Location loc = executor.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  SmallVector<Value> values;
  for (int64_t point : options.points)
    values.push_back(constant(point));
  if (!values.empty())
    return values;
  auto scope = cast<ScopeAttrInterface>(executor.getScope());
  Value count =
      scope.getWorkerCounts(rewriter, loc, scope.getNativeNumProcessorIds())
          .front();
  int64_t parts = options.getParts();
  for (int64_t part : llvm::seq<int64_t>(1, parts))
    values.push_back(rewriter.createOrFold<arith::DivUIOp>(
        loc, rewriter.createOrFold<arith::MulIOp>(loc, count, constant(part)),
        constant(parts)));
  return values;
}

SmallVector<Value> GroupSplitter::expand(ValueRange values) {
  SmallVector<Value> expanded;
  for (Value value : values)
    if (isHandle(value.getType()))
      llvm::append_range(expanded, handles[value]);
    else
      expanded.push_back(numbers.lookupOrDefault(value));
  return expanded;
}

SmallVector<Type> GroupSplitter::expandTypes(ValueRange values) {
  SmallVector<Type> types;
  for (Value value : values)
    if (isHandle(value.getType()))
      for (BlockArgument cluster : group.getClusters())
        types.push_back(withPayload(cluster.getType(),
                                    cuts.getPartPayload(value),
                                    /*isPrivate=*/false));
    else
      types.push_back(value.getType());
  return types;
}

void GroupSplitter::map(ValueRange values, ValueRange expanded) {
  for (Value value : values) {
    unsigned size = isHandle(value.getType()) ? options.getParts() : 1;
    if (isHandle(value.getType()))
      handles[value] = llvm::to_vector(expanded.take_front(size));
    else
      numbers.map(value, expanded.front());
    expanded = expanded.drop_front(size);
  }
}

void GroupSplitter::copyPhase(RunClusterOp phase) {
  SmallVector<Type> types;
  if (Value result = phase.getResult())
    types = expandTypes(result);
  SmallVector<Value> results;
  for (int64_t number : llvm::seq(options.getParts())) {
    SmallVector<Value> sources;
    for (Value source : phase.getSources())
      sources.push_back(handles[source][number]);
    auto cluster = cast<ClusterType>(sources.front().getType());
    auto part = RunClusterOp::create(
        rewriter, phase.getLoc(), types.empty() ? Type() : types[number],
        sources, ValueRange(points).take_front(cluster.getNumRangeOperands()));
    fillPart(phase, part, number, cuts, numbers, rewriter);
    if (part.getResult())
      results.push_back(part.getResult());
  }
  if (phase.getResult())
    map(phase.getResult(), results);
}

void GroupSplitter::copyLoop(scf::ForOp loop) {
  auto copy = scf::ForOp::create(
      rewriter, loop.getLoc(), numbers.lookupOrDefault(loop.getLowerBound()),
      numbers.lookupOrDefault(loop.getUpperBound()),
      numbers.lookupOrDefault(loop.getStep()), expand(loop.getInitArgs()),
      /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  numbers.map(loop.getInductionVar(), copy.getInductionVar());
  map(loop.getRegionIterArgs(), copy.getRegionIterArgs());
  map(loop.getResults(), copy.getResults());
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(rewriter);
  if (!copy.getBody()->empty())
    rewriter.eraseOp(copy.getBody()->getTerminator());
  rewriter.setInsertionPointToEnd(copy.getBody());
  copyBlock(*loop.getBody());
}

void GroupSplitter::copyBranch(scf::IfOp branch) {
  SmallVector<Type> types = expandTypes(branch.getResults());
  auto copy =
      scf::IfOp::create(rewriter, branch.getLoc(), types,
                        numbers.lookupOrDefault(branch.getCondition()),
                        /*addThenBlock=*/true,
                        /*addElseBlock=*/!branch.getElseRegion().empty());
  map(branch.getResults(), copy.getResults());
  copy->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto [from, to] : llvm::zip(branch->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    rewriter.setInsertionPointToEnd(&to.front());
    copyBlock(from.front());
  }
}

void GroupSplitter::copyOp(Operation &op) {
  if (auto phase = dyn_cast<RunClusterOp>(op))
    copyPhase(phase);
  else if (auto loop = dyn_cast<scf::ForOp>(op))
    copyLoop(loop);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    copyBranch(branch);
  else if (isa<scf::YieldOp>(op))
    scf::YieldOp::create(rewriter, op.getLoc(), expand(op.getOperands()));
  else
    rewriter.clone(op, numbers);
}

void GroupSplitter::run() {
  Block *body = executor.getBody();
  SmallVector<Operation *> ops;
  for (Operation &op : body->without_terminator())
    ops.push_back(&op);
  rewriter.setInsertionPoint(body->getTerminator());
  points = makePoints();
  SmallVector<StringRef> leaves(options.names.begin(), options.names.end());
  SmallVector<SmallVector<Value>> split{points};
  split.resize(
      cast<ScopeAttrInterface>(executor.getScope()).getNativeNumProcessorIds());
  BlockArgument all = executor.getThreadgroup();
  group = TileGroupOp::create(rewriter, executor.getLoc(), all, ValueRange(),
                              split, options.ns, leaves);
  handles[all] = llvm::to_vector_of<Value>(group.getClusters());
  rewriter.setInsertionPointToEnd(&group.getBody().front());
  for (Operation *op : ops)
    copyOp(*op);
  rewriter.setInsertionPointToEnd(&group.getBody().front());
  ReturnOp::create(rewriter, executor.getLoc());
  for (Operation *op : llvm::reverse(ops))
    rewriter.eraseOp(op);
}

static LogicalResult verifyOrder(SharedExecutorOp executor) {
  FailureOr<PhaseOrder> order = PhaseOrder::compute(executor);
  if (failed(order))
    return failure();
  auto pair = order->findUnordered();
  if (!pair)
    return success();
  InFlightDiagnostic error = emitError(pair->first.op->getLoc())
                             << "cannot be split: no barrier would order "
                             << pair->first.describe() << " and "
                             << pair->second.describe();
  error.attachNote(pair->second.op->getLoc())
      << pair->second.describe() << " is here";
  return error;
}

namespace {
struct SplitThreadgroup final
    : distaff::impl::PCFSplitThreadgroupBase<SplitThreadgroup> {
  using PCFSplitThreadgroupBase::PCFSplitThreadgroupBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PCFSplitThreadgroupBase::getDependentDialects(registry);
    registerScopeDialects<&PCFConversionDialectInterface::
                              loadStructuralLoweringDependentDialects>(
        registry);
  }

  void runOnOperation() override {
    SplitOptions options{ns, {}, {}, dim};
    llvm::append_range(options.names, names);
    llvm::append_range(options.points, split);
    if (options.names.empty())
      options.names = {"even", "odd"};
    SmallVector<SharedExecutorOp> executors;
    getOperation()->walk([&](SharedExecutorOp executor) {
      if (executor
              .walk([](Operation *op) {
                return isa<RunClusterOp, RunThreadOp>(op)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted())
        executors.push_back(executor);
    });
    IRRewriter rewriter(&getContext());
    SmallVector<std::pair<SharedExecutorOp, SharedExecutorOp>> done;
    for (SharedExecutorOp executor : executors) {
      rewriter.setInsertionPoint(executor);
      auto copy = cast<SharedExecutorOp>(rewriter.clone(*executor));
      done.push_back({executor, copy});
      if (succeeded(verifyOptions(executor, options)) &&
          succeeded(splitCopy(copy, options, rewriter)))
        continue;
      for (auto &[original, changed] : done)
        rewriter.eraseOp(changed);
      return signalPassFailure();
    }
    for (auto &[original, changed] : done)
      rewriter.replaceOp(original, changed->getResults());
  }

  LogicalResult verifyOptions(SharedExecutorOp executor,
                              const SplitOptions &options) {
    SmallVector<StringRef> identifiers(options.names.begin(),
                                       options.names.end());
    if (!options.ns.empty())
      identifiers.push_back(options.ns);
    for (StringRef name : identifiers)
      if (!NsSymAttr::isIdentifier(name))
        return executor.emitOpError("cannot be split: '")
               << name << "' is no identifier";
    llvm::StringSet<> seen;
    for (StringRef name : options.names)
      if (!seen.insert(name).second)
        return executor.emitOpError(
                   "cannot be split into clusters of which two "
                   "are named '")
               << name << "'";
    if (options.getParts() < 2)
      return executor.emitOpError("takes at least two clusters to be split");
    if (!options.points.empty() &&
        static_cast<int64_t>(options.points.size()) + 1 != options.getParts())
      return executor.emitOpError("is split at ")
             << options.points.size() << " points, which does not make "
             << options.getParts() << " clusters";
    return success();
  }

  LogicalResult splitCopy(SharedExecutorOp copy, const SplitOptions &options,
                          RewriterBase &rewriter) {
    if (failed(verifyCollective(*copy.getBody())))
      return failure();
    RunClusterOp first;
    copy.getExecute().walk(
        [&](RunClusterOp phase) { first = first ? first : phase; });
    if (failed(verifyWorkers(first, options)))
      return failure();
    FailureOr<SplitCuts> cuts =
        SplitCuts::compute(copy, options.getParts(), options.dim);
    if (failed(cuts))
      return failure();
    GroupSplitter(copy, options, *cuts, rewriter).run();
    return verifyOrder(copy);
  }
};
} // namespace
