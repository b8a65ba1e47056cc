//===- DispatchNarrowing.cpp - Reductions in their own types --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction is recognised by a body of one op. IREE computes f16 in f32 for
// CPUs, and stores i1 as i8, so that bodies convert the elements that they
// combine:
//
//   truncf(max(extf x, extf y))                becomes max(x, y)
//   extui(f(trunci y, ...)), y the result      becomes f(y, ...) of a result of
//                                              i1, which is extended afterwards
//
//===----------------------------------------------------------------------===//
#include "DispatchInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

/// Replaces truncf(max(extf a, extf b)) by max(a, b): IREE computes f16 in f32
/// for CPUs, and a reduction has a body of one op.
static void narrowComparisons(func::FuncOp function) {
  function.walk([](arith::TruncFOp narrow) {
    Operation *op = narrow.getIn().getDefiningOp();
    if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                         arith::MinNumFOp>(op) ||
        !op->hasOneUse())
      return;
    auto lhs = op->getOperand(0).getDefiningOp<arith::ExtFOp>(),
         rhs = op->getOperand(1).getDefiningOp<arith::ExtFOp>();
    Type type = narrow.getType();
    if (!lhs || !rhs || lhs.getIn().getType() != type ||
        rhs.getIn().getType() != type)
      return;
    op->setOperands({lhs.getIn(), rhs.getIn()});
    op->getResult(0).setType(type);
    narrow.replaceAllUsesWith(op->getResult(0));
  });
}

/// Creates an elementwise op of one input and one body op.
template <typename OpT>
static Value convertElements(OpBuilder &b, Location loc, Value tensor,
                             Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, tensor), element);
  AffineMap all = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, TypeRange(init.getType()), tensor, init,
             ArrayRef<AffineMap>{all, all}, iterators,
             [&](OpBuilder &inner, Location at, ValueRange values) {
               Value converted = OpT::create(inner, at, element, values[0]);
               linalg::YieldOp::create(inner, at, converted);
             })
      .getResult(0);
}

/// Returns the partial result of a reduction that converts it to i1 at each
/// read, and yields an extended i1; null for another op.
static BlockArgument findBooleanResult(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return {};
  BlockArgument result = op.getRegionOutputArgs()[0];
  auto yielded = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<arith::ExtUIOp>();
  auto isTruncation = [](Operation *user) {
    return isa<arith::TruncIOp>(user) &&
           user->getResult(0).getType().isInteger(1);
  };
  bool isBoolean = yielded && yielded.getIn().getType().isInteger(1) &&
                   !result.use_empty() &&
                   llvm::all_of(result.getUsers(), isTruncation);
  return isBoolean ? result : BlockArgument();
}

static void narrowBoolean(linalg::GenericOp op, BlockArgument result) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type boolean = b.getI1Type(), wide = result.getType();
  Value init =
      convertElements<arith::TruncIOp>(b, loc, op.getDpsInits()[0], boolean);
  IRMapping map;
  map.map(op.getDpsInits()[0], init);
  auto narrow = cast<linalg::GenericOp>(b.clone(*op, map));
  narrow->getResult(0).setType(init.getType());
  BlockArgument own = narrow.getRegionOutputArgs()[0];
  SmallVector<Operation *> users(own.getUsers());
  own.setType(boolean);
  for (Operation *user : users) {
    user->getResult(0).replaceAllUsesWith(own);
    user->erase();
  }
  Operation *end = narrow.getBody()->getTerminator();
  auto extended = end->getOperand(0).getDefiningOp<arith::ExtUIOp>();
  end->setOperand(0, extended.getIn());
  op.getResult(0).replaceAllUsesWith(
      convertElements<arith::ExtUIOp>(b, loc, narrow.getResult(0), wide));
  op.erase();
}

void distaff::narrowReductions(func::FuncOp function) {
  narrowComparisons(function);
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) {
    if (op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops)
    if (BlockArgument result = findBooleanResult(op))
      narrowBoolean(op, result);
}
