//===- Formats.h - Element types and the bits of their numbers --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number is the bits that an array has of it, in the low bits of a uint64_t.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SCALARS_FORMATS_H
#define DISTAFF_UNITTESTS_SCALARS_FORMATS_H

#include "distaff/Runtime/ScalarType.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <string>
#include <vector>

namespace distaff::scalars {

/// An element type of arrays.
struct Format {
  const char *name; ///< as MLIR has it
  runtime::ScalarType type;
  unsigned bits;
  const llvm::fltSemantics *semantics; ///< null: an integer

  bool isFloat() const { return semantics; }
  uint64_t mask() const { return bits == 64 ? ~0ull : (1ull << bits) - 1; }
  llvm::APInt integer(uint64_t number) const {
    return llvm::APInt(bits, number & mask());
  }
  llvm::APFloat number(uint64_t pattern) const {
    return llvm::APFloat(*semantics, integer(pattern));
  }
  uint64_t round(double number) const;
};

/// The format of that name. \pre there is one
const Format &format(llvm::StringRef name);

inline uint64_t bitsOf(const llvm::APFloat &number) {
  return number.bitcastToAPInt().getZExtValue();
}
/// Every number of a format of at most 64 bits is one of double, too.
double toDouble(llvm::APFloat number);

/// All formats, integers first.
llvm::ArrayRef<Format> formats();

} // namespace distaff::scalars

#endif // DISTAFF_UNITTESTS_SCALARS_FORMATS_H
