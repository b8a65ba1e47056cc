//===- FenceKind.td - Release and acquire ------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_FENCEKIND_TD
#define DISTAFF_DIALECT_PCF_FENCEKIND_TD

include "mlir/IR/EnumAttr.td"

def PCF_FenceKind : I32Enum<"FenceKind", "which accesses a fence orders", [
    I32EnumCase<"release", 0>, I32EnumCase<"acquire", 1>]> {
  let cppNamespace = "::distaff::pcf";
}

#endif // DISTAFF_DIALECT_PCF_FENCEKIND_TD
