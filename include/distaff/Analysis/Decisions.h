//===- Decisions.h - What was chosen, and over what -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain records of the compiler's choices, for `distaff explain`. A stage that
// is handed a DecisionLog (the pointer may be null) adds to it; no stage reads
// it, so that explaining a kernel cannot change it.
//
//   choice  contraction: m16n8k16 f16, subgroups 2x1 (cost 1024)
//           over m16n8k16 f16, subgroups 1x2 (1024: two subgroups per row)
//   layout  vector<32x128xf32>  S[2,1]:[1,0] B[1,16] O[2,1] T[8,4]:[4,1] E[1,2]
//   conversion  acc -> A operand, T1, 64 moves, 4 times
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_DECISIONS_H
#define DISTAFF_ANALYSIS_DECISIONS_H

#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/LLVM.h"
#include "distaff/Layout/Conversion.h"
#include "mlir/IR/Location.h"
#include <string>
#include <vector>

namespace distaff {

/// One way to do something, and what it costs.
struct Alternative {
  std::string what;
  int64_t cost = 0;
  std::string reason; // why it was not taken, where that is not just the cost
};

/// One choice among alternatives: tile sizes, a workgroup size, an instruction.
struct ChoiceDecision {
  Location location;
  std::string function;
  std::string subject; // `workgroup size`, `tile sizes`, `contraction`, ...
  Alternative chosen;
  std::vector<Alternative> losers;
};

/// The layout of one value.
struct LayoutDecision {
  Location location;
  std::string function;
  std::string definition; // name of the op or `block argument`
  Type type;
  vector_ext::VectorLayoutInterface layout;
};

/// One conversion that distribution will emit.
struct ConversionDecision {
  Location location;
  std::string function;
  Type type;
  vector_ext::VectorLayoutInterface source, target;
  ConversionPlan plan;
  int64_t trips = 1;      // product of the enclosing loops' trip counts
  bool demanded = false;  // by the user or a lowering_config, not by cost
  bool promotion = false; // of an operand that was read from memory
};

/// A cheap chain that was cloned for one more layout instead of converted.
struct CloneDecision {
  Location location;
  std::string function;
  vector_ext::VectorLayoutInterface layout;
  int64_t ops = 0;
};

class DecisionLog {
public:
  std::vector<ChoiceDecision> choices;
  std::vector<LayoutDecision> layouts;
  std::vector<ConversionDecision> conversions;
  std::vector<CloneDecision> clones;
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_DECISIONS_H
