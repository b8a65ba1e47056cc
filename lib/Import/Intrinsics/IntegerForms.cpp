//===- IntegerForms.cpp - LLVM's integer intrinsics in plain arithmetic ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits saturating sums, funnel shifts and permutations of bits, of any width,
// on vectors and on scalars.
//
//===----------------------------------------------------------------------===//
#include "IntrinsicForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;

namespace {
/// Builds arithmetic of one integer type.
class IntegerWriter {
public:
  IntegerWriter(ImplicitLocOpBuilder &b, Type type)
      : b(b), type(type),
        width(getElementTypeOrSelf(type).getIntOrFloatBitWidth()) {}

  Value saturatingSum(Value x, Value y, bool isSum);
  /// Returns the upper (or, to the right, lower) half of x:y shifted by z mod
  /// width.
  Value funnelShift(Value x, Value y, Value z, bool toLeft);
  /// Returns groups of `smallest` bits in the opposite order.
  Value reverse(Value x, unsigned smallest);

  Value constant(const APInt &value) {
    auto element = IntegerAttr::get(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(vector, Attribute(element)));
    return arith::ConstantOp::create(b, element);
  }
  Value constant(uint64_t value) { return constant(APInt(width, value)); }

private:
  ImplicitLocOpBuilder &b;
  Type type;
  unsigned width;
};
} // namespace

/// Saturates a sum, which overflows if both operands have another sign than the
/// sum, or a difference, which overflows if the operands' signs differ and its
/// sign is not that of the first.
Value IntegerWriter::saturatingSum(Value x, Value y, bool isSum) {
  Value result = isSum ? Value(arith::AddIOp::create(b, x, y))
                       : Value(arith::SubIOp::create(b, x, y));
  Value fromX = arith::XOrIOp::create(b, x, result);
  Value other = arith::XOrIOp::create(b, isSum ? y : x, isSum ? result : y);
  Value both = arith::AndIOp::create(b, fromX, other);
  Value overflows = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, both,
                                          constant(uint64_t(0)));
  Value sign = arith::ShRSIOp::create(b, x, constant(uint64_t(width - 1)));
  Value limit =
      arith::XOrIOp::create(b, sign, constant(APInt::getSignedMaxValue(width)));
  return arith::SelectOp::create(b, overflows, limit, result);
}

/// Shifts the other half by one step first: shifts by the width are undefined.
Value IntegerWriter::funnelShift(Value x, Value y, Value z, bool toLeft) {
  Value by = arith::RemUIOp::create(b, z, constant(uint64_t(width)));
  Value rest = arith::SubIOp::create(b, constant(uint64_t(width - 1)), by);
  Value one = constant(uint64_t(1));
  if (width == 1) // by is 0
    return toLeft ? x : y;
  if (toLeft) {
    Value half = arith::ShRUIOp::create(b, y, one);
    return arith::OrIOp::create(b, arith::ShLIOp::create(b, x, by),
                                arith::ShRUIOp::create(b, half, rest));
  }
  Value half = arith::ShLIOp::create(b, x, one);
  return arith::OrIOp::create(b, arith::ShRUIOp::create(b, y, by),
                              arith::ShLIOp::create(b, half, rest));
}

/// Swaps halves, then their halves, down to groups of `smallest` bits; a width
/// that is no power of two times that is reversed one group at a time.
Value IntegerWriter::reverse(Value x, unsigned smallest) {
  unsigned groups = width / smallest;
  if (!llvm::isPowerOf2_32(groups)) {
    Value result = constant(uint64_t(0));
    Value mask = constant(APInt::getLowBitsSet(width, smallest));
    for (unsigned i = 0; i < groups; ++i) {
      Value group = arith::AndIOp::create(
          b, arith::ShRUIOp::create(b, x, constant(uint64_t(i * smallest))),
          mask);
      Value place = constant(uint64_t((groups - 1 - i) * smallest));
      result = arith::OrIOp::create(b, result,
                                    arith::ShLIOp::create(b, group, place));
    }
    return result;
  }
  for (unsigned step = width / 2; step >= smallest; step /= 2) {
    APInt lower = APInt::getSplat(width, APInt::getLowBitsSet(2 * step, step));
    Value mask = constant(lower), by = constant(uint64_t(step));
    Value up = arith::ShLIOp::create(b, arith::AndIOp::create(b, x, mask), by);
    Value down =
        arith::AndIOp::create(b, arith::ShRUIOp::create(b, x, by), mask);
    x = arith::OrIOp::create(b, up, down);
  }
  return x;
}

Value distaff::emitIntegerForm(ImplicitLocOpBuilder &b, StringRef intrinsic,
                               ValueRange operands) {
  Value x = operands.front();
  IntegerWriter write(b, x.getType());
  if (intrinsic == "bitreverse")
    return write.reverse(x, 1);
  if (intrinsic == "bswap")
    return write.reverse(x, 8);
  if (intrinsic == "fshl" || intrinsic == "fshr")
    return write.funnelShift(x, operands[1], operands[2], intrinsic == "fshl");
  if (intrinsic == "sadd.sat" || intrinsic == "ssub.sat")
    return write.saturatingSum(x, operands[1], intrinsic == "sadd.sat");
  Value y = operands[1];
  if (intrinsic == "usub.sat") // x - min(x, y)
    return arith::SubIOp::create(b, x, arith::MinUIOp::create(b, x, y));
  unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  Value room =
      arith::XOrIOp::create(b, x, write.constant(APInt::getAllOnes(width)));
  return arith::AddIOp::create(b, x, arith::MinUIOp::create(b, room, y));
}
