//===- SeparateMasks.h - Separation of contraction masks --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUTS_SEPARATEMASKS_H
#define DISTAFF_LIB_LAYOUTS_SEPARATEMASKS_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

/// Rewrites masked contractions into unmasked ones with selects on operands and
/// on the result, where the mask separates into parts for each. Other
/// contractions keep their mask. Fails, with a diagnostic, where such a
/// contraction has operands laid out for an instruction: instructions have no
/// masks.
LogicalResult separateMasks(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUTS_SEPARATEMASKS_H
