//===- Draft.cpp - Small random programs of one dialect -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Draft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cstring>

using namespace distaff;
using namespace distaff::rewrite_test;

Draft::Draft(MLIRContext *context, uint64_t seed)
    : ImplicitLocOpBuilder(UnknownLoc::get(context), context),
      random(seed * 0x9E3779B97F4A7C15 + 1),
      module(ModuleOp::create(getLoc())) {
  setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(*this, "f", getFunctionType({}, {}));
  setInsertionPointToStart(function.addEntryBlock());
}

Program Draft::finish(ValueRange results) {
  func::ReturnOp::create(*this, results);
  function.setFunctionType(
      getFunctionType(function.front().getArgumentTypes(), results.getTypes()));
  return {std::move(module), std::move(arrays)};
}

Extents Draft::shape(int64_t rank) {
  static constexpr int64_t extents[] = {1, 1, 1, 2, 2, 3, 4, 5, 8};
  Extents shape;
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(pick(extents));
  return shape;
}

Extents Draft::partlyDynamic(ArrayRef<int64_t> extents) {
  Extents shape(extents);
  if (chance(60))
    for (int64_t &extent : shape)
      if (chance(40))
        extent = ShapedType::kDynamic;
  return shape;
}

/// Bits of a number: of the edges of the type, small, or any.
uint64_t Draft::bits(Type type) {
  if (type.isIndex())
    return below(9);
  unsigned width = type.getIntOrFloatBitWidth();
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &format = real.getFloatSemantics();
    APFloat value = chance(3)   ? APFloat::getInf(format, chance(50))
                    : chance(3) ? APFloat::getNaN(format)
                    : chance(9) ? APFloat::getZero(format, chance(50))
                                : APFloat(double(between(-8, 8)));
    bool lossy;
    value.convert(format, APFloat::rmNearestTiesToEven, &lossy);
    return value.bitcastToAPInt().getZExtValue();
  }
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  uint64_t top = uint64_t(1) << (width - 1);
  const uint64_t edges[] = {0, 1, mask, top, top - 1, top + 1, 2, mask - 1};
  return (chance(45)   ? pick(edges)
          : chance(50) ? uint64_t(between(-9, 9))
                       : uint64_t(random())) &
         mask;
}

TypedAttr Draft::number(Type type) {
  if (type.isIndex())
    return getIndexAttr(bits(type));
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value(width, bits(type));
  if (auto real = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(real.getFloatSemantics(), value));
  return getIntegerAttr(type, value);
}

Value Draft::argument(Type type, ArrayRef<int64_t> extents) {
  Type element = getElementTypeOrSelf(type);
  simt::Array array = simt::Array::unwritten(element, extents);
  array.written = true;
  int64_t bytes = simt::elementBytes(element);
  for (int64_t place = 0, count = array.numElements(); place < count; ++place) {
    uint64_t value = bits(element);
    std::memcpy(array.bytes.data() + place * bytes, &value, bytes);
  }
  arrays.push_back(std::move(array));
  return function.front().addArgument(type, getLoc());
}

Value Draft::index(int64_t value) {
  int64_t how = below(10);
  if (how < 5)
    return arith::ConstantIndexOp::create(*this, value);
  for (auto [known, argument] : indices)
    if (known == value)
      return argument;
  Value argument = this->argument(getIndexType(), {});
  std::memcpy(arrays.back().bytes.data(), &value, sizeof(value));
  indices.push_back({value, argument});
  return argument;
}

OpFoldResult Draft::mixed(int64_t value) {
  if (chance(55))
    return OpFoldResult(getIndexAttr(value));
  return OpFoldResult(index(value));
}

SmallVector<OpFoldResult> Draft::mixed(ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values,
                             [&](int64_t value) { return mixed(value); });
}

Value Draft::scalar(Type type) {
  if (chance(50))
    return argument(type, {});
  return arith::ConstantOp::create(*this, number(type));
}

Shaped Draft::tensor(ArrayRef<int64_t> extents, Type element) {
  Type type = RankedTensorType::get(partlyDynamic(extents),
                                    element ? element : getI32Type());
  return {argument(type, extents), Extents(extents)};
}

Shaped Draft::memory(ArrayRef<int64_t> extents, Type element) {
  Type type =
      MemRefType::get(partlyDynamic(extents), element ? element : getI32Type());
  return {argument(type, extents), Extents(extents)};
}

Shaped Draft::vector(ArrayRef<int64_t> extents, Type element) {
  Type type = VectorType::get(extents, element ? element : getI32Type());
  return {argument(type, extents), Extents(extents)};
}
