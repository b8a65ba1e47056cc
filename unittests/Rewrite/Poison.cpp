//===- Poison.cpp - Makes broken promises of ops visible ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Poison.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::rewrite_test;
using arith::CmpIPredicate;

namespace {
/// Builds the conditions under which the op before the builder's place is
/// poison.
class Conditions {
public:
  explicit Conditions(ImplicitLocOpBuilder &b) : b(b) {}

  Value of(arith::AddIOp sum);
  Value of(arith::SubIOp difference);
  Value of(arith::MulIOp product);
  Value of(arith::ShLIOp shift);
  Value of(arith::TruncIOp cut);

private:
  Value constant(Type type, int64_t value) {
    TypedAttr number = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      number = DenseElementsAttr::get(shaped, number);
    return arith::ConstantOp::create(b, number);
  }
  Value compare(CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value negative(Value x) {
    return compare(CmpIPredicate::slt, x, constant(x.getType(), 0));
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value unlike(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  /// One condition or the other; null is none.
  static Value either(ImplicitLocOpBuilder &b, Value x, Value y) {
    return x && y ? Value(arith::OrIOp::create(b, x, y)) : x ? x : y;
  }

  ImplicitLocOpBuilder &b;
};
} // namespace

Value Conditions::of(arith::AddIOp sum) {
  Value x = sum.getLhs(), y = sum.getRhs(), r = sum, wraps, carries;
  if (sum.hasNoSignedWrap())
    wraps = negative(both(unlike(x, r), unlike(y, r)));
  if (sum.hasNoUnsignedWrap())
    carries = compare(CmpIPredicate::ult, r, x);
  return either(b, wraps, carries);
}

Value Conditions::of(arith::SubIOp difference) {
  Value x = difference.getLhs(), y = difference.getRhs(), r = difference;
  Value wraps, borrows;
  if (difference.hasNoSignedWrap())
    wraps = negative(both(unlike(x, y), unlike(x, r)));
  if (difference.hasNoUnsignedWrap())
    borrows = compare(CmpIPredicate::ult, x, y);
  return either(b, wraps, borrows);
}

Value Conditions::of(arith::MulIOp product) {
  Value x = product.getLhs(), y = product.getRhs(), wraps, carries;
  Type type = product.getType();
  if (getElementTypeOrSelf(type).isIndex())
    return {};
  if (product.hasNoSignedWrap()) {
    auto wide = arith::MulSIExtendedOp::create(b, x, y);
    int64_t last = getElementTypeOrSelf(type).getIntOrFloatBitWidth() - 1;
    Value sign = arith::ShRSIOp::create(b, wide.getLow(), constant(type, last));
    wraps = compare(CmpIPredicate::ne, wide.getHigh(), sign);
  }
  if (product.hasNoUnsignedWrap()) {
    auto wide = arith::MulUIExtendedOp::create(b, x, y);
    carries = compare(CmpIPredicate::ne, wide.getHigh(), constant(type, 0));
  }
  return either(b, wraps, carries);
}

Value Conditions::of(arith::ShLIOp shift) {
  Value x = shift.getLhs(), y = shift.getRhs(), r = shift, wraps, carries;
  if (shift.hasNoSignedWrap())
    wraps = compare(CmpIPredicate::ne, arith::ShRSIOp::create(b, r, y), x);
  if (shift.hasNoUnsignedWrap())
    carries = compare(CmpIPredicate::ne, arith::ShRUIOp::create(b, r, y), x);
  return either(b, wraps, carries);
}

Value Conditions::of(arith::TruncIOp cut) {
  Value x = cut.getIn(), r = cut, wraps, carries;
  if (cut.hasNoSignedWrap())
    wraps = compare(CmpIPredicate::ne,
                    arith::ExtSIOp::create(b, x.getType(), r), x);
  if (cut.hasNoUnsignedWrap())
    carries = compare(CmpIPredicate::ne,
                      arith::ExtUIOp::create(b, x.getType(), r), x);
  return either(b, wraps, carries);
}

/// Computes behind `op` whether it breaks its promise; null where it makes
/// none.
static Value breaks(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op->getContext());
  b.setInsertionPointAfter(op);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
            arith::TruncIOp>([&](auto op) { return Conditions(b).of(op); })
      .Default([](Operation *) { return Value(); });
}

static SmallVector<Operation *> opsOf(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) { ops.push_back(op); });
  return ops;
}

void rewrite_test::showPoison(Operation *root, uint64_t pattern) {
  for (Operation *op : opsOf(root)) {
    Value broken = breaks(op);
    if (!broken)
      continue;
    ImplicitLocOpBuilder b(op->getLoc(), op->getContext());
    b.setInsertionPointAfterValue(broken);
    Value result = op->getResult(0);
    Type type = result.getType(), element = getElementTypeOrSelf(type);
    TypedAttr mask =
        element.isIndex()
            ? TypedAttr(b.getIndexAttr(pattern & 0xFF))
            : b.getIntegerAttr(
                  element,
                  APInt(64, pattern).trunc(element.getIntOrFloatBitWidth()));
    if (auto shaped = dyn_cast<ShapedType>(type))
      mask = DenseElementsAttr::get(shaped, mask);
    Value other =
        arith::XOrIOp::create(b, result, arith::ConstantOp::create(b, mask));
    Value shown = arith::SelectOp::create(b, broken, other, result);
    // The ops in between read the value itself.
    result.replaceUsesWithIf(shown, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return user->getBlock() != op->getBlock() ||
             shown.getDefiningOp()->isBeforeInBlock(user);
    });
  }
}

SmallVector<Promise> rewrite_test::checkPromises(func::FuncOp function) {
  SmallVector<Promise> promises;
  for (Operation &op : llvm::make_early_inc_range(function.front()))
    if (Value broken = breaks(&op))
      promises.push_back({&op, broken});
  return promises;
}
