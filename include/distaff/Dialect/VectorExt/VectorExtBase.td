//===- VectorExtBase.td - The iree_vector_ext dialect -----*- tablegen -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect itself; attributes are in VectorExtAttrs.td, ops in VectorExt.td.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_VECTOREXTBASE_TD
#define DISTAFF_DIALECT_VECTOREXT_VECTOREXTBASE_TD

include "mlir/IR/OpBase.td"

def VectorExt_Dialect : Dialect {
  let name = "iree_vector_ext";
  let cppNamespace = "::distaff::vector_ext";
  let summary = "Layouts of n-D vectors over subgroups, lanes and registers";
  let description = [{
    Layouts are attributes of `to_layout` operations and not part of the vector
    type: every upstream vector op keeps its meaning, and after distribution no
    layout is left. The spelling of the attributes and ops is inherited.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::vector::VectorDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // DISTAFF_DIALECT_VECTOREXT_VECTOREXTBASE_TD
