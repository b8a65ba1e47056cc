//===- TileRegisters.h - Register pressure of tiles -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the elements that a workgroup holds of a group of ops at once, how
// its lanes share them, and how many registers they take: from tiles alone,
// before there are vectors.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_TILEREGISTERS_H
#define DISTAFF_LIB_CONFIGURE_TILEREGISTERS_H

#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/CheckedSize.h"
#include "distaff/LLVM.h"
#include "distaff/Layout/Layout.h"

namespace distaff {

/// A misfit is an op that needs more elements at once than fit.
struct Misfit {
  Operation *op;
  int64_t elements;
};

/// Returns per axis of the group the points that a workgroup covers in one step
/// if the root has these tiles: the extent where it is not tiled. A tile may be
/// more than the extent.
SmallVector<int64_t> heldPerAxis(const FusedGroup &group,
                                 ArrayRef<int64_t> workgroupTiles,
                                 ArrayRef<int64_t> serialTiles);

/// Finds an op that reads or makes more than `limit` elements at once if the
/// root has these tiles (0 or missing: not tiled). An op that shares no axis
/// with the root is not tiled at all.
std::optional<Misfit> findMisfit(const FusedGroup &group,
                                 ArrayRef<int64_t> workgroupTiles,
                                 ArrayRef<int64_t> reductionTiles,
                                 int64_t limit);

/// Returns the axes of the loops of an op that `map` selects, innermost first.
SmallVector<unsigned> axesOf(const GroupOp &groupOp, AffineMap map);

/// Describes how the lanes of a workgroup share the elements that it holds at
/// once: in equal parts, so that 32 lanes cannot share 67 points along an axis.
class Sharing {
public:
  Sharing(const FusedGroup &group, ArrayRef<int64_t> workgroupTiles,
          ArrayRef<int64_t> serialTiles, HardwareShape hardware);

  /// Lets the lanes share a value that lies along `axes`, innermost first;
  /// other values that lie along them are shared in the same way.
  void share(ArrayRef<unsigned> axes);
  /// Lets `count` lanes share an axis.
  void share(unsigned axis, int64_t count) { lanes[axis] = count; }

  /// Returns the elements of one lane of a value that lies along `axes`, and
  /// the lanes that hold different ones. Axes that are not shared yet are
  /// shared by the remaining lanes.
  int64_t perLane(ArrayRef<unsigned> axes) const;
  int64_t busyLanes(ArrayRef<unsigned> axes) const;

  /// Returns the points along an axis that a workgroup holds at once.
  int64_t heldAlong(unsigned axis) const { return held[axis]; }

private:
  SmallVector<int64_t> lanesAlong(ArrayRef<unsigned> axes) const;

  HardwareShape hardware;
  SmallVector<int64_t> held;
  SmallVector<int64_t> lanes; // 0 where not shared yet
};

/// Returns whether each element of an operand is a load: its rows may begin
/// between words, or neighbors in memory are no neighbors in the tile.
bool isReadSingly(const FusedGroup &group, const GroupOp &groupOp,
                  unsigned operand);

/// Returns the 32-bit registers of a lane for the elements that contractions
/// other than the root read one by one, all of them at once, where the group
/// holds `held` per axis.
int64_t singleWordsBeside(const FusedGroup &group, ArrayRef<int64_t> held,
                          int64_t lanes);

/// Returns the 32-bit registers of a lane for dynamic extents, strides, and
/// values derived from them, more where halves of words are read one by one.
int64_t boundWords(const FusedGroup &group);

/// Returns the words of pointers to rows of memory whose length is dynamic, one
/// per row that a lane reads at a time, beyond the first of an operand: of rows
/// of static length the distance is part of the instruction (VX-243).
int64_t rowPointerWords(const FusedGroup &group, const Sharing &sharing,
                        int64_t lanes);

/// The register demand of a group whose root takes some registers for its
/// operands.
struct RegisterDemand {
  int64_t atRoot = 0;    // in addition to the operands of the root
  int64_t elsewhere = 0; // at any other op

  int64_t with(int64_t rootOperands) const {
    return std::max(elsewhere, saturatingSum(atRoot, rootOperands));
  }
};

/// Predicts the registers of a group; one model serves all candidates.
class RegisterModel {
public:
  explicit RegisterModel(const FusedGroup &group);

  /// Returns the 32-bit registers per lane that the group's vectors take at
  /// once.
  int64_t predict(const Sharing &sharing) const {
    return demand(sharing, [](const GroupOp &) { return true; }).with(0);
  }

  /// Returns the same for a group of contractions. `isPlain` returns of each
  /// whether no instruction computes it; the operands of a root that an
  /// instruction computes are not counted.
  RegisterDemand demand(const Sharing &sharing,
                        function_ref<bool(const GroupOp &)> isPlain) const;

private:
  struct Held {
    SmallVector<unsigned> axes; // innermost first: lanes take neighbors
    int64_t bits;               // of an element
  };
  struct Step {
    const GroupOp *groupOp;
    bool isContraction;
    SmallVector<Held> operands, results;
    SmallVector<Held> reads;  // operands that no op of the group makes
    SmallVector<Held> ending; // values that no op reads after this one
  };

  int64_t wordsOf(const Sharing &sharing, ArrayRef<Held> values) const;
  int64_t factorWords(const Step &step, const Sharing &sharing) const;
  int64_t partialWords(const Step &step, const Sharing &sharing) const;

  const FusedGroup &group;
  SmallVector<Step, 0> steps;
  /// Whether the group is an attention: it iterates over its keys once and
  /// keeps no partial results of rows.
  bool isOnline = false;
};

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_TILEREGISTERS_H
