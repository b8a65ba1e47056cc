//===- CarryVectors.cpp - Control flow hands on vectors -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop carries, or branches yield, as tensors that are vectors is handed
// on as vectors. It is written to a tensor where the tensor was, which the
// patterns for reads and writes then see through.
//
//===----------------------------------------------------------------------===//
#include "WrittenVectors.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::pcf;

static VectorType getVectorType(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return VectorType::get(type.getShape(), type.getElementType());
}

/// Whether a tensor is a vector, or read from memory: a read ahead of the loop
/// that computes with it (V3 of the specification) is as good as one.
static bool isVector(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type &&
         ((type.hasStaticShape() && value.getDefiningOp<ReadSliceOp>()) ||
          isWrittenVector(value));
}

static Value makeVector(PatternRewriter &rewriter, Location loc, Value tensor) {
  auto read = tensor.getDefiningOp<ReadSliceOp>();
  if (!read)
    return makeWrittenVector(rewriter, loc, tensor);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(read);
  return ReadSliceOp::create(rewriter, read.getLoc(), getVectorType(tensor),
                             read.getSource(), read.getMixedOffsets(),
                             read.getMixedSizes(), read.getMixedStrides());
}

namespace {
struct CarryThroughLoop final : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &init : loop.getInitArgsMutable()) {
      Value yielded =
          loop.getTiedLoopYieldedValue(loop.getTiedLoopRegionIterArg(&init))
              ->get();
      if (!isVector(init.get()) || !isVector(yielded))
        continue;
      carry(loop, init.getOperandNumber() - loop.getNumControlOperands(),
            rewriter);
      return success();
    }
    return rewriter.notifyMatchFailure(loop, "carries no tensor that is a "
                                             "vector");
  }

private:
  static void carry(scf::ForOp loop, unsigned number,
                    PatternRewriter &rewriter) {
    Location loc = loop.getLoc();
    SmallVector<Value> inits(loop.getInitArgs());
    inits[number] = makeVector(rewriter, loc, inits[number]);
    auto vectors = scf::ForOp::create(
        rewriter, loc, loop.getLowerBound(), loop.getUpperBound(),
        loop.getStep(), inits, /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    vectors->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    if (!vectors.getBody()->empty())
      rewriter.eraseOp(vectors.getBody()->getTerminator());
    rewriter.setInsertionPointToStart(vectors.getBody());
    SmallVector<Value> arguments(vectors.getBody()->getArguments());
    Value &carried = arguments[1 + number];
    carried = writeVector(rewriter, loc, carried);
    rewriter.mergeBlocks(loop.getBody(), vectors.getBody(), arguments);
    auto yield = cast<scf::YieldOp>(vectors.getBody()->getTerminator());
    rewriter.setInsertionPoint(yield);
    Value last = makeVector(rewriter, loc, yield.getOperand(number));
    rewriter.modifyOpInPlace(yield, [&] { yield.setOperand(number, last); });
    rewriter.setInsertionPointAfter(vectors);
    SmallVector<Value> results(vectors.getResults());
    results[number] = writeVector(rewriter, loc, results[number]);
    rewriter.replaceOp(loop, results);
  }
};

/// scf.if and scf.index_switch.
template <typename BranchOp>
struct YieldVector final : OpRewritePattern<BranchOp> {
  using OpRewritePattern<BranchOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(BranchOp branch,
                                PatternRewriter &rewriter) const override {
    auto isVector = [&](OpResult result) {
      return llvm::all_of(branch->getRegions(), [&](Region &region) {
        return ::isVector(region.front().getTerminator()->getOperand(
            result.getResultNumber()));
      });
    };
    auto found = llvm::find_if(branch->getResults(), isVector);
    if (found == branch->getResults().end())
      return rewriter.notifyMatchFailure(branch, "yields no tensor that is a "
                                                 "vector");
    unsigned number = (*found).getResultNumber();
    Location loc = branch.getLoc();
    SmallVector<Type> types(branch->getResultTypes());
    types[number] = getVectorType(*found);
    OperationState state(loc, branch->getName(), branch->getOperands(), types,
                         branch->getAttrs());
    for (Region &region : branch->getRegions()) {
      state.addRegion()->takeBody(region);
      Operation *yield = state.regions.back()->front().getTerminator();
      rewriter.setInsertionPoint(yield);
      yield->setOperand(number,
                        makeVector(rewriter, loc, yield->getOperand(number)));
    }
    rewriter.setInsertionPoint(branch);
    Operation *vectors = rewriter.create(state);
    SmallVector<Value> results(vectors->getResults());
    results[number] = writeVector(rewriter, loc, results[number]);
    rewriter.replaceOp(branch, results);
    return success();
  }
};
} // namespace

void pcf::populateCarryVectors(RewritePatternSet &patterns) {
  patterns.add<CarryThroughLoop, YieldVector<scf::IfOp>,
               YieldVector<scf::IndexSwitchOp>>(patterns.getContext());
}
