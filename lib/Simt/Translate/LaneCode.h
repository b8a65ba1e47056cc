//===- LaneCode.h - Registers of lane code before distribution --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-200. Before distribution one agent is the whole workgroup, so a lane's
// part of a value has a register that holds the parts of all lanes:
//
//   %p = to_simt %x : vector<64xf32> -> vector<2xf32>     64 cells, those of %x
//   %k = arith.constant dense<2.0> : vector<2xf32>        64 cells
//   %m = arith.mulf %p, %k : vector<2xf32>                64 cells
//   %y = to_simd %m : vector<2xf32> -> vector<64xf32>     those of %m
//
// Cells have the order of the whole value. Elementwise ops treat all cells
// alike, so the lane of a cell does not matter, as long as all combined parts
// have the same layout and number their elements alike. Other ops are not
// modelled there.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_TRANSLATE_LANECODE_H
#define DISTAFF_LIB_SIMT_TRANSLATE_LANECODE_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff::simt {

class LaneCode {
public:
  using Refuse = llvm::function_ref<LogicalResult(Operation *, const Twine &)>;

  /// Returns the code between the casts in a kernel. `refuse` is called with
  /// the first op that is not modelled there.
  static FailureOr<LaneCode> get(Operation *kernel, Refuse refuse);

  /// Returns the number of elements that all lanes hold of a value of lane
  /// code.
  std::optional<int64_t> elementsOf(Value value) const {
    auto it = elements.find(value);
    return it == elements.end() ? std::nullopt : std::optional(it->second);
  }

private:
  llvm::DenseMap<Value, int64_t> elements;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_TRANSLATE_LANECODE_H
