//===- Cone.h - Backward slice of a root ------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A root is an op with a required result or effect: it writes memory, or makes
// a scalar of vectors. Its cone is its backward slice, back to memory and to
// values that lie in buffers. The cone records whether the root can be computed
// slice by slice, which values have to be kept in buffers, and which tiles suit
// it.
//
// A value is kept in a buffer if it
//   - is read from memory that is written before it is used,
//   - is computed by an op that has no slices,
//   - would be computed repeatedly: an operand of a contraction, or an
//     expensive value that a reduction and an op after it use.
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

/// An ordered scan is a scan whose tiles each begin where the tile before
/// ended; `dims` maps each of its dims to a dim of the root.
struct OrderedScan {
  vector::ScanOp op;
  SmallVector<int, 4> dims;
};

/// Tile hints are the preferences of a cone for the tiles of its root, by the
/// root's dims.
struct TileHints {
  /// Whether a dim is contiguous in memory somewhere.
  SmallVector<bool> isRow;
  /// The largest tile along a dim; 0 for no limit.
  SmallVector<int64_t> most;
  /// The tile along a dim that the user requested; 0 for no request.
  SmallVector<int64_t> asked;
  /// The granularity of a tile along a dim.
  SmallVector<int64_t> multiple;
  /// The least number of vectors that are read at once.
  int64_t reads = 0;
  /// Whether elements are accessed one by one, each at an address of its own.
  bool isScattered = false;
  /// Lanes only: whether a dim is kept while others are reduced, and how many
  /// elements of the reduced dims are combined at a time.
  SmallVector<bool> isReducedBeside;
  int64_t reducedElements = 0;
  /// Lanes only: native vector chunks of a contraction's result; 0 without one.
  /// Its dims have a `most`, and their tiles are multiples of `granule`.
  int64_t accumulators = 0;
  int64_t granule = 1;
  /// The dim along which tiles are computed in order, for scans that are
  /// carried from tile to tile; none without such a scan.
  std::optional<unsigned> ordered;
  SmallVector<OrderedScan, 1> scans;

  /// Adds the hints of another root of the same shape.
  void merge(const TileHints &other);
  /// Limits the tile along a dim to `size`; ignores a dim of -1.
  void limit(int dim, int64_t size);
  /// Adds the hints of a contraction, or of a reduction or a scan, on lanes;
  /// `dims` maps the dims of the result to the root's.
  void limitContraction(Operation *op, ArrayRef<int> dims,
                        const Machine &machine);
  void limitReduction(VectorType source, ArrayRef<bool> reduced,
                      ArrayRef<int> dims, const Machine &machine);
};

/// Values that are kept in buffers, in the order in which they are computed.
using Kept = llvm::SetVector<Value>;

struct Cone {
  TileHints hints;
  /// The reads of the cone; true if a read has the same indices as the root's
  /// tile.
  llvm::MapVector<Operation *, bool> reads;
  /// Ops whose own native vector the tiles follow.
  SmallVector<Operation *, 0> followed;
};

/// Returns the shape of a root, which its tiles cover: that of the written
/// vector; empty for a scalar.
ArrayRef<int64_t> rootShape(Operation *root);

/// Finds the cone of `root`, and adds to `kept`. Fails, and changes nothing,
/// where the root cannot be computed slice by slice, because of `whole`.
FailureOr<Cone> findCone(Operation *root, const Machine &machine,
                         Hazards &hazards, Kept &kept, Value *whole = nullptr);

/// Returns a read of the cone that depends on what `writer` writes in another
/// iteration of the loop over tiles; null without one.
Operation *findHazard(const Cone &cone, Operation *writer, Hazards &hazards);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_CONE_H
