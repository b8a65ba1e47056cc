//===- AllowTf32.h - The flag --allow-tf32 ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DISTAFF_DRIVER_ALLOWTF32_H
#define DISTAFF_DRIVER_ALLOWTF32_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Sets the attribute `allow_tf32` on every product of matrices in the module:
/// instructions may drop bits of its f32 operands. Checks of the results allow
/// for the same error.
void allowTf32(ModuleOp module);

} // namespace distaff

#endif // DISTAFF_DRIVER_ALLOWTF32_H
