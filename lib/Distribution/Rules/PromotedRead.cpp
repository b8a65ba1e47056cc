//===- PromotedRead.cpp - Reads of asynchronous copies --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PromotedRead.h"
#include "distaff/Dialect/VectorExt/PromotionAttrInterface.h"

using namespace distaff;

bool distaff::isAsynchronous(vector_ext::ToLayoutOp op) {
  auto promotion = dyn_cast_if_present<vector_ext::PromotionAttrInterface>(
      op.getSharedMemoryConversionAttr());
  return promotion && promotion.isAsynchronous();
}

std::optional<PromotedRead> PromotedRead::get(Value value,
                                              const Placement &placement) {
  while (auto cast = value.getDefiningOp<vector::ShapeCastOp>())
    value = cast.getSource();
  std::map<SmallVector<int64_t>, Value> pieces;
  auto insert = value.getDefiningOp<vector::InsertOp>();
  if (!insert)
    pieces[placement.tiles().front().position] = value;
  for (; insert; insert = insert.getDest().getDefiningOp<vector::InsertOp>())
    pieces.insert({SmallVector<int64_t>(insert.getStaticPosition()),
                   insert.getValueToStore()});
  PromotedRead result;
  for (const Tile &tile : placement.tiles()) {
    Value piece = pieces[tile.position];
    auto read = piece ? piece.getDefiningOp<vector::TransferReadOp>() : nullptr;
    if (!read)
      return std::nullopt;
    result.reads.insert({tile.offset, read});
  }
  return result;
}

vector::TransferReadOp PromotedRead::emitRow(OpBuilder &b, Location loc,
                                             ArrayRef<int64_t> offset,
                                             int64_t width) const {
  vector::TransferReadOp read = reads.at(SmallVector<int64_t>(offset));
  auto type = VectorType::get({width}, read.getVectorType().getElementType());
  AffineMap map = AffineMap::getMinorIdentityMap(
      cast<MemRefType>(read.getBase().getType()).getRank(), 1, b.getContext());
  return vector::TransferReadOp::create(
      b, loc, type, read.getBase(), read.getIndices(), AffineMapAttr::get(map),
      read.getPadding(), /*mask=*/Value(), b.getBoolArrayAttr({true}));
}
