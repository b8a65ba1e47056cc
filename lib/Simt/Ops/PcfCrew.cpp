//===- PcfCrew.cpp - Fork and join of workers -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PcfCrew.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Workers of a scope
//===----------------------------------------------------------------------===//

FailureOr<Workers> simt::workersOf(Operation *op, Attribute scope,
                                   Translator &t) {
  if (isa<pcf::SequentialAttr>(scope))
    return Workers::One;
  if (isa<iree::WorkgroupScopeAttr>(scope))
    return Workers::Workgroups;
  if (isa<iree::SubgroupScopeAttr>(scope))
    return Workers::Subgroups;
  if (isa<iree::LaneScopeAttr>(scope))
    return Workers::Lanes;
  std::string text;
  llvm::raw_string_ostream(text) << scope;
  return t.notModelled(op, "workers of " + text);
}

int64_t simt::countWorkers(const Agent &agent, Workers workers) {
  const Launch &launch = agent.workgroup().launch;
  switch (workers) {
  case Workers::One:
    return 1;
  case Workers::Workgroups:
    return launch.scopeGrid[0] * launch.scopeGrid[1] * launch.scopeGrid[2];
  case Workers::Subgroups:
    return launch.numSubgroups();
  case Workers::Lanes:
    return launch.options.subgroupSize;
  }
  llvm_unreachable("unknown workers");
}

int64_t simt::threadsOf(const Agent &agent, Workers workers) {
  return workers == Workers::Subgroups
             ? agent.workgroup().launch.options.subgroupSize
             : 1;
}

static std::array<int64_t, 3> delinearize(int64_t number,
                                          std::array<int64_t, 3> extents) {
  return {number % extents[0], number / extents[0] % extents[1],
          number / extents[0] / extents[1]};
}

Seat simt::seatOfWorker(const Agent &starter, Workers workers, int64_t number) {
  Workgroup &group = starter.workgroup();
  Seat seat = starter.seat();
  seat.members = 1;
  seat.weight = threadsOf(starter, workers);
  switch (workers) {
  case Workers::One:
    break;
  case Workers::Workgroups:
    seat.grid = group.launch.scopeGrid;
    seat.workgroup = delinearize(number, seat.grid);
    seat.instance = group.nextInstance();
    break;
  case Workers::Subgroups:
    seat.subgroup = number;
    seat.depth = Seat::Depth::Subgroup;
    break;
  case Workers::Lanes:
    seat.lane = number;
    seat.depth = Seat::Depth::Lane;
    break;
  }
  return seat;
}

std::string simt::nameWorker(const Agent &starter, Workers workers,
                             int64_t number) {
  switch (workers) {
  case Workers::One:
    return "the only worker";
  case Workers::Workgroups:
    return "worker " + std::to_string(number) + " of the grid";
  case Workers::Subgroups:
    return "subgroup " + std::to_string(number);
  case Workers::Lanes:
    return "lane " + std::to_string(number) + " of subgroup " +
           std::to_string(starter.seat().subgroup);
  }
  llvm_unreachable("unknown workers");
}

bool simt::checkNesting(Agent &agent, Operation *op, Workers workers) {
  const Seat &seat = agent.seat();
  const Launch &launch = agent.workgroup().launch;
  const std::array<int64_t, 3> &size = launch.options.workgroupSize;
  const char *problem = nullptr;
  if (workers == Workers::Workgroups &&
      (seat.depth != Seat::Depth::Workgroup || seat.instance != 0))
    problem = "workgroups inside a workgroup";
  if (workers == Workers::Subgroups && seat.depth != Seat::Depth::Workgroup)
    problem = "subgroups inside a subgroup";
  if (workers == Workers::Lanes &&
      (seat.depth == Seat::Depth::Lane ||
       (seat.depth == Seat::Depth::Workgroup && launch.numSubgroups() != 1)))
    problem = "lanes that are not those of one subgroup";
  if ((workers == Workers::Subgroups || workers == Workers::Lanes) &&
      size[0] * size[1] * size[2] % launch.options.subgroupSize != 0)
    problem = "a workgroup whose last subgroup has fewer lanes";
  if (problem)
    agent.fault(op, FaultKind::NotModelled, problem);
  return !problem;
}

std::optional<int64_t>
simt::threadsOfWorkers(Agent &agent, Operation *op, int64_t parent,
                       const void *of, int64_t count,
                       llvm::function_ref<std::string(int64_t)> name) {
  std::optional<int64_t> first =
      agent.workgroup().workerThreads(parent, of, count, name);
  if (!first)
    agent.fault(op, FaultKind::NotModelled, "so many workers at a time");
  return first;
}

SmallVector<Reg> simt::syncedRefs(pcf::RefOwnerOpInterface op, Translator &t) {
  SmallVector<Reg> refs;
  for (BlockArgument ref : op.getRefArgs())
    if (cast<pcf::SRefType>(ref.getType()).isReturnOnlySync())
      refs.push_back(t.reg(ref));
  return refs;
}

void simt::openScope(Agent &agent, pcf::RefOwnerOpInterface op, Workers workers,
                     ArrayRef<Reg> synced, Team::Purpose &purpose) {
  int64_t count = countWorkers(agent, workers);
  purpose.scope = keyOf(op.getScope());
  purpose.weight = count * threadsOf(agent, workers);
  // A single worker has program order.
  purpose.isKnown = op.getSyncOnReturn() || count == 1;
  for (Reg ref : synced)
    purpose.knownBuffers.push_back(agent.memRef(ref).buffer(0));
}

//===----------------------------------------------------------------------===//
// Programs of workers
//===----------------------------------------------------------------------===//

static TranslationOptions optionsOf(const Translator &outer, int64_t lanes) {
  TranslationOptions options = outer.options();
  options.lanes = lanes;
  return options;
}

Crew::Crew(Operation *op, Region &region, Translator &outer, int64_t lanes)
    : op(op), region(region), outer(outer),
      inner(outer.domain(), optionsOf(outer, lanes)) {}

void Crew::give(Reg from, Reg to) {
  if (!from.isHandle()) {
    inside->captured.push_back({from, to});
    return;
  }
  for (auto [source, target] :
       llvm::zip_equal(outer.handle(from).all(), inner.handle(to).all()))
    give(source, target);
}

LogicalResult Crew::capture() {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(region, captured);
  for (Value value : captured) {
    if (outer.reg(value).storage == Reg::Storage::None ||
        inner.reg(value).storage == Reg::Storage::None)
      return outer.notModelled(op, "a value of this type in the body");
    give(value);
  }
  return success();
}

LogicalResult Crew::finish(Operation *last) {
  inner.returnFrom(last);
  inside->program = inner.finish();
  outer.addInner(inside);
  return success();
}

//===----------------------------------------------------------------------===//
// Starting and waiting
//===----------------------------------------------------------------------===//

static SmallVector<Agent *> agentsOf(Workgroup &group, const Team &team) {
  return llvm::map_to_vector(team.getSlots(),
                             [&](int64_t slot) { return &group.agents[slot]; });
}

void simt::emitCrew(Operation *op, const Crew &crew, Open whom, Translator &t,
                    VisitCrew before, VisitCrew after) {
  std::shared_ptr<InnerProgram> inner = crew.part();
  t.emitSync(op, [=](Agent &agent) {
    Workgroup &group = agent.workgroup();
    Team::Purpose purpose;
    purpose.op = op;
    purpose.starter = agent.seat().slot;
    purpose.starterThread = agent.seat().thread;
    SmallVector<WorkerStart> workers;
    if (!whom(agent, purpose, workers))
      return;
    int64_t number = Team::find(agent, op);
    Team &team = group.sync.as<Team>(number);
    team.begin(std::move(purpose));
    group.start(agent, number, *inner, workers);
    if (before)
      before(agent, agentsOf(group, team));
    agent.block(number, 0, op);
  });
  t.emit(op, [=](Agent &agent) {
    Workgroup &group = agent.workgroup();
    Team &team = group.sync.as<Team>(Team::find(agent, op));
    if (after)
      after(agent, agentsOf(group, team));
    group.dismiss(team.getSlots());
  });
}
