//===- Outcome.h - What a run of the machine found --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run ends in an outcome: a verdict, the faults with their places, and what
// was counted. Whoever decides something reads these values; only `report`
// makes text of them, so that no decision hangs on a kernel's own words.
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
  Misuse,      ///< of a synchronisation object: what follows is undefined
  Undefined,   ///< what the IR gives no meaning: a division by zero
  Assertion,   ///< a cf.assert of the kernel
  Endless,     ///< Options::maxSteps did not suffice
  OutOfMemory, ///< an array larger than the memory of any machine
  NotModelled, ///< the machine does not know
  Unfit,       ///< arguments, grid or options that do not go with the kernel
};

/// "race", "divergent barrier", ...; empty for Unfit, whose text says it.
StringRef nameOf(FaultKind kind);

/// Where in a launch. What is negative or empty is not known, or all of them.
struct Place {
  std::array<int64_t, 3> workgroup = {-1, -1, -1};
  int64_t subgroup = -1;
  int64_t lane = -1; ///< of the subgroup
  std::string array; ///< "arg0", "workgroup memory"
  int64_t element = -1;
};

struct Fault {
  /// Something else that had a part in it.
  struct Note {
    Operation *op;
    std::string text;
  };

  FaultKind kind;
  std::string message; ///< without the kind's name
  Operation *op;       ///< its location is the fault's
  Place place;
  std::vector<Note> notes;
};

struct Counters {
  int64_t instructions = 0; // machine instructions, per subgroup
  int64_t shuffles = 0;     // per subgroup; a subgroup_reduce counts its rounds
  int64_t barriers = 0;     // per workgroup
  int64_t mma = 0;          // per subgroup
  int64_t globalRequests = 0;
  int64_t sectors = 0; // distinct 32-byte pieces per global request
  int64_t sharedRequests = 0;
  int64_t bankConflicts = 0; // wavefronts beyond the first of each phase
  int64_t globalBytesRead = 0, globalBytesWritten = 0;
  int64_t sharedBytesRead = 0, sharedBytesWritten = 0;

  Counters &operator+=(const Counters &other);
  bool operator==(const Counters &other) const = default;
};

enum class Verdict : uint8_t {
  Fine,        ///< it ran to the end
  Faulty,      ///< the kernel does what it may not do
  NotModelled, ///< no answer
  Unfit,       ///< it was not run
};

struct Outcome {
  /// The fault of the first workgroup that has one; empty where all is fine.
  std::vector<Fault> faults;
  Counters counters;
  /// An op at which a choice was too close for the bounds of an evaluation; and
  /// how many elements of its outputs hang on such choices.
  Operation *undecidedAt = nullptr;
  int64_t undecidedElements = 0;

  Verdict verdict() const;
  bool isFine() const { return faults.empty(); }
};

/// Says what is wrong, as errors at the ops; fails where something is.
LogicalResult report(const Outcome &outcome);

} // namespace distaff::simt

#endif // DISTAFF_SIMT_OUTCOME_H
