//===- BoundedDomain.cpp - Doubles with an error bound --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cell of a float is a Bounded, that of an integer a BoundedInteger (whose
// value comes first, as in every domain); memory holds the same cells. Integer
// arithmetic is the IEEE domain's, and propagates `undecided`.
//
//===----------------------------------------------------------------------===//
#include "Bounded.h"
#include "IeeeDomain.h"
#include "IndexSpace.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

template <typename A, typename R, typename F> Unary overCells(F f) {
  return [=](int64_t n, const void *a, void *r) {
    for (int64_t i = 0; i < n; ++i)
      static_cast<R *>(r)[i] = f(static_cast<const A *>(a)[i]);
  };
}

template <typename A, typename R, typename F> Binary overPairs(F f) {
  return [=](int64_t n, const void *a, const void *b, void *r) {
    for (int64_t i = 0; i < n; ++i)
      static_cast<R *>(r)[i] =
          f(static_cast<const A *>(a)[i], static_cast<const A *>(b)[i]);
  };
}

template <typename Cell>
void loadBoundedCells(int64_t n, const uint8_t *memory,
                      const int64_t *positions, void *cells) {
  for (int64_t i = 0; i < n; ++i)
    if (positions[i] >= 0)
      static_cast<Cell *>(cells)[i] =
          reinterpret_cast<const Cell *>(memory)[positions[i]];
}

template <typename Cell>
void storeBoundedCells(int64_t n, uint8_t *memory, const int64_t *positions,
                       const void *cells) {
  for (int64_t i = 0; i < n; ++i)
    if (positions[i] >= 0)
      reinterpret_cast<Cell *>(memory)[positions[i]] =
          static_cast<const Cell *>(cells)[i];
}

template <typename Cell>
void selectBoundedCells(int64_t n, const void *condition, const void *a,
                        const void *b, void *r) {
  for (int64_t i = 0; i < n; ++i)
    static_cast<Cell *>(r)[i] = bounded::select(
        static_cast<const BoundedInteger *>(condition)[i],
        static_cast<const Cell *>(a)[i], static_cast<const Cell *>(b)[i]);
}

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

// The largest slope between two points: at most 1 for sine and cosine.
double slopeOfSine(double) { return 1; }
double slopeOfTan(double x) { return 1 / (std::cos(x) * std::cos(x)); }

double slopeOfCosh(double x) { return std::sinh(x); }

/// Returns the function with the error of GPU implementations: results within 2
/// units in the last place (4 roundings) for an instruction or a short
/// expansion, 8 units for the longer ones.
bounded::Function functionOf(FloatUnary op) {
  using Op = FloatUnary;
  bounded::Function function = {ieee::functionOf(op), nullptr, 16, 0};
  switch (op) {
  case Op::Ceil:
  case Op::Floor:
  case Op::Trunc:
  case Op::Round:
  case Op::RoundEven:
    function.roundings = 0; // integers are exact
    break;
  case Op::Sqrt:
    function.roundings = 4;
    function.roundsOnce = true;
    break;
  case Op::Rsqrt:
    function.roundings = 4;
    break;
  case Op::Log:
  case Op::Log2:
  case Op::Log10:
    function.roundings = 4;
    function.absolute = 0x1p-21; // near 1
    break;
  case Op::Sin:
    function.slope = slopeOfSine;
    function.absolute = 0x1p-20;
    break;
  case Op::Cos:
    function.slope = slopeOfSine;
    function.absolute = 0x1p-20;
    break;
  case Op::Tan:
    function.slope = slopeOfTan;
    break;
  case Op::Cosh:
    function.slope = slopeOfCosh;
    break;
  default:
    break;
  }
  return function;
}

Unary functionOver(FloatUnary op, FloatFormat format) {
  switch (op) {
  case FloatUnary::Negate:
    return overCells<Bounded, Bounded>(bounded::negate);
  case FloatUnary::Abs:
    return overCells<Bounded, Bounded>(bounded::absolute);
  case FloatUnary::Exp:
    return overCells<Bounded, Bounded>(
        [format](Bounded a) { return bounded::exponential(format, a); });
  case FloatUnary::Exp2:
    return overCells<Bounded, Bounded>(
        [format](Bounded a) { return bounded::exponentialOfTwo(format, a); });
  default:
    return overCells<Bounded, Bounded>(
        [format, function = functionOf(op)](Bounded a) {
          return bounded::apply(format, function, a);
        });
  }
}

//===----------------------------------------------------------------------===//
// Two numbers
//===----------------------------------------------------------------------===//

using Operation = Bounded (*)(FloatFormat, Bounded, Bounded);

Binary rounding(Operation operation, FloatFormat format) {
  return overPairs<Bounded, Bounded>(
      [=](Bounded a, Bounded b) { return operation(format, a, b); });
}

bounded::Comparison outcomes(arith::CmpFPredicate predicate) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      ieee::compute(predicate, 0.0, 1.0), ieee::compute(predicate, 0.0, 0.0),
      ieee::compute(predicate, 1.0, 0.0), ieee::compute(predicate, nan, 0.0)};
}

/// Returns whether an operand of a and b, a or b decides the result alone, so
/// that the other one may be undecided.
bool decidesAlone(IntegerBinary op, BoundedInteger a) {
  if (a.undecided)
    return false;
  return (op == IntegerBinary::And || op == IntegerBinary::Mul) ? a.value == 0
         : op == IntegerBinary::Or                              ? a.value == -1
                                                                : false;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Calls visit(lhs, rhs, acc) with the cell numbers at which a reduction starts
/// and a function that combines it.
class BoundedContraction {
public:
  BoundedContraction(vector::CombiningKind combining, Kind kind, Binary combine,
                     Binary multiply)
      : combining(combining), kind(kind), combine(combine), multiply(multiply) {
  }

  void operator()(const ContractionSpace &space, int64_t lanes, const void *lhs,
                  const void *rhs, void *acc) const {
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (auto [batch, accBatch] : llvm::enumerate(space.accBatch))
        for (auto [m, accM] : llvm::enumerate(space.accM))
          for (auto [n, accN] : llvm::enumerate(space.accN)) {
            int64_t left = space.lhsBatch[batch] + space.lhsM[m];
            int64_t right = space.rhsBatch[batch] + space.rhsN[n];
            int64_t sum = (accBatch + accM + accN) * lanes + lane;
            if (!kind.isFloat)
              reduce<BoundedInteger>(space, lanes, lane, lhs, left, rhs, right,
                                     acc, sum);
            else if (combining == vector::CombiningKind::ADD)
              add(space, lanes, lane, lhs, left, rhs, right, acc, sum);
            else if (combining == vector::CombiningKind::MUL)
              multiplyAll(space, lanes, lane, lhs, left, rhs, right, acc, sum);
            else
              reduce<Bounded>(space, lanes, lane, lhs, left, rhs, right, acc,
                              sum);
          }
  }

private:
  /// Adds terms with one bound for the sum in every order.
  void add(const ContractionSpace &space, int64_t lanes, int64_t lane,
           const void *lhs, int64_t left, const void *rhs, int64_t right,
           void *acc, int64_t sum) const {
    auto *a = static_cast<const Bounded *>(lhs),
         *b = static_cast<const Bounded *>(rhs);
    Bounded &result = static_cast<Bounded *>(acc)[sum];
    bounded::Sum terms;
    terms.add(result);
    for (auto [atLhs, atRhs] : llvm::zip_equal(space.lhsK, space.rhsK))
      terms.addProduct(a[(left + atLhs) * lanes + lane],
                       b[(right + atRhs) * lanes + lane]);
    result = terms.result(kind.format);
  }

  void multiplyAll(const ContractionSpace &space, int64_t lanes, int64_t lane,
                   const void *lhs, int64_t left, const void *rhs,
                   int64_t right, void *acc, int64_t sum) const {
    auto *a = static_cast<const Bounded *>(lhs),
         *b = static_cast<const Bounded *>(rhs);
    Bounded &result = static_cast<Bounded *>(acc)[sum];
    bounded::Product factors;
    factors.multiply(result);
    for (auto [atLhs, atRhs] : llvm::zip_equal(space.lhsK, space.rhsK)) {
      factors.multiply(a[(left + atLhs) * lanes + lane]);
      factors.multiply(b[(right + atRhs) * lanes + lane]);
    }
    result = factors.result(kind.format);
  }

  template <typename Cell>
  void reduce(const ContractionSpace &space, int64_t lanes, int64_t lane,
              const void *lhs, int64_t left, const void *rhs, int64_t right,
              void *acc, int64_t sum) const {
    Cell *result = static_cast<Cell *>(acc) + sum;
    for (auto [atLhs, atRhs] : llvm::zip_equal(space.lhsK, space.rhsK)) {
      Cell product;
      multiply(1,
               static_cast<const Cell *>(lhs) + (left + atLhs) * lanes + lane,
               static_cast<const Cell *>(rhs) + (right + atRhs) * lanes + lane,
               &product);
      combine(1, result, &product, result);
    }
  }

  vector::CombiningKind combining;
  Kind kind;
  Binary combine, multiply;
};

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Returns a scan whose total of n terms comes from a class that collects them.
template <typename Collector, typename Collect>
Scan scanOf(FloatFormat format, Collect collect) {
  return [=](int64_t lanes, ArrayRef<const void *> terms,
             ArrayRef<void *> totals) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Collector collector;
      for (auto [term, total] : llvm::zip_equal(terms, totals)) {
        collect(collector, static_cast<const Bounded *>(term)[lane]);
        static_cast<Bounded *>(total)[lane] = collector.result(format);
      }
    }
  };
}

//===----------------------------------------------------------------------===//
// The domain
//===----------------------------------------------------------------------===//

class BoundedDomain final : public Domain {
public:
  explicit BoundedDomain(Quotients quotients) : quotients(quotients) {}

  StringRef name() const override { return "bounded"; }

  unsigned cellBytes(Kind kind) const override {
    return kind.isFloat ? sizeof(Bounded) : sizeof(BoundedInteger);
  }
  unsigned memoryCellBytes(Kind kind) const override { return cellBytes(kind); }
  void constant(Kind kind, uint64_t bits, void *cell) const override;
  std::optional<uint64_t> pattern(Kind, const void *) const override {
    return std::nullopt;
  }
  Estimate estimate(Kind kind, const void *cell) const override;
  bool anyUndecided(int64_t n, const void *cells) const override;
  void makeUndecided(int64_t n, void *cells) const override;

  Load load(Kind kind) const override {
    return kind.isFloat ? loadBoundedCells<Bounded>
                        : loadBoundedCells<BoundedInteger>;
  }
  Store store(Kind kind) const override {
    return kind.isFloat ? storeBoundedCells<Bounded>
                        : storeBoundedCells<BoundedInteger>;
  }
  bool mayReinterpretMemory() const override { return false; }

  Unary unary(FloatUnary op, FloatFormat format) const override {
    return functionOver(op, format);
  }
  Unary relaxed() const override {
    return overCells<Bounded, Bounded>([](Bounded a) {
      a.isRounded = false;
      return a;
    });
  }
  Binary binary(FloatBinary op, FloatFormat format) const override;
  Binary binaryOfMany(FloatBinary op, FloatFormat format, int64_t terms,
                      bool isTermFirst) const override;
  Ternary ternary(FloatTernary op, FloatFormat format) const override;
  Binary compare(arith::CmpFPredicate predicate,
                 FloatFormat format) const override;
  Unary test(FloatTest test, FloatFormat format) const override;

  Unary unary(IntegerUnary op, unsigned width) const override {
    return overCells<BoundedInteger, BoundedInteger>([=](BoundedInteger a) {
      return BoundedInteger{ieee::compute(op, width, a.value), a.undecided};
    });
  }
  Binary binary(IntegerBinary op, unsigned width) const override;
  Binary compare(arith::CmpIPredicate predicate,
                 unsigned width) const override {
    return overPairs<BoundedInteger, BoundedInteger>(
        [=](BoundedInteger a, BoundedInteger b) {
          return BoundedInteger{
              -int64_t(ieee::compute(predicate, a.value, b.value)),
              a.undecided || b.undecided};
        });
  }

  Unary convert(Conversion conversion, Kind from, Kind to) const override;
  Regroup bitcast(Kind from, Kind to) const override;
  Ternary select(Kind kind) const override {
    return kind.isFloat ? selectBoundedCells<Bounded>
                        : selectBoundedCells<BoundedInteger>;
  }
  Contract contract(vector::CombiningKind combining, Kind lhs, Kind rhs,
                    Kind acc, bool exact) const override;
  Scan scan(vector::CombiningKind combining, Kind kind) const override;
  bool coversEveryOrder() const override { return true; }

private:
  Quotients quotients;
};

void BoundedDomain::constant(Kind kind, uint64_t bits, void *cell) const {
  // Padding bytes too: cells are compared and copied as bytes.
  std::memset(cell, 0, cellBytes(kind));
  if (kind.isFloat)
    static_cast<Bounded *>(cell)->value = decode(kind.format, bits);
  else
    static_cast<BoundedInteger *>(cell)->value = ieee::wrap(bits, kind.width);
}

Estimate BoundedDomain::estimate(Kind kind, const void *cell) const {
  if (!kind.isFloat) {
    auto *integer = static_cast<const BoundedInteger *>(cell);
    return {double(integer->value), 0, integer->undecided != 0, integer->value};
  }
  auto *number = static_cast<const Bounded *>(cell);
  Estimate estimate{number->value, number->bound, number->undecided != 0};
  estimate.isRounded = number->isRounded != 0;
  estimate.isZero = number->value == 0 && number->bound == 0;
  return estimate;
}

bool BoundedDomain::anyUndecided(int64_t n, const void *cells) const {
  ArrayRef<BoundedInteger> integers(static_cast<const BoundedInteger *>(cells),
                                    n);
  return llvm::any_of(integers,
                      [](BoundedInteger a) { return a.undecided != 0; });
}

void BoundedDomain::makeUndecided(int64_t n, void *cells) const {
  for (int64_t i = 0; i < n; ++i)
    static_cast<BoundedInteger *>(cells)[i].undecided = true;
}

Binary BoundedDomain::binaryOfMany(FloatBinary op, FloatFormat format,
                                   int64_t terms, bool isTermFirst) const {
  return overPairs<Bounded, Bounded>([=](Bounded a, Bounded b) {
    if (isTermFirst)
      std::swap(a, b);
    return op == FloatBinary::Add
               ? bounded::addOfMany(format, a, b, terms)
               : bounded::multiplyOfMany(format, a, b, terms);
  });
}

Binary BoundedDomain::binary(FloatBinary op, FloatFormat format) const {
  switch (op) {
  case FloatBinary::Add:
    return rounding(bounded::add, format);
  case FloatBinary::Sub:
    return rounding(bounded::subtract, format);
  case FloatBinary::Mul:
    return rounding(bounded::multiply, format);
  case FloatBinary::Div:
    return rounding(quotients == Quotients::Nearest
                        ? bounded::divide
                        : bounded::multiplyByReciprocal,
                    format);
  case FloatBinary::Rem:
    return rounding(bounded::remainder, format);
  case FloatBinary::Pow:
    return rounding(bounded::power, format);
  case FloatBinary::Atan2:
    return rounding(bounded::arcTangent2, format);
  case FloatBinary::CopySign:
    return overPairs<Bounded, Bounded>(bounded::copySign);
  case FloatBinary::Minimum:
    return overPairs<Bounded, Bounded>(bounded::minimum);
  case FloatBinary::Maximum:
    return overPairs<Bounded, Bounded>(bounded::maximum);
  case FloatBinary::MinNum:
    return overPairs<Bounded, Bounded>(bounded::minNum);
  case FloatBinary::MaxNum:
    return overPairs<Bounded, Bounded>(bounded::maxNum);
  }
  return {};
}

Ternary BoundedDomain::ternary(FloatTernary op, FloatFormat format) const {
  return [=](int64_t n, const void *a, const void *b, const void *c, void *r) {
    for (int64_t i = 0; i < n; ++i)
      static_cast<Bounded *>(r)[i] =
          bounded::fma(format, static_cast<const Bounded *>(a)[i],
                       static_cast<const Bounded *>(b)[i],
                       static_cast<const Bounded *>(c)[i]);
  };
}

Binary BoundedDomain::compare(arith::CmpFPredicate predicate,
                              FloatFormat format) const {
  bounded::Comparison accepted = outcomes(predicate);
  return overPairs<Bounded, BoundedInteger>([=](Bounded a, Bounded b) {
    return bounded::decide(bounded::compare(a, b), accepted, a, b);
  });
}

Unary BoundedDomain::test(FloatTest test, FloatFormat format) const {
  double smallestNormal = std::ldexp(1.0, traitsOf(format).minExponent);
  return overCells<Bounded, BoundedInteger>([=](Bounded a) {
    double x = a.value;
    bool holds = test == FloatTest::IsNaN   ? std::isnan(x)
                 : test == FloatTest::IsInf ? std::isinf(x)
                 : test == FloatTest::IsFinite
                     ? std::isfinite(x)
                     : std::isfinite(x) && std::abs(x) >= smallestNormal;
    bool near = test == FloatTest::IsNormal && a.bound > 0 &&
                std::abs(std::abs(x) - smallestNormal) <= a.bound;
    return BoundedInteger{-int64_t(holds),
                          a.undecided || near || std::isinf(a.bound)};
  });
}

Binary BoundedDomain::binary(IntegerBinary op, unsigned width) const {
  return overPairs<BoundedInteger, BoundedInteger>(
      [=](BoundedInteger a, BoundedInteger b) {
        bool undecided = (a.undecided || b.undecided) && !decidesAlone(op, a) &&
                         !decidesAlone(op, b);
        return BoundedInteger{ieee::compute(op, width, a.value, b.value),
                              undecided};
      });
}

Unary BoundedDomain::convert(Conversion conversion, Kind from, Kind to) const {
  FloatFormat format = to.format;
  unsigned width = to.width;
  switch (conversion) {
  case Conversion::FloatToFloat: {
    // A conversion to a wider format does not round; earlier roundings are
    // marked.
    FloatTraits source = traitsOf(from.format), target = traitsOf(format);
    if (source.digits <= target.digits &&
        source.minExponent >= target.minExponent)
      return relaxed();
    return overCells<Bounded, Bounded>(
        [=](Bounded a) { return bounded::convert(format, a); });
  }
  case Conversion::FloatToSigned:
    return overCells<Bounded, BoundedInteger>(
        [=](Bounded a) { return bounded::toSigned(a, width); });
  case Conversion::FloatToUnsigned:
    return overCells<Bounded, BoundedInteger>(
        [=](Bounded a) { return bounded::toUnsigned(a, width); });
  case Conversion::SignedToFloat:
    return overCells<BoundedInteger, Bounded>(
        [=](BoundedInteger a) { return bounded::fromSigned(format, a); });
  case Conversion::UnsignedToFloat:
    return overCells<BoundedInteger, Bounded>(
        [format, width = from.width](BoundedInteger a) {
          return bounded::fromUnsigned(format, a, width);
        });
  case Conversion::SignExtend:
  case Conversion::Truncate:
    return overCells<BoundedInteger, BoundedInteger>([=](BoundedInteger a) {
      return BoundedInteger{ieee::wrap(a.value, width), a.undecided};
    });
  case Conversion::ZeroExtend:
    return overCells<BoundedInteger, BoundedInteger>(
        [width, narrow = from.width](BoundedInteger a) {
          return BoundedInteger{
              ieee::wrap(ieee::zeroExtended(a.value, narrow), width),
              a.undecided};
        });
  }
  return {};
}

/// Returns a bit cast. The bits of a number with a bound are unknown, so the
/// result is undecided.
Regroup BoundedDomain::bitcast(Kind from, Kind to) const {
  // No bits are read: the estimate of a number stays.
  if (from == to)
    return [bytes = cellBytes(from)](int64_t lanes, int64_t numFrom,
                                     const void *a, int64_t, void *r) {
      std::memmove(r, a, lanes * numFrom * bytes);
    };
  Regroup regroup = ieeeDomain().bitcast(from, to);
  return [=, this](int64_t lanes, int64_t numFrom, const void *a, int64_t numTo,
                   void *r) {
    int64_t fromBytes = ieee::cellBytes(from), toBytes = ieee::cellBytes(to);
    std::vector<uint64_t> bits(numFrom + 1), regrouped(numTo + 1);
    auto *in = reinterpret_cast<uint8_t *>(bits.data());
    auto *out = reinterpret_cast<uint8_t *>(regrouped.data());
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool unknown = false;
      for (int64_t i = 0; i < numFrom; ++i) {
        int64_t at = i * lanes + lane;
        if (from.isFloat) {
          Bounded number = static_cast<const Bounded *>(a)[at];
          ieee::setPattern(from, encode(from.format, number.value),
                           in + i * fromBytes);
          unknown |= number.undecided || number.bound != 0;
        } else {
          BoundedInteger integer = static_cast<const BoundedInteger *>(a)[at];
          ieee::setPattern(from, uint64_t(integer.value), in + i * fromBytes);
          unknown |= integer.undecided;
        }
      }
      regroup(1, numFrom, in, numTo, out);
      for (int64_t i = 0; i < numTo; ++i) {
        void *cell =
            static_cast<uint8_t *>(r) + (i * lanes + lane) * cellBytes(to);
        constant(to, ieee::patternOf(to, out + i * toBytes), cell);
        if (to.isFloat)
          static_cast<Bounded *>(cell)->undecided = unknown;
        else
          static_cast<BoundedInteger *>(cell)->undecided = unknown;
      }
    }
  };
}

Contract BoundedDomain::contract(vector::CombiningKind combining, Kind lhs,
                                 Kind rhs, Kind acc, bool exact) const {
  Binary combine = combiner(combining, acc);
  Binary multiply = combiner(vector::CombiningKind::MUL, acc);
  if (!combine)
    return {};
  return BoundedContraction(combining, acc, combine, multiply);
}

Scan BoundedDomain::scan(vector::CombiningKind combining, Kind kind) const {
  if (kind.isFloat && combining == vector::CombiningKind::ADD)
    return scanOf<bounded::Sum>(
        kind.format, [](bounded::Sum &sum, Bounded term) { sum.add(term); });
  if (kind.isFloat && combining == vector::CombiningKind::MUL)
    return scanOf<bounded::Product>(
        kind.format, [](bounded::Product &product, Bounded factor) {
          product.multiply(factor);
        });
  // Integers, minima and maxima do not depend on the order.
  return Domain::scan(combining, kind);
}

} // namespace

const Domain &distaff::simt::boundedDomain(Quotients quotients) {
  static const BoundedDomain nearest(Quotients::Nearest);
  static const BoundedDomain byReciprocals(Quotients::ByReciprocals);
  return quotients == Quotients::Nearest ? nearest : byReciprocals;
}
