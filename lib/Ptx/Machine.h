//===- Machine.h - Interpreter of a launch ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes, innermost first:
//
//   Subgroup    32 lanes with one stream of instructions: registers as arrays
//               over lanes, a stack of paths for diverged lanes, the vector
//               clocks of the lanes and their copies in flight
//   Workgroup   subgroups, shared memory, and the objects they wait for
//   Machine     the launch: global memory, clock, counters, faults
//   Turn        one instruction of one subgroup, passed to its executor
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_MACHINE_H
#define DISTAFF_LIB_PTX_MACHINE_H

#include "Contraction.h"
#include "Memory.h"
#include "Synchronization.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <set>

namespace distaff::ptx {

using Lanes = std::array<uint64_t, laneCount>;

struct Register {
  Lanes bits = {};
  /// Lanes whose value came from unwritten memory. It may be moved and computed
  /// with; it must not be a predicate, an address or a stored value.
  Mask unwritten = 0;
};

/// A path is a set of lanes that run together until they reach `rejoin`.
struct Path {
  size_t pc = 0, rejoin = 0;
  Mask lanes = everyLane;
  unsigned frame = 0; ///< depth of the call stack
  /// Lanes on other paths, for which it waits at a collective instruction.
  Mask awaited = 0;
};

/// A call that has not returned.
struct Frame {
  unsigned function = 0;
  Mask returned = 0;
  size_t callSite = 0; ///< the call's instruction
  Mask called = 0;     ///< lanes that made it: a guard may exclude some
};

/// A cp.async of one lane.
struct AsyncCopy {
  uint64_t to = 0, from = 0; ///< addresses, shared and global
  unsigned size = 0, sourceSize = 0;
  bool landed = false; ///< the bytes are there, but must not be read yet
  uint64_t number = 0; ///< its number among the lane's copies
};

/// A lane's copies in flight, oldest group first. The last group is open.
struct AsyncCopies {
  std::vector<std::vector<AsyncCopy>> groups = {{}};
  uint64_t issued = 0;
};

struct Subgroup {
  unsigned number = 0;
  Mask exists = everyLane;
  Mask running = everyLane; ///< lanes that have not returned
  std::vector<Register> registers;
  std::vector<Path> paths; ///< the last one is running
  std::vector<Frame> frames;
  int waitsFor = -1; ///< a barrier; -1: it is running
  Mask carry = 0;    ///< CC.CF
  Knowledge knows;
  std::array<LaneKnowledge, laneCount> knowsLanes = {};
  std::array<AsyncCopies, laneCount> copies;
  OwnMemory own;
  /// Line of the last load of unwritten memory, for messages.
  unsigned unwrittenLine = 0;
  /// Whether a fence has run, which makes later atomics and strong stores
  /// releases.
  bool fenced = false;
  /// Addresses that atomics and volatile loads read since the last fence.
  std::set<uint64_t> strongReads;
  /// Writes the result of bar.red to the waiting lanes.
  std::function<void(uint64_t)> onRelease;

  /// Joins knowledge from another subgroup, also into what the lanes know of
  /// each other.
  void learn(const Knowledge &told) {
    assert(number < mostSubgroups && "knowledge is of so many subgroups");
    knows.join(told);
    for (LaneKnowledge &known : knowsLanes)
      for (Time &time : known)
        time = std::max(time, told.subgroups[number]);
  }
};

class Machine;

struct Workgroup {
  uint32_t number = 0;
  std::array<int64_t, 3> position = {};
  std::vector<Subgroup> subgroups;
  SharedMemory shared;
  std::array<Barrier, 16> barriers;
  std::map<uint64_t, Mbarrier> mbarriers; ///< by shared address
};

struct Turn;
/// Executes one instruction for the active lanes.
using Execute = std::function<void(Turn &)>;

/// A source operand of arithmetic.
struct Source {
  enum class Kind { Register, Constant, Special };
  Kind kind = Kind::Constant;
  unsigned reg = none;
  bool negated = false;
  uint64_t value = 0;
  unsigned special = 0;
};

struct Destination {
  unsigned reg = none; ///< none: the value is discarded
  uint64_t mask = 0;
};

/// An address: a register or a constant, and a displacement.
struct Address {
  unsigned reg = none;
  uint64_t displacement = 0;
  unsigned scale = 1; ///< bytes per unit of the register
  /// Mask of the sum: for an address in a 32-bit register it wraps at 32 bits.
  uint64_t mask = ~uint64_t(0);
};

/// A permutation of [0, count).
struct Order {
  uint64_t count = 1, factor = 1, first = 0; ///< the factor is coprime to count

  uint64_t operator()(uint64_t i) const {
    assert(i < count && "an order is of so many");
    return (i * factor + first) % count;
  }
};

class Machine {
public:
  Machine(const Program &program, const Function &function,
          const Launch &launch);
  Outcome run();

  const Program &program;
  const Function &function;
  const Launch &launch;
  GlobalMemory global;
  Workgroup workgroup;
  Counters counters;
  Time clock = 1;
  int64_t steps = 0;
  int64_t stepsBefore = 0; ///< steps of other workgroups
  bool stopped = false;
  /// Knowledge that workgroups released at an address, for later acquires
  /// there.
  std::map<uint64_t, Knowledge> released;

  void report(Fault fault);
  /// Withdraws the faults of a thread's unwritten reads when a later write
  /// is found to race with them: that race is reported instead.
  void wasRace(Thread reader);
  /// Returns the address of a variable in its own space.
  uint64_t addressOf(unsigned variable) const;
  /// Makes a choice that the hardware is free to make: whether to be late.
  bool isLate(uint64_t what) const;
  const std::vector<uint8_t> &parameterBlock() const { return block; }
  const Pieces &parameters() const { return blockPieces; }
  /// Returns the order, chosen by the seed, of `count` things that may come in
  /// any order; `what` distinguishes the choices of one launch.
  Order order(uint64_t count, uint64_t what) const;

private:
  bool refuse(std::string text);
  bool checkLaunch();
  bool checkSizes(const Entry &entry);
  bool passArguments(const Entry &entry);
  bool passArgument(const Parameter &parameter, uint64_t offset,
                    const Argument &argument, size_t number);
  /// Writes the address of an array into the block.
  void passPointer(const Argument::Pointer &pointer, uint64_t offset,
                   const std::string &name);
  void alignArrays(const Entry &entry);
  bool addVariables();
  bool fillVariables();
  void prepareWorkgroup();
  void checkResults();
  void findContractions();
  size_t registerCount() const {
    return program.registerBits.size() + 2 * factorRegisters.size();
  }
  void decodeAll();
  void contract(const Contraction &contraction);
  void findUsed();
  void startWorkgroup();
  void fillRegisters(Subgroup &subgroup);
  void runWorkgroup();
  /// Runs one subgroup until it waits, ends or has used its share of steps.
  void runSubgroup(Subgroup &subgroup);
  bool givesWay(Subgroup &subgroup);
  void step(Subgroup &subgroup, Path &path);
  void leaveCall(Subgroup &subgroup);
  void checkDeadlock();
  Mask activeLanes(Subgroup &subgroup, const Path &path,
                   const Instruction &instruction, Turn &turn);

  Outcome outcome;
  std::vector<uint8_t> block; ///< the parameters
  struct PassedArray {
    uint64_t address = 0; ///< 0 until it is passed
    uint64_t alignment = 1;
  };
  /// The arrays of the arguments, by data and size.
  std::map<std::pair<const uint8_t *, size_t>, PassedArray> arrays;
  Pieces blockPieces;
  std::vector<uint64_t> variableAddresses;
  std::vector<std::vector<uint8_t>> variableBytes;
  std::vector<Contraction> contractions;
  /// Registers for the factors of each product of a contraction: two registers
  /// from this one on, beyond those of the program.
  std::map<size_t, unsigned> factorRegisters;
  std::vector<Execute> executes;
  std::vector<size_t> rejoins; ///< immediate post-dominators
  std::vector<bool> areOfAll;  ///< whether instructions are collective
  std::vector<unsigned> used;  ///< numbers of the used registers
};

struct Turn {
  Machine &machine;
  Workgroup &workgroup;
  Subgroup &subgroup;
  const Instruction &instruction;
  size_t pc;
  size_t rejoin; ///< the reconvergence point of paths that diverge here
  Mask active = 0;
  Mask awaited = 0; ///< lanes that were waited for, even if they returned

  Path &path() const {
    assert(!subgroup.paths.empty() && "an instruction runs on a path");
    return subgroup.paths.back();
  }
  /// Returns the lanes that should be here: those that have not returned, or
  /// did so while they were waited for.
  Mask present() const { return subgroup.running | awaited; }

  void fail(FaultKind kind, int lane, std::string text,
            std::optional<uint64_t> address = std::nullopt);
  void notModelled(const std::string &what);
  /// Reports an unwritten predicate, address or stored value.
  void checkWritten(Mask unwritten, const char *use);

  /// Returns the lanes' values: of the register itself, or in `scratch`.
  const Lanes &read(const Source &source, Lanes &scratch,
                    Mask &unwritten) const;
  uint64_t readLane(const Source &source, unsigned lane) const;
  void write(const Destination &to, unsigned lane, uint64_t value) const {
    assert(lane < laneCount && "a subgroup has 32 lanes");
    assert((to.reg == none || to.reg < subgroup.registers.size()) &&
           "a register is one of the file's");
    if (to.reg != none)
      subgroup.registers[to.reg].bits[lane] = value & to.mask;
  }
  /// Marks the lanes of `which` among the active ones as unwritten.
  void mark(const Destination &to, Mask which) const {
    if (to.reg != none) {
      Mask &mask = subgroup.registers[to.reg].unwritten;
      mask = (mask & ~active) | (which & active);
    }
  }
  uint64_t addressOf(const Address &address, unsigned lane) const;
  Thread thread(unsigned lane) const {
    return {workgroup.number, uint16_t(subgroup.number * laneCount + lane)};
  }
  Access access(unsigned lane, bool isStrong = false) const {
    return {thread(lane), machine.clock, &subgroup.knows,
            &subgroup.knowsLanes[lane], isStrong};
  }
  /// Finds memory; returns false and reports a fault if there is none.
  bool find(Space space, uint64_t address, uint64_t size, uint64_t alignment,
            unsigned lane, Place &place);
  /// Reads and writes with all checks. `unwritten`: whether some byte is.
  bool load(const Place &place, uint64_t address, uint64_t size, unsigned lane,
            bool isStrong, uint8_t *to, bool &unwritten);
  bool store(const Place &place, uint64_t address, uint64_t size, unsigned lane,
             bool isStrong, const uint8_t *from);
  void judge(const Shadow::Finding &finding, uint64_t address, unsigned lane,
             const char *what);
};

template <typename Function> void forEachLane(Mask active, Function function) {
  for (; active; active &= active - 1)
    function(unsigned(__builtin_ctz(active)));
}

/// The addresses of all lanes that take part in a request.
using LaneAddresses = std::vector<std::pair<unsigned, uint64_t>>;

/// Counts one request of `size` bytes per lane.
void countShared(const LaneAddresses &lanes, uint64_t size, bool isLoad,
                 Counters &counters);
void countGlobal(const LaneAddresses &offsets, uint64_t size, bool isLoad,
                 Counters &counters);

/// Moves values between a function's formals and the operands of a call.
void passFormals(Turn &turn, const std::vector<Function::Formal> &formals,
                 const std::vector<Operand> &actuals, bool toFormals);

/// Completes the barriers whose last missing subgroups have exited.
void completeBarriers(Machine &machine);

/// Completes the copies of a lane that have a lower number.
void landCopies(Turn &turn, unsigned lane, uint64_t before);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_MACHINE_H
