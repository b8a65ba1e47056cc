//===- Handles.h - Text of threadgroup and cluster types -------*- C++ -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DIALECT_PCF_HANDLES_H
#define DISTAFF_LIB_DIALECT_PCF_HANDLES_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Parses `{types}`.
ParseResult parsePayloadTypes(AsmParser &parser, SmallVectorImpl<Type> &types);

/// Prints `{types}`.
void printPayloadTypes(AsmPrinter &printer, ArrayRef<Type> types);

/// Handles are not carried by handles.
LogicalResult verifyPayload(function_ref<InFlightDiagnostic()> emitError,
                            ArrayRef<Type> payload);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_DIALECT_PCF_HANDLES_H
