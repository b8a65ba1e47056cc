//===- VectorizeArgReduction.cpp - Where the best element is --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VectorizeArgReduction.h"
#include "BodyParts.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// The comparison of a candidate with the best so far, as a region.
static void buildComparison(RewriterBase &rewriter, Region &region,
                            const ArgReduction &reduction) {
  Location loc = reduction.compare->getLoc();
  Type type = reduction.candidate.getType();
  OpBuilder::InsertionGuard guard(rewriter);
  Block *block = rewriter.createBlock(&region, {}, {type, type}, {loc, loc});
  Operation *compare = rewriter.clone(*reduction.compare);
  unsigned candidate = reduction.candidateIsLhs ? 0 : 1;
  compare->setOperand(candidate, block->getArgument(0));
  compare->setOperand(1 - candidate, block->getArgument(1));
  vector_ext::YieldOp::create(rewriter, loc, compare->getResults());
}

static Value readWhole(RewriterBase &rewriter, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> origin;
  if (type.getRank() != 0)
    origin.assign(type.getRank(),
                  arith::ConstantIndexOp::create(rewriter, loc, 0));
  Value padding = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(
      rewriter, loc, VectorType::get(type.getShape(), type.getElementType()),
      tensor, origin, padding, SmallVector<bool>(type.getRank(), true));
}

static Value writeWhole(RewriterBase &rewriter, Location loc, Value vector,
                        Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<Value> origin;
  if (rank != 0)
    origin.assign(rank, arith::ConstantIndexOp::create(rewriter, loc, 0));
  return vector::TransferWriteOp::create(rewriter, loc, vector, tensor, origin,
                                         SmallVector<bool>(rank, true))
      .getResult();
}

FailureOr<SmallVector<linalg::LinalgOp>>
distaff::vectorizeArgReduction(RewriterBase &rewriter, linalg::LinalgOp op,
                               const ArgReduction &reduction) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap results = maps[op.getNumDpsInputs()];
  if (maps.back() != results || !results.isProjectedPermutation())
    return op.emitOpError("finds the best element and its place by different "
                          "maps, ")
           << AffineMapAttr::get(results) << " and "
           << AffineMapAttr::get(maps.back());
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  // Results first, in their order, and last what is reduced.
  SmallVector<unsigned> loops;
  for (AffineExpr expr : results.getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  loops.push_back(reduction.loop);
  BodyParts parts(rewriter, op);
  SmallVector<linalg::LinalgOp> made;
  Value candidates = parts.vectorOf(reduction.candidate, loops, made);
  Value places = parts.vectorOf(reduction.place, loops, made);
  auto compare = vector_ext::ArgCompareOp::create(
      rewriter, loc,
      TypeRange{
          VectorType::get(
              cast<VectorType>(candidates.getType()).getShape().drop_back(),
              reduction.candidate.getType()),
          VectorType::get(
              cast<VectorType>(candidates.getType()).getShape().drop_back(),
              reduction.place.getType())},
      candidates, places, readWhole(rewriter, loc, op.getDpsInits()[0]),
      readWhole(rewriter, loc, op.getDpsInits()[1]), /*index_base=*/Value(),
      rewriter.getI64IntegerAttr(loops.size() - 1));
  buildComparison(rewriter, compare.getRegion(), reduction);
  rewriter.setInsertionPointAfter(compare);
  Value best =
      writeWhole(rewriter, loc, compare.getResultValue(), op.getDpsInits()[0]);
  Value place =
      writeWhole(rewriter, loc, compare.getResultIndex(), op.getDpsInits()[1]);
  rewriter.replaceOp(op, {best, place});
  return made;
}
