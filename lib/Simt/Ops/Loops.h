//===- Loops.h - Lowering of loops to jumps ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_LOOPS_H
#define DISTAFF_LIB_SIMT_OPS_LOOPS_H

#include "../Translate/OpRegistry.h"

namespace distaff::simt {

/// Emits for (iv = low; iv < high; iv += step) body.
LogicalResult emitLoop(Operation *op, Reg iv, Reg low, Reg high, Reg step,
                       bool isUnsigned, Translator &t,
                       llvm::function_ref<LogicalResult()> body);

/// Emits a nest of loops in index order.
LogicalResult emitNest(Operation *op, ValueRange ivs, ArrayRef<Reg> lows,
                       ArrayRef<Reg> highs, ArrayRef<Reg> steps, Translator &t,
                       llvm::function_ref<LogicalResult()> body);

/// Binds results to the registers of the last iteration's values.
inline void bindAll(ValueRange values, ArrayRef<Reg> registers, Translator &t) {
  for (auto [value, reg] : llvm::zip_equal(values, registers))
    t.bind(value, reg);
}

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_LOOPS_H
