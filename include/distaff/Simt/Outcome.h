//===- Outcome.h - Result of one run: verdict, faults, counters -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run returns an outcome: a verdict, the faults with their places, and the
// counters. Callers decide by these values; only `report` formats text, so that
// no decision depends on the wording of a message.
//
//   simt::Outcome outcome = simt::run(kernel, grid, arguments, results, {});
//   if (outcome.verdict() == simt::Verdict::NotModelled)
//     ...                          // no answer, rather than a wrong one
//   return simt::report(outcome);  // diagnostics: `race: lane 3 of ...`
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_SIMT_OUTCOME_H
#define DISTAFF_SIMT_OUTCOME_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace distaff::simt {

enum class FaultKind : uint8_t {
  Race,
  DivergentBarrier,
  OutOfBounds,
  Unwritten,
  Misaligned,
  Deadlock,
  Misuse,      ///< misuse of a synchronization object: the rest is undefined
  Undefined,   ///< an operation with undefined behavior: a division by zero
  Assertion,   ///< a cf.assert of the kernel
  Endless,     ///< more than Options::maxSteps instructions
  OutOfMemory, ///< an array larger than the memory of any machine
  NotModelled, ///< an op or a case that the machine does not model
  Unfit,       ///< arguments, grid or options that do not fit the kernel
};

/// Returns "race", "divergent barrier" etc.; an empty string for Unfit, whose
/// message is complete without it.
StringRef nameOf(FaultKind kind);

/// Describes a place in a launch. A negative or empty field is unknown or
/// stands for all.
struct Place {
  std::array<int64_t, 3> workgroup = {-1, -1, -1};
  int64_t subgroup = -1;
  int64_t lane = -1; ///< within the subgroup
  std::string array; ///< "arg0", "workgroup memory"
  int64_t element = -1;
};

struct Fault {
  /// Another op that takes part in the fault.
  struct Note {
    Operation *op;
    std::string text;
  };

  FaultKind kind;
  std::string message; ///< without the kind's name
  Operation *op;       ///< the op whose location the diagnostic has
  Place place;
  std::vector<Note> notes;
};

struct Counters {
  int64_t instructions = 0; // machine instructions, per subgroup
  int64_t shuffles = 0;     // per subgroup; a subgroup_reduce counts its rounds
  int64_t barriers = 0;     // per workgroup
  int64_t mma = 0;          // per subgroup
  int64_t globalRequests = 0;
  int64_t sectors = 0; // distinct 32-byte sectors per global request
  int64_t sharedRequests = 0;
  int64_t bankConflicts = 0; // wavefronts beyond the first of each phase
  int64_t globalBytesRead = 0, globalBytesWritten = 0;
  int64_t sharedBytesRead = 0, sharedBytesWritten = 0;

  Counters &operator+=(const Counters &other);
  bool operator==(const Counters &other) const = default;
};

enum class Verdict : uint8_t {
  Fine,        ///< the run reached the end
  Faulty,      ///< the kernel violates a rule
  NotModelled, ///< the machine has no answer
  Unfit,       ///< the kernel was not run
};

struct Outcome {
  /// The fault of the first workgroup that has one; empty without faults.
  std::vector<Fault> faults;
  Counters counters;
  /// An op with a comparison or a choice closer than the error bounds of an
  /// evaluation, and the number of output elements that depend on such choices.
  Operation *undecidedAt = nullptr;
  int64_t undecidedElements = 0;

  Verdict verdict() const;
  bool isFine() const { return faults.empty(); }
};

/// Emits the faults as errors at the ops. Returns failure if there are any.
LogicalResult report(const Outcome &outcome);

} // namespace distaff::simt

#endif // DISTAFF_SIMT_OUTCOME_H
