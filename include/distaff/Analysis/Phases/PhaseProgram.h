//===- PhaseProgram.h - Phases of a kernel as plain records -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes the workers of a kernel with pcf ops, as `distaff explain` shows
// them: the groups, the code of each group between its barriers, and the memory
// through which they communicate. There is one program per outermost op that
// opens a scope:
//
//   groups   #0 all subgroups, #1 ws.prod [0, p), #2 ws.cons [p, n)
//   memories la, 2x256x32xf16, a panel of 2 slots; A, read only
//   steps    phase 1 of #2: init
//            phase 2 of #1: copy, reads A[:, :, 0:32], writes la[0]
//            barrier of all, orders la
//            loop k = 0 .. nk
//              phase 3 of #1: ...
//
// Worker code (pcf.generic, pcf.loop) has no phases; the code between its
// barriers is shown as if it were one. `notes` has what records cannot express.
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

/// Workers that run code together, or each by itself.
struct PhaseGroup {
  std::string name;    ///< `ws.prod`, `all subgroups`
  std::string members; ///< `[0, p): p subgroups`; empty if unknown
  std::optional<int64_t> count = {}; ///< number of members, if constant
  std::optional<size_t> parent = {}; ///< none for all workers of a scope
  bool isCluster = false;
  int64_t line = 0;
};

/// Memory that phases refer to.
struct PhaseMemory {
  /// A panel is allocated for the workers to share; results are those of the
  /// op.
  enum class Kind { Panel, Readonly, Result, Captured };
  std::string name, type;
  Kind kind = Kind::Captured;
  std::optional<int64_t> bytes = {}; ///< nullopt if the shape is unknown
  int64_t slots = 1;                 ///< of a ring
  int64_t line = 0;
};

struct PhaseAccess {
  size_t memory = 0;
  std::string place;     ///< `la[k mod 2]`
  std::string condition; ///< `k+1 < nk`; empty: always
  bool isWrite = false;
};

/// A payload that one phase passes to another.
struct PhasePayload {
  std::string type;
  bool isPrivate = false;            ///< every member has its own
  std::optional<int64_t> bytes = {}; ///< of all of it, or of a member's own
};

struct PhaseRecord {
  size_t number = 0; ///< counted through the program, from 1
  size_t group = 0;
  std::string operation; ///< `run_cluster`, `run_thread`, or `code`
  std::string label;     ///< the computation: `copy`, `batch_matmul`
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

/// Steps that are repeated or conditional.
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

/// Returns the programs of a kernel in order; none for a kernel without pcf.
std::vector<PhaseProgram> readPhasePrograms(FunctionOpInterface kernel,
                                            const SourceNames &names = {});

/// Returns how often a worker that takes part in every barrier waits in a run
/// of all steps: `1 + nk`, `2 + 2*nk`. Loops of unknown trip count
/// appear as `trips of TITLE`.
std::string barriersIn(const std::vector<PhaseStep> &steps);

/// Returns how often the members of a group wait, without the barriers of other
/// groups.
std::string waitsOf(const PhaseProgram &program, size_t group);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_PHASES_PHASEPROGRAM_H
