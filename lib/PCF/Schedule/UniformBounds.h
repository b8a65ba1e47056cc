//===- UniformBounds.h - Bounds that all clusters agree on ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_UNIFORMBOUNDS_H
#define DISTAFF_LIB_PCF_SCHEDULE_UNIFORMBOUNDS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Value.h"

namespace distaff::pcf {

/// Returns whether a value of an executor's collective code is computed,
/// without memory, from what its workers share: numbers and values of the code
/// around it, and variables of loops with such bounds. After resolution every
/// cluster has its own copy of the computation, and all copies must yield the
/// same number.
bool isUniformBound(Value value);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_SCHEDULE_UNIFORMBOUNDS_H
