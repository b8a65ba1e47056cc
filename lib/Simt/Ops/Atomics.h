//===- Atomics.h - Atomic loads and updates ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_ATOMICS_H
#define DISTAFF_LIB_SIMT_OPS_ATOMICS_H

#include "../Translate/Translator.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace distaff::simt {

/// Returns the function of an exchange: the second operand.
Binary secondOperand(const Domain &domain, Kind kind);

/// Translates a load of one element per lane that updates may replace
/// meanwhile.
LogicalResult translateAtomicLoad(LLVM::LoadOp op, Reg result, Translator &t);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_ATOMICS_H
