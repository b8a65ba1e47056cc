//===- Slicer.h - Demand-driven slices of vectors ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An n-D vector may be larger than all registers of its target, so that it is
// never computed as a whole: each user computes a slice of it, by the same op
// on slices of its operands, down to slices of memory. Of
//
//   %s = arith.addf %x, %y : vector<16x32x64xf32>     // x, y: transfer_reads
//
// the slice [%i, %j, 0] of size 1x2x64 is
//
//   %a = vector.transfer_read %A[%i, %j, 0] : ..., vector<1x2x64xf32>
//   %b = vector.transfer_read %B[%i, %j, 0] : ..., vector<1x2x64xf32>
//   %c = arith.addf %a, %b : vector<1x2x64xf32>
//
// A slice of a reduction or of a contraction is a loop over slices of the
// source, which carries the accumulators. A slice is computed once, in the
// outermost loop that its offsets allow (hoisting): the maximum of a row is
// computed before the loop over the row's columns that subtracts it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_SLICER_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_SLICER_H

#include "Cone.h"
#include "Machine.h"
#include "SliceGroups.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff::vectortiles {

/// An offset is the start of a slice along one dim: an index plus a constant.
struct Offset {
  Value base; ///< null for 0
  int64_t constant = 0;
  /// Elements at the slice's end that are past the end of the vector. They have
  /// any value, and are not accessed in memory (VX-163).
  int64_t outside = 0;

  bool operator==(const Offset &) const = default;
  Offset operator+(int64_t by) const { return {base, constant + by, outside}; }
  bool isZero() const { return !base && constant == 0; }
};

/// A slice is a box of elements of a vector.
struct Slice {
  SmallVector<Offset, 4> offsets;
  SmallVector<int64_t, 4> sizes;

  bool operator==(const Slice &) const = default;
  /// Returns the slice of all elements of a vector of that shape.
  static Slice whole(ArrayRef<int64_t> shape) {
    return {SmallVector<Offset, 4>(shape.size()), llvm::to_vector<4>(shape)};
  }
};

/// Maps each value that is kept as a whole to its buffer.
using Buffers = llvm::DenseMap<Value, Value>;

/// Returns whether slices of the result of `op` are made of slices of its
/// operands.
bool isSliceable(Operation *op);

/// Returns whether a zero in the second operand is an error.
bool dividesIntegers(Operation *op);

/// Returns whether tiles of a scan can be computed in order.
bool canScanByTiles(vector::ScanOp scan, const Machine &machine);

/// A slicer computes slices in a nest of loops.
class Slicer {
public:
  /// Creates a slicer that inserts in front of `at`.
  Slicer(Operation *at, const Machine &machine, const Buffers &buffers);

  /// Returns the slice of a vector; a scalar is returned as it is.
  /// \pre each op in the cone is sliceable, or its result lies in a buffer
  Value slice(Value vector, const Slice &part);
  /// Computes the slice, even if the vector lies in a buffer.
  Value compute(Value vector, const Slice &part);
  /// Returns an element of a vector.
  Value element(Value vector, ArrayRef<Offset> position);

  using LoopBody = llvm::function_ref<SmallVector<Value>(Offset, ValueRange)>;
  /// Creates a loop that carries values; creates no loop for one iteration.
  SmallVector<Value> loop(int64_t begin, int64_t end, int64_t step,
                          ValueRange inits, LoopBody body);
  using TileBody =
      llvm::function_ref<SmallVector<Value>(Offset, int64_t, ValueRange)>;
  /// Creates a loop over the tiles of an extent, followed by the remainder, of
  /// which at least `rest` elements are computed.
  SmallVector<Value> tiles(int64_t extent, int64_t tile, int64_t rest,
                           ValueRange inits, TileBody body);

  /// Returns the mask of a slice's elements inside its vector; null if all are.
  Value insideMask(Location loc, const Slice &part);
  /// Returns the conjunction of that mask and `mask`; each may be null.
  Value maskedInside(Location loc, Value mask, const Slice &part);
  /// Returns a vector with `element` in the place of elements outside along
  /// some dims.
  Value padded(Location loc, Value vector, const Slice &part,
               ArrayRef<bool> dims, TypedAttr element);

  /// Calls `body` for each tile of a root with ordered scans, which carry the
  /// combined value from tile to tile. `part` is the root's slice along the
  /// other dims.
  void tilesInOrder(ArrayRef<OrderedScan> scans, const Slice &part,
                    int64_t extent, int64_t tile, int64_t rest,
                    llvm::function_ref<void(Offset, int64_t)> body);

  /// Returns an offset as an index value.
  Value valueOf(Offset offset);
  /// Returns a number that divides an offset.
  int64_t alignmentOf(Offset offset) const;
  /// Returns an offset multiplied by `factor`.
  Offset times(Offset offset, int64_t factor);
  /// Returns an offset divided by `factor`.
  /// \pre alignmentOf(offset) is a multiple of `factor`
  Offset over(Offset offset, int64_t factor);
  /// Returns the start of the group of `group` elements that contains an
  /// offset.
  Offset groupAround(Offset offset, int64_t group);
  Value sum(Value index, Offset offset);
  /// Returns the indices of an access, moved along the dims of memory that a
  /// vector's dims map to; `map` is from memory to the vector.
  SmallVector<Value> moved(ValueRange indices, AffineMap map,
                           ArrayRef<Offset> by);

  OpBuilder builder;
  const Machine &machine;

private:
  struct Level {
    scf::ForOp loop; // none for the outermost level
    llvm::DenseMap<Value, SmallVector<std::pair<Slice, Value>, 2>> known;
  };

  size_t depthOf(const Slice &part) const;
  Value computeByRule(Operation *op, Value vector, const Slice &part);
  Value recreate(Operation *op, Value vector, ValueRange operands,
                 const Slice &part);
  Value elementwise(Operation *op, Value vector, const Slice &part);
  Value intrinsic(Operation *op, const Slice &part);
  Value fromBuffer(Value buffer, Value vector, const Slice &part);
  Value transferRead(vector::TransferReadOp op, const Slice &part);
  Value load(vector::LoadOp op, const Slice &part);
  Value maskedLoad(vector::MaskedLoadOp op, const Slice &part);
  Value gather(vector::GatherOp op, const Slice &part);
  /// Computes a slice of a transfer_gather.
  Value transferGather(Operation *op, const Slice &part);
  Value broadcast(vector::BroadcastOp op, const Slice &part);
  Value transpose(vector::TransposeOp op, const Slice &part);
  Value shapeCast(vector::ShapeCastOp op, const Slice &part);
  Value extract(vector::ExtractOp op, const Slice &part);
  Value stridedSlice(vector::ExtractStridedSliceOp op, const Slice &part);
  Value computeGroups(Operation *op, Value vector, const Slice &part);
  Slice groupsOfSource(const ElementGroups &groups, const Slice &part);
  Value groupsInside(Value vector, const Slice &part);
  Value ofGroups(Value vector, int64_t group, const Slice &part);
  Value createMask(vector::CreateMaskOp op, const Slice &part);
  Value constantMask(vector::ConstantMaskOp op, const Slice &part);
  Value step(vector::StepOp op, const Slice &part);
  Value constantOf(Operation *op, const Slice &part);
  Value zero(Location loc, Type element);
  Value contract(Operation *op, const Slice &part);
  Value outerProduct(vector::OuterProductOp op, const Slice &part);
  Value multiReduction(vector::MultiDimReductionOp op, const Slice &part);
  Value reduction(vector::ReductionOp op);
  Value scan(vector::ScanOp op, const Slice &part);
  Value scanTotal(vector::ScanOp op, const Slice &part);
  Value scanBegin(const OrderedScan &scan, const Slice &part);
  /// Combines a box of `source`: `part`, and the full extent of the dims that
  /// `reduced` marks.
  Value reduce(Operation *op, vector::CombiningKind kind, Value source,
               Value accumulator, ArrayRef<bool> reduced, const Slice &part);

  Location loc; // of the loops
  SmallVector<Level, 4> levels;
  llvm::DenseMap<Value, size_t> depths;      // of the loops' indices
  llvm::DenseMap<Value, int64_t> alignments; // of the loops' indices
  llvm::DenseMap<std::pair<Value, int64_t>, Value> scaled; // negative: divided
  /// The combined value of each scan so far.
  llvm::DenseMap<Operation *, Value> carried;
  const Buffers &buffers;
};

/// Returns the slice of a transfer's mask for a slice of its vector.
Slice sliceOfMask(AffineMap permutationMap, const Slice &part);

/// Returns whether results may be combined in another order than the source's.
bool mayReorder(Type element, vector::CombiningKind kind,
                const Machine &machine);

/// Returns the type of a slice of a vector.
VectorType typeOf(Value vector, const Slice &part);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_SLICER_H
