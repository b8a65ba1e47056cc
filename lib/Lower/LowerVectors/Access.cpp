//===- Access.cpp - Memory accesses of one lane ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access.h has the rules; this file decides them and emits the accesses.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace distaff;
using namespace distaff::registers;

Tile registers::tileOf(VectorTransferOpInterface op) {
  return {op.getLoc(),
          op.getBase(),
          SmallVector<Value>(op.getIndices()),
          op.getVectorType(),
          op.getPermutationMap(),
          op.getInBoundsValues(),
          /*alignment=*/1,
          {}};
}

Tiling registers::tilingOf(const Tile &tile) {
  Tiling tiling;
  for (auto [extent, expr] :
       llvm::zip_equal(tile.vector.getShape(), tile.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    tiling.shape.push_back(dim ? extent : 1);
    tiling.memrefDim.push_back(dim ? int64_t(dim.getPosition()) : -1);
  }
  return tiling;
}

int64_t registers::runDimOf(const Tile &tile, const Tiling &tiling) {
  auto type = cast<MemRefType>(tile.memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  auto found = llvm::find(tiling.memrefDim, type.getRank() - 1);
  if (found == tiling.memrefDim.end() || type.getRank() == 0 ||
      failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return -1;
  return found - tiling.memrefDim.begin();
}

//===----------------------------------------------------------------------===//
// Access width
//===----------------------------------------------------------------------===//

namespace {

/// Decides how wide the chunks of a tile may be.
class WidthChoice {
public:
  WidthChoice(const Tile &tile, const Tiling &tiling, Lowering &lowering)
      : tile(tile), tiling(tiling), lowering(lowering),
        type(cast<MemRefType>(tile.memref.getType())) {}

  int64_t runDim() const { return runDimOf(tile, tiling); }

  /// Returns whether chunks of this width may cross the end of a row.
  bool mayCrossRows(int64_t width) {
    return width > 1 && !staysWhole(runDim(), width);
  }

  int64_t choose() {
    int64_t run = runDim();
    if (run < 0 || !type.getElementType().isIntOrIndexOrFloat())
      return 1;
    if (!hasNoGaps(tile.memref))
      return 1;
    int64_t bits = bitsInMemory(tile.memref);
    int64_t multiple = addressDivisor();
    int64_t width = 1;
    int64_t widest = widestAccessBits(type, lowering.target);
    while (width * 2 * bits <= widest && tiling.shape[run] % (width * 2) == 0 &&
           (tile.takesUnaligned ||
            (multiple % (width * 2) == 0 && staysWhole(run, width * 2))))
      width *= 2;
    while (width > 1 && !masksAgree(run, width))
      width /= 2;
    return width * bits < 8 ? 1 : width; // an access takes whole bytes
  }

private:
  /// Returns a number of elements that divides the address of every run of the
  /// tile.
  int64_t addressDivisor() {
    // An alignment of 1 promises nothing, also where elements share bytes.
    int64_t promised =
        tile.alignment == 1
            ? 1
            : std::max<int64_t>(1,
                                8 * tile.alignment / bitsInMemory(tile.memref));
    int64_t first = divisorOfAddress(tile.memref, tile.indices, lowering.facts,
                                     lowering.target);
    // Rows of the tile differ by whole strides, chunks by steps along the run.
    llvm::SmallBitVector moves(type.getRank());
    for (auto [extent, dim] : llvm::zip_equal(tiling.shape, tiling.memrefDim))
      if (dim >= 0)
        moves[dim] = extent > 1;
    return std::gcd(std::lcm(promised, first),
                    divisorOfRows(tile.memref, moves, lowering.facts));
  }

  /// Returns whether no chunk of this width crosses the memref's edge.
  bool staysWhole(int64_t run, int64_t width) {
    if (tile.inBounds[run])
      return true;
    return divisorOfRowLength(tile.memref, lowering.facts) % width == 0 &&
           lowering.facts.divisor(tile.indices.back()) % width == 0;
  }

  bool masksAgree(int64_t run, int64_t width) {
    if (tile.mask.empty())
      return true;
    bool agree = true;
    forEachIndex(tiling.shape, [&](int64_t position, ArrayRef<int64_t> index) {
      SmallVector<int64_t> first(index);
      first[run] -= first[run] % width;
      agree &=
          tile.mask[position] == tile.mask[linearIndex(tiling.shape, first)];
    });
    return agree;
  }

  const Tile &tile;
  const Tiling &tiling;
  Lowering &lowering;
  MemRefType type;
};

} // namespace

//===----------------------------------------------------------------------===//
// Chunk enumeration
//===----------------------------------------------------------------------===//

Value registers::both(Value lhs, Value rhs, Lowering &lowering) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return lowering.builder.createOrFold<arith::AndIOp>(lhs.getLoc(), lhs, rhs);
}

Value registers::insideCondition(const Tile &tile, int64_t dim, Value index,
                                 Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  int64_t extent = cast<MemRefType>(tile.memref.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(extent) && lowering.facts.isBelow(index, extent))
    return Value();
  Value bound =
      ShapedType::isDynamic(extent)
          ? builder.createOrFold<memref::DimOp>(tile.loc, tile.memref, dim)
          : lowering.index(extent);
  // The comparison is unsigned, so that a negative index is out of bounds too.
  Value inside = builder.createOrFold<arith::CmpIOp>(
      tile.loc, arith::CmpIPredicate::ult, index, bound);
  return matchPattern(inside, m_One()) ? Value() : inside;
}

TileAddress::TileAddress(const Tile &tile, Lowering &lowering)
    : first{tile.memref, tile.indices} {
  for (unsigned dim = 0; dim < tile.indices.size(); ++dim)
    dims.push_back({dim, 1, {}});
  while (Operation *op = first.memref.getDefiningOp()) {
    auto view = dyn_cast<memref::SubViewOp>(op);
    auto split = dyn_cast<memref::ExpandShapeOp>(op);
    if (!(view && resolve(view, lowering)) &&
        !(split && resolve(split, lowering)))
      break;
  }
}

Address TileAddress::at(ArrayRef<int64_t> offsets, Lowering &lowering) const {
  Address result = first;
  for (auto [place, offset] : llvm::zip_equal(dims, offsets)) {
    if (!place.dim)
      continue;
    Value &index = result.indices[*place.dim];
    if (!place.rows || offset == 0) {
      index = lowering.offset(index, offset * place.scale);
      continue;
    }
    Location loc = first.memref.getLoc();
    Value steps = lowering.builder.createOrFold<arith::MulIOp>(
        loc, place.rows, lowering.index(offset * place.scale));
    index = lowering.builder.createOrFold<arith::AddIOp>(loc, index, steps);
  }
  return result;
}

/// Returns whether elements are contiguous along the last dim of a view but not
/// along its source's last dim, which the view drops: one access of several
/// elements would leave the bounds of the source.
static bool hasRunOfItsOwn(memref::SubViewOp view) {
  auto [strides, offset] = view.getType().getStridesAndOffset();
  return !strides.empty() && strides.back() == 1 &&
         view.getDroppedDims().test(view.getSourceType().getRank() - 1);
}

bool TileAddress::resolve(memref::SubViewOp view, Lowering &lowering) {
  if (ShapedType::isDynamicShape(view.getStaticStrides()) ||
      hasRunOfItsOwn(view))
    return false;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<Value> indices;
  SmallVector<Place> kept; // places by dim of the view
  for (auto [dim, offset, stride] :
       llvm::enumerate(view.getMixedOffsets(), view.getStaticStrides())) {
    auto constant = getConstantIntValue(offset);
    Value index = constant ? lowering.index(*constant) : cast<Value>(offset);
    if (!dropped.test(dim)) {
      Value steps = lowering.builder.createOrFold<arith::MulIOp>(
          view.getLoc(), first.indices[kept.size()], lowering.index(stride));
      index = lowering.builder.createOrFold<arith::AddIOp>(view.getLoc(), index,
                                                           steps);
      kept.push_back({static_cast<unsigned>(dim), stride, {}});
    }
    indices.push_back(index);
  }
  for (Place &place : dims)
    if (place.dim)
      place = {kept[*place.dim].dim, place.scale * kept[*place.dim].scale,
               place.rows};
  first = {view.getSource(), indices};
  return true;
}

bool TileAddress::resolve(memref::ExpandShapeOp split, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = split.getLoc();
  SmallVector<OpFoldResult> shape = split.getMixedOutputShape();
  SmallVector<Value> indices;
  SmallVector<Place> places(shape.size());
  for (auto [dim, group] : llvm::enumerate(split.getReassociationIndices())) {
    Value sum = lowering.index(0), rows;
    int64_t scale = 1;
    for (int64_t digit : llvm::reverse(group)) {
      places[digit] = {static_cast<unsigned>(dim), scale, rows};
      Value share = builder.createOrFold<arith::MulIOp>(
          loc, first.indices[digit], lowering.index(scale));
      if (rows)
        share = builder.createOrFold<arith::MulIOp>(loc, share, rows);
      sum = builder.createOrFold<arith::AddIOp>(loc, share, sum);
      if (std::optional<int64_t> extent = getConstantIntValue(shape[digit]))
        scale *= *extent;
      else if (!rows)
        rows = cast<Value>(shape[digit]);
      else
        rows = builder.createOrFold<arith::MulIOp>(loc, rows,
                                                   cast<Value>(shape[digit]));
    }
    indices.push_back(sum);
  }
  for (Place &place : dims)
    if (place.dim && place.rows && places[*place.dim].rows)
      return false;
  for (Place &place : dims) {
    if (!place.dim)
      continue;
    Place behind = places[*place.dim];
    place = {behind.dim, place.scale * behind.scale,
             behind.rows ? behind.rows : place.rows};
  }
  first = {split.getSrc(), indices};
  return true;
}

void registers::forEachChunk(const Tile &tile, Lowering &lowering,
                             llvm::function_ref<void(const Chunk &)> visit) {
  Tiling tiling = tilingOf(tile);
  WidthChoice choice(tile, tiling, lowering);
  TileAddress address(tile, lowering);
  int64_t width = choice.choose(), run = choice.runDim();
  SmallVector<int64_t> starts = tiling.shape;
  if (width > 1)
    starts[run] /= width;

  forEachIndex(starts, [&](int64_t, ArrayRef<int64_t> start) {
    SmallVector<int64_t> index(start);
    if (width > 1)
      index[run] *= width;
    Chunk chunk;
    SmallVector<int64_t> offsets(tile.indices.size());
    for (auto [dim, memrefDim] : llvm::enumerate(tiling.memrefDim)) {
      if (memrefDim < 0)
        continue;
      offsets[memrefDim] = index[dim];
      if (tile.inBounds[dim])
        continue;
      Value at = lowering.offset(tile.indices[memrefDim], index[dim]);
      chunk.condition =
          both(chunk.condition, insideCondition(tile, memrefDim, at, lowering),
               lowering);
    }
    chunk.address = address.at(offsets, lowering);
    if (!tile.mask.empty()) {
      Value bit = tile.mask[linearIndex(tiling.shape, index)];
      if (!matchPattern(bit, m_One()))
        chunk.condition = both(chunk.condition, bit, lowering);
    }
    for (int64_t i = 0; i < width; ++i) {
      chunk.positions.push_back(linearIndex(tiling.shape, index));
      if (i + 1 < width)
        ++index[run];
    }
    visit(chunk);
  });
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

VectorType registers::chunkType(const Tile &tile, int64_t width) {
  return VectorType::get({width}, tile.vector.getElementType());
}

static llvm::MaybeAlign chunkAlignment(const Tile &tile, int64_t width) {
  int64_t elements = tile.takesUnaligned ? 1 : width;
  return llvm::MaybeAlign(elements * bitsInMemory(tile.memref) / 8);
}

Value registers::loadUnguarded(const Tile &tile, const Chunk &chunk,
                               OpBuilder &builder) {
  int64_t width = chunk.positions.size();
  if (width == 1)
    return memref::LoadOp::create(builder, tile.loc, chunk.address.memref,
                                  chunk.address.indices);
  return vector::LoadOp::create(builder, tile.loc, chunkType(tile, width),
                                chunk.address.memref, chunk.address.indices,
                                /*nontemporal=*/false,
                                chunkAlignment(tile, width));
}

/// Returns the value that the branch of a chunk that is not loaded yields.
static Value combine(const Tile &tile, ArrayRef<Value> elements,
                     OpBuilder &builder) {
  if (elements.size() == 1)
    return elements.front();
  return vector::FromElementsOp::create(
      builder, tile.loc, chunkType(tile, elements.size()), elements);
}

SmallVector<Value> registers::elementsOf(const Tile &tile, Value loaded,
                                         OpBuilder &builder) {
  if (!isa<VectorType>(loaded.getType()))
    return {loaded};
  auto parts = vector::ToElementsOp::create(builder, tile.loc, loaded);
  return SmallVector<Value>(parts.getElements());
}

SmallVector<Value> registers::loadChunk(const Tile &tile, const Chunk &chunk,
                                        ArrayRef<Value> otherwise,
                                        Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  if (!chunk.condition)
    return elementsOf(tile, loadUnguarded(tile, chunk, builder), builder);
  if (matchPattern(chunk.condition, m_Zero()))
    return SmallVector<Value>(otherwise);
  // Words of several elements are yielded as they are loaded (VX-252).
  auto branch = scf::IfOp::create(
      builder, tile.loc, chunk.condition,
      [&](OpBuilder &inside, Location loc) {
        scf::YieldOp::create(inside, loc, loadUnguarded(tile, chunk, inside));
      },
      [&](OpBuilder &inside, Location loc) {
        scf::YieldOp::create(inside, loc, combine(tile, otherwise, inside));
      });
  return elementsOf(tile, branch.getResult(0), builder);
}

static void storeUnguarded(const Tile &tile, const Chunk &chunk,
                           ArrayRef<Value> values, OpBuilder &builder) {
  int64_t width = chunk.positions.size();
  if (width == 1) {
    memref::StoreOp::create(builder, tile.loc, values.front(),
                            chunk.address.memref, chunk.address.indices);
    return;
  }
  Value vector = vector::FromElementsOp::create(builder, tile.loc,
                                                chunkType(tile, width), values);
  vector::StoreOp::create(builder, tile.loc, vector, chunk.address.memref,
                          chunk.address.indices,
                          /*nontemporal=*/false, chunkAlignment(tile, width));
}

void registers::storeChunk(const Tile &tile, const Chunk &chunk,
                           ArrayRef<Value> values, Lowering &lowering) {
  if (!chunk.condition)
    return storeUnguarded(tile, chunk, values, lowering.builder);
  if (matchPattern(chunk.condition, m_Zero()))
    return;
  auto branch = scf::IfOp::create(lowering.builder, tile.loc, chunk.condition,
                                  /*withElseRegion=*/false);
  OpBuilder inside = branch.getThenBodyBuilder();
  storeUnguarded(tile, chunk, values, inside);
}

//===----------------------------------------------------------------------===//
// Whole tiles
//===----------------------------------------------------------------------===//

static SmallVector<Value> readChunks(const Tile &tile, ArrayRef<Value> padding,
                                     Lowering &lowering) {
  SmallVector<Value> values(ShapedType::getNumElements(tilingOf(tile).shape));
  auto paddingAt = [&](int64_t position) {
    return padding.size() == 1 ? padding.front() : padding[position];
  };
  forEachChunk(tile, lowering, [&](const Chunk &chunk) {
    SmallVector<Value> otherwise =
        padding.empty() ? SmallVector<Value>()
                        : llvm::map_to_vector(chunk.positions, paddingAt);
    for (auto [position, value] : llvm::zip_equal(
             chunk.positions, loadChunk(tile, chunk, otherwise, lowering)))
      values[position] = value;
  });
  return values;
}

SmallVector<Value> registers::readTile(const Tile &tile,
                                       ArrayRef<Value> padding,
                                       Lowering &lowering) {
  Tiling tiling = tilingOf(tile);
  WidthChoice choice(tile, tiling, lowering);
  int64_t width = choice.choose();
  SmallVector<Value> inMemory =
      choice.mayCrossRows(width)
          ? readAcrossRowEnds(tile, padding, width, lowering)
          : readChunks(tile, padding, lowering);
  SmallVector<Value> elements;
  forEachIndex(tile.vector.getShape(), [&](int64_t, ArrayRef<int64_t> index) {
    SmallVector<int64_t> at(index);
    for (auto [digit, extent] : llvm::zip_equal(at, tiling.shape))
      digit = extent == 1 ? 0 : digit;
    elements.push_back(inMemory[linearIndex(tiling.shape, at)]);
  });
  return elements;
}

void registers::writeTile(const Tile &tile, ArrayRef<Value> elements,
                          Lowering &lowering) {
  forEachChunk(tile, lowering, [&](const Chunk &chunk) {
    storeChunk(tile, chunk,
               llvm::map_to_vector(chunk.positions,
                                   [&](int64_t i) { return elements[i]; }),
               lowering);
  });
}
