//===- Agent.h - Instruction stream of a set of lanes -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An agent is a set of lanes with one instruction stream: a subgroup of a
// distributed kernel, or the whole workgroup of an undistributed one. Its state
// is plain data, so it can be copied and resumed at any point:
//
//   pc, mask          what the active lanes execute next
//   stack             lanes that wait: at the other side of a branch, or where
//                     the sides reconverge
//   registers         one file of cells, and a few tensors
//
// `step()` executes one instruction and returns the agent's status.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_AGENT_H
#define DISTAFF_LIB_SIMT_MACHINE_AGENT_H

#include "Memory.h"
#include "SyncTable.h"
#include "Tensor.h"
#include "UnwrittenMarks.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <memory>

namespace distaff::simt {

class Workgroup;

/// The identity of an agent.
struct Seat {
  static constexpr int64_t noTeam = -1;

  int64_t slot = 0;   // among the agents of its workgroup
  int64_t thread = 0; // of the first lane, in the clocks
  std::array<int64_t, 3> workgroup = {0, 0, 0}, grid = {1, 1, 1};
  int64_t subgroup = 0, lane = 0; // lane: of the first lane
  /// The team in the table, for workers that an agent started.
  int64_t team = noTeam;
  int64_t members = 1; // workers of the group that it stands for
  int64_t weight = 1;  // threads that a barrier counts for it
  /// The thread that opened the scope of this worker.
  int64_t home = 0;
  /// The level of the code that it runs.
  enum class Depth : uint8_t { Workgroup, Subgroup, Lane };
  Depth depth = Depth::Workgroup;
  /// The number of its workgroup among all that were ever started.
  int64_t instance = 0;
};

/// Holds one value per worker of a group.
struct MemberValues {
  struct Value {
    std::vector<uint64_t> cells;
    Tensor tensor;
  };
  std::vector<Value> values;
};

/// Calls visit(lane) for every lane of a mask.
template <typename Visit> void forEachLane(uint64_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(int64_t(llvm::countr_zero(mask)));
}

class Agent {
public:
  enum class Status : uint8_t { Running, Blocked, Done, Faulted };

  /// Creates an agent of the launch itself, which begins with its arguments.
  Agent(const Program &program, Workgroup &workgroup, const Seat &seat,
        uint64_t lanesThatExist);
  /// Creates an agent that another one starts, or whose registers another one
  /// fills.
  static Agent inside(const Program &program, Workgroup &workgroup,
                      const Seat &seat, uint64_t lanesThatExist);

  /// Executes one instruction.
  /// \pre the agent is running
  Status step();
  Status status() const { return state; }
  /// Blocks the active lanes until an object opens; resume() continues them.
  void block(int64_t object, int64_t ticket, Operation *op,
             bool ordersMemory = true);
  void resume() {
    assert(state == Status::Blocked && "who goes on has waited");
    state = Status::Running;
  }
  const Wait &blockedOn() const { return waiting; }
  /// Returns whether all lanes of the subgroup are at an op; otherwise faults.
  bool checkConverged(Operation *op);
  /// Returns whether all lanes of the hardware are at an op, including those
  /// past the end of the workgroup, as matrix instructions require; otherwise
  /// faults.
  bool checkWhole(Operation *op);
  const Instruction &instruction() const { return program->code[pc]; }
  uint32_t position() const { return pc; }

  const Seat &seat() const { return where; }
  void setSeat(const Seat &seat) { where = seat; }
  bool isWorker() const { return where.team != Seat::noTeam; }
  int64_t id() const { return where.subgroup; }
  int64_t lanes() const { return program->lanes; }
  uint64_t mask() const { return active; }
  bool allActive() const { return active == existing; }
  uint64_t lanesThatExist() const { return existing; }
  Workgroup &workgroup() const { return *group; }
  void setWorkgroup(Workgroup *workgroup) { group = workgroup; }
  const Program &code() const { return *program; }

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  /// Returns the cells of a register; those of a tensor are read-only.
  uint8_t *cells(Reg reg) {
    assert(reg.storage != Reg::Storage::None && "a register has a place");
    if (reg.isTensor())
      return const_cast<uint8_t *>(tensors[reg.location].cells());
    assert(uint64_t(reg.location + numCells(reg) * reg.cellBytes) <=
               registers.size() * sizeof(uint64_t) &&
           "a register lies within the file");
    return reinterpret_cast<uint8_t *>(registers.data()) + reg.location;
  }
  template <typename T> T *cellsAs(Reg reg) {
    return reinterpret_cast<T *>(cells(reg));
  }
  int64_t numCells(Reg reg) const {
    if (reg.isTensor())
      return tensors[reg.location].numElements();
    return reg.elements * program->lanes;
  }
  Tensor &tensor(Reg reg) {
    assert(reg.isTensor() && reg.location < tensors.size() &&
           "the register holds a tensor");
    return tensors[reg.location];
  }
  std::shared_ptr<const MemberValues> &memberValues(Reg reg) {
    assert(reg.isMembers() && reg.location < members.size() &&
           "the register holds a value of each worker");
    return members[reg.location];
  }

  /// Returns the value of an integer cell, in any domain.
  int64_t integer(Reg reg, int64_t lane = 0, int64_t element = 0) {
    return *cellsAs<int64_t>(reg, lane, element);
  }
  void setInteger(Reg reg, int64_t value, int64_t lane = 0,
                  int64_t element = 0) {
    uint8_t *cell = cellsAs<uint8_t>(reg, lane, element);
    std::memset(cell, 0, reg.cellBytes);
    std::memcpy(cell, &value, sizeof(value));
  }
  template <typename T> T *cellsAs(Reg reg, int64_t lane, int64_t element) {
    assert(lane >= 0 && lane < program->lanes && element >= 0 &&
           "a cell is of a lane and an element");
    return reinterpret_cast<T *>(
        cells(reg) + (element * program->lanes + lane) * reg.cellBytes);
  }
  MemRefView memRef(Reg reg) { return {cellsAs<int64_t>(reg), program->lanes}; }

  /// Marks of registers that hold cells; tensors have their own marks.
  UnwrittenMarks &unwritten() { return unwrittenMarks; }
  /// Faults if the active lanes of registers hold an unwritten value. A later
  /// write to its memory is a race.
  void checkWritten(ArrayRef<Reg> used);

  /// Copies the active lanes of a register.
  void copy(Reg from, Reg to);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Returns space for `count` positions, valid until the next call.
  int64_t *positions(int64_t count) {
    if (int64_t(positionRoom.size()) < count)
      positionRoom.resize(count);
    return positionRoom.data();
  }

  /// Computes the position of memref[indices] in its buffer, for each active
  /// lane.
  /// \returns false after a fault.
  bool locate(Operation *op, Reg memref, ArrayRef<Reg> indices,
              int64_t *positions) {
    return locate(op, memref, indices, positions, active);
  }
  /// Does the same for the lanes in `among`; other lanes may have any indices.
  bool locate(Operation *op, Reg memref, ArrayRef<Reg> indices,
              int64_t *positions, uint64_t among);

  /// Checks that byte `byte` of a buffer lies on a multiple of `alignment`.
  /// \returns false after a fault.
  bool checkAddress(Operation *op, const Buffer &buffer, int64_t lane,
                    int64_t byte, int64_t alignment);

  /// Moves `access.elements` elements per lane between memory and cells. The
  /// position of element e of lane l is positions[e * lanes + l], counted in
  /// elements of the access from the start of the lane's buffer; a negative one
  /// is not accessed. Positions of lanes that are not active become negative.
  /// \returns false after a fault.
  bool load(const Access &access, Reg memref, int64_t *positions, void *cells);
  bool store(const Access &access, Reg memref, int64_t *positions,
             const void *cells);
  /// Loads into a register, which may hold unwritten values as long as ops only
  /// move them.
  bool load(const Access &access, Reg memref, int64_t *positions, Reg result);
  /// Loads one element per lane, while updates of other lanes may replace it.
  /// \pre the access is of one element
  bool loadAtomically(const Access &access, Reg memref, int64_t *positions,
                      void *cells);
  /// Replaces one element per lane by `compute` of it and of the lane's
  /// operand, lane by lane and atomically, and returns the old elements. If
  /// `expected` is given, an element that differs from it in any bit stays
  /// (compare and swap).
  /// \pre the access is of one element
  bool update(const Access &access, Reg memref, int64_t *positions,
              const Binary &compute, const void *operands, void *old,
              const void *expected = nullptr);
  /// Checks the read and the write of an asynchronous copy, as load and store
  /// do.
  bool checkCopy(const Access &read, Reg source, int64_t *from,
                 const Access &write, Reg target, int64_t *to);

  //===--------------------------------------------------------------------===//
  // Faults
  //===--------------------------------------------------------------------===//

  /// Returns whether an op's result of that shape has a size; otherwise faults.
  /// The kernel computes the extents, so they may have any value.
  bool mayAllocate(Operation *op, ArrayRef<int64_t> shape, int64_t cellBytes);
  void fault(Operation *op, FaultKind kind, const Twine &message,
             Place place = {});
  void fault(Fault fault);
  /// Returns a place in this agent's workgroup.
  Place placeOf(int64_t lane, StringRef array = "", int64_t element = -1) const;
  /// Returns "lane 5 of subgroup 1 in workgroup (0, 0, 0)".
  std::string describe(int64_t lane) const;
  std::string describeThread(int64_t thread) const;
  /// Returns "subgroup 1".
  std::string name() const;
  int64_t threadOf(int64_t lane) const { return where.thread + lane; }

  /// Records an op whose control flow depends on an undecided choice (bounded
  /// domain).
  void noteUndecided(Operation *op);
  /// Does the same if one of the active lanes has an undecided integer.
  void noteIfUndecided(Operation *op, Reg reg);
  /// Returns whether an integer depends on an undecided choice.
  bool isUndecided(Reg reg, int64_t lane, int64_t element = 0) {
    return reg.cellBytes != sizeof(int64_t) &&
           program->domain->anyUndecided(1,
                                         cellsAs<uint8_t>(reg, lane, element));
  }
  void makeUndecided(Reg reg, int64_t lane, int64_t element = 0) {
    program->domain->makeUndecided(1, cellsAs<uint8_t>(reg, lane, element));
  }

private:
  Agent(const Program &program, Workgroup &workgroup, const Seat &seat,
        uint64_t lanesThatExist, const std::vector<uint64_t> &image);

  /// Describes lanes that wait at an instruction; they leave this entry at
  /// `reconverge`.
  struct Frame {
    uint32_t pc;
    uint32_t reconverge;
    uint64_t mask;
  };

  void arriveAt(uint32_t target);
  void branch(const Instruction &instruction);
  void diverge(const Instruction &instruction, ArrayRef<uint64_t> sides);
  /// Calls visit(buffer, positions) for each buffer that lanes access.
  /// \returns false after a fault
  template <typename Visit>
  bool forEachBuffer(const Access &access, Reg memref, int64_t *positions,
                     Visit visit);
  bool check(const Access &access, int64_t buffer, const int64_t *positions,
             bool isStore, bool isAtomic = false);
  bool checkBounds(const Access &access, const Buffer &buffer,
                   const int64_t *positions);
  bool checkAlignment(const Access &access, const Buffer &buffer,
                      const int64_t *positions);
  bool checkRaces(const Access &access, int64_t buffer,
                  const int64_t *positions, bool isStore, bool isAtomic);
  void reportUnwritten(const Access &access, const Buffer &buffer,
                       int64_t element, int64_t lane);
  void reportInFlight(const Access &access, const Buffer &buffer,
                      int64_t element, int64_t lane, bool isStore,
                      const Shadow::InFlight &copy);
  void reportRace(const Access &access, const Buffer &buffer, int64_t element,
                  int64_t lane, bool isStore, Shadow::Conflict conflict,
                  const Shadow::Cell &cell);

  const Program *program;
  Workgroup *group;
  Seat where;
  uint64_t existing, active;
  uint32_t pc = 0, reconverge;
  Status state = Status::Running;
  Wait waiting;
  SmallVector<Frame, 8> stack;
  std::vector<uint64_t> registers;
  std::vector<Tensor> tensors;
  UnwrittenMarks unwrittenMarks;
  /// Whether the current read has a result that can be marked.
  bool marksReads = false;
  std::vector<std::shared_ptr<const MemberValues>> members;
  std::vector<int64_t> positionRoom, laneRoom;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_AGENT_H
