//===- PcfOwners.cpp - Loops and regions over workers ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// pcf.generic and pcf.loop. At #pcf.sequential the only worker is the one that
// runs the op, so their bodies run in place. At other scopes each worker is an
// agent; lanes whose code has no tensors are one agent together, so that they
// may exchange values.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"
#include "PcfCrew.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;
using namespace distaff::simt;
using BlockId = Translator::BlockId;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Ends a block of a body whose exits go to `after`.
static LogicalResult translateEnd(Operation *terminator, BlockId after,
                                  Translator &t) {
  if (isa<pcf::ReturnOp>(terminator)) {
    t.jump(terminator, after);
    return success();
  }
  auto leave = dyn_cast<pcf::CondReturnOp>(terminator);
  if (!leave)
    return t.translate(terminator);
  BlockId goOn = t.newBlock();
  t.branch(leave, t.reg(leave.getCondition()), after, goOn);
  t.startBlock(goOn);
  SmallVector<Reg> arguments = llvm::map_to_vector(
      leave.getDest()->getArguments(), [&](Value v) { return t.reg(v); });
  t.forward(leave->getOpOperands().drop_front(), arguments);
  t.jump(leave, t.blockOf(leave.getDest()));
  return success();
}

/// Translates the code of one worker of a pcf.generic into its program.
static LogicalResult translateWorker(pcf::GenericOp op, Translator &t) {
  FailureOr<WorkerRegs> workers =
      emitWorkers(op, op.getScope(), op.getNumIds(), t);
  if (failed(workers))
    return failure();
  bindAll(op.getIds(), workers->ids, t);
  bindAll(op.getCounts(), workers->counts, t);
  BlockId after = t.newBlock();
  auto translateLast = [&](Operation *terminator) {
    return translateEnd(terminator, after, t);
  };
  if (failed(t.translateBlocks(op, op.getExecute(), translateLast)))
    return failure();
  t.startBlock(after);
  return success();
}

/// Translates iterations `me`, `me + step`, ... of a box, each unordered after
/// the last.
static LogicalResult translateIterations(pcf::LoopOp op, Reg me, Reg step,
                                         ArrayRef<Reg> counts, bool isGrid,
                                         Translator &t) {
  Reg iteration = t.scratch(Kind::index()), total = t.scratch(Kind::index());
  SmallVector<Reg> ids(counts), sizes(counts);
  for (auto [reg, id] : llvm::zip_equal(ids, op.getIds()))
    reg = t.reg(id);
  t.emit(op, [=](Agent &agent) {
    for (int64_t lane = 0; lane < agent.lanes(); ++lane) {
      int64_t product = 1;
      for (Reg size : sizes)
        product *= std::max<int64_t>(0, agent.integer(size, lane));
      agent.setInteger(total, product, lane);
      agent.setInteger(me, agent.integer(me, lane) + lane, lane);
    }
  });
  auto begin = [=](Agent &agent) {
    Workgroup &group = agent.workgroup();
    Seat seat = agent.seat();
    forEachLane(agent.mask(), [&](int64_t lane) {
      int64_t rest = agent.integer(iteration, lane);
      for (auto [d, id] : llvm::enumerate(ids)) {
        int64_t size = agent.integer(sizes[d], lane);
        agent.setInteger(id, rest % size, lane);
        if (isGrid && d < 3) {
          seat.workgroup[d] = rest % size;
          seat.grid[d] = size;
        }
        rest /= size;
      }
      group.clocks.iterate(agent.threadOf(lane));
    });
    if (isGrid)
      seat.instance = group.nextInstance();
    agent.setSeat(seat);
  };
  return emitLoop(op, iteration, me, total, step, /*isUnsigned=*/false, t,
                  [&]() -> LogicalResult {
                    t.emit(op, begin);
                    return t.translateBody(*op.getBody());
                  });
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

/// Returns whether lanes may be one agent: tensors exist in programs of one
/// lane only.
static bool mayBeWide(Region &body) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(body, captured);
  if (llvm::any_of(captured, [&](Value v) { return isTensor(v.getType()); }))
    return false;
  return !body.walk([&](Operation *op) {
                bool isOther =
                    isa<pcf::RefOwnerOpInterface>(op) &&
                    !isSequential(
                        cast<pcf::RefOwnerOpInterface>(op).getScope());
                bool fromMemref = isa<pcf::WriteSliceOp>(op) &&
                                  isa<MemRefType>(op->getOperand(0).getType());
                return isOther || fromMemref ||
                               llvm::any_of(op->getOperandTypes(), isTensor) ||
                               llvm::any_of(op->getResultTypes(), isTensor)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
/// Starts the workers of an op that opens a scope.
struct OpenWorkers {
  mutable pcf::RefOwnerOpInterface op;
  Workers workers;
  bool isWide;
  SmallVector<Reg> synced;
  std::optional<Reg> me, step; // for the iterations of a loop
  /// Number of workers for a grid of iterations; 0: those of the scope.
  int64_t atMost = 0;

  bool operator()(Agent &agent, Team::Purpose &purpose,
                  SmallVectorImpl<WorkerStart> &starts) const {
    if (!checkNesting(agent, op, workers))
      return false;
    openScope(agent, op, workers, synced, purpose);
    int64_t count = countWorkers(agent, workers);
    if (atMost && count > 0)
      count = atMost;
    if (atMost)
      purpose.isKnown = op.getSyncOnReturn();
    std::optional<int64_t> first = threadsOfWorkers(
        agent, op, agent.seat().thread, keyOf(op.getScope()), count,
        [&](int64_t i) { return nameWorker(agent, workers, i); });
    if (!first)
      return false;
    Clocks &clocks = agent.workgroup().clocks;
    for (int64_t i = 0; i < count; ++i)
      clocks.begin(*first + i, agent.seat().thread, /*knowsWhatItDid=*/true);
    int64_t together = isWide ? count : 1;
    for (int64_t i = 0; i < count; i += together) {
      WorkerStart start;
      start.seat = seatOfWorker(agent, workers, i);
      start.seat.thread = *first + i;
      start.seat.weight *= together;
      start.seat.home = agent.seat().thread;
      start.lanes = together;
      if (me) {
        start.numbers.push_back({*me, i});
        start.numbers.push_back({*step, count});
      }
      starts.push_back(std::move(start));
    }
    return true;
  }
};
} // namespace

/// Returns the number of workers that the iterations of a grid are distributed
/// over: together they have at most 2048 threads.
static int64_t countResident(const Options &launch) {
  auto [x, y, z] = launch.workgroupSize;
  return std::clamp<int64_t>(2048 / std::max<int64_t>(1, x * y * z), 1, 8);
}

static LogicalResult translateTeam(pcf::RefOwnerOpInterface op, Workers workers,
                                   Translator &t) {
  if (t.lanes() != 1)
    return t.notModelled(op, "workers of this scope in one lane's program");
  if (failed(emitInitializer(op, t)) || failed(emitRefs(op, t)))
    return failure();
  bool isWide = workers == Workers::Lanes && mayBeWide(op.getExecute());
  Crew crew(op, op.getExecute(), t,
            isWide ? t.options().launch.subgroupSize : 1);
  if (failed(crew.capture()))
    return failure();
  for (BlockArgument argument : op.getLeadingArgs())
    crew.give(argument);
  for (BlockArgument argument : op.getRefArgs())
    crew.give(argument);
  OpenWorkers open = {op, workers, isWide, syncedRefs(op, t), {}, {}, 0};
  Translator &inner = crew.program();
  if (auto generic = dyn_cast<pcf::GenericOp>(*op)) {
    if (failed(translateWorker(generic, inner)))
      return crew.fail();
  } else {
    auto loop = cast<pcf::LoopOp>(*op);
    SmallVector<Reg> counts;
    for (Value count : loop.getCounts()) {
      counts.push_back(inner.scratch(Kind::index()));
      crew.give(t.reg(count), counts.back());
    }
    open.me = inner.scratch(Kind::index());
    open.step = inner.scratch(Kind::index());
    bool isGrid = workers == Workers::Workgroups;
    open.atMost = isGrid ? countResident(t.options().launch) : 0;
    if (failed(translateIterations(loop, *open.me, *open.step, counts, isGrid,
                                   inner)))
      return crew.fail();
  }
  if (failed(crew.finish(op)))
    return failure();
  emitCrew(op, crew, open, t);
  emitResults(op, t);
  return success();
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

static LogicalResult translateGeneric(pcf::GenericOp op, Translator &t) {
  FailureOr<Workers> workers = workersOf(op, op.getScope(), t);
  if (failed(workers))
    return failure();
  if (*workers != Workers::One)
    return translateTeam(op, *workers, t);
  if (failed(emitInitializer(op, t)) || failed(emitRefs(op, t)) ||
      failed(translateWorker(op, t)))
    return failure();
  emitResults(op, t);
  return success();
}

static LogicalResult translateLoop(pcf::LoopOp op, Translator &t) {
  FailureOr<Workers> workers = workersOf(op, op.getScope(), t);
  if (failed(workers))
    return failure();
  if (*workers != Workers::One)
    return translateTeam(op, *workers, t);
  if (failed(emitRefs(op, t)))
    return failure();
  size_t rank = op.getCounts().size();
  SmallVector<Reg> lows(rank, t.indexConstant(0)),
      steps(rank, t.indexConstant(1));
  SmallVector<Reg> highs = llvm::map_to_vector(
      op.getCounts(), [&](Value count) { return t.reg(count); });
  if (failed(emitNest(op, op.getIds(), lows, highs, steps, t,
                      [&] { return t.translateBody(*op.getBody()); })))
    return failure();
  emitResults(op, t);
  return success();
}

void distaff::simt::registerPcfOwners(OpRegistry &registry) {
  registry.add<pcf::GenericOp>(translateGeneric);
  registry.add<pcf::LoopOp>(translateLoop);
}
