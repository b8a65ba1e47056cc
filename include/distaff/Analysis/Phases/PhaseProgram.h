//===- PhaseProgram.h - Who does what, in plain records ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel with pcf in it says of its workers, as `distaff explain` shows
// it: which groups there are, what each does between the barriers it waits at,
// and through which memory they speak. One program per outermost op that opens
// a scope:
//
//   groups   #0 all subgroups, #1 ws.prod [0, p), #2 ws.cons [p, n)
//   memories la, 2x256x32xf16, a panel of 2 slots; A, read only
//   steps    phase 1 of #2: init
//            phase 2 of #1: copy, reads A[:, :, 0:32], writes la[0]
//            barrier of all, orders la
//            loop k = 0 .. nk
//              phase 3 of #1: ...
//
// Worker code (pcf.generic, pcf.loop) has no phases; what stands between its
// barriers is shown as if it were one. What a record cannot say is in `notes`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_PHASES_PHASEPROGRAM_H
#define DISTAFF_ANALYSIS_PHASES_PHASEPROGRAM_H

#include "distaff/Analysis/Log/SourceNames.h"
#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace distaff {

/// Workers that run code together, or each for itself.
struct PhaseGroup {
  std::string name;    ///< `ws.prod`, `all subgroups`
  std::string members; ///< `[0, p): p subgroups`; empty where nothing is known
  std::optional<int64_t> count = {}; ///< members, where that is a number
  std::optional<size_t> parent = {}; ///< none for all workers of a scope
  bool isCluster = false;
  int64_t line = 0;
};

/// Memory that phases refer to.
struct PhaseMemory {
  /// A panel is allocated for the workers to share; results are what the op
  /// leaves behind.
  enum class Kind { Panel, Readonly, Result, Captured };
  std::string name, type;
  Kind kind = Kind::Captured;
  std::optional<int64_t> bytes = {}; ///< none where the shape is not known
  int64_t slots = 1;                 ///< of a ring
  int64_t line = 0;
};

struct PhaseAccess {
  size_t memory = 0;
  std::string place;     ///< `la[k mod 2]`
  std::string condition; ///< `k+1 < nk`; empty: always
  bool isWrite = false;
};

/// A payload that goes from phase to phase.
struct PhasePayload {
  std::string type;
  bool isPrivate = false;            ///< every member has its own
  std::optional<int64_t> bytes = {}; ///< of all of it, or of a member's own
};

struct PhaseRecord {
  size_t number = 0; ///< counted through the program, from 1
  size_t group = 0;
  std::string operation; ///< `run_cluster`, `run_thread`, or `code`
  std::string label;     ///< what it does: `copy`, `batch_matmul`
  std::vector<PhaseAccess> accesses = {};
  std::vector<PhasePayload> takes = {}, gives = {};
  int64_t line = 0;
};

struct PhaseBarrier {
  std::string scope;               ///< `subgroups`
  std::vector<size_t> among = {};  ///< groups; empty: all workers of the scope
  std::vector<size_t> orders = {}; ///< memories
  int64_t line = 0;
};

struct PhaseStep;

/// Steps that are run several times, or not always.
struct PhaseBlock {
  enum class Kind { Loop, Branch, Owner };
  Kind kind = Kind::Loop;
  std::string title; ///< `k = 0 .. nk`, `if more`, `pcf.generic of lanes`
  std::string trips; ///< of a loop: `nk`
  std::vector<PhaseStep> steps;
  int64_t line = 0;
};

struct PhaseStep {
  std::variant<PhaseRecord, PhaseBarrier, PhaseBlock> what;
};

struct PhaseProgram {
  std::string title; ///< `pcf.shared_executor of subgroups`
  std::vector<PhaseGroup> groups;
  std::vector<PhaseMemory> memories;
  std::vector<PhaseStep> steps;
  std::vector<std::string> notes;
  size_t phases = 0; ///< how many, code of workers included
  int64_t line = 0;
};

/// The programs of a kernel in order; none of a kernel without pcf.
std::vector<PhaseProgram> readPhasePrograms(FunctionOpInterface kernel,
                                            const SourceNames &names = {});

/// How often a worker that takes part in every barrier waits in a run of all
/// steps: `1 + nk`, `2 + 2*nk`. Loops whose trips are not known count as `trips
/// of TITLE`.
std::string barriersIn(const std::vector<PhaseStep> &steps);

/// How often the members of a group wait: without the barriers of others.
std::string waitsOf(const PhaseProgram &program, size_t group);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_PHASES_PHASEPROGRAM_H
