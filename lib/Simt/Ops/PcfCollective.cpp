//===- PcfCollective.cpp - Code that groups run as one --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a pcf.shared_executor is run by one agent for its whole group,
// that of a tile_group by one for each of its clusters, at the same time. Each
// runs all of it, but only the phases of its own group. A member's phases are
// in program order; which member does what is open, so that what a group did in
// one phase is not ordered before what it does in the next.
//
// A handle knows its workers, [low, low + size), and whether it is of the group
// of the agent that has it, or of one around that.
//
//===----------------------------------------------------------------------===//
#include "PcfCrew.h"

using namespace distaff;
using namespace distaff::simt;
using BlockId = Translator::BlockId;
using Handle = Translator::Handle;

/// Ranks other than 1 would need boxes of workers.
static LogicalResult checkRank(Operation *op, Attribute scope, Translator &t) {
  if (cast<pcf::ScopeAttrInterface>(scope).getNativeNumProcessorIds() == 1)
    return success();
  return t.notModelled(op, "groups of a scope with several worker ids");
}

static void setNumbers(Agent &agent, const Handle &handle, int64_t low,
                       int64_t size, bool isOwn) {
  agent.setInteger(handle.low, low);
  agent.setInteger(handle.size, size);
  agent.setInteger(handle.isOwn, isOwn ? -1 : 0);
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
    // Where its first worker is; it opens no further scope itself.
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
  inner.emit(op, [=](Agent &agent) {
    setNumbers(agent, all, 0, agent.seat().members, true);
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

/// Between phases a group of several workers has no order of its own.
static void emitPhaseBorder(Operation *op, Translator &t) {
  t.emit(op, [](Agent &agent) {
    if (agent.seat().members > 1)
      agent.workgroup().clocks.leaveOrder(agent.seat().thread);
  });
}

/// Begins code of a handle's group alone. The result is of the same group.
/// \returns where others go
static BlockId beginPhase(Operation *op, Value source, Value result,
                          Translator &t) {
  Handle group = t.handle(t.reg(source));
  if (result) {
    Handle next = t.handle(t.reg(result));
    for (auto [from, to] : {std::pair(group.low, next.low),
                            {group.size, next.size},
                            {group.isOwn, next.isOwn}})
      t.copy(op, from, to);
  }
  BlockId inside = t.newBlock(), after = t.newBlock();
  t.branch(op, group.isOwn, inside, after);
  t.startBlock(inside);
  t.emit(op, [=](Agent &agent) {
    if (agent.integer(group.size) != agent.seat().members)
      agent.fault(op, FaultKind::NotModelled,
                  "a phase that several clusters run together");
  });
  emitPhaseBorder(op, t);
  return after;
}

static void endPhase(Operation *op, BlockId after, Translator &t) {
  emitPhaseBorder(op, t);
  t.jump(op, after);
  t.startBlock(after);
}

/// The payloads of all sources, one after the other.
static SmallVector<Reg> payloadOf(ValueRange sources, Translator &t) {
  SmallVector<Reg> fields;
  for (Value source : sources)
    fields.append(t.handle(t.reg(source)).payload);
  return fields;
}

static LogicalResult translateRunCluster(pcf::RunClusterOp op, Translator &t) {
  BlockId after = beginPhase(op, op.getSources().front(), op.getResult(), t);
  // A handle may be run again with the same payload.
  for (auto [field, argument] :
       llvm::zip_equal(payloadOf(op.getSources(), t), op.getPayloadArgs()))
    t.copy(op, field, t.reg(argument));
  if (failed(t.translateBody(op.getBody().front())))
    return failure();
  if (op.getResult())
    t.forward(op.getYield()->getOpOperands(),
              t.handle(t.reg(op.getResult())).payload);
  endPhase(op, after, t);
  return success();
}

//===----------------------------------------------------------------------===//
// Phases of each member
//===----------------------------------------------------------------------===//

/// What an agent of one lane has in a register.
static MemberValues::Value takeValue(Agent &agent, Reg reg) {
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

static void giveValue(Agent &agent, Reg reg, const MemberValues::Value &value) {
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
  Reg id;

  bool operator()(Agent &agent, Team::Purpose &purpose,
                  SmallVectorImpl<WorkerStart> &starts) const {
    int64_t low = agent.integer(group.low), size = agent.integer(group.size);
    int64_t count = countWorkers(agent, workers);
    int64_t home = agent.seat().home;
    std::optional<int64_t> first =
        threadsOfWorkers(agent, op, home, scope, count, [&](int64_t i) {
          return nameWorker(agent, workers, i);
        });
    if (!first)
      return false;
    // Members know what barriers have told the group, and what they did.
    bool isAlone = agent.seat().members == 1;
    purpose.isKnown = isAlone;
    for (int64_t i = 0; i < size; ++i) {
      WorkerStart start;
      start.seat = seatOfWorker(agent, workers, low + i);
      start.seat.thread = *first + low + i;
      start.numbers.push_back({id, i});
      agent.workgroup().clocks.begin(start.seat.thread, agent.seat().thread,
                                     isAlone);
      starts.push_back(std::move(start));
    }
    return true;
  }
};
} // namespace

static LogicalResult translateRunThread(pcf::RunThreadOp op, Translator &t) {
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
  SmallVector<Reg> fields = payloadOf(op.getSources(), t), results,
                   arguments = regsOf(op.getPayloadArgs());
  if (op.getResult())
    results = t.handle(t.reg(op.getResult())).payload;
  if (failed(inner.translateBody(op.getBody().front())))
    return crew.fail();
  SmallVector<Reg> yielded = regsOf(op.getYield()->getOperands());
  OpenMembers open = {op, *workers, keyOf(op.getScope()), group,
                      inner.reg(op.getIds().front())};
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
  endPhase(op, after, t);
  return success();
}

//===----------------------------------------------------------------------===//
// pcf.shared_executor.tile_group
//===----------------------------------------------------------------------===//

namespace {
/// Starts an agent for each cluster that has workers.
struct OpenClusters {
  mutable pcf::TileGroupOp op;
  Workers workers;
  Handle group;
  SmallVector<Reg> points;      // in the starter's program
  SmallVector<Handle> clusters; // in the clusters'
  SmallVector<std::string> names;

  bool operator()(Agent &agent, Team::Purpose &purpose,
                  SmallVectorImpl<WorkerStart> &starts) const {
    SmallVector<int64_t> bounds = {agent.integer(group.low)};
    for (Reg point : points)
      bounds.push_back(agent.integer(point));
    bounds.push_back(bounds.front() + agent.integer(group.size));
    if (!llvm::is_sorted(bounds)) {
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
      if (bounds[i] < bounds[i + 1])
        starts.push_back(startOf(agent, *first + i, i, bounds));
    return true;
  }

  WorkerStart startOf(Agent &agent, int64_t thread, size_t own,
                      ArrayRef<int64_t> bounds) const {
    WorkerStart start;
    start.seat = agent.seat();
    start.seat.thread = thread;
    start.seat.members = bounds[own + 1] - bounds[own];
    start.seat.weight = start.seat.members * threadsOf(agent, workers);
    for (auto [i, cluster] : llvm::enumerate(clusters)) {
      start.numbers.push_back({cluster.low, bounds[i]});
      start.numbers.push_back({cluster.size, bounds[i + 1] - bounds[i]});
      start.numbers.push_back({cluster.isOwn, i == own ? -1 : 0});
    }
    agent.workgroup().clocks.begin(thread, agent.seat().thread,
                                   agent.seat().members == 1);
    return start;
  }
};
} // namespace

/// An op of the region, outside phases, that each cluster's agent would run.
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
  OpenClusters open = {op, *workers, t.handle(t.reg(op.getSource())),
                       {}, {},       {}};
  for (Value point : op.getPointsOf(0))
    open.points.push_back(t.reg(point));
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
}
