//===- Ptx.h - Interpreter of PTX on the CPU --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine for PTX text of any origin: it parses a module and runs one of its
// kernels on arrays of the host. It is written from the PTX ISA manual and
// shares no code with the compiler, because it checks the compiler's output.
//
// A kernel that doubles each element:
//
//   .version 8.0
//   .target sm_80
//   .address_size 64
//   .visible .entry twice(.param .u64 .ptr .global .align 16 x,
//                         .param .u32 n)
//   {
//     .reg .pred %p;  .reg .b32 %r<5>;  .reg .b64 %d<4>;  .reg .f32 %f;
//     ld.param.u64 %d1, [x];
//     ld.param.u32 %r1, [n];
//     mov.u32 %r2, %ctaid.x;
//     mov.u32 %r3, %tid.x;
//     mad.lo.s32 %r4, %r2, 64, %r3;
//     setp.ge.s32 %p, %r4, %r1;
//     @%p ret;
//     mul.wide.s32 %d2, %r4, 4;
//     add.s64 %d3, %d1, %d2;
//     ld.global.f32 %f, [%d3];
//     add.rn.f32 %f, %f, %f;
//     st.global.f32 [%d3], %f;
//     ret;
//   }
//
// Two workgroups of 64 threads serve 100 elements:
//
//   ptx::ParseError error;
//   std::optional<ptx::Module> module = ptx::parseModule(text, error);
//   if (!module)
//     return print(error.line, error.text);
//   std::vector<float> x(100, 1.5f);
//   ptx::Launch launch;
//   launch.entry = "twice";
//   launch.grid = {2, 1, 1};
//   launch.workgroup = {64, 1, 1};
//   launch.arguments = {ptx::Argument::buffer(x.data(), 400),
//                       ptx::Argument::scalar(100)};
//   ptx::Outcome outcome = ptx::run(*module, launch);
//   // outcome.verdict is Completed, x holds 3.0 a hundred times,
//   // outcome.counters.globalRequests is 8: four subgroups load and store.
//
// With 99 elements in x, the same launch ends with
//
//   outcome.verdict  Verdict::Faulted
//   outcome.faults   {FaultKind::OutOfBounds, line 17, workgroup (1, 0, 0),
//                     thread 35, "4 bytes at 396 of argument 0, which has 396"}
//
// Behaviour that a GPU leaves undefined is a fault and never a value: races,
// reads of unwritten memory, barriers that only some lanes reach. An
// instruction that the machine does not model ends the run as `NotModelled`
// when it is reached, and never as a wrong value. docs/PtxMachine.md lists what
// is modelled and where a GPU may differ.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PTX_PTX_H
#define DISTAFF_PTX_PTX_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace distaff::ptx {

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

struct Program;

/// A parameter of a kernel, as declared.
struct Parameter {
  std::string name;
  std::string type;       ///< "u64", "f32"; for an array its elements' type
  uint64_t size = 0;      ///< bytes; for an array, of all elements
  uint64_t alignment = 1; ///< bytes, within the parameters
  /// Whether it is declared with `.ptr`. A compiler may leave that out: any
  /// parameter of 8 bytes takes a buffer.
  bool isPointer = false;
  /// Alignment in bytes of the memory that a pointer points to; 1 if not
  /// specified.
  uint64_t pointeeAlignment = 1;
};

struct Entry {
  std::string name;
  std::vector<Parameter> parameters;
  /// Threads of a workgroup, by `.reqntid` or at most by `.maxntid`; zeros if
  /// not specified.
  std::array<int64_t, 3> requiredSize = {0, 0, 0}, largestSize = {0, 0, 0};
  /// Bytes of the sized `.shared` variables that the kernel or its callees name
  /// or declare.
  uint64_t sharedBytes = 0;
  /// Whether it names `.extern .shared` memory, sized by the launch.
  bool hasDynamicShared = false;
};

/// A module is a parsed PTX text; copies share it.
class Module {
public:
  explicit Module(std::shared_ptr<const Program> program);

  const std::vector<Entry> &entries() const;
  /// Returns the first word of `.target`, "sm_80"; empty if not specified.
  const std::string &target() const;
  /// Returns the entry of this name, or null.
  const Entry *find(std::string_view name) const;
  const Program &program() const { return *contents; }

private:
  std::shared_ptr<const Program> contents;
};

struct ParseError {
  unsigned line = 0;
  std::string text;
};

/// Reads a module. Text that is not PTX gives the first error, and so does a
/// known instruction with registers or literals that it does not take; an
/// unknown well-formed instruction is reported only when it is reached.
std::optional<Module> parseModule(std::string_view text, ParseError &error);

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The value of one parameter of a kernel.
struct Argument {
  enum class Kind { Buffer, Scalar, Null };
  Kind kind = Kind::Null;
  uint8_t *data = nullptr; ///< Buffer: the caller's memory, changed in place
  size_t size = 0;         ///< Buffer: bytes
  /// Buffer: whether it holds data. In a buffer that does not, a use of a byte
  /// before a thread writes it is a fault, and so is a use of a byte never
  /// written.
  bool written = true;
  /// Scalar: its bits, the lowest byte first. A parameter of fewer bytes takes
  /// the first ones; a parameter of more bytes is an error.
  std::vector<uint8_t> bytes;
  /// Scalar: arrays whose addresses lie within its bytes, as in a struct that
  /// is passed by value.
  struct Pointer {
    uint64_t offset = 0;
    uint8_t *data = nullptr;
    size_t size = 0;
    bool written = true;
  };
  std::vector<Pointer> pointers = {};

  static Argument buffer(void *data, size_t size, bool written = true);
  static Argument scalar(uint64_t bits);
  static Argument scalar(std::vector<uint8_t> bytes);
  static Argument null() { return {}; }
};

struct Launch {
  std::string entry; ///< may be empty if the module has one entry
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> workgroup = {1, 1, 1}; ///< threads
  int64_t dynamicSharedBytes = 0;
  std::vector<Argument> arguments;
  /// Data for all bytes of a variable of the module, as a loader would store
  /// them.
  struct VariableData {
    std::string_view name, bytes; ///< the caller's memory
  };
  std::vector<VariableData> variables;
  /// Selects what the hardware is free to choose: the order of workgroups,
  /// subgroups, sides of a branch and lanes of an atomic, and when copies
  /// arrive. 0 goes in order and completes copies as late as allowed, 1 goes in
  /// reverse and completes copies at once, every other seed has its own orders
  /// and mixes copies. It also selects the garbage in registers.
  uint64_t seed = 0;
  /// Whether a `mul` and an `add` or `sub` without a rounding are computed with
  /// one, as ptxas does where it may; docs/PtxMachine.md specifies where.
  bool contracts = true;
  /// Instructions of the subgroups of one workgroup after which the kernel
  /// counts as endless.
  int64_t stepLimit = 1'000'000'000;
};

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

enum class FaultKind {
  Race,             ///< conflicting accesses with no order between them
  DivergentBarrier, ///< a collective instruction that some lanes do not reach
  OutOfBounds,
  Unwritten, ///< use of an unwritten value
  Misaligned,
  Deadlock, ///< every subgroup waits
  Trap,     ///< a trap instruction, as of a failed assertion
  NotModelled
};
/// Returns "race", "divergent barrier", "out of bounds", ...
const char *toString(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::NotModelled;
  unsigned line = 0; ///< line of the text
  std::array<int64_t, 3> workgroup = {};
  /// Linear number in the workgroup; -1: the whole workgroup.
  int thread = -1;
  std::optional<uint64_t> address; ///< as the program computed it
  std::string text;                ///< what was found and what was needed
};
/// Returns "line 12: race: ... (workgroup (0, 0, 0), thread 3): st.shared.b32
/// ..."
std::string toString(const Fault &fault);

/// Counts events, per subgroup unless noted.
struct Counters {
  int64_t instructions = 0;
  int64_t shuffles = 0;
  int64_t barriers = 0; ///< completed, per workgroup
  int64_t mma = 0;
  int64_t globalRequests = 0;
  int64_t sectors = 0; ///< distinct 32-byte sectors per global request
  int64_t sharedRequests = 0;
  int64_t bankConflicts = 0; ///< passes beyond the first of each phase
  int64_t globalBytesRead = 0, globalBytesWritten = 0;
  int64_t sharedBytesRead = 0, sharedBytesWritten = 0;
  int64_t atomics = 0;
  int64_t asyncCopies = 0;
  /// Bytes that a lane wrote with the same value as another, unordered lane
  /// wrote to the same place.
  int64_t sameValueWrites = 0;
};

enum class Verdict {
  Completed,
  Faulted,
  NotModelled, ///< the last fault names what
  StepLimit,   ///< endless within the limit: wrong like a fault
  Refused      ///< the launch does not fit the kernel; `text` is the reason
};

struct Outcome {
  Verdict verdict = Verdict::Completed;
  /// The faults, at most 16. A race or an unwritten read is recorded once per
  /// line and the run continues; any other fault ends it.
  std::vector<Fault> faults;
  Counters counters;
  std::string text; ///< reason of StepLimit and Refused
};

/// Runs a kernel. Buffers of the arguments hold what it wrote before its end,
/// with any verdict.
Outcome run(const Module &module, const Launch &launch);

} // namespace distaff::ptx

#endif // DISTAFF_PTX_PTX_H
