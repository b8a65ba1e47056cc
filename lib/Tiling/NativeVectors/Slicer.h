//===- Slicer.h - Slices of n-D vectors, computed on demand -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An n-D vector may be larger than all registers of its target, so it is never
// computed as a whole: whoever uses it computes a slice of it, by the same op
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
// A slice of a reduction or of a contraction is a loop over slices of what is
// reduced, which carries the accumulators. A slice is computed in the outermost
// loop that its offsets allow, and once: the maximum of a row is computed
// before the loop over the row's columns that subtracts it.
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

/// Where a slice begins along one dim: an index, plus a number.
struct Offset {
  Value base; ///< null for 0
  int64_t constant = 0;
  /// Elements of the slice, at its end, that are behind the end of the vector.
  /// They have any value, and are not accessed in memory (VX-163).
  int64_t outside = 0;

  bool operator==(const Offset &) const = default;
  Offset operator+(int64_t by) const { return {base, constant + by, outside}; }
  bool isZero() const { return !base && constant == 0; }
};

/// A box of elements of a vector.
struct Slice {
  SmallVector<Offset, 4> offsets;
  SmallVector<int64_t, 4> sizes;

  bool operator==(const Slice &) const = default;
  /// All of a vector of that shape.
  static Slice whole(ArrayRef<int64_t> shape) {
    return {SmallVector<Offset, 4>(shape.size()), llvm::to_vector<4>(shape)};
  }
};

/// Where values that have to exist as a whole lie.
using Buffers = llvm::DenseMap<Value, Value>;

/// Whether slices of what `op` computes are made of slices of its operands.
bool isSliceable(Operation *op);

/// Whether a zero among the elements of the second operand is an error.
bool dividesIntegers(Operation *op);

/// Whether tiles of a scan can be computed one after the other.
bool canScanByTiles(vector::ScanOp scan, const Machine &machine);

/// Computes slices in a nest of loops.
class Slicer {
public:
  /// Inserts in front of `at`.
  Slicer(Operation *at, const Machine &machine, const Buffers &buffers);

  /// The slice of a vector; a scalar is its own.
  /// \pre each op that it takes is sliceable, or its result lies in a buffer
  Value slice(Value vector, const Slice &part);
  /// The same of what an op computes, even where that lies in a buffer.
  Value compute(Value vector, const Slice &part);
  /// An element of a vector.
  Value element(Value vector, ArrayRef<Offset> position);

  using LoopBody = llvm::function_ref<SmallVector<Value>(Offset, ValueRange)>;
  /// A loop that carries values; no loop where it has one iteration.
  SmallVector<Value> loop(int64_t begin, int64_t end, int64_t step,
                          ValueRange inits, LoopBody body);
  using TileBody =
      llvm::function_ref<SmallVector<Value>(Offset, int64_t, ValueRange)>;
  /// A loop over the tiles of an extent, and behind it what is left, of which
  /// `rest` elements are computed, or as many as there are.
  SmallVector<Value> tiles(int64_t extent, int64_t tile, int64_t rest,
                           ValueRange inits, TileBody body);

  /// The mask of a slice's elements that its vector has; null for all.
  Value insideMask(Location loc, const Slice &part);
  /// That and `mask`, each of which may be null.
  Value maskedInside(Location loc, Value mask, const Slice &part);
  /// A vector with `element` in the place of what is outside along some dims.
  Value padded(Location loc, Value vector, const Slice &part,
               ArrayRef<bool> dims, TypedAttr element);

  /// The same for tiles of scans, each of which begins with what the tile
  /// before it has combined. `part` is what the root takes along its other
  /// dims.
  void tilesInOrder(ArrayRef<OrderedScan> scans, const Slice &part,
                    int64_t extent, int64_t tile, int64_t rest,
                    llvm::function_ref<void(Offset, int64_t)> body);

  /// An index value.
  Value valueOf(Offset offset);
  /// A number that divides an offset.
  int64_t alignmentOf(Offset offset) const;
  /// An offset among elements that are `factor` times as many.
  Offset times(Offset offset, int64_t factor);
  /// The same of as many fewer, of which whole ones come before.
  /// \pre alignmentOf(offset) is a multiple of `factor`
  Offset over(Offset offset, int64_t factor);
  /// Where the group of so many begins that an offset is in.
  Offset groupAround(Offset offset, int64_t group);
  Value sum(Value index, Offset offset);
  /// The indices of an access, moved along the dims of memory that those of a
  /// vector are; `map` is from memory to the vector.
  SmallVector<Value> moved(ValueRange indices, AffineMap map,
                           ArrayRef<Offset> by);

  OpBuilder builder;
  const Machine &machine;

private:
  struct Level {
    scf::ForOp loop; // none of the outermost one
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
  /// Of a transfer_gather.
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
  /// Combines a box of `source`: `part`, and all of the dims that `reduced`
  /// marks.
  Value reduce(Operation *op, vector::CombiningKind kind, Value source,
               Value accumulator, ArrayRef<bool> reduced, const Slice &part);

  Location loc; // of the loops
  SmallVector<Level, 4> levels;
  llvm::DenseMap<Value, size_t> depths;      // of the loops' indices
  llvm::DenseMap<Value, int64_t> alignments; // of the same
  llvm::DenseMap<std::pair<Value, int64_t>, Value> scaled; // negative: divided
  /// What each scan has combined so far.
  llvm::DenseMap<Operation *, Value> carried;
  const Buffers &buffers;
};

/// The mask of a transfer, for a slice of its vector.
Slice sliceOfMask(AffineMap permutationMap, const Slice &part);

/// Whether results may be combined in another order than the source's.
bool mayReorder(Type element, vector::CombiningKind kind,
                const Machine &machine);

/// The type of a slice of a vector.
VectorType typeOf(Value vector, const Slice &part);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_SLICER_H
