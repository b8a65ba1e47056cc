//===- Domain.h - Numeric domains of register cells -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine moves cells; a domain defines the contents of a cell. In the IEEE
// domain it is the bits of a number; in the bounded domain a double and an
// error bound. A program is translated for one domain: each translator gets
// from it, once, the function that computes the op over arrays of cells,
//
//   Binary add = domain.binary(FloatBinary::Add, FloatFormat::F16);
//   ...
//   add(elements * lanes, a, b, result);   // every time the op runs
//
// and an empty function means that the domain does not model the op.
//
// Three rules hold in every domain:
//  * a cell of a register has `cellBytes(kind)` bytes, at most 32, of trivially
//    copyable data, aligned to 8 (or to its size when smaller);
//   * a cell of an integer kind begins with its value as an int64_t,
//     sign-extended from its width (so i1 true is -1): control flow and
//     addresses read that;
//   * functions are total: cells of inactive lanes hold any bytes, and they
//     must neither trap nor fail on them. Operands may alias the result.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_VALUES_DOMAIN_H
#define DISTAFF_LIB_SIMT_VALUES_DOMAIN_H

#include "Kind.h"
#include "distaff/Simt/Simt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <functional>

namespace distaff::simt {

struct ContractionSpace; // IndexSpace.h

enum class FloatUnary : uint8_t {
  Negate,
  Abs,
  Sqrt,
  Rsqrt,
  Cbrt,
  Exp,
  Exp2,
  ExpM1,
  Log,
  Log2,
  Log10,
  Log1P,
  Sin,
  Cos,
  Tan,
  Sinh,
  Cosh,
  Tanh,
  Asin,
  Acos,
  Atan,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Erfc,
  Ceil,
  Floor,
  Trunc,
  Round,
  RoundEven,
};
enum class FloatBinary : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Pow,
  Atan2,
  CopySign,
  Minimum,
  Maximum, // NaN is propagated
  MinNum,
  MaxNum, // a number is preferred to NaN
};
enum class FloatTernary : uint8_t { Fma };
enum class FloatTest : uint8_t { IsNaN, IsInf, IsFinite, IsNormal };

enum class IntegerUnary : uint8_t {
  Abs,
  CountLeadingZeros,
  CountTrailingZeros,
  CountOnes
};
enum class IntegerBinary : uint8_t {
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  CeilDivS,
  CeilDivU,
  FloorDivS,
  RemS,
  RemU,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightS,
  ShiftRightU,
  MinS,
  MinU,
  MaxS,
  MaxU,
  MulHighS,
  MulHighU, // upper half of the double-width product
  Power,    // a negative exponent divides 1 by the power
  AddCarry, // the carry of an unsigned addition, as i1
};

enum class Conversion : uint8_t {
  FloatToFloat,
  FloatToSigned,
  FloatToUnsigned,
  SignedToFloat,
  UnsignedToFloat,
  SignExtend,
  ZeroExtend,
  Truncate, // of integers; index casts too
};

/// Functions over n cells; `r` may alias one of the operands.
using Unary = std::function<void(int64_t n, const void *a, void *r)>;
using Binary =
    std::function<void(int64_t n, const void *a, const void *b, void *r)>;
using Ternary = std::function<void(int64_t n, const void *a, const void *b,
                                   const void *c, void *r)>;

/// Reads (or writes) memory cell `positions[i]` for register cell i; a negative
/// position leaves the cell as it is. Positions count elements of the kind.
using Load = std::function<void(int64_t n, const uint8_t *memory,
                                const int64_t *positions, void *cells)>;
using Store = std::function<void(int64_t n, uint8_t *memory,
                                 const int64_t *positions, const void *cells)>;

/// Reinterprets, for each of `lanes` lanes, the bits of `from` elements as
/// those of `to` elements (element-major, lanes contiguous, as in registers).
using Regroup = std::function<void(int64_t lanes, int64_t from, const void *a,
                                   int64_t to, void *r)>;

/// acc = acc + sum of products over a contraction space, for each of `lanes`
/// lanes. The cell of element e and lane l is e * lanes + l.
using Contract =
    std::function<void(const ContractionSpace &space, int64_t lanes,
                       const void *lhs, const void *rhs, void *acc)>;

/// Running totals (inclusive scan), for each of `lanes` lanes: totals[i]
/// combines the cells terms[0], ..., terms[i]. No total aliases a term.
using Scan = std::function<void(int64_t lanes, ArrayRef<const void *> terms,
                                ArrayRef<void *> totals)>;

class Domain {
public:
  virtual ~Domain() = default;
  virtual StringRef name() const = 0;

  // Cells.
  virtual unsigned cellBytes(Kind kind) const = 0;       // in a register
  virtual unsigned memoryCellBytes(Kind kind) const = 0; // in memory
  /// Writes the cell of a constant, given by its bit pattern in the low `width`
  /// bits.
  virtual void constant(Kind kind, uint64_t bits, void *cell) const = 0;
  /// Returns the bit pattern of a cell, in a domain that has it (IEEE).
  virtual std::optional<uint64_t> pattern(Kind kind,
                                          const void *cell) const = 0;
  /// Returns the estimate of the exact value that a cell contains.
  virtual Estimate estimate(Kind kind, const void *cell) const = 0;
  /// Returns whether any of n integer cells is undecided.
  virtual bool anyUndecided(int64_t n, const void *cells) const {
    return false;
  }
  /// Makes integer cells undecided.
  virtual void makeUndecided(int64_t n, void *cells) const {}

  // Memory. A buffer's memory cells are those of its element kind; the IEEE
  // domain may access bytes by any kind, other domains only by that one.
  virtual Load load(Kind kind) const = 0;
  virtual Store store(Kind kind) const = 0;
  /// Returns whether memory of one kind may be read as another.
  virtual bool mayReinterpretMemory() const = 0;

  // Floating point.
  virtual Unary unary(FloatUnary op, FloatFormat format) const = 0;
  virtual Binary binary(FloatBinary op, FloatFormat format) const = 0;
  /// Returns one addition (or multiplication) in a sum (or product) of `terms`
  /// terms that the program may reassociate: of a term and the partial result
  /// before it.
  virtual Binary binaryOfMany(FloatBinary op, FloatFormat format,
                              [[maybe_unused]] int64_t terms,
                              [[maybe_unused]] bool isTermFirst) const {
    return binary(op, format);
  }
  virtual Ternary ternary(FloatTernary op, FloatFormat format) const = 0;
  /// Returns a function that weakens the estimate of a float result for an op
  /// with fast-math flags; null if the flags change nothing.
  virtual Unary relaxed() const { return nullptr; }
  virtual Binary compare(arith::CmpFPredicate predicate,
                         FloatFormat format) const = 0;             // to i1
  virtual Unary test(FloatTest test, FloatFormat format) const = 0; // to i1

  // Integers.
  virtual Unary unary(IntegerUnary op, unsigned width) const = 0;
  virtual Binary binary(IntegerBinary op, unsigned width) const = 0;
  virtual Binary compare(arith::CmpIPredicate predicate,
                         unsigned width) const = 0; // to i1

  // Any kind.
  virtual Unary convert(Conversion conversion, Kind from, Kind to) const = 0;
  virtual Regroup bitcast(Kind from, Kind to) const = 0;
  virtual Ternary select(Kind kind) const = 0; // condition (i1), true, false

  /// Returns the contraction with `combining` as the sum (the product is
  /// multiplication in the accumulator's kind for integers; of floats it is
  /// exact when `exact`, as in matrix instructions, else rounded to the
  /// accumulator's format). Terms are added in the order of the reduced
  /// indices, to the accumulator first.
  virtual Contract contract(vector::CombiningKind combining, Kind lhs, Kind rhs,
                            Kind acc, bool exact) const = 0;

  /// Returns the scan in the order of the terms, unless the domain covers other
  /// orders.
  virtual Scan scan(vector::CombiningKind combining, Kind kind) const;

  /// Returns whether the results of a reduction, `contract` or `scan`, cover
  /// every order and association of its terms.
  virtual bool coversEveryOrder() const { return false; }

  /// Returns the binary function of a combining kind.
  Binary combiner(vector::CombiningKind combining, Kind kind) const;
  /// Writes the cell c with combine(c, x) = x, bit for bit.
  void identity(vector::CombiningKind combining, Kind kind, void *cell) const;
};

/// Returns the domain of bit patterns (lib/Simt/Values/IeeeDomain.cpp).
const Domain &ieeeDomain();
/// The divisions of f32 that the compared program may use.
enum class Quotients { Nearest, ByReciprocals };

/// Returns the domain of doubles with an error bound
/// (lib/Simt/Values/BoundedDomain.cpp).
const Domain &boundedDomain(Quotients quotients = Quotients::Nearest);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_VALUES_DOMAIN_H
