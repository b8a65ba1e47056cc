//===- Kind.h - Type of a register cell -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_VALUES_KIND_H
#define DISTAFF_LIB_SIMT_VALUES_KIND_H

#include "FloatFormat.h"
#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace distaff::simt {

/// The type of one number: a float of some format, or an integer of a width of
/// at most 64 bits. `index` is the integer of width 64.
struct Kind {
  bool isFloat = false;
  FloatFormat format = FloatFormat::F32;
  unsigned width = 64; // of floats too

  static Kind integer(unsigned width) {
    return {false, FloatFormat::F32, width};
  }
  static Kind index() { return integer(64); }
  static Kind ofFloat(FloatFormat format) {
    return {true, format, unsigned(traitsOf(format).width)};
  }
  /// Returns the kind of a scalar type, or of the elements of a shaped one;
  /// nothing for types without such numbers.
  static std::optional<Kind> of(Type type);

  /// Returns its size in the program's memory in bytes, a power of two: i1 and
  /// i4 take one byte, i48 takes eight.
  int64_t bytes() const {
    assert(width > 0 && "a number has bits");
    return llvm::PowerOf2Ceil((width + 7) / 8);
  }
  bool operator==(const Kind &) const = default;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_VALUES_KIND_H
