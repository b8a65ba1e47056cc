//===- SpecializeProducers.cpp - Producer/consumer specialization ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warp specialization (horizontal, 7.1 of the pcf specification): a program of
// a threadgroup becomes one of two clusters. Phases that only fill panels
// belong to the producers, all others to the consumers, whose handles carry the
// payload from then on. Barriers are not changed: they are of all workers.
//
// A program of one group may rely only on payload and barriers between two
// phases, so any phase may be given to any part of the group, as long as
// payload stays in one part. Still, writes of one cluster and reads of the
// other must be ordered by barriers in the IR, or access different elements.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Distribute/WorkerGrids.h"
#include "../Form/Panels.h"
#include "../Order/BarriersBetween.h"
#include "../Order/PhaseSlices.h"
#include "../Order/RefAccess.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {
#define GEN_PASS_DEF_PCFSPECIALIZEPRODUCERS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// The largest number of threads that any target launches in a workgroup.
static constexpr int64_t maxThreads = 1024;

namespace {
/// Partitions the phases of an executor by the cluster that will run them.
struct Separation {
  SharedExecutorOp executor;
  SmallVector<RunClusterOp> producers, consumers;
};
} // namespace

static InFlightDiagnostic refuse(Operation *where, const Twine &why) {
  return where->emitError() << "cannot separate producers: " << why;
}

//===----------------------------------------------------------------------===//
// Preconditions
//===----------------------------------------------------------------------===//

/// Collects the phases. Fails unless the body is phases of one group, with
/// barriers and control flow around them.
static LogicalResult collectPhases(SharedExecutorOp executor,
                                   SmallVectorImpl<RunClusterOp> &phases) {
  auto scope = cast<ScopeAttrInterface>(executor.getScope());
  if (int64_t rank = scope.getNativeNumProcessorIds(); rank != 1)
    return refuse(executor, "its workers are in a grid of " + Twine(rank) +
                                " dimensions");
  WalkResult result = executor.getExecute().walk<WalkOrder::PreOrder>(
      [&](Operation *op) -> WalkResult {
        if (auto phase = dyn_cast<RunClusterOp>(op)) {
          phases.push_back(phase);
          return WalkResult::skip();
        }
        if (isa<TileGroupOp>(op))
          return refuse(op, "its group is partitioned already");
        if (isa<RunThreadOp>(op))
          return refuse(op, "it is distributed already");
        bool isItsRegions =
            op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>() &&
            !isa<MemoryEffectOpInterface>(op);
        if (isa<BarrierOp, FenceOp>(op) || isItsRegions ||
            isMemoryEffectFree(op) || isGroupAllocation(op, executor))
          return WalkResult::advance();
        StringRef fix = isa<memref::AllocOp>(op)
                            ? ", in a loop or of a computed size; allocate a "
                              "number of bytes in front of all loops"
                            : "; put it into one";
        return refuse(op, op->getName().getStringRef() +
                              " is outside the phases of its group" + fix);
      });
  return failure(result.wasInterrupted());
}

/// Verifies that only phases use the handle of all workers; others carry
/// payload, which belongs to the consumers.
static LogicalResult verifyHandles(SharedExecutorOp executor) {
  for (Operation *user : executor.getThreadgroup().getUsers())
    if (!isa<RunClusterOp>(user))
      return refuse(user, user->getName().getStringRef() +
                              " takes the group of all workers");
  auto isOfAll = [](Type type) {
    return isa<ThreadgroupType>(type) && getPayload(type).empty();
  };
  WalkResult result =
      executor.getExecute().walk([&](Operation *op) -> WalkResult {
        if (op->getParentOfType<RunClusterOp>() ||
            llvm::none_of(op->getResultTypes(), isOfAll))
          return WalkResult::advance();
        return refuse(op, op->getName().getStringRef() +
                              " passes on a handle without payload");
      });
  return failure(result.wasInterrupted());
}

static bool hasPayload(RunClusterOp phase) {
  return phase.getResult() || !phase.getPayloadArgs().empty();
}

static LogicalResult classify(RunClusterOp phase, Separation &separation) {
  pcf::PhaseSlices memory = pcf::PhaseSlices::of(phase);
  if (memory.unknown)
    return refuse(memory.unknown, "what " +
                                      memory.unknown->getName().getStringRef() +
                                      " does to memory is not known");
  auto writesPanel = [&](WriteSliceOp write) {
    return isPanel(write.getDest(), separation.executor);
  };
  bool fills = llvm::any_of(memory.writes, writesPanel);
  if (fills && hasPayload(phase))
    return refuse(phase, "the phase fills a panel and has payload; its "
                         "copies must be a phase of their own");
  if (!fills && !hasPayload(phase) && memory.writes.empty() &&
      memory.writtenMemrefs.empty())
    return refuse(phase, "the phase has no payload and writes nothing");
  if (!fills) {
    separation.consumers.push_back(phase);
    return success();
  }
  auto other = llvm::find_if_not(memory.writes, writesPanel);
  if (other != memory.writes.end() || !memory.writtenMemrefs.empty()) {
    InFlightDiagnostic error =
        refuse(other != memory.writes.end() ? other->getOperation() : phase,
               "a phase that fills a panel writes memory that is no panel");
    error.attachNote(phase.getLoc()) << "the phase";
    return error;
  }
  separation.producers.push_back(phase);
  return success();
}

/// Verifies that producers read no memory that consumers write.
static LogicalResult verifyInputs(const Separation &separation) {
  for (RunClusterOp producer : separation.producers) {
    pcf::PhaseSlices memory = pcf::PhaseSlices::of(producer);
    SmallVector<std::pair<Operation *, Value>> sources;
    for (ReadSliceOp read : memory.reads)
      sources.push_back({read, read.getSource()});
    for (Value memref : memory.readMemrefs)
      sources.push_back({producer, memref});
    for (auto [read, source] : sources)
      for (RunClusterOp consumer : separation.consumers)
        if (mayWrite(consumer, source)) {
          InFlightDiagnostic error =
              refuse(read, "a phase that fills a panel reads what a consumer "
                           "may write");
          error.attachNote(consumer.getLoc()) << "the consumer";
          return error;
        }
  }
  return success();
}

/// Returns whether barriers separate a write of one cluster from a read of
/// another, or the two access different elements.
static bool areApart(RunClusterOp producer, WriteSliceOp write,
                     RunClusterOp consumer, ReadSliceOp read) {
  Value panel = getViewedRef(read.getSource());
  if (getViewedRef(write.getDest()) != panel)
    return true;
  if (mayMeetAround(producer, consumer, panel) ||
      mayMeetAround(consumer, producer, panel))
    return false;
  return (!mayMeet(producer, consumer, panel) &&
          !mayMeet(consumer, producer, panel)) ||
         areDisjoint(read, write);
}

static LogicalResult verifyOrder(const Separation &separation) {
  for (RunClusterOp producer : separation.producers) {
    pcf::PhaseSlices filled = pcf::PhaseSlices::of(producer);
    for (RunClusterOp consumer : separation.consumers) {
      pcf::PhaseSlices used = pcf::PhaseSlices::of(consumer);
      for (WriteSliceOp write : filled.writes)
        for (ReadSliceOp read : used.reads) {
          if (areApart(producer, write, consumer, read))
            continue;
          InFlightDiagnostic error =
              refuse(read, "no barrier that fences it stands between a read of "
                           "a panel and a phase that fills it");
          error.attachNote(write.getLoc()) << "it is filled here";
          return error;
        }
    }
  }
  return success();
}

static FailureOr<Separation> plan(SharedExecutorOp executor) {
  Separation separation{executor, {}, {}};
  SmallVector<RunClusterOp> phases;
  if (failed(collectPhases(executor, phases)) ||
      failed(verifyHandles(executor)))
    return failure();
  for (RunClusterOp phase : phases)
    if (failed(classify(phase, separation)))
      return failure();
  if (separation.producers.empty())
    return refuse(executor, "no phase only fills panels");
  if (separation.consumers.empty())
    return refuse(executor, "no phase has payload");
  if (failed(verifyInputs(separation)) || failed(verifyOrder(separation)))
    return failure();
  return separation;
}

//===----------------------------------------------------------------------===//
// Number of producers
//===----------------------------------------------------------------------===//

namespace {
/// Describes the number of producer workers: a constant, or an argument of the
/// function.
struct Split {
  int64_t producers = 0;
  std::optional<unsigned> argument;

  static FailureOr<Split> parse(StringRef text);
};
} // namespace

FailureOr<Split> Split::parse(StringRef text) {
  Split split;
  unsigned argument;
  if (StringRef rest = text;
      rest.consume_front("arg") && !rest.getAsInteger(10, argument)) {
    split.argument = argument;
    return split;
  }
  if (text.getAsInteger(10, split.producers) || split.producers < 1)
    return failure();
  return split;
}

/// Returns the argument that the split names.
static FailureOr<Value> findArgument(SharedExecutorOp executor,
                                     const Split &split) {
  auto function = executor->getParentOfType<FunctionOpInterface>();
  if (function && *split.argument < function.getNumArguments() &&
      function.getArgument(*split.argument).getType().isIndex())
    return Value(function.getArgument(*split.argument));
  return refuse(executor, "its function has no argument arg" +
                              Twine(*split.argument) + " of type index");
}

/// Checks that the added workers would run no other code of the scope.
static LogicalResult verifyAlone(ArrayRef<Separation> separations,
                                 FunctionOpInterface function) {
  SharedExecutorOp first = separations.front().executor;
  Attribute scope = first.getScope();
  WalkResult result =
      function.walk([&](RefOwnerOpInterface owner) -> WalkResult {
        auto isOne = [&](const Separation &separation) {
          return separation.executor == owner;
        };
        if (owner.getScope() != scope || llvm::any_of(separations, isOne))
          return WalkResult::advance();
        return refuse(owner, "the workers added would run this, too");
      });
  return failure(result.wasInterrupted());
}

/// Returns the launch of a function with more workers; null if the function has
/// no launch to extend.
static FailureOr<iree::TranslationInfoAttr>
growLaunch(SharedExecutorOp executor, const Split &split) {
  auto function = executor->getParentOfType<FunctionOpInterface>();
  auto launch = function ? function->getAttrOfType<iree::TranslationInfoAttr>(
                               iree::TranslationInfoAttr::attributeName)
                         : iree::TranslationInfoAttr();
  if (!launch || !isa<iree::SubgroupScopeAttr>(executor.getScope()) ||
      launch.getSubgroupSize() <= 0 || launch.getNumThreads() <= 0)
    return iree::TranslationInfoAttr();
  if (split.producers > maxThreads / launch.getSubgroupSize() ||
      launch.getNumThreads() + split.producers * launch.getSubgroupSize() >
          maxThreads)
    return refuse(executor, Twine(split.producers) + " more subgroups of " +
                                Twine(launch.getSubgroupSize()) +
                                " threads do not fit a workgroup of " +
                                Twine(launch.getNumThreads()) + ": it has " +
                                "at most " + Twine(maxThreads));
  int64_t threads =
      launch.getNumThreads() + split.producers * launch.getSubgroupSize();
  SmallVector<int64_t> sizes(launch.getWorkgroupSize());
  int64_t rows = launch.getNumThreads() / sizes.front();
  if (threads % rows)
    return refuse(executor, Twine(threads) +
                                " threads are not rows of a workgroup with " +
                                Twine(rows) + " of them");
  sizes.front() = threads / rows;
  return iree::TranslationInfoAttr::get(
      executor.getContext(), launch.getPipeline(), sizes,
      launch.getSubgroupSize(), launch.getConfiguration());
}

/// Verifies that some of the existing workers remain consumers.
static LogicalResult verifyRest(SharedExecutorOp executor, const Split &split) {
  std::optional<int64_t> workers =
      getLaunchCount(executor, executor.getScope());
  if (!workers || split.producers < *workers)
    return success();
  return refuse(executor, Twine(split.producers) + " producers of " +
                              Twine(*workers) + " workers leave no consumer");
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Moves the executor's body into a group.
static TileGroupOp wrapBody(SharedExecutorOp executor, Value point,
                            RewriterBase &rewriter) {
  Location loc = executor.getLoc();
  auto group = TileGroupOp::create(
      rewriter, loc, executor.getThreadgroup(), /*ranges=*/ValueRange(),
      /*split=*/{SmallVector<Value>{point}}, "ws", {"prod", "cons"});
  Block *body = &group.getBody().front(), *outer = executor.getBody();
  body->getOperations().splice(body->end(), outer->getOperations(),
                               std::next(group->getIterator()),
                               outer->getTerminator()->getIterator());
  // Memory belongs to the workgroup, not to a cluster (PCF-186).
  for (auto alloc : llvm::to_vector(body->getOps<memref::AllocOp>()))
    rewriter.moveOpBefore(alloc, group);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(body);
  ReturnOp::create(rewriter, loc);
  return group;
}

/// Assigns all payload to the consumers.
static void retypeHandles(TileGroupOp group) {
  Type consumers = group.getClusters().back().getType();
  auto retype = [&](Value value) {
    auto handle = dyn_cast<ThreadgroupType>(value.getType());
    if (handle && handle.getScope() == getHandleScope(consumers))
      value.setType(
          withPayload(consumers, getPayload(handle), /*isPrivate=*/false));
  };
  group.getBody().walk([&](Operation *op) {
    llvm::for_each(op->getResults(), retype);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), retype);
  });
}

static void emit(const Separation &separation, const Split &split,
                 RewriterBase &rewriter) {
  SharedExecutorOp executor = separation.executor;
  rewriter.setInsertionPointToStart(executor.getBody());
  Value point = split.argument
                    ? *findArgument(executor, split)
                    : Value(arith::ConstantIndexOp::create(
                          rewriter, executor.getLoc(), split.producers));
  TileGroupOp group = wrapBody(executor, point, rewriter);
  retypeHandles(group);
  auto assign = [&](ArrayRef<RunClusterOp> phases, Value cluster) {
    for (RunClusterOp phase : phases)
      rewriter.modifyOpInPlace(phase, [&] {
        phase->replaceUsesOfWith(executor.getThreadgroup(), cluster);
        phase.getRangesMutable().assign(point);
      });
  };
  assign(separation.producers, group.getClusters().front());
  assign(separation.consumers, group.getClusters().back());
}

namespace {
struct SpecializeProducers final
    : distaff::impl::PCFSpecializeProducersBase<SpecializeProducers> {
  using PCFSpecializeProducersBase::PCFSpecializeProducersBase;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<Split> parsed = Split::parse(producers);
    if (failed(parsed))
      return emitError(UnknownLoc::get(context))
             << "'producers' must be a number from 1, or an argument of the "
                "function as in 'arg3', got '"
             << producers << "'";
    split = *parsed;
    return success();
  }

  /// Plans the launches; changes nothing.
  LogicalResult planLaunches(ArrayRef<Separation> separations);

  void runOnOperation() override {
    SmallVector<Separation> separations;
    WalkResult result = getOperation()->walk([&](SharedExecutorOp executor) {
      FailureOr<Separation> separation = plan(executor);
      if (failed(separation))
        return WalkResult::interrupt();
      separations.push_back(std::move(*separation));
      return WalkResult::advance();
    });
    launches.clear();
    if (result.wasInterrupted() || failed(planLaunches(separations)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (const Separation &separation : separations)
      emit(separation, split, rewriter);
    for (auto [function, launch] : launches)
      function->setAttr(iree::TranslationInfoAttr::attributeName, launch);
  }

  Split split;
  /// The new launches of functions.
  llvm::MapVector<Operation *, Attribute> launches;
};
} // namespace

LogicalResult
SpecializeProducers::planLaunches(ArrayRef<Separation> separations) {
  for (const Separation &separation : separations) {
    SharedExecutorOp executor = separation.executor;
    if (split.argument) {
      if (failed(findArgument(executor, split)))
        return failure();
      continue;
    }
    FailureOr<iree::TranslationInfoAttr> launch = iree::TranslationInfoAttr();
    if (addWorkers && failed(launch = growLaunch(executor, split)))
      return failure();
    if (!*launch) {
      if (failed(verifyRest(executor, split)))
        return failure();
      continue;
    }
    auto function = executor->getParentOfType<FunctionOpInterface>();
    if (failed(verifyAlone(separations, function)))
      return failure();
    launches[function] = *launch;
  }
  return success();
}
