//===- IndexText.cpp - Index arithmetic as text ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "IndexText.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;

/// What is longer is called by its name, where it has one of its own.
static constexpr size_t longest = 24, longestWithoutName = 60;

std::string IndexText::nameOf(Value value) const {
  if (auto it = given.find(value); it != given.end())
    return it->second;
  if (std::string name = names.of(value); !name.empty())
    return name;
  auto [it, isNew] = numbered.try_emplace(value);
  if (isNew)
    it->second = "v" + std::to_string(numbered.size() - 1);
  return it->second;
}

void IndexText::call(Value value, StringRef name) {
  if (names.of(value).empty())
    given[value] = name.str();
}

std::string IndexText::of(OpFoldResult value) const {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return std::to_string(*number);
  return of(cast<Value>(value));
}

std::string IndexText::joined(ValueRange operands, StringRef sign, Binding left,
                              Binding right) const {
  return write(operands[0], left) + sign.str() + write(operands[1], right);
}

/// Empty for what is called by its name.
std::string IndexText::writeArithmetic(Operation *op, Binding around) const {
  using namespace arith;
  auto sum = [&](StringRef sign, Binding right) {
    std::string text = joined(op->getOperands(), sign, Binding::Sum, right);
    return around == Binding::Sum ? text : "(" + text + ")";
  };
  auto product = [&](StringRef sign, Binding right) {
    std::string text = joined(op->getOperands(), sign, Binding::Product, right);
    return around == Binding::Atom ? "(" + text + ")" : text;
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<AddIOp>([&](auto) { return sum("+", Binding::Sum); })
      .Case<SubIOp>([&](auto) { return sum("-", Binding::Product); })
      .Case<MulIOp>([&](auto) { return product("*", Binding::Product); })
      .Case<RemUIOp, RemSIOp>(
          [&](auto) { return product(" mod ", Binding::Atom); })
      .Case<DivUIOp, DivSIOp>(
          [&](auto) { return product(" div ", Binding::Atom); })
      .Case<affine::AffineApplyOp>([&](affine::AffineApplyOp apply) {
        SmallVector<std::string> dims, symbols;
        for (Value operand : apply.getDimOperands())
          dims.push_back(write(operand, Binding::Atom));
        for (Value operand : apply.getSymbolOperands())
          symbols.push_back(write(operand, Binding::Atom));
        std::string text = of(apply.getMap().getResult(0), dims, symbols);
        return around == Binding::Sum ? text : "(" + text + ")";
      })
      .Default([](Operation *) { return std::string(); });
}

std::string IndexText::write(Value value, Binding around) const {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return std::to_string(*number);
  Operation *op = value.getDefiningOp();
  std::string text = op ? writeArithmetic(op, around) : std::string();
  size_t most = names.of(value).empty() ? longestWithoutName : longest;
  return text.empty() || text.size() > most ? nameOf(value) : text;
}

std::string IndexText::of(AffineExpr expr, ArrayRef<std::string> dims,
                          ArrayRef<std::string> symbols) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto sign = [&]() -> StringRef {
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      return "+";
    case AffineExprKind::Mul:
      return "*";
    case AffineExprKind::Mod:
      return " mod ";
    case AffineExprKind::FloorDiv:
      return " div ";
    default:
      return " ceildiv ";
    }
  }();
  auto operand = [&](AffineExpr inner) {
    std::string text = of(inner, dims, symbols);
    bool isSum = inner.getKind() == AffineExprKind::Add;
    return isSum && sign != "+" ? "(" + text + ")" : text;
  };
  return operand(binary.getLHS()) + sign.str() + operand(binary.getRHS());
}

static StringRef signOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return " = ";
  case P::ne:
    return " != ";
  case P::slt:
  case P::ult:
    return " < ";
  case P::sle:
  case P::ule:
    return " <= ";
  case P::sgt:
  case P::ugt:
    return " > ";
  case P::sge:
  case P::uge:
    return " >= ";
  }
  llvm_unreachable("all predicates are listed");
}

std::string IndexText::ofCondition(Value value) const {
  if (auto compare = value.getDefiningOp<arith::CmpIOp>())
    return of(compare.getLhs()) + signOf(compare.getPredicate()).str() +
           of(compare.getRhs());
  if (auto both = value.getDefiningOp<arith::AndIOp>())
    return ofCondition(both.getLhs()) + " and " + ofCondition(both.getRhs());
  return of(value);
}
