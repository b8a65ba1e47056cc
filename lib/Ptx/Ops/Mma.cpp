//===- Mma.cpp - Matrix products of a subgroup ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Matrix fragments for mma": with g = lane / 4, q = lane % 4 and p
// elements in a register of the operand, element e of register i is
//
//   A (M x K)   row g + 8 (i mod M/8)    column p q + e + 4 p (i / (M/8))
//   B (K x N)   row p q + e + 4 p i      column g
//   C, D        element j of a lane: row g + 8 (j / 2), column 2 q + j mod 2
//
// One closed form covers every shape but m8n8k4 of f16, whose layout is of
// another hardware generation and is not modelled.
//
// Products are exact. Floats are added to C in double, k ascending, and rounded
// once; f64 rounds each fma. Integers wrap, or clamp with .satfinite.
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace distaff::ptx {
namespace {

enum class Kind { Float, Double, Integer, Bit };

/// An element type of A and B.
struct Element {
  const char *name;
  Kind kind;
  unsigned bits; ///< in a register
  bool isSigned;
  FloatFormat format;
};

constexpr Element elements[] = {
    {"f16", Kind::Float, 16, true, half},
    {"bf16", Kind::Float, 16, true, bfloat},
    {"tf32", Kind::Float, 32, true, tensor},
    {"e4m3", Kind::Float, 8, true, e4m3},
    {"e5m2", Kind::Float, 8, true, e5m2},
    {"f64", Kind::Double, 64, true, wide},
    {"s8", Kind::Integer, 8, true, single},
    {"u8", Kind::Integer, 8, false, single},
    {"s4", Kind::Integer, 4, true, single},
    {"u4", Kind::Integer, 4, false, single},
    {"b1", Kind::Bit, 1, false, single},
};

/// A shape of n = 8 that exists for elements of some bits.
struct Shape {
  const char *name;
  unsigned m, k, bits;
};

constexpr Shape shapes[] = {
    {"m16n8k8", 16, 8, 16},    {"m16n8k16", 16, 16, 16},
    {"m16n8k4", 16, 4, 32},    {"m16n8k8", 16, 8, 32},
    {"m8n8k4", 8, 4, 64},      {"m16n8k4", 16, 4, 64},
    {"m16n8k8", 16, 8, 64},    {"m16n8k16", 16, 16, 64},
    {"m8n8k16", 8, 16, 8},     {"m16n8k16", 16, 16, 8},
    {"m16n8k32", 16, 32, 8},   {"m8n8k32", 8, 32, 4},
    {"m16n8k32", 16, 32, 4},   {"m16n8k64", 16, 64, 4},
    {"m8n8k128", 8, 128, 1},   {"m16n8k128", 16, 128, 1},
    {"m16n8k256", 16, 256, 1},
};

constexpr unsigned columns = 8, mostRows = 16, mostDepth = 256;

struct Product {
  Shape shape;
  Element a, b;
  FloatFormat accumulator = single; ///< format of float sums
  bool saturates = false, isAnd = false;
  std::vector<Destination> d;
  std::vector<Source> fromA, fromB, fromC;

  unsigned registerBits() const { return a.kind == Kind::Double ? 64 : 32; }
  unsigned perRegister() const { return registerBits() / a.bits; }
  bool packsC() const { return accumulator == half; }
  size_t registersA() const {
    return shape.m * shape.k / laneCount / perRegister();
  }
  size_t registersB() const {
    return columns * shape.k / laneCount / perRegister();
  }
  size_t elementsC() const { return shape.m * columns / laneCount; }
  size_t registersC() const { return elementsC() / (packsC() ? 2 : 1); }
};

/// The operands as numbers; integers up to 32 bits are exact in double.
struct Matrices {
  double a[mostRows][mostDepth], b[mostDepth][columns];
  double c[mostRows][columns];
  /// Rows of A, columns of B and elements of C with unwritten values.
  bool badRow[mostRows] = {}, badColumn[columns] = {};
  bool badC[mostRows][columns] = {};
};

double halfValue(uint64_t bits) {
  static const std::vector<float> table = [] {
    std::vector<float> all(1 << 16);
    for (unsigned i = 0; i < all.size(); ++i)
      all[i] = float(toDouble(i, half));
    return all;
  }();
  return table[bits & 0xFFFF];
}

double valueOf(uint64_t bits, const Element &element) {
  switch (element.kind) {
  case Kind::Double:
    return toDouble(bits, wide);
  case Kind::Float:
    if (element.format == half)
      return halfValue(bits);
    // The 13 bits that tf32 does not have are ignored.
    if (element.format == tensor)
      return toDouble(bits & 0xFFFFE000, single);
    if (element.format == bfloat)
      return toDouble(bits << 16 & 0xFFFF0000, single);
    return toDouble(bits & 0xFF, element.format);
  default: {
    Type type = {element.isSigned ? Type::Kind::Signed : Type::Kind::Unsigned,
                 element.bits, false, single};
    return double(type.extend(bits));
  }
  }
}

double accumulatorValue(uint64_t bits, const Product &p) {
  if (p.a.kind == Kind::Double)
    return toDouble(bits, wide);
  if (p.a.kind != Kind::Float)
    return double(int32_t(bits));
  return toDouble(bits, p.accumulator);
}

/// Calls visit(lane, register's value, element, unwritten) for each register.
template <typename Visit>
void forEachElement(const Turn &turn, const std::vector<Source> &from,
                    unsigned bits, unsigned perRegister, Visit visit) {
  for (unsigned i = 0; i < from.size(); ++i) {
    Mask unwritten = 0;
    Lanes scratch;
    const Lanes &words = turn.read(from[i], scratch, unwritten);
    for (unsigned lane = 0; lane < laneCount; ++lane)
      for (unsigned e = 0; e < perRegister; ++e)
        visit(lane, i, e, words[lane] >> (e * bits),
              bool(unwritten >> lane & 1));
  }
}

void gather(const Turn &turn, const Product &p, Matrices &x) {
  unsigned per = p.perRegister(), blocks = p.shape.m / 8;
  forEachElement(turn, p.fromA, p.a.bits, per,
                 [&](unsigned lane, unsigned i, unsigned e, uint64_t bits,
                     bool unwritten) {
                   unsigned row = lane / 4 + 8 * (i % blocks);
                   unsigned column =
                       per * (lane % 4) + e + 4 * per * (i / blocks);
                   x.a[row][column] = valueOf(bits, p.a);
                   x.badRow[row] |= unwritten;
                 });
  forEachElement(turn, p.fromB, p.b.bits, per,
                 [&](unsigned lane, unsigned i, unsigned e, uint64_t bits,
                     bool unwritten) {
                   unsigned row = per * (lane % 4) + e + 4 * per * i;
                   x.b[row][lane / 4] = valueOf(bits, p.b);
                   x.badColumn[lane / 4] |= unwritten;
                 });
  unsigned perC = p.packsC() ? 2 : 1;
  forEachElement(turn, p.fromC, 16, perC,
                 [&](unsigned lane, unsigned i, unsigned e, uint64_t bits,
                     bool unwritten) {
                   unsigned j = i * perC + e;
                   unsigned row = lane / 4 + 8 * (j / 2);
                   unsigned column = 2 * (lane % 4) + j % 2;
                   x.c[row][column] = accumulatorValue(bits, p);
                   x.badC[row][column] = unwritten;
                 });
}

void multiply(const Product &p, Matrices &x) {
  for (unsigned row = 0; row < p.shape.m; ++row)
    for (unsigned k = 0; k < p.shape.k; ++k) {
      double a = x.a[row][k];
      for (unsigned column = 0; column < columns; ++column) {
        double b = x.b[k][column], &c = x.c[row][column];
        if (p.a.kind == Kind::Double)
          c = std::fma(a, b, c);
        else if (p.a.kind == Kind::Bit)
          c += p.isAnd ? a * b : double(a != b);
        else
          c += a * b;
      }
    }
}

uint64_t resultBits(const Product &p, double value) {
  if (p.a.kind == Kind::Double)
    return fromDouble(value, wide);
  if (p.a.kind == Kind::Float)
    return fromDouble(value, p.accumulator);
  if (p.saturates)
    value = std::clamp<double>(value, INT32_MIN, INT32_MAX);
  return uint32_t(int64_t(value));
}

void scatter(const Turn &turn, const Product &p, const Matrices &x) {
  unsigned perC = p.packsC() ? 2 : 1;
  for (unsigned i = 0; i < p.d.size(); ++i) {
    Mask unwritten = 0;
    for (unsigned lane = 0; lane < laneCount; ++lane) {
      uint64_t word = 0;
      for (unsigned e = 0; e < perC; ++e) {
        unsigned j = i * perC + e;
        unsigned row = lane / 4 + 8 * (j / 2);
        unsigned column = 2 * (lane % 4) + j % 2;
        word |= resultBits(p, x.c[row][column]) << (16 * e);
        unwritten |=
            Mask(x.badRow[row] || x.badColumn[column] || x.badC[row][column])
            << lane;
      }
      turn.write(p.d[i], lane, word);
    }
    turn.mark(p.d[i], unwritten);
  }
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

std::optional<Element> takeElement(Decoding &d) {
  for (const Element &one : elements)
    if (d.take(one.name))
      return one;
  return std::nullopt;
}

/// Takes .dtype.atype.btype.ctype, with the words between that some kinds have.
bool takeTypes(Decoding &d, Product &p, std::string_view shape) {
  p.saturates = d.take("satfinite");
  std::string_view result = d.peek();
  constexpr const char *results[] = {"f16", "f32", "f64", "s32"};
  std::optional<unsigned> taken =
      d.takeOne({results[0], results[1], results[2], results[3]});
  std::optional<Element> a = takeElement(d), b = takeElement(d);
  if (!taken || !a || !b || !d.take(result))
    return false;
  p.a = *a;
  p.b = *b;
  p.accumulator = *taken == 0 ? half : single;
  bool sameKind = a->kind == b->kind && a->bits == b->bits;
  // Types of 8 bits may differ.
  bool sameFloat =
      a->kind == Kind::Integer || a->bits == 8 || a->format == b->format;
  bool fitsResult = (a->kind == Kind::Float && *taken <= 1 &&
                     (*taken == 1 || a->format == half)) ||
                    (a->kind == Kind::Double && *taken == 2) ||
                    (a->kind >= Kind::Integer && *taken == 3);
  if (!sameKind || !sameFloat || !fitsResult ||
      (p.saturates && a->kind != Kind::Integer))
    return false;
  // Floats of 8 bits have one of the integers' shapes.
  if (a->kind == Kind::Float && a->bits == 8 && shape != "m16n8k32")
    return false;
  for (const Shape &one : shapes)
    if (shape == one.name && one.bits == a->bits) {
      p.shape = one;
      return true;
    }
  return false;
}

bool takeOperands(Decoding &d, Product &p) {
  Type word = {Type::Kind::Bits, p.registerBits(), false, single};
  p.d = d.destinations(0, word);
  p.fromA = d.sources(1, word);
  p.fromB = d.sources(2, word);
  p.fromC = d.sources(3, word);
  return p.d.size() == p.registersC() && p.fromA.size() == p.registersA() &&
         p.fromB.size() == p.registersB() && p.fromC.size() == p.registersC() &&
         d.complete(4);
}

/// Decodes mma.sync.aligned.shape.row.col{.satfinite}.d.a.b.c{.xor.popc} d, a,
/// b, c.
Execute decodeMma(Decoding &d) {
  if (!d.take("sync") || !d.take("aligned"))
    return {};
  std::string shape(d.peek());
  Product p;
  if (!d.take(shape) || !d.take("row") || !d.take("col") ||
      !takeTypes(d, p, shape))
    return {};
  if (p.a.kind == Kind::Bit) {
    std::optional<unsigned> isAnd = d.takeOne({"xor", "and"});
    if (!isAnd || !d.take("popc"))
      return {};
    p.isAnd = *isAnd;
  }
  if (!takeOperands(d, p))
    return {};
  return [=](Turn &turn) {
    if (turn.active != everyLane)
      return turn.fail(FaultKind::DivergentBarrier, -1,
                       "divergent mma, by lanes " + hexadecimal(turn.active));
    ++turn.machine.counters.mma;
    auto matrices = std::make_unique<Matrices>();
    gather(turn, p, *matrices);
    multiply(p, *matrices);
    scatter(turn, p, *matrices);
  };
}

constexpr Row mmaTable[] = {{"mma", decodeMma}};

} // namespace

std::span<const Row> mmaRows() { return mmaTable; }

} // namespace distaff::ptx
