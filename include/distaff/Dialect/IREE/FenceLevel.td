//===- FenceLevel.td - Scopes of a fence -------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_COMPAT_FENCELEVEL_TD
#define DISTAFF_DIALECT_COMPAT_FENCELEVEL_TD

include "mlir/IR/EnumAttr.td"

def IREEGPU_FenceLevel : I32Enum<"FenceLevel",
    "the threads among which a fence orders memory", [
    I32EnumCase<"device", 0>, I32EnumCase<"workgroup", 1>,
    I32EnumCase<"subgroup", 2>]> {
  let cppNamespace = "::distaff::iree";
}

#endif // DISTAFF_DIALECT_COMPAT_FENCELEVEL_TD
