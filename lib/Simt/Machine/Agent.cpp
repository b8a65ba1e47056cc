//===- Agent.cpp - Execution with divergence and reconvergence ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Launch.h"
#include "distaff/CheckedSize.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Agent::Agent(const Program &program, Workgroup &workgroup, const Seat &seat,
             uint64_t lanesThatExist, const std::vector<uint64_t> &image)
    : program(&program), group(&workgroup), where(seat),
      existing(lanesThatExist), active(lanesThatExist),
      reconverge(program.end()), registers(image), tensors(program.numTensors),
      members(program.numMembers) {
  assert(lanesThatExist != 0 &&
         (lanesThatExist & ~(~uint64_t(0) >> (64 - program.lanes))) == 0 &&
         "an agent has lanes, of those of its program");
}

Agent::Agent(const Program &program, Workgroup &workgroup, const Seat &seat,
             uint64_t lanesThatExist)
    : Agent(program, workgroup, seat, lanesThatExist, workgroup.launch.image) {
  tensors = workgroup.launch.tensors;
}

Agent Agent::inside(const Program &program, Workgroup &workgroup,
                    const Seat &seat, uint64_t lanesThatExist) {
  return Agent(program, workgroup, seat, lanesThatExist, program.image);
}

template <size_t Bytes>
static void copyLanes(const uint8_t *from, uint8_t *to, int64_t elements,
                      int64_t lanes, uint64_t mask) {
  for (int64_t e = 0; e < elements; ++e)
    forEachLane(mask, [&](int64_t lane) {
      int64_t at = (e * lanes + lane) * Bytes;
      std::memcpy(to + at, from + at, Bytes);
    });
}

void Agent::copy(Reg from, Reg to) {
  if (from.isTensor()) {
    tensors[to.location] = tensors[from.location];
    return;
  }
  if (from.isMembers()) {
    members[to.location] = members[from.location];
    return;
  }
  assert(from.cellBytes == to.cellBytes && from.elements == to.elements &&
         "a register is copied to one of its kind");
  unwrittenMarks.move(from, to, active);
  const uint8_t *source = cells(from);
  uint8_t *destination = cells(to);
  if (allActive()) {
    std::memcpy(destination, source, numCells(to) * to.cellBytes);
    return;
  }
  switch (to.cellBytes) {
  case 2:
    return copyLanes<2>(source, destination, to.elements, lanes(), active);
  case 4:
    return copyLanes<4>(source, destination, to.elements, lanes(), active);
  case 8:
    return copyLanes<8>(source, destination, to.elements, lanes(), active);
  }
  for (int64_t e = 0; e < to.elements; ++e)
    forEachLane(active, [&](int64_t lane) {
      int64_t at = (e * lanes() + lane) * to.cellBytes;
      std::memcpy(destination + at, source + at, to.cellBytes);
    });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Agent::Status Agent::step() {
  assert(state == Status::Running && "others cannot go on");
  assert(pc < program->code.size() && "who runs is at an instruction");
  assert(active != 0 && (active & ~existing) == 0 && "lanes that run exist");
  const Instruction &instruction = program->code[pc];
  switch (instruction.flow) {
  case Instruction::Flow::Compute:
    ++pc;
    instruction.execute(*this);
    return state;
  case Instruction::Flow::Sync:
    ++pc;
    instruction.execute(*this);
    group->wake();
    return state;
  case Instruction::Flow::Jump:
    arriveAt(instruction.targets.front());
    return state;
  case Instruction::Flow::Branch:
    branch(instruction);
    return state;
  case Instruction::Flow::Return:
    arriveAt(program->end());
    return state;
  }
  return state;
}

void Agent::block(int64_t object, int64_t ticket, Operation *op,
                  bool ordersMemory) {
  waiting = {object, ticket, active, ordersMemory, op};
  state = Status::Blocked;
}

bool Agent::checkConverged(Operation *op) {
  if (allActive())
    return true;
  int64_t absent = llvm::countr_zero(existing & ~active);
  fault(op, FaultKind::DivergentBarrier,
        describe(absent) + " is not at the barrier that other lanes of its "
                           "subgroup have reached",
        placeOf(absent));
  return false;
}

bool Agent::checkWhole(Operation *op) {
  uint64_t all = ~uint64_t(0) >> (64 - lanes());
  if (active == all)
    return true;
  int64_t absent = llvm::countr_zero(all & ~active);
  fault(
      op, FaultKind::DivergentBarrier,
      "not all " + Twine(lanes()) + " lanes of " + name() +
          " execute it: lane " + Twine(absent) +
          (existing >> absent & 1 ? " does not" : " is none of the workgroup"),
      placeOf(absent));
  return false;
}

void Agent::arriveAt(uint32_t target) {
  pc = target;
  while (pc == reconverge) {
    if (stack.empty()) {
      state = Status::Done;
      return;
    }
    pc = stack.back().pc;
    reconverge = stack.back().reconverge;
    active = stack.back().mask;
    stack.pop_back();
  }
}

void Agent::branch(const Instruction &instruction) {
  Reg selector = instruction.selector;
  const uint8_t *value = cells(selector);
  assert(instruction.targets.size() == instruction.cases.size() + 1 &&
         "a branch has a target per case, and one for all others");
  SmallVector<uint64_t, 4> sides(instruction.targets.size(), 0);
  forEachLane(active, [&](int64_t lane) {
    int64_t selected;
    std::memcpy(&selected, value + lane * selector.cellBytes, sizeof(selected));
    size_t side = 0;
    while (side < instruction.cases.size() &&
           instruction.cases[side] != selected)
      ++side;
    sides[side] |= uint64_t(1) << lane;
    if (selector.cellBytes != sizeof(selected) &&
        program->domain->anyUndecided(1, value + lane * selector.cellBytes))
      noteUndecided(instruction.op);
  });
  for (auto [target, mask] : llvm::zip_equal(instruction.targets, sides))
    if (mask == active)
      return arriveAt(target);
  diverge(instruction, sides);
}

void Agent::diverge(const Instruction &instruction, ArrayRef<uint64_t> sides) {
  // Lanes of one target are one side; those at the point of reconvergence wait
  // there.
  SmallVector<Frame, 4> frames;
  for (auto [target, mask] : llvm::zip_equal(instruction.targets, sides)) {
    if (mask == 0 || target == instruction.reconverge)
      continue;
    auto *same =
        llvm::find_if(frames, [&](Frame &f) { return f.pc == target; });
    if (same != frames.end())
      same->mask |= mask;
    else
      frames.push_back({target, instruction.reconverge, mask});
  }
  assert(!frames.empty() && "lanes that part go to several places");
  // If this entry itself ends at the point of reconvergence, its lanes are
  // already among those that wait there: a loop does not grow the stack.
  if (instruction.reconverge != reconverge)
    stack.push_back({instruction.reconverge, reconverge, active});
  // The order of the sides is free.
  if (group->launch.options.schedule % 2 == 1)
    std::reverse(frames.begin(), frames.end());
  for (const Frame &frame : llvm::reverse(ArrayRef(frames).drop_front()))
    stack.push_back(frame);
  active = frames.front().mask;
  reconverge = frames.front().reconverge;
  arriveAt(frames.front().pc);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

void Agent::fault(Fault fault) {
  if (state == Status::Faulted)
    return; // the first one counts
  state = Status::Faulted;
  group->fault = std::move(fault);
}

bool Agent::mayAllocate(Operation *op, ArrayRef<int64_t> shape,
                        int64_t cellBytes) {
  if (checkedBytes(shape, cellBytes))
    return true;
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(shape, out, "x");
  fault(op, FaultKind::OutOfMemory,
        "an array of " + text +
            " elements takes more than the memory of any machine");
  return false;
}

void Agent::fault(Operation *op, FaultKind kind, const Twine &message,
                  Place place) {
  place.workgroup = where.workgroup;
  place.subgroup = where.subgroup;
  fault(Fault{kind, message.str(), op, std::move(place), {}});
}

simt::Place Agent::placeOf(int64_t lane, StringRef array,
                           int64_t element) const {
  return {where.workgroup, where.subgroup, lane, array.str(), element};
}

std::string Agent::describe(int64_t lane) const {
  return describeThread(threadOf(lane));
}

std::string Agent::describeThread(int64_t thread) const {
  return group->describeThread(thread);
}

std::string Agent::name() const {
  return isWorker() ? group->nameOfWorker(where.thread)
                    : "subgroup " + std::to_string(where.subgroup);
}

void Agent::noteUndecided(Operation *op) {
  if (!group->undecided)
    group->undecided = op;
}

void Agent::noteIfUndecided(Operation *op, Reg reg) {
  forEachLane(active, [&](int64_t lane) {
    for (int64_t e = 0; e < reg.elements; ++e)
      if (isUndecided(reg, lane, e))
        noteUndecided(op);
  });
}
