//===- Definitions.h - What scalar ops compute, by definition ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op of arith and math that kernels may have, on every element type, with
// its definition in terms of LLVM's APFloat and APInt or, for functions whose
// last bit no document fixes, of MPFR. No code of Distaff's computes a value
// here. Edges are those of C, Annex F, where MLIR is silent: pow(x, 0) = 1,
// sin(-0) = -0, atan2(-0, -1) = -pi.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SCALARS_DEFINITIONS_H
#define DISTAFF_UNITTESTS_SCALARS_DEFINITIONS_H

#include "Formats.h"
#include "llvm/ADT/ArrayRef.h"

#include <functional>

namespace distaff::scalars {

/// What an op gives for some operands.
struct Expected {
  enum class Kind {
    Undefined, ///< poison, or undefined behavior
    Bits,      ///< these bits
    Either,    ///< these bits or `other`
    Nan,       ///< any NaN, or what a format without one rounds it to
    Near       ///< about high + low, to be rounded; the sign of a zero counts
  };
  Kind kind = Kind::Undefined;
  uint64_t bits = 0, other = 0;
  double high = 0, low = 0;

  static Expected exactly(uint64_t bits) { return {Kind::Bits, bits, 0, 0, 0}; }
  static Expected either(uint64_t bits, uint64_t other) {
    return {Kind::Either, bits, other, 0, 0};
  }
  static Expected nan() { return {Kind::Nan, 0, 0, 0, 0}; }
  static Expected near(double high, double low) {
    return {Kind::Near, 0, 0, high, low};
  }
  /// Any NaN for a NaN.
  static Expected number(const llvm::APFloat &number) {
    return number.isNaN() ? nan() : exactly(bitsOf(number));
  }
};

/// How far `got` is from what is expected: 0 where it is right, infinity where
/// it is wrong, else in units of the last place of `format` at the exact value.
double errorOf(const Expected &expected, const Format &format, uint64_t got);

/// One op on operands of given types.
struct ScalarOp {
  std::string name; ///< "addf", "select(olt x, +0)"
  std::string body; ///< gives %v, of %a, %b and %c
  std::vector<const Format *> operands;
  const Format *result;
  std::function<Expected(llvm::ArrayRef<uint64_t>)> define;

  /// "addf f32", "sitofp i32 bf16".
  std::string title() const;
  /// Whether tests take it: by SCALAR_OPS, a regular expression of titles.
  bool isChosen() const;
};

/// Each kind of op, on each type it has.
void addIntegerOps(std::vector<ScalarOp> &ops);
void addFloatOps(std::vector<ScalarOp> &ops);
void addConversions(std::vector<ScalarOp> &ops);
void addFunctions(std::vector<ScalarOp> &ops);
/// Two or three ops that upstream's folds make one of.
void addPeepholes(std::vector<ScalarOp> &ops);

inline std::vector<ScalarOp> allScalarOps() {
  std::vector<ScalarOp> ops;
  addIntegerOps(ops);
  addFloatOps(ops);
  addConversions(ops);
  addPeepholes(ops); // of those before
  addFunctions(ops);
  return ops;
}

} // namespace distaff::scalars

#endif // DISTAFF_UNITTESTS_SCALARS_DEFINITIONS_H
