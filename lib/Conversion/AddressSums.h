//===- AddressSums.h - Decomposition of addresses into summands -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses add constants to addresses themselves, and sums of few values are
// cheap to rematerialize, so an address needs no register but those of its
// summands:
//
//   %a = add %base, %row      %p = add %a, 64      load %p    base and row
//
// Numbers of 64 bits that come from memory are not addresses: a sum of them is
// one value, however many summands it has.
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

  /// Returns the values that must be in registers for a value to be available:
  /// the value itself, or the summands of an address.
  Values rootsOf(Value value) const;

  /// Returns whether a value comes from memory, or is computed from such a
  /// value.
  bool isData(Value value) const { return data.contains(value); }

  /// Returns the value of a memref's descriptor at a position, or null.
  static Value fieldOf(LLVM::ExtractValueOp extract);

private:
  Values summandsOf(Value value) const;
  void addData(Value value, SmallVectorImpl<Value> &unvisited);

  DenseSet<Value> data; // values that come from memory, and values computed
                        // from them
};

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_ADDRESSSUMS_H
