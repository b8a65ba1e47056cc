//===- Workgroup.cpp - Scheduler of the agents, and their memory ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AsyncGroups.h"
#include "Launch.h"
#include "Team.h"
#include "distaff/CheckedSize.h"
#include <numeric>

using namespace distaff;
using namespace distaff::simt;

static uint64_t lanesOf(int64_t agent, int64_t lanes, int64_t threads) {
  int64_t rest = std::min(lanes, threads - agent * lanes);
  assert(rest > 0 && rest <= 64 && "a subgroup has 1 to 64 lanes");
  return ~uint64_t(0) >> (64 - rest);
}

Workgroup::Workgroup(Launch &launch, int64_t number)
    : launch(launch), number(number),
      clocks(launch.numThreads,
             launch.program.ordersPartly && launch.options.checks),
      globals(&launch.globals),
      random(launch.options.schedule ^ uint64_t(number) << 32),
      local(launch.preloaded), globalShadows(launch.globals.size()),
      firstWorker(launch.numThreads) {
  id = {number % launch.grid[0], number / launch.grid[0] % launch.grid[1],
        number / launch.grid[0] / launch.grid[1]};
  int64_t lanes = launch.program.lanes;
  Seat seat;
  seat.workgroup = id;
  seat.grid = launch.grid;
  seat.weight = lanes;
  for (int64_t i = 0; i < launch.numAgents; ++i) {
    seat.slot = seat.subgroup = i;
    seat.thread = i * lanes;
    agents.emplace_back(launch.program, *this, seat,
                        lanesOf(i, lanes, launch.numThreads));
  }
}

Workgroup::Workgroup(const Workgroup &other)
    : launch(other.launch), number(other.number), id(other.id),
      agents(other.agents), sync(other.sync), clocks(other.clocks),
      counters(other.counters), fault(other.fault), unwritten(other.unwritten),
      undecided(other.undecided), ownGlobals(*other.globals),
      globals(&ownGlobals), copies(other.copies), turn(other.turn),
      stepsLeft(other.stepsLeft), random(other.random), local(other.local),
      globalShadows(other.globalShadows), shared(other.shared),
      firstWorker(other.firstWorker), workerNames(other.workerNames),
      workers(other.workers), idle(other.idle), instances(other.instances),
      privates(other.privates) {
  for (Agent &agent : agents)
    agent.setWorkgroup(this);
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

/// Returns the next pseudorandom number, the same on every host (splitmix64).
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

void Workgroup::stepWithinLimit(Agent &agent) {
  if (counters.instructions++ < launch.options.maxSteps) {
    agent.step();
    return;
  }
  agent.fault(agent.instruction().op, FaultKind::Endless,
              agent.name() + " is still here after " +
                  Twine(launch.options.maxSteps) +
                  " instructions of its workgroup");
}

void Workgroup::run() {
  while (step())
    ;
  // A fault after an unwritten read may be its consequence; a race may be its
  // cause.
  if (fault && fault->kind != FaultKind::Race && unwritten)
    fault = unwritten;
}

bool Workgroup::step() {
  if (fault)
    return false;
  if ((stepsLeft == 0 || agents[turn].status() != Agent::Status::Running) &&
      !chooseTurn())
    return false;
  --stepsLeft;
  Agent &agent = agents[turn];
  stepWithinLimit(agent);
  if (agent.isWorker() && agent.status() == Agent::Status::Done) {
    sync.as<Team>(agent.seat().team).finish(agent);
    wake();
  }
  return true;
}

/// Returns the next agent in order that can run, or null.
Agent *Workgroup::nextRunning() {
  for (size_t i = 0; i < agents.size(); ++i) {
    Agent &agent = agents[(turn + i) % agents.size()];
    if (agent.status() == Agent::Status::Running)
      return &agent;
  }
  return nullptr;
}

Agent *Workgroup::randomRunning() {
  Agent *chosen = nullptr;
  uint64_t running = 0, choice = nextRandom(random);
  for (Agent &agent : agents)
    running += agent.status() == Agent::Status::Running;
  if (running == 0)
    return nullptr;
  choice %= running;
  for (Agent &agent : agents)
    if (agent.status() == Agent::Status::Running && choice-- == 0)
      chosen = &agent;
  return chosen;
}

bool Workgroup::chooseTurn() {
  bool inOrder = launch.options.schedule == 0;
  if (!inOrder && !copies.empty() && nextRandom(random) % 4 == 0)
    completeACopy();
  for (;;) {
    Agent *next = inOrder ? nextRunning() : randomRunning();
    if (next) {
      turn = size_t(next->seat().slot);
      stepsLeft = inOrder ? ~uint64_t(0) : 1 + nextRandom(random) % 16;
      return true;
    }
    bool allDone = llvm::all_of(agents, [](const Agent &agent) {
      return agent.status() == Agent::Status::Done;
    });
    if (allDone)
      return false;
    if (!completeACopy()) {
      fault = explainDeadlock();
      return false;
    }
  }
}

void Workgroup::yield() {
  stepsLeft = 0;
  turn = (turn + 1) % agents.size();
  completeACopy();
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void Workgroup::wake() {
  for (Agent &agent : agents) {
    if (agent.status() != Agent::Status::Blocked)
      continue;
    const Wait &wait = agent.blockedOn();
    SyncObject &object = sync.at(wait.object);
    if (!object.isOpen(wait))
      continue;
    object.pass(agent, wait);
    agent.resume();
  }
}

/// Returns the fault of a deadlock: no agent can run, and some have not
/// finished.
Fault Workgroup::explainDeadlock() const {
  std::optional<Fault> deadlock;
  for (const Agent &agent : agents) {
    if (agent.status() != Agent::Status::Blocked)
      continue;
    const Wait &wait = agent.blockedOn();
    // An agent that waits for its workers waits for what blocks them.
    if (sync.at(wait.object).isOfOthers())
      continue;
    std::string who = agent.name() + " ";
    if (!agent.allActive())
      return Fault{FaultKind::NotModelled,
                   who + "waits here with some of its lanes, which others of "
                         "them may have to release: the machine runs the sides "
                         "of a branch one after the other",
                   wait.op,
                   agent.placeOf(-1),
                   {}};
    std::string why = who + sync.at(wait.object).explain(agent, wait);
    if (!deadlock)
      deadlock =
          Fault{FaultKind::Deadlock, why, wait.op, agent.placeOf(-1), {}};
    else
      deadlock->notes.push_back({wait.op, why});
  }
  assert(deadlock && "who waits for workers has one that waits");
  return *deadlock;
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

/// The limit of workers: each has a clock with a time per worker.
static constexpr size_t mostWorkers = 4096;

std::optional<int64_t>
Workgroup::workerThreads(int64_t parent, const void *of, int64_t count,
                         llvm::function_ref<std::string(int64_t)> name) {
  auto &[first, known] = workers[{of, parent}];
  if (known >= count)
    return first;
  if (workerNames.size() + count > mostWorkers)
    return std::nullopt;
  clocks.addThreads(count);
  first = firstWorker + int64_t(workerNames.size());
  known = count;
  for (int64_t i = 0; i < count; ++i)
    workerNames.push_back(name(i));
  return first;
}

std::string Workgroup::describeThread(int64_t thread) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  int64_t lanes = launch.program.lanes;
  if (thread >= firstWorker)
    out << nameOfWorker(thread) << " in ";
  else if (lanes > 1)
    out << "lane " << thread % lanes << " of subgroup " << thread / lanes
        << " in ";
  out << "workgroup (" << id[0] << ", " << id[1] << ", " << id[2] << ")";
  return text;
}

/// Puts an agent into a free slot, or after the last one.
Agent &Workgroup::place(Agent agent) {
  Seat seat = agent.seat();
  seat.slot = idle.empty() ? int64_t(agents.size()) : idle.pop_back_val();
  assert(seat.slot <= int64_t(agents.size()) && "slots have no gaps");
  agent.setSeat(seat);
  if (seat.slot == int64_t(agents.size()))
    agents.push_back(std::move(agent));
  else
    agents[seat.slot] = std::move(agent);
  return agents[seat.slot];
}

/// Copies one value to all lanes.
static void pass(Agent &from, Reg source, Agent &to, Reg target) {
  if (source.isTensor()) {
    to.tensor(target) = from.tensor(source);
    return;
  }
  if (source.isMembers()) {
    to.memberValues(target) = from.memberValues(source);
    return;
  }
  from.checkWritten(source);
  for (int64_t e = 0; e < target.elements; ++e)
    for (int64_t lane = 0; lane < to.lanes(); ++lane)
      std::memcpy(to.cellsAs<uint8_t>(target, lane, e),
                  from.cellsAs<uint8_t>(source, 0, e), target.cellBytes);
}

void Workgroup::start(Agent &parent, int64_t team, const InnerProgram &inner,
                      ArrayRef<WorkerStart> workers) {
  for (const WorkerStart &worker : workers) {
    assert(worker.lanes > 0 && worker.lanes <= 64 &&
           "a worker has 1 to 64 lanes");
    Seat seat = worker.seat;
    seat.team = team;
    Agent &agent = place(Agent::inside(inner.program, *this, seat,
                                       ~uint64_t(0) >> (64 - worker.lanes)));
    for (auto [from, to] : inner.captured)
      pass(parent, from, agent, to);
    for (auto [reg, value] : worker.numbers)
      for (int64_t lane = 0; lane < agent.lanes(); ++lane)
        agent.setInteger(reg, value, lane);
    sync.as<Team>(team).add(agent);
  }
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

template <typename Visit>
void Workgroup::forEachElement(const AsyncCopy &copy, bool ofTarget,
                               Visit visit) {
  int64_t number = ofTarget ? copy.target : copy.source;
  int64_t count = ofTarget ? copy.elements : copy.read;
  if (!launch.options.checks || count == 0)
    return;
  auto [first, last] = buffer(number).elementsOf(
      copy.kind, ofTarget ? copy.to : copy.from, count);
  for (int64_t element = first; element <= last; ++element)
    visit(shadow(number), element);
}

void Workgroup::startCopy(AsyncCopy copy) {
  uint16_t thread = uint16_t(agents[copy.agent].threadOf(copy.lane));
  for (bool ofTarget : {false, true})
    forEachElement(copy, ofTarget, [&](Shadow &shadow, int64_t element) {
      shadow.startCopy(element, thread, copy.position, ofTarget);
    });
  copies.push_back(std::move(copy));
  if (launch.options.schedule != 0 && nextRandom(random) % 3 == 0)
    complete(copies.back());
}

bool Workgroup::completeACopy() {
  auto hasNotArrived = [](const AsyncCopy &copy) { return !copy.hasArrived; };
  int64_t count = llvm::count_if(copies, hasNotArrived);
  if (count == 0)
    return false;
  uint64_t choice = nextRandom(random) % uint64_t(count);
  auto *copy = copies.data();
  while (!hasNotArrived(*copy) || choice-- > 0)
    ++copy;
  // The lanes of one instruction were started one after the other.
  int64_t agent = copy->agent, group = copy->group;
  uint32_t position = copy->position;
  for (; copy != copies.data() + copies.size() && copy->agent == agent &&
         copy->group == group && copy->position == position;
       ++copy)
    if (hasNotArrived(*copy))
      complete(*copy);
  wake();
  return true;
}

void Workgroup::complete(AsyncCopy &copy) {
  moveBytes(copy);
  copy.hasArrived = true;
  sync.as<AsyncGroups>(copy.groups).finish(copy.lane, copy.group);
}

void Workgroup::moveBytes(const AsyncCopy &copy) {
  auto isThere = [&](int64_t number, int64_t first, int64_t count) {
    const Buffer &memory = buffer(number);
    return memory.elementsOf(copy.kind, first, count).second < memory.elements;
  };
  bool isRead = copy.read > 0;
  if ((isRead && !isThere(copy.source, copy.from, copy.read)) ||
      !isThere(copy.target, copy.to, copy.elements))
    return; // freed while in flight
  const Domain &domain = *launch.program.domain;
  int64_t cellBytes = domain.cellBytes(copy.kind);
  std::vector<uint64_t> cells(copy.elements * cellBytes / 8 + 1);
  uint8_t *values = reinterpret_cast<uint8_t *>(cells.data());
  for (int64_t e = 0; e < copy.elements; ++e)
    domain.constant(copy.kind, 0, values + e * cellBytes);
  std::vector<int64_t> positions(copy.elements);
  std::iota(positions.begin(), positions.end(), copy.from);
  domain.load(copy.kind)(copy.read, buffer(copy.source).cells.data(),
                         positions.data(), values);
  std::iota(positions.begin(), positions.end(), copy.to);
  domain.store(copy.kind)(copy.elements, buffer(copy.target).cells.data(),
                          positions.data(), values);
}

SmallVector<int64_t> Workgroup::targetsOfCopies(int64_t thread,
                                                int64_t firstInFlight) const {
  SmallVector<int64_t> buffers;
  for (const AsyncCopy &copy : copies)
    if (agents[copy.agent].threadOf(copy.lane) == thread &&
        copy.group < firstInFlight && !llvm::is_contained(buffers, copy.target))
      buffers.push_back(copy.target);
  return buffers;
}

void Workgroup::retireCopies(int64_t thread, int64_t firstInFlight) {
  llvm::erase_if(copies, [&](const AsyncCopy &copy) {
    if (agents[copy.agent].threadOf(copy.lane) != thread ||
        copy.group >= firstInFlight)
      return false;
    // The accesses now count as accesses of the thread.
    for (bool ofTarget : {false, true})
      forEachElement(copy, ofTarget, [&](Shadow &shadow, int64_t element) {
        shadow.endCopy(element, ofTarget);
        shadow.touch(element, shadow.at(element), clocks,
                     {ofTarget ? copy.target : copy.source, uint16_t(thread),
                      copy.position, ofTarget});
      });
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int64_t Workgroup::numBuffers() const {
  return int64_t(globals->size() + local.size());
}

Buffer &Workgroup::buffer(int64_t number) {
  assert(number >= 0 && number < numBuffers() && "the buffer is there");
  int64_t count = int64_t(globals->size());
  return number < count ? (*globals)[number] : local[number - count];
}

Shadow &Workgroup::shadow(int64_t number) {
  assert(number >= 0 && number < numBuffers() && "the buffer is there");
  int64_t count = int64_t(globals->size());
  return number < count ? globalShadows[number] : local[number - count].shadow;
}

int64_t Workgroup::addBuffer(Buffer buffer) {
  local.push_back(std::move(buffer));
  return int64_t(globals->size() + local.size()) - 1;
}

static const char *nameOf(Buffer::Space space) {
  switch (space) {
  case Buffer::Space::Global:
    return "global memory";
  case Buffer::Space::Workgroup:
    return "workgroup memory";
  case Buffer::Space::Private:
    return "private memory";
  }
  llvm_unreachable("unknown space");
}

/// Returns memory without values; its bytes are a recognizable pattern.
static Buffer makeBuffer(const Launch &launch, Buffer::Space space, Kind kind,
                         int64_t elements) {
  const Domain &domain = *launch.program.domain;
  Buffer buffer;
  buffer.space = space;
  buffer.kind = kind;
  buffer.elements = elements;
  buffer.cellBytes = domain.memoryCellBytes(kind);
  buffer.written = false;
  buffer.alignment = launch.options.alignment;
  buffer.name = nameOf(space);
  // A NaN if cells are bits; in other domains a cell must be well-formed.
  buffer.cells.assign(elements * buffer.cellBytes,
                      domain.mayReinterpretMemory() ? 0xFF : 0);
  return buffer;
}

int64_t Workgroup::freshBuffer(Buffer::Space space, Kind kind,
                               ArrayRef<int64_t> shape) {
  int64_t number = addBuffer(
      makeBuffer(launch, space, kind, checkedElements(shape).value()));
  buffer(number).shape.assign(shape.begin(), shape.end());
  return number;
}

int64_t Workgroup::sharedBuffer(Operation *op, const Agent &agent, Kind kind,
                                int64_t elements) {
  auto [it, isNew] = shared.try_emplace({op, agent.seat().instance}, 0);
  if (isNew) {
    it->second =
        addBuffer(makeBuffer(launch, Buffer::Space::Workgroup, kind, elements));
    buffer(it->second).align(op);
  }
  return it->second;
}

int64_t Workgroup::privateBuffer(Operation *op, const Agent &agent, Kind kind,
                                 int64_t elements, bool isFresh) {
  auto [it, isNew] = privates.try_emplace({op, agent.seat().slot}, 0);
  int64_t count = elements * agent.lanes();
  // Executed again, perhaps by other lanes: the memory is the same.
  if (!isNew && !isFresh && !agent.isWorker() &&
      buffer(it->second).elements == count)
    return it->second;
  it->second =
      addBuffer(makeBuffer(launch, Buffer::Space::Private, kind, count));
  buffer(it->second).align(op);
  return it->second;
}

void Workgroup::freeBuffer(int64_t number) {
  Buffer &freed = buffer(number);
  freed.cells = {};
  freed.elements = 0;
  freed.shadow.clear();
  freed.name += " that was freed";
}
