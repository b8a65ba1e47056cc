//===- MmaEmitters.h - Emission of MMA instructions -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row of the MMA tables names its emitter. An emitter takes the registers
// of one fragment of each operand, one element each, in the instruction's
// order, and returns those of the result; the emitter packs elements into
// words. `op` is the op that the instruction implements; it gives the location
// and the attributes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_MMAEMITTERS_H
#define DISTAFF_LIB_CONVERSION_MMAEMITTERS_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Builders.h"

namespace distaff {

/// Emits mma.sync by NVVM or inline PTX (EmitMmaSync.cpp).
SmallVector<Value> emitMmaSync(OpBuilder &builder, Operation *op,
                               const MmaRow &row, ValueRange a, ValueRange b,
                               ValueRange c);

/// Emits MFMA and WMMA by ROCDL (EmitMfma.cpp).
SmallVector<Value> emitMatrixCore(OpBuilder &builder, Operation *op,
                                  const MmaRow &row, ValueRange a, ValueRange b,
                                  ValueRange c);

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_MMAEMITTERS_H
