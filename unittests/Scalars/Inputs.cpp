//===- Inputs.cpp - What scalar ops are tried on --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inputs.h"
#include "Random.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <map>

using namespace distaff::scalars;
using llvm::APFloat;

static std::vector<uint64_t> floatEdges(const Format &format) {
  const llvm::fltSemantics &semantics = *format.semantics;
  std::vector<uint64_t> edges;
  auto around = [&](uint64_t bits) {
    for (int64_t step : {0, 1, -1})
      edges.push_back((bits + step) & format.mask());
  };
  for (double number : {0.0,
                        1.0,
                        0.5,
                        1.5,
                        2.5,
                        2.0,
                        3.0,
                        0.1,
                        1.0 / 3,
                        7.0,
                        0.75,
                        1e-3,
                        10.0,
                        88.7,
                        100.5,
                        127.0,
                        128.5,
                        255.5,
                        256.0,
                        2048.0,
                        32767.5,
                        65504.0,
                        65520.0,
                        8388608.5,
                        16777217.0,
                        2147483647.0,
                        2147483648.0,
                        1e10,
                        1e20,
                        9007199254740993.0,
                        9223372036854775807.0,
                        1e38,
                        1e-38,
                        3.14159265,
                        1.57079632,
                        0.69314718,
                        709.5,
                        745.0,
                        1e300,
                        1e-300})
    around(format.round(number));
  around(bitsOf(APFloat::getSmallest(semantics)));
  around(bitsOf(APFloat::getSmallestNormalized(semantics)));
  around(bitsOf(APFloat::getLargest(semantics)));
  edges.push_back(bitsOf(APFloat::getNaN(semantics)));
  edges.push_back(bitsOf(APFloat::getNaN(semantics)) + 1);
  if (APFloat::semanticsHasInf(semantics))
    edges.push_back(bitsOf(APFloat::getInf(semantics)));
  for (size_t i = 0, count = edges.size(); i < count; ++i)
    edges.push_back(edges[i] ^ (1ull << (format.bits - 1)));
  return edges;
}

static std::vector<uint64_t> integerEdges(const Format &format) {
  std::vector<uint64_t> edges;
  for (unsigned bit = 0; bit < format.bits; ++bit)
    for (int64_t step : {-1, 0, 1})
      for (int64_t sign : {1, -1})
        edges.push_back(uint64_t(sign) * ((uint64_t(1) << bit) + step) &
                        format.mask());
  for (int64_t number : {3, 5, 7, 10, -3, -7, -10, 100, -128, 12345, 33488896,
                         16777217, 50331651, -16777219})
    edges.push_back(number & format.mask());
  return edges;
}

llvm::ArrayRef<uint64_t> distaff::scalars::edgesOf(const Format &format) {
  static std::map<const Format *, std::vector<uint64_t>> known;
  std::vector<uint64_t> &edges = known[&format];
  if (edges.empty()) {
    edges = format.isFloat() ? floatEdges(format) : integerEdges(format);
    llvm::sort(edges);
    edges.erase(llvm::unique(edges), edges.end());
  }
  return edges;
}

/// Any bits; a float of a modest exponent; a whole number; a small integer.
static uint64_t randomOf(const Format &format, Random &random) {
  uint64_t bits = random.next() & format.mask();
  switch (random.below(4)) {
  case 0:
    if (!format.isFloat())
      return (random.below(256) - 128) & format.mask();
    return format.round(
        std::ldexp(double(int64_t(random.next())), -63 + random.below(24)));
  case 1:
    if (!format.isFloat()) // as many digits as not
      return bits >> random.below(format.bits);
    return format.round(double(int64_t(random.below(2049))) - 1024);
  case 2:
    return edgesOf(format)[random.below(edgesOf(format).size())];
  }
  return bits;
}

/// What every pair and triple of is taken, however few rows there are.
static std::vector<uint64_t> specialOf(const Format &format) {
  uint64_t sign = 1ull << (format.bits - 1);
  if (!format.isFloat())
    return {0, 1, format.mask(), sign, sign - 1};
  uint64_t one = format.round(1);
  return {0,
          sign,
          one,
          one | sign,
          format.round(INFINITY),
          format.round(std::nan(""))};
}

using Rows = std::vector<std::vector<uint64_t>>;

/// All rows of numbers from lists, if there are at most so many, else some.
static void combine(const std::vector<std::vector<uint64_t>> &lists,
                    size_t most, Random &random, Rows &rows) {
  size_t all = 1;
  for (const auto &list : lists)
    all *= list.size();
  for (size_t i = 0; i < std::min(all, most); ++i) {
    size_t at = all <= most ? i : random.below(all);
    std::vector<uint64_t> row;
    for (const auto &list : lists) {
      row.push_back(list[at % list.size()]);
      at /= list.size();
    }
    rows.push_back(std::move(row));
  }
}

Rows distaff::scalars::inputsOf(const ScalarOp &op, size_t edges, size_t random,
                                uint64_t seed) {
  Random numbers(seed);
  unsigned bits = 0;
  for (const Format *each : op.operands)
    bits += each->bits;
  Rows rows;
  std::vector<std::vector<uint64_t>> lists;
  if (bits <= 16 && edges >= (size_t(1) << bits)) {
    for (const Format *each : op.operands) {
      lists.emplace_back(1ull << each->bits);
      for (uint64_t i = 0; i < lists.back().size(); ++i)
        lists.back()[i] = i;
    }
    combine(lists, edges, numbers, rows);
  } else {
    for (const Format *each : op.operands)
      lists.push_back(specialOf(*each));
    combine(lists, edges, numbers, rows);
    lists.clear();
    for (const Format *each : op.operands)
      lists.push_back(edgesOf(*each).vec());
    combine(lists, edges, numbers, rows);
    for (size_t i = 0; i < random; ++i) {
      rows.emplace_back();
      for (const Format *each : op.operands)
        rows.back().push_back(randomOf(*each, numbers));
    }
  }
  llvm::erase_if(rows, [&](const std::vector<uint64_t> &row) {
    return op.define(row).kind == Expected::Kind::Undefined;
  });
  return rows;
}
