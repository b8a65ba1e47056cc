//===- CombineKind.td - Combining kinds --------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISTAFF_COMBINEKIND_TD
#define DISTAFF_DIALECT_DISTAFF_COMBINEKIND_TD

include "mlir/IR/EnumAttr.td"

// The kinds of the vector dialect by their names, and logsumexp.
def Distaff_CombineKind : I32Enum<"CombineKind", "how products are combined", [
    I32EnumCase<"Add", 0, "add">, I32EnumCase<"Mul", 1, "mul">,
    I32EnumCase<"MinUI", 2, "minui">, I32EnumCase<"MinSI", 3, "minsi">,
    I32EnumCase<"MinNumF", 4, "minnumf">, I32EnumCase<"MaxUI", 5, "maxui">,
    I32EnumCase<"MaxSI", 6, "maxsi">, I32EnumCase<"MaxNumF", 7, "maxnumf">,
    I32EnumCase<"And", 8, "and">, I32EnumCase<"Or", 9, "or">,
    I32EnumCase<"Xor", 10, "xor">, I32EnumCase<"MinimumF", 11, "minimumf">,
    I32EnumCase<"MaximumF", 12, "maximumf">,
    I32EnumCase<"LogSumExp", 13, "logsumexp">]> {
  let cppNamespace = "::distaff::core";
}

#endif // DISTAFF_DIALECT_DISTAFF_COMBINEKIND_TD
