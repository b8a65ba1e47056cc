//===- ChunkShape.cpp - Shape ops on native vectors -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines what rules for native vector chunks share, and the rules for shapes
// that only a CPU has: a GPU's chunks are elements, which Shape.cpp renames by
// the same functions.
//
//===----------------------------------------------------------------------===//
#include "Pieces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::registers;

static int64_t rowOf(ArrayRef<int64_t> shape) {
  return shape.empty() ? 1 : shape.back();
}

static int64_t widthOf(Value piece) {
  auto type = dyn_cast<VectorType>(piece.getType());
  return type ? type.getNumElements() : 1;
}

//===----------------------------------------------------------------------===//
// Shared functions
//===----------------------------------------------------------------------===//

Value registers::splat(Value scalar, int64_t width, Lowering &lowering) {
  if (width == 1)
    return scalar;
  auto type = VectorType::get({width}, scalar.getType());
  TypedAttr constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return lowering.constant(DenseElementsAttr::get(type, constant));
  return vector::BroadcastOp::create(lowering.builder, scalar.getLoc(), type,
                                     scalar);
}

/// Returns a vector for a chunk; a chunk of one element is a scalar, which no
/// shuffle takes.
static Value asVector(Value piece, OpBuilder &b) {
  if (isa<VectorType>(piece.getType()))
    return piece;
  return vector::BroadcastOp::create(
      b, piece.getLoc(), VectorType::get({1}, piece.getType()), piece);
}

static Value asPiece(Value vector, OpBuilder &b) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type || type.getNumElements() > 1)
    return vector;
  return vector::ExtractOp::create(b, vector.getLoc(), vector,
                                   ArrayRef<int64_t>{0});
}

/// Returns `width` elements from `begin` on of one chunk, or of two
/// concatenated chunks.
static Value take(Value first, Value second, int64_t begin, int64_t width,
                  OpBuilder &b) {
  if (begin == 0 && widthOf(first) == width)
    return first;
  if (begin == widthOf(first) && second && widthOf(second) == width)
    return second;
  SmallVector<int64_t> mask =
      llvm::to_vector(llvm::seq<int64_t>(begin, begin + width));
  first = asVector(first, b);
  Value other =
      second && begin + width > widthOf(first) ? asVector(second, b) : first;
  return asPiece(
      vector::ShuffleOp::create(b, first.getLoc(), first, other, mask), b);
}

Value registers::takeElements(Value first, Value second, int64_t begin,
                              int64_t width, Lowering &lowering) {
  return take(first, second, begin, width, lowering.builder);
}

SmallVector<Value> registers::regroup(ArrayRef<Value> pieces,
                                      ArrayRef<Type> types, OpBuilder &b) {
  SmallVector<Value> result;
  int64_t begin = 0; // in pieces.front()
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    int64_t missing = vector ? vector.getNumElements() : 1;
    Value whole;
    while (missing > 0) {
      int64_t count = std::min(missing, widthOf(pieces.front()) - begin);
      Value part = take(pieces.front(), Value(), begin, count, b);
      whole = whole ? take(whole, part, 0, widthOf(whole) + count, b) : part;
      missing -= count;
      begin += count;
      if (begin == widthOf(pieces.front())) {
        pieces = pieces.drop_front();
        begin = 0;
      }
    }
    result.push_back(whole);
  }
  return result;
}

/// Transposes a block: rows, all of one width, become as many chunks as that,
/// each with as many elements as there are rows.
static SmallVector<Value> transposeBlock(ArrayRef<Value> rows,
                                         Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  Location loc = rows.front().getLoc();
  int64_t columns = widthOf(rows.front()), count = rows.size();
  if (columns == 1) {
    if (count == 1)
      return {rows.front()};
    return {vector::FromElementsOp::create(
        b, loc, VectorType::get({count}, rows.front().getType()), rows)};
  }
  if (count == 1) {
    auto parts = vector::ToElementsOp::create(b, loc, rows.front());
    return SmallVector<Value>(parts.getElements());
  }
  int64_t side = llvm::PowerOf2Ceil(std::max(columns, count));
  auto type = VectorType::get({side}, getElementTypeOrSelf(rows.front()));
  SmallVector<Value> square;
  for (Value row : rows) {
    SmallVector<int64_t> mask(side, vector::ShuffleOp::kPoisonIndex);
    for (int64_t i = 0; i < columns; ++i)
      mask[i] = i;
    square.push_back(columns == side
                         ? row
                         : vector::ShuffleOp::create(b, loc, row, row, mask));
  }
  if (count < side)
    square.resize(side, ub::PoisonOp::create(b, loc, type));
  // Each round swaps the off-diagonal blocks of each two by two.
  for (int64_t distance = side / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t column = 0; column < side; ++column) {
      bool isRight = column & distance;
      upper.push_back(isRight ? side + (column ^ distance) : column);
      lower.push_back(isRight ? side + column : column ^ distance);
    }
    for (int64_t row = 0; row < side; ++row)
      if (!(row & distance)) {
        Value first = square[row], second = square[row + distance];
        square[row] = vector::ShuffleOp::create(b, loc, first, second, upper);
        square[row + distance] =
            vector::ShuffleOp::create(b, loc, first, second, lower);
      }
  }
  square.resize(columns);
  for (Value &piece : square)
    piece = takeElements(piece, Value(), 0, count, lowering);
  return square;
}

SmallVector<Value> registers::transpose(ArrayRef<Value> pieces,
                                        ArrayRef<int64_t> shape,
                                        ArrayRef<int64_t> permutation,
                                        Lowering &lowering) {
  int64_t rank = shape.size();
  SmallVector<int64_t> result =
      llvm::map_to_vector(permutation, [&](int64_t dim) { return shape[dim]; });
  SmallVector<int64_t> widths = lowering.widthsOf(shape.back()),
                       newWidths = lowering.widthsOf(result.back());
  ArrayRef<int64_t> rows = shape.drop_back(),
                    newRows = ArrayRef(result).drop_back();
  SmallVector<Value> moved(ShapedType::getNumElements(newRows) *
                           newWidths.size());
  int64_t inner = permutation.back();
  if (inner == rank - 1) {
    forEachIndex(newRows, [&](int64_t row, ArrayRef<int64_t> index) {
      SmallVector<int64_t> at(rank - 1);
      for (auto [dim, digit] : llvm::zip(permutation, index))
        at[dim] = digit;
      for (size_t i = 0; i < widths.size(); ++i)
        moved[row * widths.size() + i] =
            pieces[linearIndex(rows, at) * widths.size() + i];
    });
    return moved;
  }
  // Iterates over blocks along the dim that becomes the row, and all other
  // dims.
  SmallVector<int64_t> blocks(rows);
  blocks[inner] = newWidths.size();
  forEachIndex(blocks, [&](int64_t, ArrayRef<int64_t> block) {
    for (int64_t column = 0; column < int64_t(widths.size()); ++column) {
      SmallVector<Value> from;
      SmallVector<int64_t> at(block);
      for (int64_t i = 0; i < newWidths[block[inner]]; ++i) {
        at[inner] = block[inner] * lowering.width + i;
        from.push_back(pieces[linearIndex(rows, at) * widths.size() + column]);
      }
      at.push_back(column * lowering.width);
      at[inner] = 0;
      for (Value piece : transposeBlock(from, lowering)) {
        SmallVector<int64_t> to;
        for (int64_t dim : permutation.drop_back())
          to.push_back(at[dim]);
        moved[linearIndex(newRows, to) * newWidths.size() + block[inner]] =
            piece;
        ++at.back();
      }
    }
  });
  return moved;
}

SmallVector<Value> registers::broadcast(ArrayRef<Value> pieces,
                                        ArrayRef<int64_t> from,
                                        ArrayRef<int64_t> to,
                                        Lowering &lowering) {
  SmallVector<int64_t> widths = lowering.widthsOf(rowOf(to));
  bool repeatsRow = rowOf(from) == 1 && rowOf(to) != 1;
  int64_t perRow = repeatsRow ? 1 : widths.size();
  ArrayRef<int64_t> fromRows = from.empty() ? from : from.drop_back(),
                    toRows = to.empty() ? to : to.drop_back();
  llvm::DenseMap<std::pair<Value, int64_t>, Value> splats;
  SmallVector<Value> result;
  forEachIndex(toRows, [&](int64_t, ArrayRef<int64_t> index) {
    SmallVector<int64_t> at(index.take_back(fromRows.size()));
    for (auto [digit, extent] : llvm::zip_equal(at, fromRows))
      digit = extent == 1 ? 0 : digit;
    int64_t row = linearIndex(fromRows, at);
    for (auto [i, width] : llvm::enumerate(widths)) {
      Value piece = pieces[row * perRow + (repeatsRow ? 0 : i)];
      if (repeatsRow) {
        Value &known = splats[{piece, width}];
        if (!known)
          known = splat(piece, width, lowering);
        piece = known;
      }
      result.push_back(piece);
    }
  });
  return result;
}

Value registers::maskBelow(Value bound, int64_t first, int64_t width,
                           Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  Location loc = bound.getLoc();
  // The number of elements that are left, which fits 32 bits.
  Value left =
      first == 0
          ? bound
          : b.createOrFold<arith::SubIOp>(loc, bound, lowering.index(first));
  left = b.createOrFold<arith::MaxSIOp>(loc, left, lowering.index(0));
  left = b.createOrFold<arith::MinSIOp>(loc, left, lowering.index(width));
  if (width == 1)
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, left,
                                         lowering.index(0));
  Type word = b.getI32Type();
  left = b.createOrFold<arith::IndexCastOp>(loc, word, left);
  SmallVector<int32_t> positions =
      llvm::to_vector(llvm::seq<int32_t>(0, width));
  Value step = lowering.constant(DenseElementsAttr::get(
      VectorType::get({width}, word), ArrayRef<int32_t>(positions)));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, step,
                               splat(left, width, lowering));
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Lowers a bitcast; chunks of elements of equal width stay the same.
static LogicalResult lowerBitcastInPieces(vector::BitCastOp op,
                                          Lowering &lowering) {
  SmallVector<Value> pieces;
  SmallVector<Value> source(lowering.pieces(op.getSource()));
  for (auto [piece, type] :
       llvm::zip_equal(source, lowering.pieceTypes(op.getResultVectorType())))
    pieces.push_back(isa<VectorType>(type)
                         ? Value(vector::BitCastOp::create(
                               lowering.builder, op.getLoc(), type, piece))
                         : Value(arith::BitcastOp::create(
                               lowering.builder, op.getLoc(), type, piece)));
  lowering.setPieces(op.getResult(), pieces);
  return success();
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

static LogicalResult lowerCreateMaskInPieces(vector::CreateMaskOp op,
                                             Lowering &lowering) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  SmallVector<Value> bounds(op.getOperands());
  OpBuilder &b = lowering.builder;
  auto isBelow = [&](int64_t position, Value bound) {
    return b.createOrFold<arith::CmpIOp>(op.getLoc(), arith::CmpIPredicate::slt,
                                         lowering.index(position), bound);
  };
  if (shape.empty()) {
    lowering.setElements(op.getResult(), {isBelow(0, bounds.front())});
    return success();
  }
  SmallVector<Value> row;
  SmallVector<int64_t> widths = lowering.widthsOf(shape.back());
  for (auto [i, width] : llvm::enumerate(widths))
    row.push_back(
        maskBelow(bounds.back(), i * lowering.width, width, lowering));
  SmallVector<Value> pieces;
  forEachIndex(shape.drop_back(), [&](int64_t, ArrayRef<int64_t> index) {
    Value inside;
    for (auto [digit, bound] : llvm::zip(index, bounds)) {
      Value below = isBelow(digit, bound);
      inside = inside
                   ? b.createOrFold<arith::AndIOp>(op.getLoc(), inside, below)
                   : below;
    }
    for (auto [piece, width] : llvm::zip_equal(row, widths))
      pieces.push_back(
          inside ? b.createOrFold<arith::AndIOp>(
                       op.getLoc(), splat(inside, width, lowering), piece)
                 : piece);
  });
  lowering.setPieces(op.getResult(), pieces);
  return success();
}

void registers::addChunkShapeRules(RuleSet &rules) {
  rules.add(lowerCreateMaskInPieces);
  rules.addWhere<vector::BitCastOp>(
      lowerBitcastInPieces, [](vector::BitCastOp op, Lowering &) {
        return shapeOf(op.getSource()) == shapeOf(op.getResult());
      });
}
