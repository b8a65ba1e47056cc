//===- AddressSums.h - What addresses are sums of ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses add constants to addresses themselves, and sums of few values are
// soon made again, so an address needs no register but those of its summands:
//
//   %a = add %base, %row      %p = add %a, 64      load %p    base and row
//
// Numbers of 64 bits that come from memory are no addresses: a sum of them is
// one value, however many it is the sum of.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_ADDRESSSUMS_H
#define DISTAFF_LIB_CONVERSION_ADDRESSSUMS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace distaff {

class AddressSums {
public:
  using Values = SmallVector<Value, 4>;

  explicit AddressSums(LLVM::LLVMFuncOp kernel);

  /// The values that have to be there for a value to be: itself, or of an
  /// address all that it is a sum of.
  Values rootsOf(Value value) const;

  /// Whether a value comes from memory, or is computed of what does.
  bool isData(Value value) const { return data.contains(value); }

  /// What a memref's descriptor holds at a position, or null.
  static Value fieldOf(LLVM::ExtractValueOp extract);

private:
  Values summandsOf(Value value) const;
  void addData(Value value, SmallVectorImpl<Value> &unvisited);

  DenseSet<Value> data; // and what is computed of it
};

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_ADDRESSSUMS_H
