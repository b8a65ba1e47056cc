//===- LowerIndices.cpp - Index arithmetic in plain arith ops -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds subviews into the accesses that use them, then converts affine index
// ops to arith. Indices of a kernel are almost always sums of products of ids,
// which are never negative; then a division is one `arith.divui` instead of the
// compare and select that floor division of a signed number needs.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/IndexFacts.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERINDICES
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// Builds index arithmetic at one insertion point, with constant folding.
class IndexBuilder {
public:
  /// The constants of a block, by number.
  using Constants = llvm::DenseMap<std::pair<Block *, int64_t>, Value>;

  IndexBuilder(Operation *op, IndexFacts &facts, Constants &constants)
      : builder(op), loc(op->getLoc()), facts(facts), constants(constants) {}

  Value constant(int64_t value) {
    Value &known = constants[{builder.getInsertionBlock(), value}];
    if (!known)
      known = arith::ConstantIndexOp::create(builder, loc, value);
    return known;
  }
  Value add(Value lhs, Value rhs) {
    return known(builder.createOrFold<arith::AddIOp>(loc, lhs, rhs));
  }
  Value mul(Value lhs, Value rhs) {
    return known(builder.createOrFold<arith::MulIOp>(loc, lhs, rhs));
  }

  /// Returns the floor division by a positive number.
  Value floorDiv(Value lhs, Value rhs) {
    if (facts.isNonNegative(lhs))
      return known(builder.createOrFold<arith::DivUIOp>(loc, lhs, rhs));
    // floor(x / y) for x < 0 is -1 - (-1 - x) / y, which never overflows.
    Value minusOne = constant(-1);
    Value negative = isNegative(lhs);
    Value flipped = builder.createOrFold<arith::SubIOp>(loc, minusOne, lhs);
    Value magnitude = select(negative, flipped, lhs);
    Value quotient = builder.createOrFold<arith::DivUIOp>(loc, magnitude, rhs);
    return select(negative,
                  builder.createOrFold<arith::SubIOp>(loc, minusOne, quotient),
                  quotient);
  }
  Value mod(Value lhs, Value rhs) {
    if (std::optional<int64_t> bound = getConstantIntValue(rhs);
        bound && facts.isBelow(lhs, *bound))
      return lhs;
    if (facts.isNonNegative(lhs))
      return known(builder.createOrFold<arith::RemUIOp>(loc, lhs, rhs));
    Value remainder = builder.createOrFold<arith::RemSIOp>(loc, lhs, rhs);
    return select(isNegative(remainder), add(remainder, rhs), remainder);
  }
  Value ceilDiv(Value lhs, Value rhs) {
    // ceil(x / y) = floor((x - 1) / y) + 1.
    Value one = constant(1);
    Value below = builder.createOrFold<arith::SubIOp>(loc, lhs, one);
    return add(floorDiv(below, rhs), one);
  }

  Value expand(AffineExpr expr, ValueRange dims, ValueRange symbols);

  template <typename Op> Value fold(Value lhs, Value rhs) {
    return builder.createOrFold<Op>(loc, lhs, rhs);
  }

private:
  /// Returns the value, or the constant that it is known to be.
  Value known(Value value) {
    if (std::optional<int64_t> number = facts.constant(value))
      return constant(*number);
    return value;
  }
  Value isNegative(Value value) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                               value, constant(0));
  }
  Value select(Value condition, Value ifTrue, Value ifFalse) {
    return builder.createOrFold<arith::SelectOp>(loc, condition, ifTrue,
                                                 ifFalse);
  }

  OpBuilder builder;
  Location loc;
  IndexFacts &facts;
  Constants &constants;
};

Value IndexBuilder::expand(AffineExpr expr, ValueRange dims,
                           ValueRange symbols) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = expand(binary.getLHS(), dims, symbols);
  Value rhs = expand(binary.getRHS(), dims, symbols);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return floorDiv(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return ceilDiv(lhs, rhs);
  case AffineExprKind::Mod:
    return mod(lhs, rhs);
  default:
    llvm_unreachable("leaves were handled above");
  }
}

/// Returns the results of `map` applied to the operands of an affine op.
SmallVector<Value> expandMap(IndexBuilder &index, AffineMap map,
                             ValueRange operands) {
  ValueRange dims = operands.take_front(map.getNumDims());
  ValueRange symbols = operands.drop_front(map.getNumDims());
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return index.expand(expr, dims, symbols);
  });
}

/// Returns one value per basis element; absent ones (an outermost that is not
/// given) are null.
SmallVector<Value> basisValues(IndexBuilder &index, ValueRange dynamicBasis,
                               ArrayRef<int64_t> staticBasis) {
  SmallVector<Value> values;
  auto dynamic = dynamicBasis.begin();
  for (int64_t size : staticBasis)
    values.push_back(ShapedType::isDynamic(size) ? *dynamic++
                                                 : index.constant(size));
  return values;
}

void lower(affine::AffineDelinearizeIndexOp op, IndexFacts &facts,
           IndexBuilder::Constants &constants) {
  IndexBuilder index(op, facts, constants);
  SmallVector<Value> basis =
      basisValues(index, op.getDynamicBasis(), op.getStaticBasis());
  if (op.hasOuterBound())
    basis.erase(basis.begin());
  // Digits are split off from the innermost outwards; the outermost is the
  // rest.
  SmallVector<Value> digits;
  Value rest = op.getLinearIndex();
  for (Value size : llvm::reverse(basis)) {
    digits.push_back(index.mod(rest, size));
    rest = index.floorDiv(rest, size);
  }
  digits.push_back(rest);
  std::reverse(digits.begin(), digits.end());
  op->replaceAllUsesWith(digits);
}

void lower(affine::AffineLinearizeIndexOp op, IndexFacts &facts,
           IndexBuilder::Constants &constants) {
  IndexBuilder index(op, facts, constants);
  SmallVector<Value> basis =
      basisValues(index, op.getDynamicBasis(), op.getStaticBasis());
  ValueRange digits = op.getMultiIndex();
  if (basis.size() == digits.size() && !basis.empty())
    basis.erase(basis.begin());
  Value sum = digits.empty() ? index.constant(0) : digits.front();
  if (!digits.empty())
    for (auto [size, digit] : llvm::zip_equal(basis, digits.drop_front()))
      sum = index.add(index.mul(sum, size), digit);
  op->replaceAllUsesWith(ValueRange{sum});
}

void lower(affine::AffineApplyOp op, IndexFacts &facts,
           IndexBuilder::Constants &constants) {
  IndexBuilder index(op, facts, constants);
  op->replaceAllUsesWith(
      expandMap(index, op.getAffineMap(), op.getMapOperands()));
}

template <typename Combine, typename Op>
void lowerExtremum(Op op, IndexFacts &facts,
                   IndexBuilder::Constants &constants) {
  IndexBuilder index(op, facts, constants);
  SmallVector<Value> values =
      expandMap(index, op.getAffineMap(), op.getOperands());
  Value result = values.front();
  for (Value value : ArrayRef(values).drop_front())
    result = index.fold<Combine>(result, value);
  op->replaceAllUsesWith(ValueRange{result});
}

struct LowerIndices final : distaff::impl::LowerIndicesBase<LowerIndices> {
  void runOnOperation() override {
    foldSubviews();
    IndexFacts facts;
    IndexBuilder::Constants constants;
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa_and_present<affine::AffineDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
        lower(apply, facts, constants);
      else if (auto split = dyn_cast<affine::AffineDelinearizeIndexOp>(op))
        lower(split, facts, constants);
      else if (auto join = dyn_cast<affine::AffineLinearizeIndexOp>(op))
        lower(join, facts, constants);
      else if (auto min = dyn_cast<affine::AffineMinOp>(op))
        lowerExtremum<arith::MinSIOp>(min, facts, constants);
      else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
        lowerExtremum<arith::MaxSIOp>(max, facts, constants);
      else {
        op->emitOpError("is not index arithmetic; loops are scf here");
        return signalPassFailure();
      }
    }
    // Ops are erased last: facts are cached by the address of a value.
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

private:
  /// Replaces accesses through a view by accesses of its source.
  void foldSubviews() {
    WalkResult found = getOperation().walk(
        [](ViewLikeOpInterface) { return WalkResult::interrupt(); });
    if (!found.wasInterrupted())
      return;
    RewritePatternSet patterns(&getContext());
    memref::populateFoldMemRefAliasOpPatterns(patterns);
    GreedyRewriteConfig config;
    // There are no blocks to merge, and changed ops are revisited at once: a
    // second iteration would find nothing.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setMaxIterations(1);
    // A subview that cannot be folded stays and is addressed through its
    // strides, so failing to converge is no error.
    (void)applyPatternsGreedily(getOperation(), guarded(std::move(patterns)),
                                config);
  }
};

} // namespace
