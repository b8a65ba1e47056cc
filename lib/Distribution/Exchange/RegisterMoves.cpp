//===- RegisterMoves.cpp - Moves of registers within a lane ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A renaming is given as a table. Its digits are that table as mixed-radix
// digits of the result register, each with its step in the source; they exist
// for every renaming that comes from layouts whose digits divide.
//
//===----------------------------------------------------------------------===//
#include "RegisterMoves.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace distaff;

Value distaff::reshapeRegisters(OpBuilder &b, Location loc, Value value,
                                ArrayRef<int64_t> shape) {
  auto type = cast<VectorType>(value.getType());
  assert(type.getNumElements() == llvm::product_of(shape) &&
         "another shape has as many registers");
  if (type.getShape() == shape)
    return value;
  // Merges consecutive reshapes.
  while (auto cast = value.getDefiningOp<vector::ShapeCastOp>()) {
    value = cast.getSource();
    if (cast.getSourceVectorType().getShape() == shape)
      return value;
  }
  return vector::ShapeCastOp::create(
      b, loc, VectorType::get(shape, type.getElementType()), value);
}

namespace {
/// A digit of the result register: `size` values, `step` source registers
/// apart; step 0 repeats the source.
struct RenamingDigit {
  int64_t size, step;
};
} // namespace

/// Reads `table` as digits, outermost first; returns an empty list if it is not
/// a sum of digits.
static SmallVector<RenamingDigit> readDigits(ArrayRef<int64_t> table) {
  SmallVector<RenamingDigit> digits;
  SmallVector<int64_t> rest(table);
  while (rest.size() > 1) {
    int64_t count = rest.size(), step = rest[1] - rest[0];
    auto isDigit = [&](int64_t size) {
      for (int64_t at = 0; at < count; ++at)
        if (rest[at] != rest[at - at % size] + (at % size) * step)
          return false;
      return true;
    };
    int64_t size = count;
    while (size > 1 && (count % size != 0 || !isDigit(size)))
      --size;
    if (size == 1 || step < 0)
      return {};
    digits.insert(digits.begin(), {size, step});
    SmallVector<int64_t> upper;
    for (int64_t at = 0; at < count; at += size)
      upper.push_back(rest[at]);
    rest = std::move(upper);
  }
  return digits;
}

/// Lists the dims of the source in the order of the register number, and for
/// each digit of the result its dim, or -1 for a repetition.
struct Transposition {
  SmallVector<int64_t> sourceShape;
  SmallVector<int64_t> dims;
};

/// Returns the digits as a permutation of source dims; nothing if they do not
/// use every source register, each in one digit.
static std::optional<Transposition>
asTransposition(ArrayRef<RenamingDigit> digits, int64_t numSource) {
  SmallVector<int64_t> order;
  for (auto [at, digit] : llvm::enumerate(digits))
    if (digit.step != 0)
      order.push_back(at);
  llvm::sort(order, [&](int64_t x, int64_t y) {
    return digits[x].step > digits[y].step;
  });

  Transposition result;
  result.dims.assign(digits.size(), -1);
  int64_t next = numSource;
  for (auto [dim, at] : llvm::enumerate(order)) {
    if (digits[at].size * digits[at].step != next)
      return std::nullopt;
    next = digits[at].step;
    result.sourceShape.push_back(digits[at].size);
    result.dims[at] = dim;
  }
  if (next != 1)
    return std::nullopt;
  return result;
}

/// Returns the value that `value` is a transpose of, up to its shape, and which
/// of that value's registers `value` has, in order; null if it is not a
/// transpose.
static Value beforeTranspose(Value value, SmallVectorImpl<int64_t> &sourceOf) {
  while (auto cast = value.getDefiningOp<vector::ShapeCastOp>())
    value = cast.getSource();
  auto transpose = value.getDefiningOp<vector::TransposeOp>();
  if (!transpose)
    return {};
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  SmallVector<int64_t> strides =
      computeStrides(transpose.getSourceVectorType().getShape());
  SmallVector<int64_t> shape(transpose.getResultVectorType().getShape());
  SmallVector<int64_t> ofResult = computeStrides(shape);
  for (int64_t reg = 0, e = computeProduct(shape); reg < e; ++reg) {
    int64_t source = 0;
    for (auto [dim, index] : llvm::enumerate(delinearize(reg, ofResult)))
      source += index * strides[permutation[dim]];
    sourceOf.push_back(source);
  }
  return transpose.getVector();
}

Value distaff::renameRegisters(OpBuilder &b, Location loc, Value value,
                               ArrayRef<int64_t> sourceOf,
                               ArrayRef<int64_t> shape) {
  // Composes consecutive renamings, which may cancel: registers of a matrix
  // load, in an instruction's order, are renamed for the layout and for the
  // instruction again.
  SmallVector<int64_t> before, composed;
  if (Value source = beforeTranspose(value, before)) {
    for (int64_t reg : sourceOf)
      composed.push_back(before[reg]);
    value = source;
    sourceOf = composed;
  }
  auto type = cast<VectorType>(value.getType());
  int64_t numSource = type.getNumElements();
  assert(
      int64_t(sourceOf.size()) == llvm::product_of(shape) &&
      llvm::all_of(sourceOf,
                   [&](int64_t reg) { return reg >= 0 && reg < numSource; }) &&
      "each register of the result is one of the value");
  bool identity = int64_t(sourceOf.size()) == numSource &&
                  llvm::all_of(llvm::enumerate(sourceOf), [](auto it) {
                    return it.value() == int64_t(it.index());
                  });
  if (identity)
    return reshapeRegisters(b, loc, value, shape);

  SmallVector<RenamingDigit> digits = readDigits(sourceOf);
  std::optional<Transposition> transposition =
      sourceOf.front() == 0 && (!digits.empty() || sourceOf.size() == 1)
          ? asTransposition(digits, numSource)
          : std::nullopt;
  if (!transposition) {
    Value flat = reshapeRegisters(b, loc, value, {numSource});
    Value shuffled = vector::ShuffleOp::create(b, loc, flat, flat, sourceOf);
    return reshapeRegisters(b, loc, shuffled, shape);
  }

  // Repetitions become leading dims, then everything moves to its place.
  Value moved = reshapeRegisters(b, loc, value, transposition->sourceShape);
  SmallVector<int64_t> repeated, permutation;
  for (auto [digit, dim] : llvm::zip_equal(digits, transposition->dims))
    if (dim < 0)
      repeated.push_back(digit.size);
  int64_t numRepeated = repeated.size(), nextRepeated = 0;
  for (int64_t dim : transposition->dims)
    permutation.push_back(dim < 0 ? nextRepeated++ : numRepeated + dim);
  if (numRepeated > 0) {
    llvm::append_range(repeated, transposition->sourceShape);
    moved = vector::BroadcastOp::create(
        b, loc, VectorType::get(repeated, type.getElementType()), moved);
  }
  if (!llvm::is_sorted(permutation))
    moved = vector::TransposeOp::create(b, loc, moved, permutation);
  return reshapeRegisters(b, loc, moved, shape);
}

SmallVector<Value> distaff::toScalars(OpBuilder &b, Location loc, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return {value};
  SmallVector<Value> scalars;
  Value flat = reshapeRegisters(b, loc, value, {type.getNumElements()});
  for (int64_t at = 0; at < type.getNumElements(); ++at)
    scalars.push_back(vector::ExtractOp::create(b, loc, flat, at));
  return scalars;
}

Value distaff::fromScalars(OpBuilder &b, Location loc, ValueRange scalars,
                           Type type) {
  auto vectorType = dyn_cast<VectorType>(type);
  if (!vectorType)
    return scalars.front();
  assert(int64_t(scalars.size()) == vectorType.getNumElements() &&
         "each register of a vector is a scalar");
  auto flatType = VectorType::get({vectorType.getNumElements()},
                                  vectorType.getElementType());
  Value flat = vector::FromElementsOp::create(b, loc, flatType, scalars);
  return reshapeRegisters(b, loc, flat, vectorType.getShape());
}

Value distaff::splat(OpBuilder &b, Location loc, Type type, TypedAttr value) {
  if (auto vectorType = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vectorType, Attribute(value));
  return arith::ConstantOp::create(b, loc, value);
}

Value distaff::undefined(OpBuilder &b, Location loc, VectorType type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}
