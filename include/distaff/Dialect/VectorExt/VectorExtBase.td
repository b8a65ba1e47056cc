//===- VectorExtBase.td - The iree_vector_ext dialect ------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the dialect; attributes are in VectorExtAttrs.td, ops in
// VectorExt.td.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_VECTOREXTBASE_TD
#define DISTAFF_DIALECT_VECTOREXT_VECTOREXTBASE_TD

include "distaff/Dialect/AttributeDictionary.td"
include "mlir/IR/OpBase.td"

def VectorExt_Dialect : Dialect {
  let name = "iree_vector_ext";
  let cppNamespace = "::distaff::vector_ext";
  let summary = "Layouts of n-D vectors over subgroups, lanes and registers";
  let description = [{
    Layouts are attributes of `to_layout` operations and not part of the vector
    type: every upstream vector op keeps its meaning, and after distribution no
    layout is left. The syntax of the attributes and ops is inherited.

    A vector that a function takes or returns is laid out by its attribute
    `iree_vector_ext.layout`, like a `to_layout` after the argument or before
    the return (test/Execution/Distribution/laid_out_arguments.mlir).
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::vector::VectorDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // DISTAFF_DIALECT_VECTOREXT_VECTOREXTBASE_TD
