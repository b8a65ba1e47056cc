//===- NarrowFloats.cpp - Conversions of 8-bit floats ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction converts two numbers. Neighbours in a wide load or store are
// paired, with the one at the lower address as element 0; any other number is
// paired with a zero, whose result is dropped.
//
// Instructions that saturate return the largest number, with the right sign,
// instead of infinity or, in formats without one, NaN: the pattern after the
// largest. So the correction is to add 1 if the source is too large:
//
//   1000.0 to f8E4M3FN:  0x7E (448) + 1 = 0x7F (NaN)
//   -1e6 to f8E5M2:      0xFB (-57344) + 1 = 0xFC (-infinity)
//
// A NaN compares with nothing and keeps the instruction's result.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace distaff;

namespace {

using Pair = std::array<Value, 2>;

/// Returns the row of the target's table that implements an op, or null.
const NarrowConversion *findRow(Operation *op, const Target &target) {
  bool widens = isa<arith::ExtFOp>(op);
  if (!widens && !isa<arith::TruncFOp>(op))
    return nullptr;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  Type narrow = widens ? from : to, wide = widens ? to : from;
  if (!isa<FloatType>(narrow))
    return nullptr;
  std::string name;
  llvm::raw_string_ostream(name) << narrow;
  const NarrowFloat *format = lookupNarrowFloat(name);
  if (!format || !(wide.isF16() || wide.isF32()))
    return nullptr;
  return target.findConversion(
      *format, wide.isF16() ? ScalarKind::F16 : ScalarKind::F32, widens);
}

class Emitter {
public:
  Emitter(const Target &target, NarrowEmission emit, OpBuilder &builder)
      : target(target), emit(emit), builder(builder) {}

  /// Replaces conversions, at the builder's point; the second may be null.
  void replace(Operation *first, Operation *second) {
    ImplicitLocOpBuilder at(first->getLoc(), builder);
    const NarrowConversion &row = *findRow(first, target);
    Pair from = {first->getOperand(0),
                 second ? second->getOperand(0)
                        : zero(at, first->getOperand(0).getType())};
    Type result = first->getResult(0).getType();
    Pair to = row.widens ? widen(at, row, from) : narrow(at, row, from, result);
    for (auto [op, value] : llvm::zip(std::array{first, second}, to))
      if (op) {
        op->replaceAllUsesWith(ValueRange(value));
        op->erase();
      }
  }

private:
  static Value zero(ImplicitLocOpBuilder &at, Type type) {
    return arith::ConstantOp::create(at, at.getZeroAttr(type));
  }
  static Value pack(ImplicitLocOpBuilder &at, Pair pair) {
    return vector::FromElementsOp::create(
        at, VectorType::get({2}, pair[0].getType()), ValueRange(pair));
  }
  Pair convert(ImplicitLocOpBuilder &at, const NarrowConversion &row,
               Pair pair) {
    Value both = emit(at, at.getLoc(), row, pack(at, pair));
    auto parts = vector::ToElementsOp::create(at, both);
    return {parts.getElements()[0], parts.getElements()[1]};
  }
  Pair widen(ImplicitLocOpBuilder &at, const NarrowConversion &row, Pair pair) {
    for (Value &value : pair)
      value = arith::BitcastOp::create(at, at.getI8Type(), value);
    return convert(at, row, pair);
  }
  Pair narrow(ImplicitLocOpBuilder &at, const NarrowConversion &row, Pair pair,
              Type type) {
    Pair bytes = convert(at, row, pair);
    for (auto [byte, value] : llvm::zip(bytes, pair)) {
      if (row.saturates)
        byte = arith::AddIOp::create(at, byte, isTooLarge(at, row, value));
      byte = arith::BitcastOp::create(at, type, byte);
    }
    return bytes;
  }
  /// Returns 1, as a byte, if the magnitude exceeds the format's largest
  /// number.
  static Value isTooLarge(ImplicitLocOpBuilder &at, const NarrowConversion &row,
                          Value value) {
    auto type = cast<FloatType>(value.getType());
    unsigned width = type.getWidth();
    APInt first(width, firstTooLarge(*row.narrow,
                                     {width, type.getFPMantissaWidth() - 1}));
    Value bound = arith::ConstantOp::create(
        at, at.getFloatAttr(type, APFloat(type.getFloatSemantics(), first)));
    Value magnitude = math::AbsFOp::create(at, value);
    Value larger =
        arith::CmpFOp::create(at, arith::CmpFPredicate::OGE, magnitude, bound);
    return arith::ExtUIOp::create(at, at.getI8Type(), larger);
  }

  const Target &target;
  NarrowEmission emit;
  OpBuilder &builder;
};

/// Returns the conversion that computes one element of a vector, if it has no
/// other use, or null.
Operation *onlyFor(Operation *vector, Value element, const Target &target) {
  Operation *op = element.getDefiningOp();
  return op && findRow(op, target) && element.hasOneUse() &&
                 *element.getUsers().begin() == vector
             ? op
             : nullptr;
}

/// Returns the only use of an element, if it is a conversion.
Operation *onlyConversion(Value element, const Target &target) {
  if (!element.hasOneUse())
    return nullptr;
  Operation *op = *element.getUsers().begin();
  return findRow(op, target) ? op : nullptr;
}

bool alike(Operation *first, Operation *second) {
  return first && second &&
         first->getOperand(0).getType() == second->getOperand(0).getType() &&
         first->getResult(0).getType() == second->getResult(0).getType();
}

} // namespace

void distaff::lowerNarrowFloats(func::FuncOp kernel, const Target &target,
                                NarrowEmission emit) {
  OpBuilder builder(kernel.getContext());
  Emitter emitter(target, emit, builder);
  SmallVector<vector::FromElementsOp> makers;
  SmallVector<vector::ToElementsOp> takers;
  kernel.walk([&](vector::FromElementsOp op) { makers.push_back(op); });
  kernel.walk([&](vector::ToElementsOp op) { takers.push_back(op); });
  for (vector::FromElementsOp op : makers)
    for (unsigned i = 0; i + 1 < op.getElements().size(); i += 2) {
      Operation *first = onlyFor(op, op.getElements()[i], target);
      Operation *second = onlyFor(op, op.getElements()[i + 1], target);
      builder.setInsertionPoint(op);
      if (alike(first, second))
        emitter.replace(first, second);
    }
  for (vector::ToElementsOp op : takers)
    for (unsigned i = 0; i + 1 < op.getElements().size(); i += 2) {
      Operation *first = onlyConversion(op.getElements()[i], target);
      Operation *second = onlyConversion(op.getElements()[i + 1], target);
      builder.setInsertionPointAfter(op);
      if (alike(first, second))
        emitter.replace(first, second);
    }
  SmallVector<Operation *> alone;
  kernel.walk([&](Operation *op) {
    if (findRow(op, target))
      alone.push_back(op);
  });
  for (Operation *op : alone) {
    builder.setInsertionPoint(op);
    emitter.replace(op, nullptr);
  }
}
