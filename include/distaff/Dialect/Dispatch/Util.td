//===- Util.td - Assumptions on integers -------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISPATCH_UTIL_TD
#define DISTAFF_DIALECT_DISPATCH_UTIL_TD

include "distaff/Dialect/Dispatch/ForeignDialect.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Util_Dialect : ForeignDialect<"util"> {
  let cppNamespace = "::distaff::dispatch";
  let summary = "IREE's assumptions on integers";
  let description = [{
    Distaff reads the part that IREE's dumps of a dispatch have. The functions
    of the host, `util.func`, are not read.
  }];
}

def Util_AssumeIntOp : Op<Util_Dialect, "assume.int", [Pure]> {
  let summary = "States the range and the divisor of integers";
  let description = [{
    An operand has one range, or one for each place from which the function is
    called; the results are the operands.

    Example: `%1 = util.assume.int %0<umin = 16, umax = 4096, udiv = 16> : index`
  }];
  let arguments = (ins Variadic<AnyType>:$operands, ArrayAttr:$assumptions);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

#endif // DISTAFF_DIALECT_DISPATCH_UTIL_TD
