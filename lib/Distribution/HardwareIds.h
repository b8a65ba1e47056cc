//===- HardwareIds.h - Digits of the handed ids, as IR ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the handed subgroup and lane ids into the digits of a layout and into
// the part of an index that the hardware contributes. Everything is emitted
// once, where the ids are defined, and shared.
//
// The digits of one axis form a chain of strides with gaps; the gaps are digits
// too, which no op reads:
//
//   lanes T[4,2] strides [8,1] of 64    l -> (quotient 2, 4, filler 4, 2)
//   %q, %v0, %f, %v1 = affine.delinearize_index %lane into (4, 4, 2)
//
// A place whose quotient and fillers are all 0 is canonical: it has the
// smallest ids of all replicas.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_HARDWAREIDS_H
#define DISTAFF_LIB_DISTRIBUTION_HARDWAREIDS_H

#include "Exchange/Placement.h"
#include "distaff/Analysis/Log/Provenance.h"
#include "distaff/Distribution/Distribution.h"
#include "distaff/Layout/SelectNetwork.h"
#include <map>

namespace distaff {

class HardwareIds : private OpBuilder::Listener {
public:
  /// Emits into the block of the id that the other one dominates.
  explicit HardwareIds(const DistributionOptions &options);
  HardwareIds(const HardwareIds &) = delete;

  /// `value`, for use anywhere.
  Value constant(int64_t value);

  /// The value of `digit`, one of `chain`, the digits of its axis in a layout.
  Value digit(Digit digit, ArrayRef<Digit> chain);

  /// Whether a bit of a digit is set.
  Value bit(const IdBit &bit);

  /// What subgroup and lane contribute to the index along `dim`.
  Value base(const Placement &placement, int64_t dim);

  /// `index + offset`, at `b`.
  Value offset(OpBuilder &b, Location loc, Value index, int64_t offset);

  /// `index + digit * stride`, at `b`.
  Value step(OpBuilder &b, Location loc, Value index, Value digit,
             int64_t stride);

  /// The number whose digits, outermost first, are `digits` of `chain`.
  Value number(ArrayRef<Digit> digits, ArrayRef<Digit> chain);

  /// The canonical id of `chain`, without the digits in `without`.
  Value canonical(ArrayRef<Digit> chain, ArrayRef<Digit> without = {});

  /// `id of axis == canonical id of chain`; null if that holds for every id.
  Value isCanonical(Axis axis, ArrayRef<Digit> chain);

  /// Both of the above and'ed for subgroups and lanes; null if always true.
  Value isCanonical(ArrayRef<Digit> subgroups, ArrayRef<Digit> lanes);

  /// How many threads hold a canonical copy, where `condition` asks that.
  std::optional<Population> holdersIf(Value condition) const;

  /// What `emit` makes at the entry out of ids and constants, once for each
  /// key.
  Value once(std::vector<int64_t> key, llvm::function_ref<Value()> emit);

  /// The id of an axis and how many there are.
  Value id(Axis axis);
  int64_t count(Axis axis) const;

  /// Behind everything that has been emitted through this builder so far.
  OpBuilder &atEntry();
  Location loc() const { return location; }

private:
  using Key = std::vector<int64_t>;

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    last = op;
  }

  const DistributionOptions &options;
  OpBuilder builder;
  Location location;
  Block &entry;
  /// The op that the next one goes behind; null at the start of the block.
  Operation *last = nullptr;
  std::map<Key, SmallVector<Value>> chains;  // digits by axis and chain
  std::map<Key, Value> values;               // everything else of theirs
  std::map<Key, Value> formulas;             // of `once`
  llvm::DenseMap<Value, Population> holders; // by what asks for one of them
};

/// How many numbers digits tell apart.
int64_t productOf(ArrayRef<Digit> digits);

/// True if no id of `axis` is a replica under `chain`.
bool coversAll(ArrayRef<Digit> chain, int64_t count);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_HARDWAREIDS_H
