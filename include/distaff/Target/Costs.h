//===- Costs.h - What a target's instructions cost --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs of a target by name, so that others, measured or learned, can be
// tried in their place (VX-154):
//
//   PricedTarget mine(*lookupTarget("sm_80"), "costs.json");
//   for (CostField &field : mine.fields())
//     if (field.section == "moves" && field.name == "shuffle")
//       *field.value = 12;
//   mine.install();          // lookupTarget("sm_80")->costs.shuffle == 12
//
// Sections are the structs of Target.h, and the instructions by their names.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TARGET_COSTS_H
#define DISTAFF_TARGET_COSTS_H

#include "distaff/Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include <limits>
#include <string>
#include <vector>

namespace distaff {

/// Of an instruction that is never chosen.
inline constexpr int64_t infiniteIssueCost =
    std::numeric_limits<int64_t>::max();

/// One number of a target that says what something costs.
struct CostField {
  llvm::StringRef section, name;
  int64_t *value;
  int64_t least = 0;          ///< that it may be
  bool mayBeInfinite = false; ///< of an instruction that may not be chosen
};

/// A copy of a target with costs of its own.
class PricedTarget {
public:
  /// `source`: where the costs come from, for reports.
  PricedTarget(const Target &target, llvm::StringRef source);
  ~PricedTarget();
  PricedTarget(const PricedTarget &) = delete;
  PricedTarget &operator=(const PricedTarget &) = delete;

  /// Every cost, by section: `moves`, `globalMemory`, `issue`, `simd`,
  /// `matrices` of those that the target has, `mma` and `ops`.
  llvm::SmallVector<CostField> fields();

  /// Has the target's name mean this one, as long as it lives.
  /// \pre it is not installed, and no pass runs
  void install();

private:
  std::string source;
  Target target;
  std::vector<MmaRow> mma;
  std::vector<TargetOp> ops;
  const Target *replaced = nullptr;
};

} // namespace distaff

#endif // DISTAFF_TARGET_COSTS_H
