//===- MatrixProducts.cpp - Products in matrix registers (AMX) ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatrixProducts.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;

namespace {
/// Describes adjacent registers in memory whose last two dims are the rows and
/// their words.
struct Registers {
  Value memory;
  SmallVector<Value> place; // indices of the first register
  int64_t down, across;
  amx::TileType type;

  /// Returns the place of the register that is so many rows and words further.
  SmallVector<Value> placeOf(OpBuilder &b, int64_t rows, int64_t words) const;
};

/// Rewrites the loop of one block.
class MatrixLoop {
public:
  MatrixLoop(const PackedDotOperands &words, const LoopOfBlock &block);

  void rewrite();

private:
  void writeStart();
  Registers registersOf(OpBuilder &b, Value operand, const WordParts &parts,
                        const IRMapping &map) const;
  SmallVector<Value> load(OpBuilder &b, const Registers &registers) const;
  Value multiply(OpBuilder &b, Value left, Value right, Value sum) const;
  SmallVector<Value> multiplyAll(OpBuilder &b, Value word,
                                 ValueRange carried) const;
  void readEnd();

  const PackedDotOperands &words;
  const MatrixUnit &unit;
  const LoopOfBlock &block;
  scf::ForOp old;
  Location loc;
  VectorType tile;
  Registers sums;
};
} // namespace

SmallVector<Value> Registers::placeOf(OpBuilder &b, int64_t rows,
                                      int64_t words) const {
  SmallVector<Value> at(place);
  for (auto [dim, distance] :
       {std::pair(at.size() - 2, rows), std::pair(at.size() - 1, words)})
    if (distance > 0)
      at[dim] = affine::makeComposedAffineApply(
          b, at[dim].getLoc(),
          AffineMap::get(1, 0, b.getAffineDimExpr(0) + distance), {at[dim]});
  return at;
}

/// Returns the memory with the unit dims between the dim of its rows and the
/// last one collapsed into the former.
static std::pair<Value, SmallVector<Value>>
inRows(OpBuilder &b, Value memory, ArrayRef<Value> place, unsigned rowDim) {
  unsigned rank = place.size();
  SmallVector<Value> rows(place.take_front(rowDim + 1));
  rows.push_back(place.back());
  if (rowDim + 2 == rank)
    return {memory, rows};
  SmallVector<ReassociationIndices> dims;
  for (unsigned dim = 0; dim <= rowDim; ++dim)
    dims.push_back({dim});
  for (unsigned dim = rowDim + 1; dim + 1 < rank; ++dim)
    dims.back().push_back(dim);
  dims.push_back({rank - 1});
  return {memref::CollapseShapeOp::create(b, memory.getLoc(), memory, dims),
          rows};
}

MatrixLoop::MatrixLoop(const PackedDotOperands &words, const LoopOfBlock &block)
    : words(words), unit(*words.matrices), block(block), old(block.loop),
      loc(old.getLoc()), tile(cast<VectorType>(old.getResult(0).getType())) {
  ArrayRef<int64_t> shape = tile.getShape();
  unsigned rank = block.places.front().size(), rowDim = rank - 2;
  for (unsigned dim = 0; dim + 1 < shape.size(); ++dim)
    if (shape[dim] > 1)
      rowDim = rank - shape.size() + dim;
  OpBuilder b(block.start);
  auto [memory, place] =
      inRows(b, block.waiting.front(), block.places.front(), rowDim);
  sums = {memory, place, tile.getNumElements() / shape.back() / unit.rows,
          shape.back() / unit.words,
          amx::TileType::get({unit.rows, unit.words}, tile.getElementType())};
}

/// Stores the tile's initial values as the sums of the first block.
void MatrixLoop::writeStart() {
  scf::IfOp start = block.start;
  OpBuilder b(start);
  auto first = scf::IfOp::create(b, loc, start.getCondition(),
                                 /*withElseRegion=*/false);
  Block *from = start.thenBlock(), *into = first.thenBlock();
  Value value = cast<scf::YieldOp>(from->getTerminator()).getOperand(0);
  into->getOperations().splice(into->begin(), from->getOperations(),
                               from->begin(), std::prev(from->end()));
  b.setInsertionPoint(into->getTerminator());
  vector::TransferWriteOp::create(b, loc, value, block.waiting.front(),
                                  block.places.front(),
                                  SmallVector<bool>(tile.getRank(), true));
}

/// Returns the registers that an operand of the product reads, with `map`
/// applied; the panel has its words from row to row.
Registers MatrixLoop::registersOf(OpBuilder &b, Value operand,
                                  const WordParts &parts,
                                  const IRMapping &map) const {
  auto read = operand.getDefiningOp<vector::TransferReadOp>();
  SmallVector<Value> at;
  for (Value index : read.getIndices())
    at.push_back(map.lookupOrDefault(index));
  bool isPanel = &parts == &words.panel;
  unsigned rowDim =
      isPanel ? at.size() - 1 - read.getVectorType().getRank() : at.size() - 2;
  auto [memory, place] = inRows(b, read.getBase(), at, rowDim);
  return {memory, place, isPanel ? 1 : sums.down, isPanel ? sums.across : 1,
          amx::TileType::get({unit.rows, unit.words * parts.perWord()},
                             elementTypeOf(parts.kind, b.getContext()))};
}

/// Loads all registers, row by row.
SmallVector<Value> MatrixLoop::load(OpBuilder &b,
                                    const Registers &registers) const {
  SmallVector<Value> all;
  for (int64_t i = 0; i < registers.down; ++i)
    for (int64_t j = 0; j < registers.across; ++j)
      all.push_back(amx::TileLoadOp::create(
          b, loc, registers.type, registers.memory,
          registers.placeOf(b, i * unit.rows, j * unit.words)));
  return all;
}

Value MatrixLoop::multiply(OpBuilder &b, Value left, Value right,
                           Value sum) const {
  if (!isInteger(words.dot->result))
    return amx::TileMulFOp::create(b, loc, sum.getType(), left, right, sum);
  return amx::TileMulIOp::create(b, loc, sum.getType(), left, right, sum,
                                 isUnsigned(words.dot->lhs),
                                 isUnsigned(words.dot->rhs));
}

/// Returns the sums plus the products of as many words, from `word` on.
SmallVector<Value> MatrixLoop::multiplyAll(OpBuilder &b, Value word,
                                           ValueRange carried) const {
  scf::ForOp from = old;
  auto product = cast<vector::ContractionOp>(
      from.getYieldedValues().front().getDefiningOp());
  IRMapping map;
  map.map(from.getInductionVar(), word);
  for (Operation &op : from.getBody()->without_terminator())
    if (!isa<vector::TransferReadOp>(op) && &op != product)
      b.clone(op, map);
  Value panel = words.panelIsLhs ? product.getLhs() : product.getRhs(),
        left = words.panelIsLhs ? product.getRhs() : product.getLhs();
  SmallVector<Value> lefts = load(b, registersOf(b, left, words.left, map)),
                     rights = load(b, registersOf(b, panel, words.panel, map)),
                     result;
  for (auto [i, rows] : llvm::enumerate(lefts))
    for (auto [j, columns] : llvm::enumerate(rights))
      result.push_back(
          multiply(b, rows, columns, carried[i * rights.size() + j]));
  return result;
}

/// Makes the users of the last block's sums read them from memory.
void MatrixLoop::readEnd() {
  scf::IfOp end = block.end;
  OpBuilder b = OpBuilder::atBlockBegin(end.thenBlock());
  Value padding =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(tile.getElementType()));
  Value read = vector::TransferReadOp::create(
      b, loc, tile, block.waiting.front(), block.places.front(), padding,
      SmallVector<bool>(tile.getRank(), true));
  for (Operation &op :
       llvm::make_early_inc_range(end.elseBlock()->without_terminator()))
    op.erase();
  old.getResult(0).replaceAllUsesWith(read);
}

void MatrixLoop::rewrite() {
  writeStart();
  OpBuilder b(old);
  Value none = arith::ConstantIndexOp::create(b, loc, 0),
        step = arith::ConstantIndexOp::create(b, loc, unit.words),
        count = words.countOf(b, loc, old.getLowerBound(), old.getUpperBound());
  auto loop = scf::ForOp::create(
      b, loc, none, count, step, load(b, sums),
      [&](OpBuilder &in, Location, Value word, ValueRange carried) {
        scf::YieldOp::create(in, loc, multiplyAll(in, word, carried));
      });
  for (int64_t i = 0; i < sums.down; ++i)
    for (int64_t j = 0; j < sums.across; ++j)
      amx::TileStoreOp::create(b, loc, sums.memory,
                               sums.placeOf(b, i * unit.rows, j * unit.words),
                               loop.getResult(i * sums.across + j));
  readEnd();
  old.erase();
  scf::IfOp(block.start).erase();
}

void distaff::formMatrixProducts(const PackedDotOperands &words,
                                 ArrayRef<LoopOfBlock> loops) {
  for (const LoopOfBlock &each : loops)
    MatrixLoop(words, each).rewrite();
}
