//===- ParameterTypes.h - Types of a kernel's parameters --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_PARAMETERTYPES_H
#define DISTAFF_ANALYSIS_LEGALITY_PARAMETERTYPES_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

/// Fails with an error at the kernel if no array can be passed for an argument
/// or a result type: it must be a tensor, a memref, a vector or a scalar, of
/// integers, floats or indices. The compiler and every runner, on any device
/// and with a check or without, reject the same types.
LogicalResult checkParameterType(FunctionOpInterface kernel, Type type);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_PARAMETERTYPES_H
