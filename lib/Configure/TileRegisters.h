//===- TileRegisters.h - Registers that tiles need --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a workgroup holds of a group of ops at once, how its lanes share it, and
// how many registers that takes: predicted from tiles alone, before there are
// vectors.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_TILEREGISTERS_H
#define DISTAFF_LIB_CONFIGURE_TILEREGISTERS_H

#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/CheckedSize.h"
#include "distaff/LLVM.h"
#include "distaff/Layout/Layout.h"

namespace distaff {

/// An op that needs more elements at once than fit.
struct Misfit {
  Operation *op;
  int64_t elements;
};

/// Per axis of the group, how far a workgroup gets in one step if the root is
/// tiled so: the extent where it is not. A tile may be more than the extent.
SmallVector<int64_t> heldPerAxis(const FusedGroup &group,
                                 ArrayRef<int64_t> workgroupTiles,
                                 ArrayRef<int64_t> serialTiles);

/// Finds an op that reads or makes more than `limit` elements at once if the
/// root is tiled so (0 or missing: not tiled). An op that shares no axis with
/// the root is not tiled at all.
std::optional<Misfit> findMisfit(const FusedGroup &group,
                                 ArrayRef<int64_t> workgroupTiles,
                                 ArrayRef<int64_t> reductionTiles,
                                 int64_t limit);

/// The axes of what `map` selects of an op's loops, innermost first.
SmallVector<unsigned> axesOf(const GroupOp &groupOp, AffineMap map);

/// How the lanes of a workgroup share what it holds at once: in equal parts, so
/// that of 67 points along an axis 32 lanes can share none.
class Sharing {
public:
  Sharing(const FusedGroup &group, ArrayRef<int64_t> workgroupTiles,
          ArrayRef<int64_t> serialTiles, HardwareShape hardware);

  /// Lets the lanes share a value that lies along `axes`, innermost first; what
  /// else lies along them is shared in the same way.
  void share(ArrayRef<unsigned> axes);
  /// Lets `count` lanes share an axis.
  void share(unsigned axis, int64_t count) { lanes[axis] = count; }

  /// Of a value that lies along `axes`: elements of one lane, and lanes that
  /// hold different ones. Axes that nobody has shared yet are shared by the
  /// lanes that are left.
  int64_t perLane(ArrayRef<unsigned> axes) const;
  int64_t busyLanes(ArrayRef<unsigned> axes) const;

  /// Points along an axis that a workgroup holds at once.
  int64_t heldAlong(unsigned axis) const { return held[axis]; }

private:
  SmallVector<int64_t> lanesAlong(ArrayRef<unsigned> axes) const;

  HardwareShape hardware;
  SmallVector<int64_t> held;
  SmallVector<int64_t> lanes; // 0 where nobody has shared it yet
};

/// Whether rows of an operand may begin between words, or what is next to each
/// other in memory is not so in the tile: then each element is a load.
bool isReadSingly(const FusedGroup &group, const GroupOp &groupOp,
                  unsigned operand);

/// 32-bit registers of a lane for what contractions beside the root read so,
/// all of it at once, where the group holds `held` per axis.
int64_t singleWordsBeside(const FusedGroup &group, ArrayRef<int64_t> held,
                          int64_t lanes);

/// 32-bit registers of a lane for dynamic extents, strides, and what is inside
/// of them, more where halves of words are read one by one.
int64_t boundWords(const FusedGroup &group);

/// Words of pointers to rows of memory whose length only the run knows, one per
/// row that a lane reads at a time, beyond the first of an operand: of rows of
/// known length the distance is part of the instruction (VX-243).
int64_t rowPointerWords(const FusedGroup &group, const Sharing &sharing,
                        int64_t lanes);

/// The registers of a group whose root takes some for its operands.
struct RegisterDemand {
  int64_t atRoot = 0;    // beside the operands of the root
  int64_t elsewhere = 0; // at any other op

  int64_t with(int64_t rootOperands) const {
    return std::max(elsewhere, saturatingSum(atRoot, rootOperands));
  }
};

/// Predicts the registers of a group; made once for all candidates.
class RegisterModel {
public:
  explicit RegisterModel(const FusedGroup &group);

  /// Returns the 32-bit registers per lane that the group's vectors take at
  /// once.
  int64_t predict(const Sharing &sharing) const {
    return demand(sharing, [](const GroupOp &) { return true; }).with(0);
  }

  /// Returns the same for a group of contractions. `isPlain` says of each
  /// whether no instruction computes it; the operands of a root that one
  /// computes are not counted.
  RegisterDemand demand(const Sharing &sharing,
                        function_ref<bool(const GroupOp &)> isPlain) const;

private:
  struct Held {
    SmallVector<unsigned> axes; // innermost first: lanes take neighbours
    int64_t bits;               // of an element
  };
  struct Step {
    const GroupOp *groupOp;
    bool isContraction;
    SmallVector<Held> operands, results;
    SmallVector<Held> reads; // of operands, those that no op of the group makes
    SmallVector<Held> ending; // what nobody reads after this op
  };

  int64_t wordsOf(const Sharing &sharing, ArrayRef<Held> values) const;
  int64_t factorWords(const Step &step, const Sharing &sharing) const;
  int64_t partialWords(const Step &step, const Sharing &sharing) const;

  const FusedGroup &group;
  SmallVector<Step, 0> steps;
  /// An attention walks its keys once and keeps no partial results of rows.
  bool isOnline = false;
};

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_TILEREGISTERS_H
