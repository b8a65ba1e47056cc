//===- ArithPrograms.cpp - Scalar arithmetic with flags and constants -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains of integer ops of mixed widths, half of them with a constant operand
// and a promise about overflow, and floats between. Divisors are constants that
// divide everything, shifts stay below the width, so that what is undefined
// comes from broken promises alone (Poison.h).
//
//===----------------------------------------------------------------------===//
#include "Draft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;
using namespace distaff::rewrite_test;

namespace {
class ArithDraft {
public:
  explicit ArithDraft(Draft &d) : d(d) {}
  Program make();

private:
  Value ofType(Type type);
  Value constant(Type type) {
    return arith::ConstantOp::create(
        d, spread(type, d.number(getElementTypeOrSelf(type))));
  }
  Value constant(Type type, int64_t value) {
    Type element = getElementTypeOrSelf(type);
    return arith::ConstantOp::create(
        d, spread(type, d.getIntegerAttr(element, value)));
  }
  TypedAttr spread(Type type, TypedAttr number);
  Type integer() {
    static constexpr unsigned widths[] = {1, 8, 8, 16, 32, 32, 32, 64};
    return shaped(d.i(d.pick(widths)));
  }
  Type real() {
    return shaped(d.chance(80) ? Type(d.getF32Type()) : Type(d.getF64Type()));
  }
  Type shaped(Type type) {
    return inVectors ? Type(VectorType::get({3}, type)) : type;
  }
  Type like(Type type, Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }
  unsigned widthOf(Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  }
  arith::IntegerOverflowFlags flags();

  void add(Value value) { pool.push_back(value); }
  void addFlagged();
  void addMerged();
  void addDivision();
  void addShift();
  void addBitwise();
  void addComparison();
  void addSelect();
  void addWidth();
  void addExtended();
  void addReal();
  void addIndex();
  void addIndexOp();

  Draft &d;
  bool inVectors = false;
  SmallVector<Value> pool;
};
} // namespace

/// The number itself, or a vector of it.
TypedAttr ArithDraft::spread(Type type, TypedAttr number) {
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(vector, number);
  return number;
}

/// A value of the type: one that is there, a constant or an argument.
Value ArithDraft::ofType(Type type) {
  if (!d.chance(25)) {
    SmallVector<Value> fitting = llvm::to_vector(llvm::make_filter_range(
        pool, [&](Value value) { return value.getType() == type; }));
    // The last ones make chains.
    if (!fitting.empty())
      return d.chance(60) ? fitting.back() : d.pick(fitting);
  }
  if (d.chance(35))
    return constant(type);
  auto vector = dyn_cast<VectorType>(type);
  return d.argument(type, vector ? vector.getShape() : ArrayRef<int64_t>());
}

arith::IntegerOverflowFlags ArithDraft::flags() {
  using Flags = arith::IntegerOverflowFlags;
  static constexpr Flags all[] = {Flags::none, Flags::nsw, Flags::nsw,
                                  Flags::nuw, Flags::nsw | Flags::nuw};
  return d.pick(all);
}

void ArithDraft::addFlagged() {
  Type type = d.chance(10) ? shaped(d.getIndexType()) : integer();
  Value x = ofType(type), y = d.chance(60) ? constant(type) : ofType(type);
  if (d.chance(30))
    std::swap(x, y);
  auto flags = this->flags();
  switch (d.below(3)) {
  case 0:
    return add(arith::AddIOp::create(d, x, y, flags));
  case 1:
    return add(arith::SubIOp::create(d, x, y, flags));
  default:
    return add(arith::MulIOp::create(d, x, y, flags));
  }
}

/// Two ops with a constant each, which upstream merges.
void ArithDraft::addMerged() {
  Type type = integer();
  Value value = d.chance(70) ? ofType(type) : constant(type);
  for (int step = 0; step < 2; ++step) {
    Value x = value, y = constant(type);
    auto flags = this->flags();
    if (d.chance(25))
      std::swap(x, y);
    int64_t op = d.below(5);
    value = op < 2   ? Value(arith::AddIOp::create(d, x, y, flags))
            : op < 4 ? Value(arith::SubIOp::create(d, x, y, flags))
                     : Value(arith::MulIOp::create(d, x, y, flags));
  }
  add(value);
}

void ArithDraft::addDivision() {
  Type type = integer();
  if (widthOf(type) < 8)
    return;
  static constexpr int64_t divisors[] = {1, 2, 3, 4, 7, 8, 100, 127};
  Value x = ofType(type), y = constant(type, d.pick(divisors));
  switch (d.below(7)) {
  case 0:
    return add(arith::DivSIOp::create(d, x, y));
  case 1:
    return add(arith::DivUIOp::create(d, x, y));
  case 2:
    return add(arith::RemSIOp::create(d, x, y));
  case 3:
    return add(arith::RemUIOp::create(d, x, y));
  case 4:
    return add(arith::CeilDivSIOp::create(d, x, y));
  case 5:
    return add(arith::CeilDivUIOp::create(d, x, y));
  default:
    return add(arith::FloorDivSIOp::create(d, x, y));
  }
}

void ArithDraft::addShift() {
  Type type = integer();
  Value x = ofType(type), y = constant(type, d.below(widthOf(type)));
  switch (d.below(3)) {
  case 0:
    return add(arith::ShLIOp::create(d, x, y, flags()));
  case 1:
    return add(arith::ShRSIOp::create(d, x, y));
  default:
    return add(arith::ShRUIOp::create(d, x, y));
  }
}

void ArithDraft::addBitwise() {
  Type type = integer();
  Value x = ofType(type), y = d.chance(40) ? constant(type) : ofType(type);
  switch (d.below(7)) {
  case 0:
    return add(arith::AndIOp::create(d, x, y));
  case 1:
    return add(arith::OrIOp::create(d, x, y));
  case 2:
    return add(arith::XOrIOp::create(d, x, y));
  case 3:
    return add(arith::MaxSIOp::create(d, x, y));
  case 4:
    return add(arith::MinSIOp::create(d, x, y));
  case 5:
    return add(arith::MaxUIOp::create(d, x, y));
  default:
    return add(arith::MinUIOp::create(d, x, y));
  }
}

void ArithDraft::addComparison() {
  if (d.chance(20)) {
    Type type = real();
    auto predicate = arith::CmpFPredicate(d.below(16));
    return add(arith::CmpFOp::create(d, predicate, ofType(type), ofType(type)));
  }
  Type type = integer();
  Value x = ofType(type), y = d.chance(50) ? constant(type) : ofType(type);
  if (d.chance(20))
    std::swap(x, y);
  add(arith::CmpIOp::create(d, arith::CmpIPredicate(d.below(10)), x, y));
}

void ArithDraft::addSelect() {
  Type type = d.chance(20) ? real() : integer();
  Value condition = ofType(like(type, d.i(1)));
  add(arith::SelectOp::create(d, condition, ofType(type), ofType(type)));
}

void ArithDraft::addWidth() {
  Type from = integer(), to = like(from, getElementTypeOrSelf(integer()));
  if (widthOf(from) == widthOf(to))
    return;
  Value x = ofType(from);
  if (widthOf(from) > widthOf(to)) {
    // By way of a type between, if there is one.
    static constexpr unsigned widths[] = {8, 16, 32};
    Type between = like(from, d.i(d.pick(widths)));
    if (widthOf(from) > widthOf(between) && widthOf(between) > widthOf(to))
      x = arith::TruncIOp::create(d, between, x, flags());
    return add(arith::TruncIOp::create(d, to, x, flags()));
  }
  if (d.chance(50))
    return add(arith::ExtSIOp::create(d, to, x));
  add(arith::ExtUIOp::create(d, to, x));
}

void ArithDraft::addExtended() {
  Type type = integer();
  Value x = ofType(type), y = d.chance(40) ? constant(type) : ofType(type);
  Operation *op;
  switch (d.below(3)) {
  case 0:
    op = arith::AddUIExtendedOp::create(d, x, y);
    break;
  case 1:
    op = arith::MulSIExtendedOp::create(d, x, y);
    break;
  default:
    op = arith::MulUIExtendedOp::create(d, x, y);
  }
  add(op->getResult(0));
  add(op->getResult(1));
}

void ArithDraft::addReal() {
  Type type = real();
  Value x = ofType(type), y = ofType(type);
  switch (d.below(9)) {
  case 0:
    return add(arith::AddFOp::create(d, x, y));
  case 1:
    return add(arith::SubFOp::create(d, x, y));
  case 2:
    return add(arith::MulFOp::create(d, x, y));
  case 3:
    return add(arith::NegFOp::create(d, x));
  case 4:
    return add(arith::MaximumFOp::create(d, x, y));
  case 5:
    return add(arith::MinimumFOp::create(d, x, y));
  case 6:
    return add(arith::DivFOp::create(d, x, y));
  case 7: {
    // In range, whatever comes.
    Value small = ofType(like(type, d.i(8)));
    Value number = d.chance(50)
                       ? Value(arith::SIToFPOp::create(d, type, small))
                       : Value(arith::UIToFPOp::create(d, type, small));
    add(number);
    return add(arith::FPToSIOp::create(d, like(type, d.i(32)), number));
  }
  default: {
    Type other = like(type, widthOf(type) == 32 ? Type(d.getF64Type())
                                                : Type(d.getF32Type()));
    if (widthOf(type) == 32)
      return add(arith::ExtFOp::create(d, other, x));
    return add(arith::TruncFOp::create(d, other, x));
  }
  }
}

void ArithDraft::addIndex() {
  Type index = shaped(d.getIndexType());
  static constexpr unsigned widths[] = {8, 16, 32, 32, 32, 64};
  Type narrow = like(index, d.i(d.pick(widths)));
  if (d.chance(50)) {
    Value x = ofType(narrow);
    return add(d.chance(50) ? Value(arith::IndexCastOp::create(d, index, x))
                            : Value(arith::IndexCastUIOp::create(d, index, x)));
  }
  Value x = ofType(index);
  add(d.chance(50) ? Value(arith::IndexCastOp::create(d, narrow, x))
                   : Value(arith::IndexCastUIOp::create(d, narrow, x)));
}

/// Differences, comparisons and rounded divisions of the index dialect.
void ArithDraft::addIndexOp() {
  if (inVectors)
    return;
  Type type = d.getIndexType();
  Value x = ofType(type);
  auto constantOf = [&](int64_t value) -> Value {
    return index::ConstantOp::create(d, d.getIndexAttr(value));
  };
  switch (d.below(5)) {
  case 0:
    return add(index::SubOp::create(d, x, constantOf(d.below(9))));
  case 1:
  case 2: {
    auto predicate = index::IndexCmpPredicate(d.below(10));
    Value y = d.chance(60) ? constantOf(0) : ofType(type);
    return add(index::CmpOp::create(d, predicate, x, y));
  }
  case 3: {
    Value least = constantOf(std::numeric_limits<int64_t>::min());
    return add(index::CeilDivSOp::create(d, d.chance(50) ? x : least,
                                         constantOf(d.between(2, 9))));
  }
  default:
    return add(index::FloorDivSOp::create(d, x, constantOf(d.between(2, 9))));
  }
}

Program ArithDraft::make() {
  inVectors = d.chance(25);
  for (int64_t step = d.between(3, 12); step > 0; --step) {
    static constexpr void (ArithDraft::*steps[])() = {
        &ArithDraft::addFlagged,    &ArithDraft::addFlagged,
        &ArithDraft::addMerged,     &ArithDraft::addMerged,
        &ArithDraft::addDivision,   &ArithDraft::addShift,
        &ArithDraft::addBitwise,    &ArithDraft::addComparison,
        &ArithDraft::addComparison, &ArithDraft::addSelect,
        &ArithDraft::addWidth,      &ArithDraft::addWidth,
        &ArithDraft::addExtended,   &ArithDraft::addReal,
        &ArithDraft::addIndex,      &ArithDraft::addIndexOp};
    (this->*d.pick(steps))();
  }
  SmallVector<Value> results(pool.end() - std::min<size_t>(pool.size(), 3),
                             pool.end());
  return d.finish(results);
}

Program rewrite_test::makeArithProgram(Draft &draft) {
  return ArithDraft(draft).make();
}
