//===- ContractionBody.cpp - Linalg ops that multiply and add -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's isaContractionOpInterface looks through any unary op of the body,
// so exp(a) * b counts as a contraction of a and b; here the chains are kept.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/ContractionBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

/// Follows ops of one operand from `value` down to a block argument.
static std::optional<unsigned> followChain(Value value, Block *body,
                                           SmallVector<Operation *> &chain) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() != body || op->getNumOperands() != 1 ||
        op->getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(op))
      return std::nullopt;
    chain.push_back(op);
    value = op->getOperand(0);
  }
  std::reverse(chain.begin(), chain.end());
  auto argument = cast<BlockArgument>(value);
  if (argument.getOwner() != body)
    return std::nullopt;
  return argument.getArgNumber();
}

/// Matches the region; fills in the chains.
static bool matchRegion(linalg::LinalgOp op, ContractionBody &result) {
  Block *body = op.getBlock();
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  Value accumulator = body->getArgument(2);
  bool accFirst = add->getOperand(0) == accumulator;
  if (!accFirst && add->getOperand(1) != accumulator)
    return false;
  Operation *mul = add->getOperand(accFirst ? 1 : 0).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul))
    return false;
  SmallVector<Operation *> first, second;
  std::optional<unsigned> a = followChain(mul->getOperand(0), body, first);
  std::optional<unsigned> b = followChain(mul->getOperand(1), body, second);
  if (!a || !b || *a + *b != 1)
    return false;
  result.lhsChain = *a == 0 ? first : second;
  result.rhsChain = *a == 0 ? second : first;
  return true;
}

static bool matchLoops(linalg::LinalgOp op, ContractionBody &result) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return false;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool a = maps[0].isFunctionOfDim(loop), b = maps[1].isFunctionOfDim(loop),
         c = maps[2].isFunctionOfDim(loop);
    if (a && b && c)
      result.batch.push_back(loop);
    else if (a && b)
      result.k.push_back(loop);
    else if (a && c)
      result.m.push_back(loop);
    else if (b && c)
      result.n.push_back(loop);
    else
      return false;
  }
  return !result.m.empty() && !result.n.empty() && !result.k.empty();
}

std::optional<ContractionBody> distaff::matchContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumDpsInputs() != 2 ||
      linalgOp.getNumDpsInits() != 1 || !linalgOp.hasPureTensorSemantics())
    return std::nullopt;
  ContractionBody result;
  if (!matchRegion(linalgOp, result) || !matchLoops(linalgOp, result))
    return std::nullopt;
  return result;
}

bool distaff::keepsZero(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp, arith::NegFOp>(op);
}
