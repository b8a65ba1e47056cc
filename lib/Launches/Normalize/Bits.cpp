//===- Bits.cpp - Products of bits, in words ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   or(c, and(a, b)) : i1   ->   trunci(or(extsi(c), extsi(and(a, b))))
//
// A bit that a loop carries is a mask of the subgroup's lanes where the target
// has scalar registers, of which there are few; a word is a lane's own.
//
//===----------------------------------------------------------------------===//
#include "InputLegality.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;

static void widen(RewriterBase &rewriter, linalg::LinalgOp op,
                  const SemiringBody &body) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Type word = rewriter.getI32Type();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value init = op.getDpsInits()[0], wide;
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, init), word);
    Value value = arith::ExtSIOp::create(rewriter, loc, word, fill.value());
    wide = linalg::FillOp::create(rewriter, loc, value, empty).getResult(0);
  } else {
    wide = arith::ExtSIOp::create(rewriter, loc, type.clone(word), init);
  }
  auto product = linalg::GenericOp::create(
      rewriter, loc, wide.getType(), op.getDpsInputs(), wide,
      op.getIndexingMapsArray(), op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location, ValueRange args) {
        IRMapping mapping;
        mapping.map(op.getBlock()->getArguments().take_front(2),
                    args.take_front(2));
        for (Operation *inner : body.ops)
          b.clone(*inner, mapping);
        Value term =
            arith::ExtSIOp::create(b, loc, word, mapping.lookup(body.product));
        OperationState state(loc, body.combiner->getName());
        state.addOperands({args[2], term});
        state.addTypes(word);
        linalg::YieldOp::create(b, loc, b.create(state)->getResults());
      });
  constexpr StringRef config = iree::LoweringConfigAttr::attributeName;
  if (Attribute own = op->getAttr(config))
    product->setAttr(config, own);
  rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, product.getResult(0));
}

void distaff::widenBits(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  for (auto op :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::LinalgOp>())) {
    if (!matchProduct(op))
      continue;
    std::optional<SemiringBody> body = matchSemiring(op);
    // Bitwise combiners apply to all bits of a word at once.
    if (body && getElementTypeOrSelf(body->product).isInteger(1) &&
        isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
            body->combiner))
      widen(rewriter, op, *body);
  }
}
