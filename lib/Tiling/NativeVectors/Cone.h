//===- Cone.h - What a tile is computed from --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A root is an op whose result or effect is wanted: it writes memory, or makes
// a scalar of vectors. Its cone is all that it is computed from, back to memory
// and to values that lie in buffers. The cone says whether that can be done
// slice by slice, which values have to be kept in buffers, and which tiles suit
// it.
//
// A value is kept that
//   - is read from memory that is written before it is used,
//   - is computed by an op of which there are no slices,
//   - would be computed again and again: an operand of a contraction, and what
//     is expensive and used both by a reduction and behind it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_CONE_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_CONE_H

#include "Machine.h"
#include "ReadHazards.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace distaff::vectortiles {

/// A scan of which a tile begins where the one before it ended, and the root's
/// dim of each of its dims.
struct OrderedScan {
  vector::ScanOp op;
  SmallVector<int, 4> dims;
};

/// What suits the tiles of a root, by the root's dims.
struct TileHints {
  /// Dims that are neighbours in memory somewhere.
  SmallVector<bool> isRow;
  /// The most that a tile is to be along a dim; 0 where it may be anything.
  SmallVector<int64_t> most;
  /// What a tile is along a dim as the user wants it; 0 of no wish.
  SmallVector<int64_t> asked;
  /// What a tile is to be a multiple of along a dim.
  SmallVector<int64_t> multiple;
  /// Vectors that are read at once, at least.
  int64_t reads = 0;
  /// Elements are accessed one by one, each at a place of its own.
  bool isScattered = false;
  /// Of lanes: whether a dim stays when others are reduced, of which so many
  /// elements are combined at a time.
  SmallVector<bool> isReducedBeside;
  int64_t reducedElements = 0;
  /// Of lanes: pieces of a contraction's result; 0 without one. Its dims have a
  /// `most`, and are cut into multiples of `granule`.
  int64_t accumulators = 0;
  int64_t granule = 1;
  /// The dim along which tiles are computed one after the other, for scans that
  /// are handed on from tile to tile; none without any.
  std::optional<unsigned> ordered;
  SmallVector<OrderedScan, 1> scans;

  /// Those of another root of the same shape, too.
  void merge(const TileHints &other);
  /// A tile is to be at most so much along a dim, which may be none.
  void limit(int dim, int64_t size);
  /// Of lanes: of a contraction's result, and of what a reduction or a scan
  /// leaves, the root's dims.
  void limitContraction(Operation *op, ArrayRef<int> dims,
                        const Machine &machine);
  void limitReduction(VectorType source, ArrayRef<bool> reduced,
                      ArrayRef<int> dims, const Machine &machine);
};

/// Values by the order in which they are computed.
using Kept = llvm::SetVector<Value>;

struct Cone {
  TileHints hints;
  /// Reads, and whether each is of the elements that the root's tile has.
  llvm::MapVector<Operation *, bool> reads;
  /// Ops whose own native vector the tiles follow.
  SmallVector<Operation *, 0> followed;
};

/// Shape that tiles of a root are of: of what it writes; none of a scalar.
ArrayRef<int64_t> rootShape(Operation *root);

/// Finds the cone of `root`, and adds to `kept`. Fails, and changes nothing,
/// where that cannot be computed slice by slice, because of `whole`.
FailureOr<Cone> findCone(Operation *root, const Machine &machine,
                         Hazards &hazards, Kept &kept, Value *whole = nullptr);

/// A read of a cone that takes, in some iteration of a loop over tiles, what
/// `writer` has written in another one; null without one.
Operation *findHazard(const Cone &cone, Operation *writer, Hazards &hazards);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_CONE_H
