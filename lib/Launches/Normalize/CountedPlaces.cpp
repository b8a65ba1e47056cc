//===- CountedPlaces.cpp - Positions that a loop iterates over ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CountedPlaces.h"
#include "FromPositions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;

/// Returns the number from which `counter` is subtracted to give `place`; null
/// if it is no such difference.
static AffineExpr minuendOf(Value place, Value counter,
                            const ExtentFormulas &formulas) {
  if (auto apply = place.getDefiningOp<affine::AffineApplyOp>()) {
    AffineMap map = apply.getAffineMap();
    AffineExpr sum = map.getResult(0), minuend;
    SmallVector<AffineExpr> operands;
    AffineExpr zero = getAffineConstantExpr(0, map.getContext()),
               one = getAffineConstantExpr(1, map.getContext());
    for (Value operand : apply.getMapOperands()) {
      operands.push_back(operand == counter ? zero : formulas.indexOf(operand));
      if (!operands.back())
        return {};
    }
    auto at = [&](AffineExpr count) {
      SmallVector<AffineExpr> values(operands);
      for (auto [value, operand] :
           llvm::zip_equal(values, apply.getMapOperands()))
        if (operand == counter)
          value = count;
      ArrayRef all(values);
      return simplifyAffineExpr(
          sum.replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                    all.drop_front(map.getNumDims())),
          0, formulas.size());
    };
    minuend = at(zero);
    // A sum of the counter and others, so one step gives the direction.
    bool isLinear =
        sum.isPureAffine() &&
        !sum.walk([](AffineExpr part) {
              return isa<AffineBinaryOpExpr>(part) &&
                             part.getKind() != AffineExprKind::Add &&
                             part.getKind() != AffineExprKind::Mul
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
             .wasInterrupted();
    return isLinear && at(one) ==
                           simplifyAffineExpr(minuend - 1, 0, formulas.size())
               ? minuend
               : AffineExpr();
  }
  if (auto difference = place.getDefiningOp<arith::SubIOp>()) {
    if (difference.getRhs() == counter)
      return formulas.indexOf(difference.getLhs());
    AffineExpr from = minuendOf(difference.getLhs(), counter, formulas),
               less = formulas.indexOf(difference.getRhs());
    return from && less ? from - less : AffineExpr();
  }
  auto sum = place.getDefiningOp<arith::AddIOp>();
  for (bool isLhs : {true, false}) {
    if (!sum)
      break;
    Value one = sum->getOperand(!isLhs), other = sum->getOperand(isLhs);
    AffineExpr from = minuendOf(one, counter, formulas);
    AffineExpr more = from ? formulas.indexOf(other) : AffineExpr();
    if (more)
      return from + more;
  }
  return {};
}

std::optional<bool> distaff::isBackwards(OpFoldResult place, Value counter,
                                         AffineExpr extent,
                                         const ExtentFormulas &formulas) {
  auto value = dyn_cast<Value>(place);
  if (!value)
    return std::nullopt;
  if (value == counter)
    return false;
  AffineExpr minuend = minuendOf(value, counter, formulas);
  if (!minuend || !extent)
    return std::nullopt;
  auto simplified = [&](AffineExpr expr) {
    return simplifyAffineExpr(expr, 0, formulas.size());
  };
  return simplified(minuend) == simplified(extent - 1) ? std::optional(true)
                                                       : std::nullopt;
}

Value distaff::reversed(RewriterBase &rewriter, Location loc, Value tensor,
                        unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  AffineExpr last =
      rewriter.getAffineSymbolExpr(0) - 1 - rewriter.getAffineDimExpr(0);
  Value extent = getValueOrCreateConstantIndexOp(rewriter, loc, sizes[dim]);
  Value made = createFromPositions(
      rewriter, loc, sizes, type.getElementType(),
      [&](OpBuilder &b, ValueRange positions) -> Value {
        SmallVector<Value> places(positions);
        places[dim] = affine::makeComposedAffineApply(
            b, loc, AffineMap::get(1, 1, last), {places[dim], extent});
        return tensor::ExtractOp::create(b, loc, tensor, places);
      });
  return made.getType() == type
             ? made
             : tensor::CastOp::create(rewriter, loc, type, made).getResult();
}
