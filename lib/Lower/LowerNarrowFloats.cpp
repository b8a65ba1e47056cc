//===- LowerNarrowFloats.cpp - 8-bit floats in terms of wider ones --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory and registers keep 8-bit floats as they are: only conversions change
// them. Where the target has an instruction between the two types, the op stays
// for emission. Elsewhere the conversion is integer arithmetic on bit patterns,
// so that only one step rounds:
//
//   widening    the pattern without its sign, shifted to where the wide format
//               has its fraction, is the number times 2^(bias - wide bias)
//   narrowing   adding just under half of what is dropped carries into what is
//               kept; below the smallest normal number the wide format's own
//               adder rounds, at a magnitude whose last digit is the narrow one
//
// No conversion uses an intermediate format that would round before: f32 never
// goes through f16. Arithmetic is done in f32 and rounded once more, which is
// correct to the bit for +, -, *, / and sqrt, as 24 >= 2 * 4 + 2 digits.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERNARROWFLOATS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// Returns the element type, or a vector type of it in the shape of the other
/// type.
Type shapedLike(Type other, Type element) {
  auto vector = dyn_cast<VectorType>(other);
  return vector ? Type(vector.clone(element)) : element;
}

const NarrowFloat *narrowOf(Type shaped) {
  Type type = getElementTypeOrSelf(shaped);
  return isa<Float8E4M3FNType>(type)     ? &f8E4M3FN
         : isa<Float8E5M2Type>(type)     ? &f8E5M2
         : isa<Float8E4M3FNUZType>(type) ? &f8E4M3FNUZ
         : isa<Float8E5M2FNUZType>(type) ? &f8E5M2FNUZ
                                         : nullptr;
}

WideFloat wideOf(Type shaped) {
  Type type = getElementTypeOrSelf(shaped);
  return {type.getIntOrFloatBitWidth(),
          cast<FloatType>(type).getFPMantissaWidth() - 1};
}

/// Returns the kind in the target's tables, if it has one.
std::optional<ScalarKind> kindOf(Type shaped) {
  Type type = getElementTypeOrSelf(shaped);
  if (type.isF16())
    return ScalarKind::F16;
  if (type.isF32())
    return ScalarKind::F32;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Patterns as integers
//===----------------------------------------------------------------------===//

/// Builds arithmetic on patterns as wide as one format's.
class Patterns {
public:
  Patterns(ImplicitLocOpBuilder &builder, Type format)
      : builder(builder), format(format), wide(wideOf(format)),
        type(shapedLike(format, builder.getIntegerType(wide.width))) {}

  Value constant(uint64_t pattern) {
    return constantOf(type,
                      builder.getIntegerAttr(getElementTypeOrSelf(type),
                                             APInt(wide.width, pattern,
                                                   /*isSigned=*/false,
                                                   /*implicitTrunc=*/true)));
  }
  Value of(Value number) {
    return arith::BitcastOp::create(builder, type, number);
  }
  Value number(Value pattern) {
    return arith::BitcastOp::create(builder, format, pattern);
  }
  Value numberConstant(uint64_t pattern) {
    auto element = cast<FloatType>(getElementTypeOrSelf(format));
    return constantOf(
        format,
        builder.getFloatAttr(element, APFloat(element.getFloatSemantics(),
                                              APInt(wide.width, pattern))));
  }
  Value constantOf(Type type, TypedAttr number) {
    if (auto vector = dyn_cast<VectorType>(type))
      number = DenseElementsAttr::get(vector, number);
    return arith::ConstantOp::create(builder, number);
  }
  Value both(Value a, uint64_t mask) {
    return arith::AndIOp::create(builder, a, constant(mask));
  }
  Value either(Value a, Value b) { return arith::OrIOp::create(builder, a, b); }
  Value plus(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
  Value left(Value a, int64_t by) {
    return by ? arith::ShLIOp::create(builder, a, constant(by)) : a;
  }
  Value right(Value a, int64_t by) {
    return by ? arith::ShRUIOp::create(builder, a, constant(by)) : a;
  }
  /// Returns `yes` where `a` and the pattern compare so, both unsigned, else
  /// `no`.
  Value where(arith::CmpIPredicate predicate, Value a, uint64_t pattern,
              Value yes, Value no) {
    Value condition =
        arith::CmpIOp::create(builder, predicate, a, constant(pattern));
    return arith::SelectOp::create(builder, condition, yes, no);
  }

  ImplicitLocOpBuilder &builder;
  Type format;
  WideFloat wide;
  Type type;
};

/// Returns `value` as a number of `format`, f16 or f32.
Value widenByIntegers(ImplicitLocOpBuilder &builder, Value value,
                      const NarrowFloat &narrow, Type format) {
  using enum arith::CmpIPredicate;
  Patterns patterns(builder, format);
  const WideFloat &wide = patterns.wide;
  Value byte = arith::BitcastOp::create(
                   builder, shapedLike(format, builder.getI8Type()), value)
                   .getResult();
  byte = arith::ExtUIOp::create(builder, patterns.type, byte);
  Value magnitude = patterns.both(byte, 0x7F);
  Value result =
      patterns.left(magnitude, wide.mantissaBits - narrow.mantissaBits);
  if (wide.bias() != narrow.bias) {
    uint64_t factor = wide.powerOfTwo(wide.bias() - narrow.bias);
    result = patterns.of(arith::MulFOp::create(
        builder, patterns.number(result), patterns.numberConstant(factor)));
  }
  Value sign = patterns.left(patterns.both(byte, 0x80), wide.width - 8);
  result = patterns.either(result, sign);
  Value nan = patterns.constant(wide.infinity() |
                                uint64_t(1) << (wide.mantissaBits - 1));
  assert((!narrow.hasInfinity() || wide.bias() == narrow.bias) &&
         "infinity has the exponent field that means so in the wide format");
  if (!narrow.hasNegativeZero)
    result = patterns.where(eq, byte, narrow.nan, nan, result);
  else if (!narrow.hasInfinity())
    result = patterns.where(eq, magnitude, narrow.nan, nan, result);
  return patterns.number(result);
}

/// Returns the pattern of a magnitude rounded to the nearest even, as if the
/// exponent were unbounded.
Value roundMagnitude(Patterns &patterns, Value magnitude,
                     const NarrowFloat &narrow) {
  const WideFloat &wide = patterns.wide;
  int64_t dropped = wide.mantissaBits - narrow.mantissaBits;
  int64_t rebias = wide.bias() - narrow.bias;
  Value odd = patterns.both(patterns.right(magnitude, dropped), 1);
  uint64_t underHalf = (uint64_t(1) << (dropped - 1)) - 1;
  Value sum = patterns.plus(
      magnitude,
      patterns.constant(underHalf - (uint64_t(rebias) << wide.mantissaBits)));
  Value normal = patterns.right(patterns.plus(sum, odd), dropped);
  if (rebias == 0) // subnormal numbers of both formats are scaled alike
    return normal;
  // One step of the narrow format's subnormal numbers is 2^step.
  int64_t step = 1 - narrow.bias - narrow.mantissaBits;
  uint64_t magic = wide.powerOfTwo(step + wide.mantissaBits);
  Value added =
      arith::AddFOp::create(patterns.builder, patterns.number(magnitude),
                            patterns.numberConstant(magic));
  Value subnormal = arith::SubIOp::create(patterns.builder, patterns.of(added),
                                          patterns.constant(magic));
  return patterns.where(arith::CmpIPredicate::ult, magnitude,
                        wide.powerOfTwo(1 - narrow.bias), subnormal, normal);
}

/// Returns `value` of f32, f64 or, for f8E5M2, f16, rounded to `type`.
Value narrowByIntegers(ImplicitLocOpBuilder &builder, Value value,
                       const NarrowFloat &narrow, Type type) {
  using enum arith::CmpIPredicate;
  Patterns patterns(builder, value.getType());
  const WideFloat &wide = patterns.wide;
  Value bits = patterns.of(value);
  uint64_t signMask = uint64_t(1) << (wide.width - 1);
  Value magnitude = patterns.both(bits, signMask - 1);
  Value sign = patterns.right(patterns.both(bits, signMask), wide.width - 8);
  Value result = roundMagnitude(patterns, magnitude, narrow);
  // NaN is above infinity, which is too large.
  result = patterns.where(uge, magnitude, firstTooLarge(narrow, wide),
                          patterns.constant(narrow.tooLarge()), result);
  if (narrow.hasInfinity())
    result = patterns.where(ugt, magnitude, wide.infinity(),
                            patterns.constant(narrow.nan), result);
  Value signedResult = patterns.either(result, sign);
  if (!narrow.hasNegativeZero)
    signedResult = patterns.where(eq, result, 0, result, signedResult);
  Value byte = arith::TruncIOp::create(
      builder, shapedLike(type, builder.getI8Type()), signedResult);
  return arith::BitcastOp::create(builder, type, byte);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Expands one conversion, unless the target has instructions for it.
class Expansion {
public:
  Expansion(const Target &target, Operation *at)
      : target(target), builder(at->getLoc(), at) {}

  Value widen(Value value, Type to) {
    const NarrowFloat &narrow = *narrowOf(value.getType());
    Type step = shapedLike(to, stepOf(narrow, getElementTypeOrSelf(to)));
    std::optional<ScalarKind> kind = kindOf(step);
    Value wide = target.findConversion(narrow, *kind, /*widens=*/true)
                     ? arith::ExtFOp::create(builder, step, value).getResult()
                     : widenByIntegers(builder, value, narrow, step);
    return convertExactly(wide, to);
  }

  Value narrow(Value value, Type to) {
    const NarrowFloat &narrow = *narrowOf(to);
    if (std::optional<ScalarKind> kind = kindOf(value.getType());
        kind && target.findConversion(narrow, *kind, /*widens=*/false))
      return arith::TruncFOp::create(builder, to, value);
    Type from = getElementTypeOrSelf(value);
    bool keepsF16 = from.isF16() && &narrow == &f8E5M2;
    if (from.getIntOrFloatBitWidth() == 16 && !keepsF16)
      return this->narrow(
          arith::ExtFOp::create(builder, shapedLike(to, builder.getF32Type()),
                                value),
          to);
    return narrowByIntegers(builder, value, narrow, to);
  }

private:
  /// Returns the format that an 8-bit float is widened to first.
  Type stepOf(const NarrowFloat &narrow, Type to) {
    using enum ScalarKind;
    if (target.findConversion(narrow, F32, /*widens=*/true))
      return builder.getF32Type();
    if (target.findConversion(narrow, F16, /*widens=*/true))
      return builder.getF16Type();
    // The conversion is a shift, to f16 alone.
    if (&narrow == &f8E5M2)
      return builder.getF16Type();
    // The exponent that f8E5M2FNUZ has for numbers is infinity's in f16.
    bool fits = &narrow != &f8E5M2FNUZ;
    return fits && to.isF16() ? Type(builder.getF16Type())
                              : Type(builder.getF32Type());
  }

  /// Converts between types that both hold every number of the narrow format.
  Value convertExactly(Value value, Type to) {
    if (value.getType() == to)
      return value;
    auto bitsOf = [](Type type) {
      return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    };
    if (getElementTypeOrSelf(to).isBF16() &&
        getElementTypeOrSelf(value).isF16())
      value = arith::ExtFOp::create(
          builder, shapedLike(to, builder.getF32Type()), value);
    if (bitsOf(to) < bitsOf(value.getType()))
      return arith::TruncFOp::create(builder, to, value);
    return arith::ExtFOp::create(builder, to, value);
  }

  const Target &target;
  ImplicitLocOpBuilder builder;
};

/// Returns whether an op moves or converts 8-bit floats without computing with
/// them.
bool onlyMoves(Operation *op) {
  return isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp,
             arith::ExtFOp, arith::TruncFOp>(op);
}

/// Returns whether an op changes only sign bits of a format whose zeros and NaN
/// have either sign, too.
bool isOfSigns(Operation *op) {
  if (!isa<arith::NegFOp, math::AbsFOp, math::CopySignOp>(op))
    return false;
  return narrowOf(op->getResult(0).getType())->hasNegativeZero;
}

void computeSigns(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Type type = op->getResult(0).getType();
  Type byte = shapedLike(type, builder.getI8Type());
  auto constant = [&](uint8_t bits) -> Value {
    TypedAttr number = builder.getI8IntegerAttr(static_cast<int8_t>(bits));
    if (auto vector = dyn_cast<VectorType>(byte))
      number = DenseElementsAttr::get(vector, number);
    return arith::ConstantOp::create(builder, number);
  };
  auto bits = [&](Value number) -> Value {
    return arith::BitcastOp::create(builder, byte, number);
  };
  Value result = bits(op->getOperand(0));
  if (isa<arith::NegFOp>(op))
    result = arith::XOrIOp::create(builder, result, constant(0x80));
  else
    result = arith::AndIOp::create(builder, result, constant(0x7F));
  if (isa<math::CopySignOp>(op)) {
    Value sign =
        arith::AndIOp::create(builder, bits(op->getOperand(1)), constant(0x80));
    result = arith::OrIOp::create(builder, result, sign);
  }
  op->replaceAllUsesWith(
      ValueRange(arith::BitcastOp::create(builder, type, result)));
  op->erase();
}

/// Returns the type in which an op on 8-bit floats is computed. Products and
/// sums of them have at most 53 digits, so that f64 rounds a fused one only
/// once.
Type computedIn(Operation *op) {
  Builder builder(op->getContext());
  return isa<math::FmaOp>(op) ? Type(builder.getF64Type())
                              : Type(builder.getF32Type());
}

struct LowerNarrowFloats final
    : distaff::impl::LowerNarrowFloatsBase<LowerNarrowFloats> {
  using LowerNarrowFloatsBase::LowerNarrowFloatsBase;

  void runOnOperation() override {
    const Target *gpu = requireTarget(getOperation()->getLoc(), target);
    if (!gpu)
      return signalPassFailure();
    SmallVector<Operation *> arithmetic, conversions;
    getOperation().walk([&](Operation *op) {
      if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
              op->getDialect()) ||
          !mentionsNarrow(op))
        return;
      if (!onlyMoves(op))
        arithmetic.push_back(op);
    });
    for (Operation *op : arithmetic)
      isOfSigns(op) ? computeSigns(op) : computeWider(op);
    getOperation().walk([&](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op) && mentionsNarrow(op))
        conversions.push_back(op);
    });
    for (Operation *op : conversions)
      convert(op, *gpu);
  }

private:
  static bool mentionsNarrow(Operation *op) {
    return llvm::any_of(op->getOperandTypes(), narrowOf) ||
           llvm::any_of(op->getResultTypes(), narrowOf);
  }

  static void computeWider(Operation *op) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    Type wide = computedIn(op);
    for (OpOperand &operand : op->getOpOperands())
      if (narrowOf(operand.get().getType()))
        operand.set(arith::ExtFOp::create(
            builder, shapedLike(operand.get().getType(), wide), operand.get()));
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      Type type = result.getType();
      if (!narrowOf(type))
        continue;
      result.setType(shapedLike(type, wide));
      auto rounded = arith::TruncFOp::create(builder, type, result);
      result.replaceAllUsesExcept(rounded, rounded);
    }
  }

  static void convert(Operation *op, const Target &target) {
    Expansion expansion(target, op);
    Value from = op->getOperand(0);
    Type to = op->getResult(0).getType();
    op->replaceAllUsesWith(ValueRange(isa<arith::ExtFOp>(op)
                                          ? expansion.widen(from, to)
                                          : expansion.narrow(from, to)));
    op->erase();
  }
};

} // namespace
