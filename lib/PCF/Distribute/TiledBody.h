//===- TiledBody.h - Rebuilding a phase's ops for one member ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op of the body is rebuilt on the elements of one member (TileMap.h). A
// tensor of one tile is computed where its op is. A tensor with repeats is
//
//   whole      where it is payload, or of an MMA: one packed tensor
//   in tiles   else: tile by tile where it is written, in loops over repeats
//
// Slices are offset by the member's digits and the repeats, and are clipped at
// the end of the whole. One replica writes for all.
//
//   TiledBodyPlaces.cpp   the offset and the size of a tile
//   TiledBodyTiles.cpp    ops on one tile
//   TiledBodyPacked.cpp   ops on all of a member's tiles
//   TensorTilingRewrite.cpp   the choice between the two
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_TILEDBODY_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_TILEDBODY_H

#include "TensorTiling.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace distaff::pcf {

using Sizes = SmallVector<OpFoldResult>;
/// Values of the repeats, per dimension. All are empty if there are none.
using Repeats = SmallVector<Sizes>;

class TiledBody {
public:
  TiledBody(RunClusterOp phase, ValueRange ids, const WorkerGrid &grid,
            const BodyTiling &tiling, RewriterBase &rewriter);

  /// Rebuilds the ops of a block without its terminator.
  void makeBlock(Block &block);

  /// Rebuilds the ops of a block for one of the members that have equal boxes.
  void makeBlockOnce(Block &block);

  /// Returns what a member has of a value of the phase, packed by `map`.
  Value getPart(Value value, const TileMap &map);

  IRMapping mapping;

private:
  using Own = TileMap::Own;
  using Packing = TileMap::Packing;

  // Places.
  OpFoldResult linearize(ValueRange ids);
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands);
  AffineExpr digitOfMember(const TileDigit &digit, AffineExpr member);
  AffineExpr begin(const TileDim &dim, ArrayRef<OpFoldResult> at,
                   Sizes &symbols);
  OpFoldResult clampSize(const TileDim &dim, ArrayRef<OpFoldResult> at,
                         OpFoldResult extent);
  Sizes clampSizes(const TileMap &map, const Repeats &at,
                   ArrayRef<OpFoldResult> extents);
  Sizes moveOffsets(const TileMap &map, const Repeats &at,
                    ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> strides);
  Sizes getExtents(Value value);
  Sizes sizesOf(Value box);
  Sizes remap(ArrayRef<OpFoldResult> old);
  void setSizes(Value box, Sizes sizes) { boxSizes[box] = std::move(sizes); }
  void guardReplicas(const TileMap &map, function_ref<void()> make);
  void forEachTile(const TileMap &map,
                   function_ref<void(const Repeats &)> make);
  void forEachTileUnrolled(const TileMap &map,
                           function_ref<void(const Repeats &)> make);

  // One tile.
  Value makeTile(Value value, const TileMap &map, const Repeats &at);
  Value makeTileOf(Value value, const TileMap &map, const Repeats &at);
  Value makeRead(ReadSliceOp op, const TileMap &map, const Repeats &at);
  Value makePad(tensor::PadOp op, const TileMap &map, const Repeats &at);
  Value makeSlice(tensor::ExtractSliceOp op, const TileMap &map,
                  const Repeats &at);
  Value makeRemade(Value value, const TileMap &map, const Repeats &at);
  SmallVector<Value> makeOnTile(Operation &op, const Repeats &at,
                                unsigned number = 0);
  SmallVector<Value> makeLinalgOnTile(linalg::LinalgOp op, const Repeats &at,
                                      unsigned number);
  /// Describes the loops of an op on a tile, as dimensions.
  struct LoopTiles {
    TileMap map;
    Repeats at;

    LoopTiles pick(AffineMap indexing) const;
  };
  LoopTiles getLoopTiles(linalg::LinalgOp op, const Repeats &at,
                         unsigned number);
  Operation *cloneOn(Operation &op, ArrayRef<std::pair<unsigned, Value>> tiles);
  /// Describes a tile in a packed tensor: the slice, and for each of its
  /// dimensions the corresponding dimension of the tile, if there is one.
  /// `order` lists the tile's dimensions in the order of the packing; `direct`
  /// holds for a slice that is the tile except for unit dimensions.
  struct PackedTile {
    Sizes offsets;
    SmallVector<int64_t> shape;
    SmallVector<std::optional<unsigned>> dims;
    SmallVector<unsigned> order;
    bool isDirect = true;
  };
  PackedTile findTile(const TileMap &map, const Repeats &at);
  Value cutTile(Value packed, const TileMap &map, const Repeats &at,
                ArrayRef<OpFoldResult> sizes);
  Value putTile(Value tile, Value packed, const TileMap &map,
                const Repeats &at);
  Value cutCorner(Value tile, ArrayRef<OpFoldResult> sizes);
  Value cutLess(tensor::ExtractSliceOp corner, ArrayRef<int64_t> shape);
  Value padTo(Value tile, ArrayRef<int64_t> shape);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  Value permuteDigits(Value value, ArrayRef<int64_t> digits,
                      ArrayRef<int64_t> permutation, ArrayRef<int64_t> shape);
  bool mayComputeBeyond(linalg::LinalgOp op);
  Sizes getPlace(const TileMap &map, const Repeats &at);

  // All tiles.
  void findWholes(RunClusterOp phase);
  void addWhole(Value value);
  bool mayReadLater(ReadSliceOp read, ArrayRef<Operation *> order);
  bool isPackable(Operation *op);
  void makeWhole(Operation &op);
  Value makePackedRead(ReadSliceOp op, const TileMap &map);
  void makePackedElementwise(Operation &op);
  /// Describes an operand of an op on all tiles. It is a scalar if it has no
  /// value.
  struct PackedOperand {
    Value value;
    TileMap map;
    Packing groups; ///< By dimensions of the result.
  };
  PackedOperand makePackedOperand(linalg::LinalgOp op, OpOperand &operand);
  void makePackedLinalg(linalg::LinalgOp op);
  Value makeFromTiles(Value value, const TileMap &map);
  void makeMma(linalg::LinalgOp op);
  Value repack(Value packed, const TileMap &from, const TileMap &to);

  // Ops.
  void make(Operation &op);
  void makeWrite(WriteSliceOp op);
  void makeEagerly(Operation &op);

  const TileMap *getMap(Value value) const { return tiling.lookup(value); }
  bool isPacked(Value value) const {
    const TileMap *map = getMap(value);
    return map && map->isPacked();
  }

  const WorkerGrid &grid;
  const BodyTiling &tiling;
  RewriterBase &rewriter;
  Location loc = rewriter.getUnknownLoc();
  /// Number of the member that runs the code, counted from 0.
  OpFoldResult member;
  llvm::DenseMap<Value, Sizes> boxSizes;
  llvm::DenseSet<Value> wholes;
  /// Describes a tile computed in the innermost loops, with its repeats.
  struct MadeTile {
    Value value;
    Repeats at;
    Value tile;
  };
  SmallVector<MadeTile> made;
};

/// Returns whether a value is rematerialized wherever a part of it is needed:
/// an empty tensor, or one with the same number in all elements.
bool isRemade(Value value);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_TILEDBODY_H
