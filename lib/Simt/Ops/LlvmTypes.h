//===- LlvmTypes.h - Size and layout of LLVM types --------------*- C++ -*-===//
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

/// The address space of workgroup memory for both vendors.
inline constexpr unsigned sharedSpace = 3;

/// Returns the distance in bytes between elements of an array, as LLVM lays
/// them out: i24 takes four bytes, and three words take as many as four.
/// Returns nothing for structs, and for vectors of sub-byte elements, which are
/// packed.
std::optional<int64_t> bytesOf(Type type);

/// Returns whether a number, or each element of a vector, takes two registers:
/// the product of two that take one.
bool isWideInteger(Type type);

/// A number, or an array of numbers of any rank.
struct ArrayOfNumbers {
  Kind kind;
  SmallVector<int64_t> shape;
  int64_t bytes = 0;     // with padding between and after the elements
  int64_t alignment = 1; // LLVM's default alignment

  /// Returns whether there is no padding.
  bool isDense() const { return bytes == elements() * kind.bytes(); }

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
};

/// Returns nothing for structs and types that contain them.
std::optional<ArrayOfNumbers> arrayOfNumbers(Type type);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_LLVMTYPES_H
