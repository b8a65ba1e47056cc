//===- PcfCollective.cpp - Collective code of worker groups ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One agent runs the body of a pcf.shared_executor for its whole group; one
// agent per cluster, in parallel, runs that of a tile_group. Each agent runs
// all of the body, but only the phases of its own group. A member's phases are
// in program order; the assignment of work to members is open, so accesses of a
// group in one phase are not ordered before its accesses in the next.
//
// A handle has its workers, a box [low, low + size) of the grid of ids, and
// whether it is of the group of the agent that has it, or of a group that
// contains it. Agents of a group that is split twice stand for the boxes that
// both splits leave whole.
//
//===----------------------------------------------------------------------===//
#include "IndexMath.h"
#include "PcfPhases.h"
#include "distaff/Dialect/IREE/IREE.h"

using namespace distaff;
using namespace distaff::simt;
using BlockId = Translator::BlockId;
using Handle = Translator::Handle;
using Box = WorkerBox;

static int64_t rankOf(Attribute scope) {
  return cast<pcf::ScopeAttrInterface>(scope).getNativeNumProcessorIds();
}

/// Returns the workers along each dimension of a scope's grid.
static Box gridOf(const Agent &agent, Workers workers, int64_t rank) {
  Box grid;
  grid.low.assign(rank, 0);
  if (rank == 1)
    grid.size = {countWorkers(agent, workers)};
  else
    llvm::append_range(grid.size, agent.workgroup().launch.scopeGrid);
  return grid;
}

static LogicalResult checkRank(Operation *op, Attribute scope, Translator &t) {
  if (rankOf(scope) == 1 || isa<iree::WorkgroupScopeAttr>(scope))
    return success();
  return t.notModelled(op, "groups of a scope with several worker ids");
}

void simt::setNumbers(Agent &agent, const Handle &handle, const Box &box,
                      bool isOwn) {
  for (auto [reg, low] : llvm::zip_equal(handle.low, box.low))
    agent.setInteger(reg, low);
  for (auto [reg, size] : llvm::zip_equal(handle.size, box.size))
    agent.setInteger(reg, size);
  agent.setInteger(handle.isOwn, isOwn ? -1 : 0);
}

/// Overrides the numbers that a worker starts with.
static void addNumbers(WorkerStart &start, const Handle &handle, const Box &box,
                       bool isOwn) {
  for (auto [reg, low] : llvm::zip_equal(handle.low, box.low))
    start.numbers.push_back({reg, low});
  for (auto [reg, size] : llvm::zip_equal(handle.size, box.size))
    start.numbers.push_back({reg, size});
  start.numbers.push_back({handle.isOwn, isOwn ? -1 : 0});
}

//===----------------------------------------------------------------------===//
// pcf.shared_executor
//===----------------------------------------------------------------------===//

namespace {
/// Starts the agent of a whole group.
struct OpenGroup {
  mutable pcf::RefOwnerOpInterface op;
  Workers workers;
  SmallVector<Reg> synced;

  bool operator()(Agent &agent, Team::Purpose &purpose,
                  SmallVectorImpl<WorkerStart> &starts) const {
    if (!checkNesting(agent, op, workers))
      return false;
    openScope(agent, op, workers, synced, purpose);
    std::optional<int64_t> thread =
        threadsOfWorkers(agent, op, agent.seat().thread, op.getOperation(), 1,
                         [&](int64_t) { return nameGroup(); });
    if (!thread)
      return false;
    agent.workgroup().clocks.begin(*thread, agent.seat().thread,
                                   /*knowsWhatItDid=*/true);
    int64_t count = countWorkers(agent, workers);
    WorkerStart start;
    // The place of its first worker; the agent itself opens no further scope.
    start.seat = seatOfWorker(agent, workers, 0);
    start.seat.thread = *thread;
    start.seat.members = count;
    start.seat.weight = count * threadsOf(agent, workers);
    start.seat.home = agent.seat().thread;
    starts.push_back(std::move(start));
    return true;
  }

  std::string nameGroup() const {
    switch (workers) {
    case Workers::One:
      return "the only worker";
    case Workers::Workgroups:
      return "the group of workgroups";
    case Workers::Subgroups:
      return "the group of subgroups";
    case Workers::Lanes:
      return "the group of lanes";
    }
    llvm_unreachable("unknown workers");
  }
};
} // namespace

static LogicalResult translateExecutor(pcf::SharedExecutorOp op,
                                       Translator &t) {
  FailureOr<Workers> workers = workersOf(op, op.getScope(), t);
  if (failed(workers) || failed(checkRank(op, op.getScope(), t)))
    return failure();
  if (t.lanes() != 1)
    return t.notModelled(op, "a group in one lane's program");
  if (failed(emitInitializer(op, t)) || failed(emitRefs(op, t)))
    return failure();
  Crew crew(op, op.getExecute(), t);
  if (failed(crew.capture()))
    return failure();
  for (BlockArgument argument : op.getLeadingArgs())
    crew.give(argument);
  for (BlockArgument argument : op.getRefArgs())
    crew.give(argument);
  Translator &inner = crew.program();
  Handle all = inner.handle(inner.reg(op.getThreadgroup()));
  inner.setOwnGroup(inner.reg(op.getThreadgroup()));
  Workers kind = *workers;
  inner.emit(op, [=](Agent &agent) {
    setNumbers(agent, all, gridOf(agent, kind, all.low.size()), true);
  });
  if (failed(inner.translateBody(*op.getBody())))
    return crew.fail();
  if (failed(crew.finish(op)))
    return failure();
  emitCrew(op, crew, OpenGroup{op, *workers, syncedRefs(op, t)}, t);
  emitResults(op, t);
  return success();
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// Emits the end of the order between phases of a group with several workers.
static void emitPhaseBorder(Operation *op, Translator &t) {
  t.emit(op, [](Agent &agent) {
    if (agent.seat().members > 1)
      agent.workgroup().clocks.leaveOrder(agent.seat().thread);
  });
}

BlockId simt::beginPhase(Operation *op, Value source, Value result,
                         Translator &t) {
  Handle group = t.handle(t.reg(source));
  if (result) {
    Handle next = t.handle(t.reg(result));
    for (auto [from, to] : llvm::zip_equal(group.group(), next.group()))
      t.copy(op, from, to);
  }
  BlockId inside = t.newBlock(), after = t.newBlock();
  t.branch(op, group.isOwn, inside, after);
  t.startBlock(inside);
  // An op that splits the group again runs no code on it.
  if (!isa<pcf::TileGroupOp>(op))
    t.emit(op, [=](Agent &agent) {
      if (Box::of(agent, group).numMembers() != agent.seat().members)
        agent.fault(op, FaultKind::NotModelled,
                    "a phase that several clusters run together");
    });
  emitPhaseBorder(op, t);
  return after;
}

void simt::endPhase(Operation *op, BlockId after, Translator &t) {
  emitPhaseBorder(op, t);
  t.jump(op, after);
  t.startBlock(after);
}

SmallVector<Reg> simt::payloadOf(ValueRange handles, bool isPrivate,
                                 Translator &t) {
  SmallVector<Reg> fields;
  for (Value handle : handles)
    for (Reg field : t.handle(t.reg(handle)).payload)
      if (field.isMembers() == isPrivate)
        fields.push_back(field);
  return fields;
}

/// Copies the payload to the result past a phase that does not run.
static void emitPassedBy(Operation *op, ValueRange sources, Value result,
                         bool isPrivate, Translator &t) {
  if (!result)
    return;
  SmallVector<Reg> to = payloadOf(result, isPrivate, t);
  if (to.empty())
    return;
  for (auto [from, into] :
       llvm::zip_equal(payloadOf(sources, isPrivate, t), to))
    t.copy(op, from, into);
}

static LogicalResult translateRunCluster(pcf::RunClusterOp op, Translator &t) {
  BlockId after = beginPhase(op, op.getSources().front(), op.getResult(), t);
  // A handle may run again with the same payload.
  for (auto [field, argument] :
       llvm::zip_equal(payloadOf(op.getSources(), /*isPrivate=*/false, t),
                       op.getPayloadArgs()))
    t.copy(op, field, t.reg(argument));
  if (failed(t.translateBody(op.getBody().front())))
    return failure();
  if (op.getResult())
    t.forward(op.getYield()->getOpOperands(),
              payloadOf(op.getResult(), /*isPrivate=*/false, t));
  emitPassedBy(op, op.getSources(), op.getResult(), /*isPrivate=*/true, t);
  endPhase(op, after, t);
  return success();
}

//===----------------------------------------------------------------------===//
// Phases of each member
//===----------------------------------------------------------------------===//

MemberValues::Value simt::takeValue(Agent &agent, Reg reg) {
  MemberValues::Value value;
  if (reg.isTensor()) {
    value.tensor = agent.tensor(reg);
    return value;
  }
  value.cells.resize(llvm::divideCeil(reg.elements * reg.cellBytes, 8));
  std::memcpy(value.cells.data(), agent.cells(reg),
              reg.elements * reg.cellBytes);
  return value;
}

void simt::giveValue(Agent &agent, Reg reg, const MemberValues::Value &value) {
  if (reg.isTensor())
    agent.tensor(reg) = value.tensor;
  else
    std::memcpy(agent.cells(reg), value.cells.data(),
                reg.elements * reg.cellBytes);
}

namespace {
/// Starts the members of the group that runs a phase.
struct OpenMembers {
  Operation *op;
  Workers workers;
  const void *scope;
  Handle group;
  SmallVector<Reg> ids;

  bool operator()(Agent &agent, Team::Purpose &purpose,
                  SmallVectorImpl<WorkerStart> &starts) const {
    Box box = Box::of(agent, group);
    Box grid = gridOf(agent, workers, ids.size());
    int64_t count = countWorkers(agent, workers);
    int64_t home = agent.seat().home;
    std::optional<int64_t> first =
        threadsOfWorkers(agent, op, home, scope, count, [&](int64_t i) {
          return nameWorker(agent, workers, i);
        });
    if (!first)
      return false;
    // Members are ordered after the group's barriers, and after their own
    // accesses.
    bool isAlone = agent.seat().members == 1;
    purpose.isKnown = isAlone;
    for (int64_t i = 0; i < box.numMembers(); ++i) {
      WorkerStart start;
      SmallVector<int64_t, 3> own = box.idsOf(i);
      int64_t number = 0;
      for (size_t dim = own.size(); dim-- > 0;)
        number = number * grid.size[dim] + box.low[dim] + own[dim];
      start.seat = seatOfWorker(agent, workers, number);
      start.seat.thread = *first + number;
      for (auto [reg, id] : llvm::zip_equal(ids, own))
        start.numbers.push_back({reg, id});
      agent.workgroup().clocks.begin(start.seat.thread, agent.seat().thread,
                                     isAlone);
      starts.push_back(std::move(start));
    }
    return true;
  }
};
} // namespace

static LogicalResult translateRunThread(pcf::RunThreadOp op, Translator &t) {
  if (isInWorkersCode(op))
    return translateOwnPhase(op, t);
  FailureOr<Workers> workers = workersOf(op, op.getScope(), t);
  if (failed(workers) || failed(checkRank(op, op.getScope(), t)))
    return failure();
  Handle group = t.handle(t.reg(op.getSources().front()));
  BlockId after = beginPhase(op, op.getSources().front(), op.getResult(), t);
  Crew crew(op, op.getBody(), t);
  if (failed(crew.capture()))
    return failure();
  Translator &inner = crew.program();
  auto regsOf = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return inner.reg(v); });
  };
  SmallVector<Reg> fields = payloadOf(op.getSources(), /*isPrivate=*/true, t),
                   results, arguments = regsOf(op.getPayloadArgs());
  if (op.getResult())
    results = payloadOf(op.getResult(), /*isPrivate=*/true, t);
  if (failed(inner.translateBody(op.getBody().front())))
    return crew.fail();
  SmallVector<Reg> yielded = regsOf(op.getYield()->getOperands());
  OpenMembers open = {op, *workers, keyOf(op.getScope()), group,
                      regsOf(op.getIds())};
  if (failed(crew.finish(op)))
    return failure();
  auto before = [=](Agent &agent, ArrayRef<Agent *> members) {
    for (auto [field, argument] : llvm::zip_equal(fields, arguments))
      for (auto [i, member] : llvm::enumerate(members))
        giveValue(*member, argument, agent.memberValues(field)->values[i]);
  };
  auto take = [=](Agent &agent, ArrayRef<Agent *> members) {
    for (auto [result, value] : llvm::zip(results, yielded)) {
      auto all = std::make_shared<MemberValues>();
      for (Agent *member : members)
        all->values.push_back(takeValue(*member, value));
      agent.memberValues(result) = std::move(all);
    }
  };
  emitCrew(op, crew, open, t, before, take);
  emitPassedBy(op, op.getSources(), op.getResult(), /*isPrivate=*/false, t);
  endPhase(op, after, t);
  return success();
}

//===----------------------------------------------------------------------===//
// pcf.shared_executor.tile_group
//===----------------------------------------------------------------------===//

namespace {
/// The bounds of a cluster's ranges.
struct Bounds {
  SmallVector<Reg> low, high;

  /// Returns the box between them; a decreasing range has a negative size.
  Box boxOf(Agent &agent) const {
    Box box;
    for (auto [from, to] : llvm::zip_equal(low, high)) {
      box.low.push_back(agent.integer(from));
      box.size.push_back(agent.integer(to) - agent.integer(from));
    }
    return box;
  }
};
} // namespace

/// Emits the bounds of all clusters of a split.
static FailureOr<SmallVector<Bounds>>
emitBounds(pcf::TileGroupOp op, Workers workers, Translator &t) {
  SmallVector<Reg> counts;
  for ([[maybe_unused]] int64_t dim : llvm::seq(rankOf(op.getScope())))
    counts.push_back(t.scratch(Kind::index()));
  t.emit(op, [=](Agent &agent) {
    for (auto [count, size] :
         llvm::zip_equal(counts, gridOf(agent, workers, counts.size()).size))
      agent.setInteger(count, size);
  });
  SmallVector<Reg> ranges = t.regs(op.getAllRangeValues());
  IndexMath math(op, t);
  SmallVector<Bounds> all;
  for (BlockArgument cluster : op.getClusters()) {
    auto type = cast<pcf::ClusterType>(cluster.getType());
    Bounds &bounds = all.emplace_back();
    for (int64_t dim : llvm::seq(type.getRank())) {
      bounds.low.push_back(
          math.expression(type.getLowerBound(dim), ranges, counts));
      bounds.high.push_back(
          math.expression(type.getUpperBound(dim), ranges, counts));
    }
  }
  if (failed(math.finish()))
    return failure();
  return all;
}

namespace {
/// Starts an agent for each cluster with workers in its starter's group.
struct OpenClusters {
  mutable pcf::TileGroupOp op;
  Workers workers;
  Handle source, own;           // in the starter's program
  SmallVector<Bounds> bounds;   // in the starter's program
  SmallVector<Handle> clusters; // in the program of the clusters
  Handle ownCluster;            // in the program of the clusters
  SmallVector<std::string> names;

  bool operator()(Agent &agent, Team::Purpose &purpose,
                  SmallVectorImpl<WorkerStart> &starts) const {
    Box around = Box::of(agent, source), group = Box::of(agent, own);
    SmallVector<Box> boxes;
    for (const Bounds &bound : bounds) {
      boxes.push_back(bound.boxOf(agent));
      if (boxes.back() == boxes.back().intersect(around))
        continue;
      agent.fault(op, FaultKind::Misuse,
                  "the split points decrease, or are "
                  "not between the group's bounds");
      return false;
    }
    std::optional<int64_t> first = threadsOfWorkers(
        agent, op, agent.seat().thread, op.getOperation(), clusters.size(),
        [&](int64_t i) { return "cluster " + names[i]; });
    if (!first)
      return false;
    for (size_t i = 0; i < clusters.size(); ++i)
      if (Box part = boxes[i].intersect(group); part.numMembers() > 0)
        starts.push_back(startOf(agent, *first + i, i, part, boxes));
    return true;
  }

  /// Returns the start of the part of cluster `number` in the starter's group.
  WorkerStart startOf(Agent &agent, int64_t thread, size_t number,
                      const Box &part, ArrayRef<Box> boxes) const {
    WorkerStart start;
    start.seat = agent.seat();
    start.seat.thread = thread;
    start.seat.members = part.numMembers();
    start.seat.weight = start.seat.members * threadsOf(agent, workers);
    for (auto [i, cluster] : llvm::enumerate(clusters))
      addNumbers(start, cluster, boxes[i], i == number);
    addNumbers(start, ownCluster, part, true);
    agent.workgroup().clocks.begin(thread, agent.seat().thread,
                                   agent.seat().members == 1);
    return start;
  }
};
} // namespace

/// Returns an op of the region, outside phases, that each cluster's agent would
/// run.
static Operation *findSharedWrite(Region &body) {
  Operation *found = nullptr;
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<pcf::RunClusterOp, pcf::RunThreadOp, pcf::TileGroupOp>(op))
      return WalkResult::skip();
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (isa<pcf::BarrierOp, pcf::FenceOp>(op) || !effects ||
        !effects.hasEffect<MemoryEffects::Write>())
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static LogicalResult translateTileGroup(pcf::TileGroupOp op, Translator &t) {
  FailureOr<Workers> workers = workersOf(op, op.getScope(), t);
  if (failed(workers) || failed(checkRank(op, op.getScope(), t)))
    return failure();
  if (Operation *write = findSharedWrite(op.getBody()))
    return t.notModelled(write, "a write of several clusters together");
  BlockId after = beginPhase(op, op.getSource(), Value(), t);
  Crew crew(op, op.getBody(), t);
  if (failed(crew.capture()))
    return failure();
  Translator &inner = crew.program();
  FailureOr<SmallVector<Bounds>> bounds = emitBounds(op, *workers, t);
  if (failed(bounds))
    return failure();
  // A part of a group is no named cluster.
  Reg part = inner.newHandle(
      pcf::withPayload(op.getSource().getType(), {}, /*isPrivate=*/false));
  inner.setOwnGroup(part);
  OpenClusters open = {op,
                       *workers,
                       t.handle(t.reg(op.getSource())),
                       t.getOwnGroup(),
                       std::move(*bounds),
                       {},
                       inner.handle(part),
                       {}};
  for (BlockArgument cluster : op.getClusters()) {
    open.clusters.push_back(inner.handle(inner.reg(cluster)));
    pcf::NsSymAttr id = cast<pcf::ClusterType>(cluster.getType()).getId();
    open.names.push_back(llvm::join(
        llvm::map_range(id.getPath(),
                        [](StringAttr part) { return part.getValue(); }),
        "."));
  }
  if (failed(inner.translateBody(op.getBody().front())))
    return crew.fail();
  if (failed(crew.finish(op)))
    return failure();
  emitCrew(op, crew, open, t);
  endPhase(op, after, t);
  return success();
}

void distaff::simt::registerPcfCollective(OpRegistry &registry) {
  registry.add<pcf::SharedExecutorOp>(translateExecutor);
  registry.add<pcf::TileGroupOp>(translateTileGroup);
  registry.add<pcf::RunClusterOp>(translateRunCluster);
  registry.add<pcf::RunThreadOp>(translateRunThread);
  registry.add<UnrealizedConversionCastOp>(translateHandleCast);
}
