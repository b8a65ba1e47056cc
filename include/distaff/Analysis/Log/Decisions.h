//===- Decisions.h - Log of compilation decisions ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain records of the compiler's choices and of the code that was emitted for
// them, for `distaff explain`. A stage that gets a DecisionLog (the pointer may
// be null) adds to it where it decides and where it emits; no stage reads it,
// so that explaining a kernel cannot change it.
//
//   configure, assign-layouts   choices among alternatives, tiers that lost
//   specialize                  groups of subgroups, their phases, panels and
//                               barriers
//   distribute                  layouts, conversions, reductions, scans,
//                               buffers, waits: what each op becomes, and why
//   lower                       the instructions that are there in the end, by
//                               the op that they are for (Provenance.h)
//
//   op 7          %12 iree_vector_ext.to_layout, line 31
//   conversion    of op 7: T3, 4096 bytes, since registers are of other lanes
//   code          of op 7: 4 stores of 16 bytes to workgroup memory, 1 barrier,
//                 8 loads of 4 bytes, each 4 times
//
// An op of the source keeps one number throughout. A record describes one
// execution of its op, unless it states otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LOG_DECISIONS_H
#define DISTAFF_ANALYSIS_LOG_DECISIONS_H

#include "distaff/Analysis/Log/Provenance.h"
#include "distaff/Analysis/Phases/PhaseProgram.h"
#include "distaff/LLVM.h"
#include <optional>
#include <string>
#include <vector>

namespace distaff {

struct ConversionPlan;

/// The number of times that the surrounding loops execute an op.
struct Trips {
  int64_t known = 1;  ///< product of the constant trip counts
  bool areAll = true; ///< all trip counts are constant

  bool operator==(const Trips &) const = default;
};

/// Returns the trips of the scf loops around an op, as far as a number holds
/// their product. Code of several blocks may also loop by branches.
Trips tripsKnownAround(Operation *op);

/// Describes one way to do something, and its cost.
struct Alternative {
  std::string what;
  int64_t cost = 0;
  /// Why it was taken or not, if the reason is not just the cost.
  std::string reason;
};

/// Records one choice among alternatives: tile sizes, a workgroup size, an
/// instruction.
struct ChoiceDecision {
  int64_t line = 0; // 0: not known
  std::string function;
  std::string subject; // `workgroup size`, `tile sizes`, `contraction`, ...
  Alternative chosen;
  std::vector<Alternative> losers;
};

/// Returns the tiers that a plan does not take, with their reasons.
std::vector<Alternative> losersOf(const ConversionPlan &plan);

/// Records the launch shape and the resources of a kernel.
struct KernelDecision {
  std::string function, target;
  int64_t workgroupSize = 0, subgroupSize = 0, subgroups = 0;
  /// Most 32-bit vector registers live at once; nullopt for a kernel that was
  /// written for one lane.
  std::optional<int64_t> liveRegisters;
  /// Workgroup memory: of the kernel's own buffers, and of all buffers once
  /// exchanges share bytes; -1 if distribution did not get that far.
  int64_t ownBytes = 0, allocatedBytes = -1;
};

/// Describes an op before distribution. All records below refer to it by
/// number.
struct SourceOp {
  std::string function;
  std::string name; // of its value: the result, or the written or converted
                    // value
  std::string operation;
  int64_t line = 0;
  Trips trips;
  bool isChosen = false; // a to_layout that the compiler inserted
};

/// Records the layout of one value.
struct LayoutDecision {
  std::string function, name, operation, type, layout;
  std::string origin;    // `to_layout, line 7`, `chosen, line 7`; may be empty
  int64_t registers = 0; // of 32 bits, per lane
  int64_t replicas = 1;  // lanes of the workgroup that hold each element
};

/// Describes one side of a round trip through workgroup memory, over all
/// subgroups.
struct SharedSide {
  int64_t requests = 0, bytes = 0; // their number, and each lane's width
  int64_t wavefronts = 0, ideal = 0;
  std::string instruction; // `ldmatrix.x4`; empty: a plain load or store
};

/// Records one to_layout.
struct ConversionDecision {
  int64_t source = -1;
  std::string from, to;        // layouts
  std::string tier, mechanism; // `T3`, `shared memory`
  std::string reason;          // why this tier
  std::vector<Alternative> losers;
  int64_t cost = 0;  // in issue slots of a subgroup
  int64_t moves = 0; // of registers
  int64_t bytePermutes = 0;
  int64_t selects = 0, shuffles = 0; // of 32 bits
  int64_t rounds = 0, packing = 1;   // of shuffles; elements in each word
  int64_t addressOps = 0;
  bool changes = true;    // false: both layouts are equal, no data moves
  bool demanded = false;  // by the user's shared_memory_conversion
  bool promotion = false; // of an operand that was read from memory
  std::vector<int64_t> registerSource; // T0, T1: by register of the result
  // T3
  int64_t bytes = 0, pieces = 1;
  int64_t barriers = 0;   // if no other barrier synchronizes
  bool byElement = false; // because no slices of the value fit
  SharedSide store, load;
  std::string memory; // how elements are arranged there
};

/// Records one combination of values across threads: a reduction, or a
/// contraction whose reduced dims are split.
struct ReductionDecision {
  int64_t source = -1;
  std::string kind;
  std::vector<int64_t> dims;
  int64_t elementsPerLane = 1; // that one lane folds into one result
  int64_t lanesPerResult = 1;
  int64_t stride = 0; // smallest distance between those lanes
  int64_t subgroupsPerResult = 1;
  int64_t resultsPerLane = 1;
  int64_t rounds = 0;   // of exchange between lanes; 0 if in order
  bool inOrder = false; // one element after the other
  int64_t replicas = 1; // lanes that hold each result afterwards
};

struct ScanDecision {
  int64_t source = -1;
  std::string kind;
  int64_t dim = 0;
  bool inclusive = true, inOrder = false;
  int64_t lanes = 1, subgroups = 1; // along the scanned dim
};

/// Records one transfer, gather or scatter before lowering. The width of the
/// accesses is in the code records.
struct AccessDecision {
  int64_t source = -1;
  std::string space; // `global` or `workgroup`
  /// The instruction of a read by matrix loads, and its bank passes over all
  /// subgroups.
  std::string instruction = {};
  int64_t wavefronts = 0, ideal = 0;
};

/// Records a cheap chain that was rematerialized for one more layout instead of
/// converted.
struct CloneDecision {
  std::string function, layout;
  int64_t ops = 0;
};

/// Records the workgroup memory of one exchange.
struct BufferDecision {
  std::string function;
  int64_t source = -1;
  int64_t bytes = 0;
  int64_t offset = -1; // in the array that exchanges share; -1: separate
};

/// Records a barrier of all threads.
struct BarrierDecision {
  std::string function;
  int64_t source = -1; // the op that waits
  std::string reason;
};

/// Counts instructions of one kind that are emitted for one op.
struct CodeRecord {
  /// `Other` has effects, or is vendor-specific, and the bytes it moves are
  /// unknown.
  enum class Kind { Shuffle, Barrier, Load, Store, Mma, Other };

  std::string function;
  int64_t source = -1; // -1: none, written by the user for a lane
  Kind kind = Kind::Shuffle;
  std::string space;       // loads and stores: `global`, `workgroup`, `private`
  std::string instruction; // MMA and others: the name
  int64_t bytes = 0;       // that one lane moves at once
  Trips trips;
  /// The threads that take the branch around it; none if that depends on data.
  bool isConditional = false;
  Population taken;
  int64_t count = 0; // in the code of one lane

  bool isAlike(const CodeRecord &other) const {
    return function == other.function && source == other.source &&
           kind == other.kind && space == other.space &&
           instruction == other.instruction && bytes == other.bytes &&
           trips == other.trips && isConditional == other.isConditional &&
           taken.subgroups == other.taken.subgroups &&
           taken.lanes == other.taken.lanes;
  }
};

/// Records which workers execute which phases, before clusters become a switch.
struct PhasesRecord {
  std::string function;
  PhaseProgram program;
};

class DecisionLog {
public:
  std::vector<KernelDecision> kernels;
  std::vector<SourceOp> ops;
  std::vector<ChoiceDecision> choices;
  std::vector<LayoutDecision> layouts;
  std::vector<ConversionDecision> conversions;
  std::vector<ReductionDecision> reductions;
  std::vector<ScanDecision> scans;
  std::vector<AccessDecision> accesses;
  std::vector<CloneDecision> clones;
  std::vector<BufferDecision> buffers;
  std::vector<BarrierDecision> barriers;
  std::vector<PhasesRecord> phases;
  std::vector<CodeRecord> code;
  /// Functions whose code is complete.
  std::vector<std::string> lowered;
  /// Names of values in the kernel's text, if the caller has it.
  SourceNames names;

  int64_t addOp(SourceOp op) {
    ops.push_back(std::move(op));
    return ops.size() - 1;
  }
  /// Counts one more instruction, together with equal ones.
  void addCode(const CodeRecord &record) {
    for (CodeRecord &known : code)
      if (known.isAlike(record)) {
        known.count += record.count;
        return;
      }
    code.push_back(record);
  }
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LOG_DECISIONS_H
