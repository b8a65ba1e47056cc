//===- IndexText.cpp - Index arithmetic as text ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "IndexText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;

/// Longer texts are replaced by the value's name, if it has one of its own.
static constexpr size_t longest = 24, longestWithoutName = 60;
static constexpr unsigned deepest = 8;

std::string distaff::inParentheses(const std::string &text) {
  int64_t depth = 0;
  for (char c : text) {
    depth += (c == '(') - (c == ')');
    if (depth == 0 && (c == '+' || c == '-' || c == ' '))
      return "(" + text + ")";
  }
  return text;
}

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

std::string IndexText::writeApply(affine::AffineApplyOp apply, Binding around,
                                  unsigned depth) const {
  SmallVector<std::string> dims, symbols;
  for (Value operand : apply.getDimOperands())
    dims.push_back(write(operand, Binding::Atom, depth + 1));
  for (Value operand : apply.getSymbolOperands())
    symbols.push_back(write(operand, Binding::Atom, depth + 1));
  std::string text = of(apply.getMap().getResult(0), dims, symbols);
  return around == Binding::Top ? text : inParentheses(text);
}

/// Returns the result of an operation on two known numbers, if it is not
/// negative.
static std::optional<int64_t> compute(StringRef sign, StringRef a,
                                      StringRef b) {
  uint32_t left, right;
  if (!llvm::to_integer(a, left, 10) || !llvm::to_integer(b, right, 10))
    return std::nullopt;
  int64_t x = left, y = right;
  if (sign == "+")
    return x + y;
  if (sign == "*")
    return x * y;
  if (sign == "-")
    return x >= y ? std::optional(x - y) : std::nullopt;
  if (y == 0)
    return std::nullopt;
  return sign == " mod " ? x % y : x / y;
}

/// Returns an empty text for values that are written by name.
std::string IndexText::writeArithmetic(Operation *op, Binding around,
                                       unsigned depth) const {
  using namespace arith;
  auto join = [&](StringRef sign, Binding own, Binding right) {
    Binding left = own == Binding::Top ? Binding::Product : own;
    std::string a = write(op->getOperand(0), left, depth + 1);
    std::string b = write(op->getOperand(1), right, depth + 1);
    if (sign == "*" && (a == "0" || b == "0"))
      return std::string("0");
    if ((sign == "+" || sign == "-") && b == "0")
      return a;
    if (sign == "+" && a == "0")
      return b;
    if (std::optional<int64_t> number = compute(sign, a, b))
      return std::to_string(*number);
    std::string text = a + sign.str() + b;
    return around <= own ? text : "(" + text + ")";
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<AddIOp>([&](auto) { return join("+", Binding::Sum, Binding::Sum); })
      .Case<SubIOp>(
          [&](auto) { return join("-", Binding::Sum, Binding::Product); })
      .Case<MulIOp>(
          [&](auto) { return join("*", Binding::Product, Binding::Product); })
      .Case<RemUIOp, RemSIOp>(
          [&](auto) { return join(" mod ", Binding::Top, Binding::Atom); })
      .Case<DivUIOp, DivSIOp>(
          [&](auto) { return join(" div ", Binding::Top, Binding::Atom); })
      .Case<affine::AffineApplyOp>([&](affine::AffineApplyOp apply) {
        return writeApply(apply, around, depth);
      })
      .Case<tensor::DimOp, memref::DimOp>([&](auto dim) {
        return "dim(" + nameOf(dim.getSource()) + ", " +
               write(dim.getIndex(), Binding::Top, depth + 1) + ")";
      })
      .Default([](Operation *) { return std::string(); });
}

std::string IndexText::write(Value value, Binding around,
                             unsigned depth) const {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return std::to_string(*number);
  Operation *op = value.getDefiningOp();
  if (!op || depth >= deepest)
    return nameOf(value);
  // An extent that has a name in the source is written by that name.
  if (isa<tensor::DimOp, memref::DimOp>(op) && !names.of(value).empty())
    return nameOf(value);
  std::string text = writeArithmetic(op, around, depth);
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

std::string IndexText::ofCondition(Value value, unsigned depth) const {
  if (auto compare = value.getDefiningOp<arith::CmpIOp>())
    return of(compare.getLhs()) + signOf(compare.getPredicate()).str() +
           of(compare.getRhs());
  auto both = value.getDefiningOp<arith::AndIOp>();
  if (both && depth < deepest)
    return ofCondition(both.getLhs(), depth + 1) + " and " +
           ofCondition(both.getRhs(), depth + 1);
  return of(value);
}
