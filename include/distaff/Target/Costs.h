//===- Costs.h - Costs of a target's instructions, by name ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the costs of a target by name, so that measured or learned costs can
// replace them (VX-154):
//
//   PricedTarget mine(*lookupTarget("sm_80"), "costs.json");
//   for (CostField &field : mine.fields())
//     if (field.section == "moves" && field.name == "shuffle")
//       *field.value = 12;
//   mine.install();          // lookupTarget("sm_80")->costs.shuffle == 12
//
// A section is a struct of Target.h or the list of instructions; an instruction
// has its own name.
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

/// The cost of an instruction that is never chosen.
inline constexpr int64_t infiniteIssueCost =
    std::numeric_limits<int64_t>::max();

/// Describes one cost of a target: its name and where it is stored.
struct CostField {
  llvm::StringRef section, name;
  int64_t *value;
  int64_t least = 0;          ///< the smallest legal value
  bool mayBeInfinite = false; ///< for an instruction that may be forbidden
};

/// A PricedTarget is a copy of a target with its own costs.
class PricedTarget {
public:
  /// Copies a target. `source` is the origin of the costs, for reports.
  PricedTarget(const Target &target, llvm::StringRef source);
  ~PricedTarget();
  PricedTarget(const PricedTarget &) = delete;
  PricedTarget &operator=(const PricedTarget &) = delete;

  /// Returns every cost, by section: `moves`, `globalMemory`, `issue` and
  /// `code`; `simd`, `matrices`, `mma` and `ops` if the target has them.
  llvm::SmallVector<CostField> fields();

  /// Makes lookups of the target's name return this copy while it lives.
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
