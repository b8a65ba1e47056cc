//===- Explain.h - What was chosen, and why ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record behind `distaff explain`, as plain structs: which layout each
// vector has, what every conversion and reduction costs, and the answers to the
// two questions of the specification's chapter 9.4:
//
//   Q1  does everything stay in registers, or does data pass through shared
//       memory?
//   Q2  how many lanes take part in each reduction, and how many of them do the
//       same work in what follows it?
//
// It is computed from the IR after assign-layouts, in which to_layout ops
// determine every layout; rejected alternatives come from the decision log.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_EXPLAIN_EXPLAIN_H
#define DISTAFF_EXPLAIN_EXPLAIN_H

#include "distaff/LLVM.h"
#include "distaff/Layout/Conversion.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <string>
#include <vector>

namespace distaff {

class DecisionLog;
struct Target;

/// One vector value and where its elements are.
struct ValueRecord {
  std::string name, op, type, layout;
  int64_t registers = 0; ///< 32-bit registers per lane
  int64_t replicas = 1;  ///< lanes of the workgroup that hold each element
};

/// One to_layout that changes who holds what.
struct ConversionRecord {
  std::string name, source, result; ///< value, layouts
  ConversionPlan plan;
  bool forced = false; ///< marked shared_memory_conversion: a promotion
  int64_t loopDepth = 0;
  int64_t trips = 1; ///< product of the enclosing loops' trip counts
};

/// One reduction across registers, lanes and subgroups (spec 9.4).
struct ReductionRecord {
  std::string name, kind;
  SmallVector<int64_t> dims;
  int64_t elementsPerLane = 1; ///< that one lane folds into one result
  int64_t lanesPerResult = 1;
  int64_t stride = 0; ///< smallest distance between those lanes
  int64_t subgroupsPerResult = 1;
  int64_t resultsPerLane = 1;
  int64_t rounds = 0;      ///< of shuffles
  int64_t shuffles = 0;    ///< rounds * results per lane * words
  int64_t sharedBytes = 0; ///< where several subgroups share a result
  int64_t replicas = 1;    ///< lanes that hold each result afterwards
};

/// One transfer between memory and registers.
struct AccessRecord {
  std::string name, op, space; ///< "global" or "workgroup"
  int64_t bytesPerAccess = 0;  ///< contiguous bytes that one lane moves
};

struct Explanation {
  std::string kernel, target;
  int64_t workgroupSize = 0, subgroupSize = 0, subgroups = 0;
  int64_t liveRegisters = 0; ///< most 32-bit vector registers live at once
  std::vector<ValueRecord> values;
  std::vector<ConversionRecord> conversions;
  std::vector<ReductionRecord> reductions;
  std::vector<AccessRecord> accesses;
  std::vector<std::string> choices; ///< one line per decision, losers included

  /// Shared memory: of the kernel's own buffers, and of the workgroup once
  /// exchanges share bytes; nothing where the kernel cannot be distributed.
  int64_t ownBytes = 0;
  std::optional<int64_t> allocatedBytes;
  /// Bytes that conversions use, each by itself, promotions included.
  int64_t conversionBytes() const;
  int64_t reductionBytes() const;
  /// Nothing passes through shared memory.
  bool registersOnly() const;
};

/// Explains a kernel that has its layouts assigned. Fails with a diagnostic
/// where they are not determined.
FailureOr<Explanation> explainKernel(FunctionOpInterface kernel,
                                     const Target &target,
                                     const DecisionLog *log);

void printText(const Explanation &explanation, raw_ostream &stream);

} // namespace distaff

#endif // DISTAFF_EXPLAIN_EXPLAIN_H
