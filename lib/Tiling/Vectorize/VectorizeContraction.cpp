//===- VectorizeContraction.cpp - Vectorization of contractions -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matmul of f16 tiles with an f32 accumulator becomes
//
//   %a = vector.transfer_read ... : vector<64x32xf16>
//   %x = arith.extf %a : vector<64x32xf16> to vector<64x32xf32>
//   ... the same for b ...
//   %d = vector.contract ... %x, %y, %c : ... into vector<64x64xf32>
//
// The extension is an op of its own; Analysis finds the MMA that includes it.
//
//===----------------------------------------------------------------------===//
#include "VectorizeContraction.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Rewrite/WholeTensors.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Applies scalar ops to a vector, element by element.
static Value applyChain(RewriterBase &rewriter, Value value,
                        ArrayRef<Operation *> chain) {
  auto shape = cast<VectorType>(value.getType()).getShape();
  for (Operation *op : chain) {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(value);
    state.addTypes(VectorType::get(shape, op->getResult(0).getType()));
    state.addAttributes(op->getAttrs());
    value = rewriter.create(state)->getResult(0);
  }
  return value;
}

static ArrayAttr iteratorsOf(RewriterBase &rewriter, linalg::LinalgOp op) {
  SmallVector<Attribute> iterators;
  for (utils::IteratorType type : op.getIteratorTypesArray())
    iterators.push_back(vector::IteratorTypeAttr::get(
        rewriter.getContext(), type == utils::IteratorType::parallel
                                   ? vector::IteratorType::parallel
                                   : vector::IteratorType::reduction));
  return rewriter.getArrayAttr(iterators);
}

void distaff::vectorizeContraction(RewriterBase &rewriter, linalg::LinalgOp op,
                                   const ContractionBody &body) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value init = op.getDpsInits()[0];
  Value lhs =
      applyChain(rewriter, readWholeTensor(rewriter, loc, op.getDpsInputs()[0]),
                 body.lhsChain);
  Value rhs =
      applyChain(rewriter, readWholeTensor(rewriter, loc, op.getDpsInputs()[1]),
                 body.rhsChain);
  Value acc = readWholeTensor(rewriter, loc, init);
  auto contract = vector::ContractionOp::create(
      rewriter, loc, lhs, rhs, acc,
      rewriter.getAffineMapArrayAttr(op.getIndexingMapsArray()),
      iteratorsOf(rewriter, op), vector::CombiningKind::ADD);
  if (Attribute config = op->getAttr(iree::LoweringConfigAttr::attributeName))
    contract->setAttr(iree::LoweringConfigAttr::attributeName, config);
  if (mayDropBits(op))
    contract->setAttr(allowTf32Name, rewriter.getUnitAttr());
  rewriter.replaceOp(
      op, writeWholeTensor(rewriter, loc, contract.getResult(), init));
}

//===----------------------------------------------------------------------===//
// Other semirings
//===----------------------------------------------------------------------===//

LogicalResult distaff::vectorizeSemiring(RewriterBase &rewriter,
                                         linalg::LinalgOp op) {
  std::optional<SemiringBody> body = matchSemiring(op);
  if (!body)
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value init = op.getDpsInits()[0];
  Value lhs = readWholeTensor(rewriter, loc, op.getDpsInputs()[0]);
  Value rhs = readWholeTensor(rewriter, loc, op.getDpsInputs()[1]);
  auto contract = core::ContractOp::create(
      rewriter, loc, lhs, rhs, readWholeTensor(rewriter, loc, init),
      /*mask=*/Value(),
      body->combiner
          ? core::toCombineKind(*linalg::getCombinerOpKind(body->combiner))
          : core::CombineKind::LogSumExp,
      rewriter.getAffineMapArrayAttr(op.getIndexingMapsArray()),
      iteratorsOf(rewriter, op));
  OpBuilder inside(op.getContext());
  Block *block = inside.createBlock(&contract.getProduct(), {},
                                    {getElementTypeOrSelf(lhs.getType()),
                                     getElementTypeOrSelf(rhs.getType())},
                                    {loc, loc});
  IRMapping mapping;
  mapping.map(op.getBlock()->getArguments().take_front(2),
              block->getArguments());
  for (Operation *inner : body->ops)
    inside.clone(*inner, mapping);
  core::YieldOp::create(inside, loc, mapping.lookup(body->product));
  rewriter.replaceOp(
      op, writeWholeTensor(rewriter, loc, contract.getResult(), init));
  return success();
}

void distaff::vectorizeInnerTiled(RewriterBase &rewriter,
                                  iree::InnerTiledOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> inputs = llvm::map_to_vector(op.getInputs(), [&](Value v) {
    return readWholeTensor(rewriter, loc, v);
  });
  auto mma = iree::InnerTiledOp::create(
      rewriter, loc, inputs, readWholeTensor(rewriter, loc, op.getOutput()),
      op.getIndexingMapsArray(), op.getKind());
  rewriter.replaceOp(
      op, writeWholeTensor(rewriter, loc, mma.getResult(), op.getOutput()));
}
