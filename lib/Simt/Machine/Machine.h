//===- Machine.h - Agents, workgroups and memory ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An agent is a set of lanes with one instruction stream: a subgroup of a
// distributed kernel, the whole workgroup of one that is not. Its state is
// plain data, so that it can be copied and run on from any point:
//
//   pc, mask          what the active lanes execute next
//   stack             lanes that wait: at the other side of a branch, or where
//                     the sides reconverge
//   registers         one file of cells, and a few tensors
//
// `step()` executes one instruction and says whether the agent can go on. A
// workgroup runs its agents by turns that a seed chooses, releases barriers
// when all agents have arrived, and owns workgroup and private memory. A launch
// owns global memory and runs the workgroups on the host's threads.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_MACHINE_H
#define DISTAFF_LIB_SIMT_MACHINE_MACHINE_H

#include "Program.h"
#include "Shadow.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include <memory>

namespace distaff::simt {

class Launch;
class Workgroup;

/// Calls visit(lane) for every lane of a mask.
template <typename Visit> void forEachLane(uint64_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(int64_t(llvm::countr_zero(mask)));
}

struct Fault {
  StringRef name; // "race", "out of bounds", ...
  std::string message;
  Operation *op = nullptr;
  Operation *other = nullptr; // the op it ran into, if any
  std::string note;           // what that one did
};

/// A dense row-major array of register cells, shared until written.
class Tensor {
public:
  SmallVector<int64_t, 4> shape;

  static Tensor allocate(ArrayRef<int64_t> shape, unsigned cellBytes);
  int64_t numElements() const;
  const uint8_t *cells() const {
    return reinterpret_cast<const uint8_t *>(storage->data());
  }
  /// The cells for writing: this tensor's own from now on.
  uint8_t *mutableCells();
  void reset() { storage.reset(); }

private:
  std::shared_ptr<std::vector<uint64_t>> storage;
};

struct Buffer {
  enum class Space : uint8_t { Global, Workgroup, Private };
  Space space = Space::Global;
  Kind kind;
  int64_t elements = 0;
  unsigned cellBytes = 0; // of a memory cell of the domain
  bool written = true;    // has values from the start
  /// It begins at this address, which is no multiple of twice as much: whoever
  /// made it promises no more (docs/Pipeline.md, emit).
  int64_t alignment = leastAlignment;
  std::string name;           // for messages: "arg0", "workgroup memory"
  SmallVector<int64_t> shape; // for messages; empty when not known
  std::vector<uint8_t> cells;
  Shadow shadow; // not of global buffers: workgroups have their own

  static constexpr int64_t leastAlignment = 16;

  /// "[3, 5] of arg0"
  std::string describe(int64_t element) const;
  /// Promises at least what an op asks for by its `alignment`.
  void align(Operation *op);
  /// The address of a byte; the parts of lanes in private memory are placed
  /// like whole buffers.
  int64_t address(int64_t byte, int64_t lanes) const;
};

/// The descriptor of a memref, as it lies in a register.
struct MemRefView {
  int64_t *cells;
  int64_t lanes;

  int64_t &buffer(int64_t lane) const { return cells[lane]; }
  int64_t &offset(int64_t lane) const { return cells[lanes + lane]; }
  int64_t &size(int64_t rank, int64_t d, int64_t lane) const {
    return cells[(2 + d) * lanes + lane];
  }
  int64_t &stride(int64_t rank, int64_t d, int64_t lane) const {
    return cells[(2 + rank + d) * lanes + lane];
  }
};

/// An access to memory as an op describes it.
struct Access {
  Operation *op;
  Kind kind;
  int64_t elements = 1;
  /// Consecutive elements that a lane moves in one request, for the counters.
  int64_t perRequest = 1;
  /// Bytes that the op says the address of its first element is a multiple of;
  /// 1 where it says nothing. Elements lie on multiples of their size.
  int64_t alignment = 1;
  Load load;   // of a read
  Store store; // of a write

  /// An access by an op of elements of a kind, for this domain.
  static Access get(Operation *op, const Domain &domain, Kind kind,
                    int64_t elements = 1, int64_t perRequest = 1);
  /// Elements that one request may move, at most 16 bytes, of a run of
  /// consecutive ones.
  static int64_t widest(Kind kind, int64_t run);
};

class Agent {
public:
  enum class Status : uint8_t { Running, AtBarrier, Done, Faulted };

  Agent(const Program &program, Workgroup *workgroup, int64_t id,
        uint64_t lanesThatExist);

  /// Executes one instruction. Runs on from a barrier when called again.
  Status step();
  Status status() const { return state; }
  const Instruction &instruction() const { return program->code[pc]; }
  uint32_t position() const { return pc; }

  int64_t id() const { return number; } // of the subgroup
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

  /// Cells of a register; of a tensor for reading only.
  uint8_t *cells(Reg reg) {
    if (reg.isTensor())
      return const_cast<uint8_t *>(tensors[reg.location].cells());
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
  Tensor &tensor(Reg reg) { return tensors[reg.location]; }

  /// The value of an integer cell, in any domain.
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
    return reinterpret_cast<T *>(
        cells(reg) + (element * program->lanes + lane) * reg.cellBytes);
  }
  MemRefView memRef(Reg reg) { return {cellsAs<int64_t>(reg), program->lanes}; }

  /// Copies the active lanes of a register.
  void copy(Reg from, Reg to);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Room for `count` positions, valid until the next call.
  int64_t *positions(int64_t count) {
    if (int64_t(positionRoom.size()) < count)
      positionRoom.resize(count);
    return positionRoom.data();
  }

  /// The position of memref[indices] in its buffer, for each active lane.
  /// \returns false after a fault.
  bool locate(Operation *op, Reg memref, ArrayRef<Reg> indices,
              int64_t *positions);

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

  //===--------------------------------------------------------------------===//
  // Faults
  //===--------------------------------------------------------------------===//

  /// Whether an op's result of that shape has a size; faults where it has none.
  /// Extents are computed by the kernel, so they may be anything.
  bool mayAllocate(Operation *op, ArrayRef<int64_t> shape, int64_t cellBytes);
  void fault(Operation *op, StringRef name, const Twine &message);
  void fault(Fault fault);
  /// "lane 5 of subgroup 1 in workgroup (0, 0, 0)"
  std::string describe(int64_t lane) const;
  std::string describeThread(int64_t thread) const;
  int64_t threadOf(int64_t lane) const {
    return number * program->lanes + lane;
  }

  /// Where a choice that is too close decides what runs (bounded domain).
  void noteUndecided(Operation *op);

private:
  /// Lanes that wait at an instruction; they leave this entry at `reconverge`.
  struct Frame {
    uint32_t pc;
    uint32_t reconverge;
    uint64_t mask;
  };

  void arriveAt(uint32_t target);
  void branch(const Instruction &instruction);
  void diverge(const Instruction &instruction, ArrayRef<uint64_t> sides);
  bool move(const Access &access, Reg memref, int64_t *positions,
            void *destination, const void *source);
  bool moveInBuffer(const Access &access, int64_t buffer,
                    const int64_t *positions, void *destination,
                    const void *source);
  bool checkBounds(const Access &access, const Buffer &buffer,
                   const int64_t *positions);
  bool checkAlignment(const Access &access, const Buffer &buffer,
                      const int64_t *positions);
  bool checkRaces(const Access &access, int64_t buffer,
                  const int64_t *positions, bool isStore);
  void reportRace(const Access &access, const Buffer &buffer, int64_t element,
                  int64_t lane, bool isStore, Shadow::Conflict conflict,
                  const Shadow::Cell &cell);

  const Program *program;
  Workgroup *group;
  int64_t number;
  uint64_t existing, active;
  uint32_t pc = 0, reconverge;
  Status state = Status::Running;
  SmallVector<Frame, 8> stack;
  std::vector<uint64_t> registers;
  std::vector<Tensor> tensors;
  std::vector<int64_t> positionRoom, laneRoom;
};

/// Adds one access to the counters: `positions` as in Agent::load.
void countAccess(Counters &counters, const Access &access, Buffer::Space space,
                 int64_t lanes, const int64_t *positions, bool isStore);

class Workgroup {
public:
  Workgroup(Launch &launch, int64_t number);
  Workgroup(const Workgroup &other);
  Workgroup &operator=(const Workgroup &) = delete;

  /// Runs all agents to the end, or to the first fault.
  void run();

  Launch &launch;
  int64_t number;
  std::array<int64_t, 3> id;
  uint32_t epoch = 1;
  std::vector<Agent> agents;
  Counters counters;
  std::optional<Fault> fault;
  std::optional<Fault> unwritten; // the first read without a value
  Operation *undecided = nullptr;

  /// Global buffers come first, then this workgroup's own.
  Buffer &buffer(int64_t number);
  Shadow &shadow(int64_t number);
  int64_t numBuffers() const;
  int64_t addBuffer(Buffer buffer);
  /// The buffer of an allocation in workgroup memory: one for all agents.
  int64_t sharedBuffer(Operation *op, Kind kind, int64_t elements);
  /// A private buffer of each lane of an agent, `elements` each; the one of the
  /// op's last execution unless a fresh one is wanted.
  int64_t privateBuffer(Operation *op, const Agent &agent, Kind kind,
                        int64_t elements, bool isFresh = false);
  void freeBuffer(int64_t number);

private:
  /// One step of an agent, or a fault when the workgroup has had too many.
  void stepWithinLimit(Agent &agent);
  void runInTurns(uint64_t seed);
  void releaseBarrier();

  std::vector<Buffer> local;
  std::vector<Shadow> globalShadows;
  llvm::DenseMap<Operation *, int64_t> shared;
  llvm::DenseMap<std::pair<Operation *, int64_t>, int64_t> privates;
};

/// One run of a program over a grid of workgroups.
class Launch {
public:
  Launch(const Program &program, const Options &options,
         std::array<int64_t, 3> grid);

  const Program &program;
  const Options &options;
  std::array<int64_t, 3> grid;
  std::vector<Buffer> globals; // arguments first, then the module's constants
  /// What every agent has in its registers at the start.
  std::vector<uint64_t> image;
  std::vector<Tensor> tensors;
  int64_t numAgents = 1;
  int64_t numThreads = 1; // of a workgroup; 1 before distribution
  Operation *kernel = nullptr;

  int64_t addGlobal(Buffer buffer);
  /// Arguments in workgroup memory: each workgroup has a copy, numbered after
  /// the global buffers.
  std::vector<Buffer> preloaded;
  /// Runs all workgroups. Reports the fault of the first one that has one.
  LogicalResult run(Counters *counters);
  /// The first workgroup after the run, which holds what a function returned.
  std::unique_ptr<Workgroup> first;
  Operation *undecided = nullptr;

private:
  LogicalResult
  checkBetweenWorkgroups(const std::vector<LaunchShadow> &shadows);
  LogicalResult checkOutputs(const std::vector<LaunchShadow> &shadows);
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_MACHINE_H
