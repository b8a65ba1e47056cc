//===- ScalarOps.cpp - Workarounds for LLVM's scalar ops ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22.1 miscompiles a few scalar operations (findings/ shows each;
// unittests/Scalars runs all of them on every device). They are replaced here
// by sequences that it compiles correctly, just before conversion, so that no
// fold of MLIR takes a sequence apart:
//
// - A conversion of an integer to bf16 rounds to f32 first, and then again. The
//   digits that bf16 drops are made one sticky bit, so that f32 is exact.
//
// - A true i1 as a signed number is +1 in bf16 on sm_90. The number is
//   selected.
//
// - A conversion of a float to i1 tests whether it is not 0. The float becomes
//   an i32, and that is truncated.
//
// - A fused multiply-add in bf16 or f16 is computed in f32, and rounded twice,
//   if the target has no instruction. The sum is rounded to odd in a wider
//   format (Boldo and Melquiond, IEEE Trans. Comput. 57, 2008).
//
// - x < 0 ? x : 0 becomes a minimum, for which -0 is below +0. x is compared
//   with the neighbour of zero instead.
//
//===----------------------------------------------------------------------===//
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

namespace {

/// Builds ops on scalars, or on vectors of the shape of one value.
class ShapedBuilder {
public:
  ShapedBuilder(Operation *at, Type like) : b(at->getLoc(), at), like(like) {}

  Type shaped(Type element) {
    auto vector = dyn_cast<VectorType>(like);
    return vector ? Type(vector.clone(element)) : element;
  }
  Type integer(unsigned width) { return shaped(b.getIntegerType(width)); }
  template <typename Op> Value make(Value a, Value other) {
    return Op::create(b, a, other);
  }
  template <typename Op> Value make(Value a) { return Op::create(b, a); }
  template <typename Op> Value convert(Type type, Value value) {
    return Op::create(b, type, value);
  }
  Value constant(Type type, const APInt &bits) {
    return splat(type, b.getIntegerAttr(getElementTypeOrSelf(type), bits));
  }
  Value constant(Type type, int64_t number) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    return constant(type, APInt(width, number, /*isSigned=*/true));
  }
  Value constant(Type type, const APFloat &number) {
    return splat(type, b.getFloatAttr(getElementTypeOrSelf(type), number));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }

private:
  Value splat(Type type, TypedAttr number) {
    if (auto vector = dyn_cast<VectorType>(type))
      number = DenseElementsAttr::get(vector, number);
    return arith::ConstantOp::create(b, number);
  }

  ImplicitLocOpBuilder b;
  Type like;
};

//===----------------------------------------------------------------------===//
// Integers and floats
//===----------------------------------------------------------------------===//

/// Returns an f64 as an f32 with an odd last bit if it is not exact (rounding
/// to odd): that is rounded to bf16 as the f64 would be.
Value narrowToOdd(ShapedBuilder &b, Value wide) {
  Type f32 = b.shaped(Float32Type::get(wide.getContext()));
  Type bits = b.integer(32);
  Value near = b.convert<arith::TruncFOp>(f32, wide);
  Value back = b.convert<arith::ExtFOp>(wide.getType(), near);
  using enum arith::CmpFPredicate;
  Value isOff = b.compare(ONE, back, wide);
  Value isBeyond =
      b.compare(OGT, b.make<math::AbsFOp>(back), b.make<math::AbsFOp>(wide));
  Value pattern = b.convert<arith::BitcastOp>(bits, near);
  Value below = b.make<arith::SubIOp>(pattern, b.constant(bits, 1));
  Value odd = b.make<arith::OrIOp>(b.select(isBeyond, below, pattern),
                                   b.constant(bits, 1));
  return b.convert<arith::BitcastOp>(f32, b.select(isOff, odd, pattern));
}

/// Clears all but the upper `kept` bits if the magnitude has more, and sets the
/// last bit left if a cleared bit was set (sticky bit): `kept` bits are exact
/// in a float, and a format of two bits less rounds them as it would round the
/// integer.
Value keepDigits(ShapedBuilder &b, Value x, unsigned kept, bool isSigned) {
  Type type = x.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  APInt dropped = APInt::getLowBitsSet(width, width - kept);
  Value none = b.constant(type, 0);
  Value rest = b.make<arith::AndIOp>(x, b.constant(type, dropped));
  Value sticky = b.select(
      b.compare(arith::CmpIPredicate::ne, rest, none),
      b.constant(type, APInt::getOneBitSet(width, width - kept)), none);
  Value upper = b.make<arith::AndIOp>(x, b.constant(type, ~dropped));
  Value rounded = b.make<arith::OrIOp>(upper, sticky);
  // True if -2^kept <= x <= 2^kept or, unsigned, x <= 2^kept.
  APInt limit = APInt::getOneBitSet(width, kept);
  Value distance =
      isSigned ? b.make<arith::AddIOp>(x, b.constant(type, limit)) : x;
  Value isExact = b.compare(arith::CmpIPredicate::ule, distance,
                            b.constant(type, isSigned ? limit.shl(1) : limit));
  return b.select(isExact, x, rounded);
}

/// Selects -1 or, unsigned, 1 if the bit is set: a conversion by way of a wider
/// integer would be folded by LLVM again.
template <typename Op> void convertFromBool(Op op) {
  constexpr double one = std::is_same_v<Op, arith::SIToFPOp> ? -1 : 1;
  Type to = op.getType();
  ShapedBuilder b(op, to);
  auto number = [&](double value) {
    APFloat constant(value);
    bool lost;
    constant.convert(
        cast<FloatType>(getElementTypeOrSelf(to)).getFloatSemantics(),
        APFloat::rmNearestTiesToEven, &lost);
    return b.constant(to, constant);
  };
  op.replaceAllUsesWith(b.select(op.getIn(), number(one), number(0)));
  op.erase();
}

template <typename Op> void convertFromInteger(Op op) {
  constexpr bool isSigned = std::is_same_v<Op, arith::SIToFPOp>;
  Type to = op.getType();
  Value x = op.getIn();
  unsigned width = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
  if (width == 1)
    return convertFromBool(op);
  if (!getElementTypeOrSelf(to).isBF16())
    return;
  ShapedBuilder b(op, to);
  MLIRContext *context = op.getContext();
  // A signed integer of one bit more is exact: its magnitude has no more
  // digits.
  bool isWide = width > 32;
  unsigned exact = isWide ? 53 : 24;
  if (width - isSigned > exact)
    x = keepDigits(b, x, exact, isSigned);
  Type step = b.shaped(isWide ? Type(Float64Type::get(context))
                              : Type(Float32Type::get(context)));
  Value number = b.convert<Op>(step, x);
  if (isWide) // LLVM would convert directly to bf16 if f64 is exact
    number = narrowToOdd(b, number);
  op.replaceAllUsesWith(b.convert<arith::TruncFOp>(to, number));
  op.erase();
}

/// Returns whether upstream's expansion for CPUs, which rounds only f32, has no
/// case for a conversion.
bool lacksExpansion(Type to, Type from, const Target &target) {
  return target.isHost() && getElementTypeOrSelf(to).isBF16() &&
         getElementTypeOrSelf(from).isF64();
}

void narrow(arith::TruncFOp op, const Target &target) {
  if (!lacksExpansion(op.getType(), op.getIn().getType(), target))
    return;
  ShapedBuilder b(op, op.getType());
  op.getInMutable().assign(narrowToOdd(b, op.getIn()));
}

template <typename Op> void convertToBool(Op op) {
  if (!getElementTypeOrSelf(op.getType()).isInteger(1))
    return;
  ShapedBuilder b(op, op.getType());
  Value number = b.convert<Op>(b.integer(32), op.getIn());
  op.replaceAllUsesWith(b.convert<arith::TruncIOp>(op.getType(), number));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Fused products
//===----------------------------------------------------------------------===//

/// Returns whether the target has a fused multiply-add of the type.
bool fuses(const Target &target, Type element) {
  if (element.isBF16())
    return target.family == Family::NVPTX && target.capability.major >= 8;
  return !element.isF16() || !target.isHost();
}

/// Returns p + c, with an odd last bit if it is not exact.
/// \pre p and c are of f32 or f64
Value addToOdd(ShapedBuilder &b, Value p, Value c) {
  Type type = p.getType();
  bool isDouble = getElementTypeOrSelf(type).isF64();
  // Knuth's two-sum: sum + rest == p + c.
  Value sum = b.make<arith::AddFOp>(p, c);
  Value added = b.make<arith::SubFOp>(sum, p);
  Value rest = b.make<arith::AddFOp>(
      b.make<arith::SubFOp>(p, b.make<arith::SubFOp>(sum, added)),
      b.make<arith::SubFOp>(c, added));
  Value zero = b.constant(type, isDouble ? APFloat(0.0) : APFloat(0.0f));
  Type bits = b.integer(isDouble ? 64 : 32);
  Value pattern = b.convert<arith::BitcastOp>(bits, sum);
  using enum arith::CmpFPredicate;
  Value isMore = b.compare(OGT, rest, zero),
        isLess = b.compare(OLT, rest, zero);
  Value isPositive = b.compare(OGT, sum, zero);
  // If the signs differ, the exact sum lies between an even sum and zero: then
  // the odd neighbour is one less.
  Value isOutside = b.compare(arith::CmpIPredicate::eq, isMore, isPositive);
  Value isInexact = b.make<arith::OrIOp>(isMore, isLess);
  Value less = b.make<arith::SubIOp>(pattern, b.constant(bits, 1));
  Value inside = b.make<arith::OrIOp>(b.select(isOutside, pattern, less),
                                      b.constant(bits, 1));
  Value isOdd = b.compare(arith::CmpIPredicate::ne,
                          b.make<arith::AndIOp>(pattern, b.constant(bits, 1)),
                          b.constant(bits, 0));
  Value keeps = b.select(isInexact, isOdd, b.constant(b.integer(1), -1));
  return b.convert<arith::BitcastOp>(type, b.select(keeps, pattern, inside));
}

/// Replaces a multiply-add without an instruction. Products of f16 are exact in
/// f32, those of bf16, whose exponents are f32's, in f64.
void fuse(math::FmaOp op, const Target &target) {
  Type type = op.getType(), element = getElementTypeOrSelf(type);
  if (fuses(target, element))
    return;
  ShapedBuilder b(op, type);
  MLIRContext *context = op.getContext();
  Type wide = b.shaped(element.isF16() ? Type(Float32Type::get(context))
                                       : Type(Float64Type::get(context)));
  auto widen = [&](Value x) { return b.convert<arith::ExtFOp>(wide, x); };
  Value product = b.make<arith::MulFOp>(widen(op.getA()), widen(op.getB()));
  Value sum = addToOdd(b, product, widen(op.getC()));
  if (lacksExpansion(type, wide, target))
    sum = narrowToOdd(b, sum);
  op.replaceAllUsesWith(b.convert<arith::TruncFOp>(type, sum));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// Returns the predicate that holds for x and the neighbour of zero, and
/// whether that is the neighbour below; none if the predicate does not separate
/// zero from its neighbour.
std::optional<std::pair<arith::CmpFPredicate, bool>>
besideZero(arith::CmpFPredicate predicate) {
  using enum arith::CmpFPredicate;
  switch (predicate) {
  case OLT:
    return std::pair(OLE, true);
  case ULT:
    return std::pair(ULE, true);
  case OGE:
    return std::pair(OGT, true);
  case UGE:
    return std::pair(UGT, true);
  case OLE:
    return std::pair(OLT, false);
  case ULE:
    return std::pair(ULT, false);
  case OGT:
    return std::pair(OGE, false);
  case UGT:
    return std::pair(UGE, false);
  default:
    return std::nullopt;
  }
}

/// Compares with a neighbour of zero if x or that zero is selected.
void keepSignOfZero(arith::SelectOp op) {
  auto comparison = op.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!comparison)
    return;
  Value x = comparison.getLhs(), zero = comparison.getRhs();
  arith::CmpFPredicate predicate = comparison.getPredicate();
  if (!matchPattern(zero, m_AnyZeroFloat())) {
    std::swap(x, zero);
    using enum arith::CmpFPredicate;
    static const llvm::DenseMap<int, arith::CmpFPredicate> turned = {
        {int(OLT), OGT}, {int(OGT), OLT}, {int(OLE), OGE}, {int(OGE), OLE},
        {int(ULT), UGT}, {int(UGT), ULT}, {int(ULE), UGE}, {int(UGE), ULE}};
    auto found = turned.find(int(predicate));
    if (found == turned.end() || !matchPattern(zero, m_AnyZeroFloat()))
      return;
    predicate = found->second;
  }
  auto beside = besideZero(predicate);
  auto selects = [&](Value one, Value other) {
    return one == x && matchPattern(other, m_AnyZeroFloat());
  };
  if (!beside || !(selects(op.getTrueValue(), op.getFalseValue()) ||
                   selects(op.getFalseValue(), op.getTrueValue())))
    return;
  ShapedBuilder b(op, x.getType());
  auto element = cast<FloatType>(getElementTypeOrSelf(x));
  Value next =
      b.constant(x.getType(), APFloat::getSmallest(element.getFloatSemantics(),
                                                   beside->second));
  op.getConditionMutable().assign(b.compare(beside->first, x, next));
}

} // namespace

void distaff::lowerScalarOps(func::FuncOp kernel, const Target &target) {
  kernel.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<arith::SIToFPOp, arith::UIToFPOp>(
            [](auto op) { convertFromInteger(op); })
        .Case<arith::FPToSIOp, arith::FPToUIOp>(
            [](auto op) { convertToBool(op); })
        .Case([&](arith::TruncFOp op) { narrow(op, target); })
        .Case([&](math::FmaOp op) { fuse(op, target); })
        .Case([](arith::SelectOp op) { keepSignOfZero(op); });
  });
}
