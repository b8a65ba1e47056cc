//===- LlvmTypes.h - What types of llvm hold --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_LLVMTYPES_H
#define DISTAFF_LIB_SIMT_OPS_LLVMTYPES_H

#include "../Values/Kind.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

namespace distaff::simt {

/// The address space of workgroup memory, of both vendors.
inline constexpr unsigned sharedSpace = 3;

/// From one element of an array to the next, as LLVM lays them out: i24 takes
/// four bytes, and three words as many as four. Nothing for structs, and for
/// vectors of what is no bytes, which are packed.
std::optional<int64_t> bytesOf(Type type);

/// Whether a number, or each of a vector, takes two registers: the product of
/// two that take one.
bool isWideInteger(Type type);

/// A number, or an array of them of any rank.
struct ArrayOfNumbers {
  Kind kind;
  SmallVector<int64_t> shape;
  int64_t bytes = 0;     // with what is between elements and behind them
  int64_t alignment = 1; // that LLVM gives it where nothing is said

  /// Whether there is nothing.
  bool isDense() const { return bytes == elements() * kind.bytes(); }

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
};

/// Nothing for structs and what they are in.
std::optional<ArrayOfNumbers> arrayOfNumbers(Type type);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_LLVMTYPES_H
