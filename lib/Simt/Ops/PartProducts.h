//===- PartProducts.h - Widening multiply-add of CPUs -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of CPUs multiply the parts of words and add the products in a
// wider kind.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_PARTPRODUCTS_H
#define DISTAFF_LIB_SIMT_OPS_PARTPRODUCTS_H

#include "../Values/Domain.h"

namespace distaff::simt {

/// Returns the conversion of parts to the wide kind; null if the domain has
/// none.
inline Unary widening(const Domain &domain, Kind part, bool isUnsigned,
                      Kind wide) {
  return domain.convert(part.isFloat ? Conversion::FloatToFloat
                        : isUnsigned ? Conversion::ZeroExtend
                                     : Conversion::SignExtend,
                        part, wide);
}

/// Multiplication and addition in the wide kind, each result rounded or
/// wrapped.
struct MultiplyAdd {
  Binary multiply, add;

  static MultiplyAdd of(const Domain &domain, Kind wide) {
    if (wide.isFloat)
      return {domain.binary(FloatBinary::Mul, wide.format),
              domain.binary(FloatBinary::Add, wide.format)};
    return {domain.binary(IntegerBinary::Mul, wide.width),
            domain.binary(IntegerBinary::Add, wide.width)};
  }
  explicit operator bool() const { return multiply && add; }
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_PARTPRODUCTS_H
