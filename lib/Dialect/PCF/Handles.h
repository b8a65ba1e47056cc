//===- Handles.h - Text of threadgroup and cluster types --------*- C++ -*-===//
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

/// The parsed payload of a handle: one list per kind.
struct ParsedPayload {
  SmallVector<Type> sharedTypes, privateTypes;
  bool hasShared = false, hasPrivate = false;

  /// Parses `{types}` after `shared:` or `private:`, which began at `loc`.
  ParseResult parse(AsmParser &parser, SMLoc loc, bool isPrivate);
};

/// Prints `, shared: {types}` and `, private: {types}`, each if there are any.
void printPayload(AsmPrinter &printer, ArrayRef<Type> sharedTypes,
                  ArrayRef<Type> privateTypes);

/// Prints `{types}`.
void printPayloadTypes(AsmPrinter &printer, ArrayRef<Type> types);

/// Verifies that handles carry no handles.
LogicalResult verifyPayload(function_ref<InFlightDiagnostic()> emitError,
                            ArrayRef<Type> payload);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_DIALECT_PCF_HANDLES_H
