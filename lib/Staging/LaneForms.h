//===- LaneForms.h - Indices as functions of the lane -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of an index in a lane's program, if it has one, is
//
//     a sum of multiples of values that are uniform in the subgroup
//     + one number per lane
//
//   %row = %i * 16 + lane_id / 4       { %i: 16 }, { 0, 0, 0, 0, 1, 1, ... }
//
// A lane's index can then be computed by another lane.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_STAGING_LANEFORMS_H
#define DISTAFF_LIB_STAGING_LANEFORMS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <array>
#include <map>
#include <optional>

namespace distaff {

struct LaneForm {
  static constexpr int64_t lanes = 32;

  /// Factors by number of the uniform value.
  std::map<unsigned, int64_t> terms;
  std::array<int64_t, lanes> lane = {};

  bool isNumber() const; ///< a number of each lane: no terms
  bool isAlike() const;  ///< uniform in the subgroup
};

/// Finds the forms of the values of one function.
class LaneForms {
public:
  explicit LaneForms(Operation *function);

  /// Returns null where the value has no such form.
  const LaneForm *of(Value value);
  Value termValue(unsigned number) const { return termValues[number]; }

  /// Returns whether all lanes of a subgroup execute `op` together, or none
  /// does.
  bool isConverged(Operation *op) const;

private:
  void findDivergent(Operation *function);
  bool visit(Operation *op);
  bool mark(Value value, bool isDivergent);
  std::optional<LaneForm> compute(Value value);
  std::optional<LaneForm> ofArith(Operation *op);
  LaneForm term(Value value);

  llvm::DenseSet<Value> divergent;
  llvm::DenseMap<Value, std::unique_ptr<LaneForm>> forms;
  llvm::DenseMap<Value, unsigned> termNumbers;
  SmallVector<Value> termValues;
};

} // namespace distaff

#endif // DISTAFF_LIB_STAGING_LANEFORMS_H
