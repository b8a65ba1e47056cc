//===- LaneCode.h - Registers of lane code ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-200. Before distribution one agent is the whole workgroup, so a lane's
// part of a value has a register of all lanes' parts:
//
//   %p = to_simt %x : vector<64xf32> -> vector<2xf32>     64 cells, those of %x
//   %k = arith.constant dense<2.0> : vector<2xf32>        64 cells
//   %m = arith.mulf %p, %k : vector<2xf32>                64 cells
//   %y = to_simd %m : vector<2xf32> -> vector<64xf32>     those of %m
//
// Cells are in the order of the whole. Elementwise ops do the same to each, so
// which lane holds which does not matter, as long as all parts that are
// combined are laid out alike and number their elements alike. Other ops are
// not modelled there.
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

  /// The code between the casts in a kernel. `refuse` is told the first op that
  /// is not modelled there.
  static FailureOr<LaneCode> get(Operation *kernel, Refuse refuse);

  /// How many elements all lanes hold of a value of such code.
  std::optional<int64_t> elementsOf(Value value) const {
    auto it = elements.find(value);
    return it == elements.end() ? std::nullopt : std::optional(it->second);
  }

private:
  llvm::DenseMap<Value, int64_t> elements;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_TRANSLATE_LANECODE_H
