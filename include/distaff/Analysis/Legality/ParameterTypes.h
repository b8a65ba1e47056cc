//===- ParameterTypes.h - What a kernel may be passed -----------*- C++ -*-===//
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

/// Fails with an error at the kernel where an argument or a result of a type
/// can be given no array: it is a tensor, a memref, a vector or a scalar, of
/// integers, floats or indices. Who compiles a kernel and who runs one, on any
/// device and with a check or without, refuses the same types.
LogicalResult checkParameterType(FunctionOpInterface kernel, Type type);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_PARAMETERTYPES_H
