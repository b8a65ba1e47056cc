//===- Access.h - Memory accesses of one lane -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transfer moves a tile between memory and registers. Since registers have
// names, their order is free, so a tile is split into *chunks*: runs of
// elements that are adjacent in memory, along any vector dim. A chunk is one
// load or store, as wide as these conditions allow:
//
//   - it divides the run, is a power of two and no wider than the target's
//     widest access to that memory;
//   - the address is a multiple of it (promised by the op's `alignment`, or
//     found by AccessWidth.h for arguments and allocations);
//   - where the tile may stick out of the memref, chunks lie wholly inside or
//     wholly outside;
//   - all its elements have the same mask bit.
//
// The memref may be a subview, whose extents then bound the tile; the access
// addresses the memory under the subview.
//
// Otherwise chunks have one element.
//
// Worked example: vector<2x4xf16> read at [%i, 4 * %lane] of memref<64x64xf16>:
// runs of 4 along the last dim, 8 bytes, the address 64 * i + 4 * lane elements
// is a multiple of 4, so two 64-bit loads. At [%i, %lane] it would be eight
// 16-bit ones.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_LOWERVECTORS_ACCESS_H
#define DISTAFF_LIB_LOWER_LOWERVECTORS_ACCESS_H

#include "ScalarRegisters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/Interfaces/VectorInterfaces.h"

namespace distaff::registers {

/// A tile of memory and the map of a vector's elements into it.
struct Tile {
  Location loc;
  Value memref;
  SmallVector<Value> indices;
  VectorType vector;
  /// The map from memref dims to vector dims, as in vector.transfer_read.
  AffineMap map;
  SmallVector<bool> inBounds; // one per vector dim
  /// Alignment of the address in bytes that the op promises.
  int64_t alignment = 1;
  /// A bit per element of the vector that memory has (broadcast dims have
  /// extent 1), in the vector's row-major order; empty: all true.
  SmallVector<Value> mask;
  /// Whether chunks may begin at any element.
  bool takesUnaligned = false;
};

/// Returns the tile that a transfer moves, without its mask.
Tile tileOf(VectorTransferOpInterface op);

/// Returns the tile that a load or a store of the innermost dims moves, wholly
/// in bounds.
template <typename Op> Tile minorTile(Op op) {
  VectorType type = op.getVectorType();
  auto memref = cast<MemRefType>(op.getBase().getType());
  return {op.getLoc(),
          op.getBase(),
          SmallVector<Value>(op.getIndices()),
          type,
          AffineMap::getMinorIdentityMap(memref.getRank(), type.getRank(),
                                         op.getContext()),
          SmallVector<bool>(type.getRank(), true),
          int64_t(op.getAlignment().value_or(1)),
          {}};
}

/// An address of elements in the memory at the root of a chain of subviews.
struct Address {
  Value memref;
  SmallVector<Value> indices;
};

/// Computes addresses of a tile's elements in the memory under subviews and
/// under dims that are split.
class TileAddress {
public:
  TileAddress(const Tile &tile, Lowering &lowering);

  /// Returns the address of the element at `offsets` from the tile's first, by
  /// dims of the tile's memref.
  Address at(ArrayRef<int64_t> offsets, Lowering &lowering) const;

private:
  /// Maps one dim of the tile's memref to a dim of the memory.
  struct Place {
    /// Dim of `first`; none where it has no dims, and the tile's have extent 1.
    std::optional<unsigned> dim;
    int64_t scale = 1;
    Value rows = {}; // the dynamic number of rows; null: 1
  };

  bool resolve(memref::SubViewOp view, Lowering &lowering);
  bool resolve(memref::ExpandShapeOp split, Lowering &lowering);

  Address first;
  SmallVector<Place> dims; // places by dim of the tile's memref
};

/// Returns the conjunction of conditions, null for none.
Value both(Value lhs, Value rhs, Lowering &lowering);

/// Describes one access: `positions[i]` of the vector is `i` elements after
/// `address`.
struct Chunk {
  Address address;
  SmallVector<int64_t> positions;
  Value condition; // null: always
};

/// The tile without its broadcast dims, which memory does not have.
struct Tiling {
  SmallVector<int64_t> shape;     // extent 1 where the map has a 0
  SmallVector<int64_t> memrefDim; // dim of each vector dim; -1 where broadcast
};
Tiling tilingOf(const Tile &tile);

/// Returns the vector dim along which elements are adjacent in memory, or -1.
int64_t runDimOf(const Tile &tile, const Tiling &tiling);

/// Splits the tile into chunks and calls `visit` on each, with the builder
/// where the access belongs.
void forEachChunk(const Tile &tile, Lowering &lowering,
                  llvm::function_ref<void(const Chunk &)> visit);

/// Returns the vector type of `width` elements of a tile.
VectorType chunkType(const Tile &tile, int64_t width);

/// Loads a chunk unconditionally: one element, or the vector of all.
Value loadUnguarded(const Tile &tile, const Chunk &chunk, OpBuilder &builder);

/// Returns the elements of a loaded chunk.
SmallVector<Value> elementsOf(const Tile &tile, Value loaded,
                              OpBuilder &builder);

/// Reads a tile of unaligned rows, in chunks of `width` elements that may cross
/// the end of a row (VX-289). The elements are as in memory, without broadcast
/// dims; `padding` is one value, or one per element.
SmallVector<Value> readAcrossRowEnds(const Tile &tile, ArrayRef<Value> padding,
                                     int64_t width, Lowering &lowering);

/// Loads a chunk, or returns the padding where its condition is false.
SmallVector<Value> loadChunk(const Tile &tile, const Chunk &chunk,
                             ArrayRef<Value> otherwise, Lowering &lowering);

/// Stores values to a chunk where its condition holds.
void storeChunk(const Tile &tile, const Chunk &chunk, ArrayRef<Value> values,
                Lowering &lowering);

/// Reads every chunk of a tile; elements along broadcast dims share a register.
/// `padding` is one value for all elements or one for each.
SmallVector<Value> readTile(const Tile &tile, ArrayRef<Value> padding,
                            Lowering &lowering);

/// Writes every chunk of a tile.
void writeTile(const Tile &tile, ArrayRef<Value> elements, Lowering &lowering);

/// Returns the condition that an index along a dim of the memref is in bounds;
/// null where that is known.
Value insideCondition(const Tile &tile, int64_t dim, Value index,
                      Lowering &lowering);

} // namespace distaff::registers

#endif // DISTAFF_LIB_LOWER_LOWERVECTORS_ACCESS_H
