//===- VectorizeArgReduction.cpp - Where the best element is --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VectorizeArgReduction.h"
#include "BodyParts.h"
#include "WholeTensors.h"
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
      candidates, places, readWholeTensor(rewriter, loc, op.getDpsInits()[0]),
      readWholeTensor(rewriter, loc, op.getDpsInits()[1]),
      /*index_base=*/Value(), rewriter.getI64IntegerAttr(loops.size() - 1));
  buildComparison(rewriter, compare.getRegion(), reduction);
  rewriter.setInsertionPointAfter(compare);
  Value best = writeWholeTensor(rewriter, loc, compare.getResultValue(),
                                op.getDpsInits()[0]);
  Value place = writeWholeTensor(rewriter, loc, compare.getResultIndex(),
                                 op.getDpsInits()[1]);
  rewriter.replaceOp(op, {best, place});
  return made;
}
