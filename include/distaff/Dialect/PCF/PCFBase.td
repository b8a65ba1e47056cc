//===- PCFBase.td - The pcf dialect ------------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the dialect. Interfaces of scopes are in PCFScopes.td, attributes in
// PCFAttrs.td, types in PCFTypes.td, ops in PCF.td and its included files.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCFBASE_TD
#define DISTAFF_DIALECT_PCF_PCFBASE_TD

include "distaff/Dialect/AttributeDictionary.td"
include "mlir/IR/OpBase.td"

def PCF_Dialect : Dialect {
  let name = "pcf";
  let cppNamespace = "::distaff::pcf";
  let summary = "Parallel control flow: assigns code to workers";
  let description = [{
    A kernel starts as one stream of tensor operations and ends as one program
    per hardware thread, in which different threads may run different code. This
    dialect represents the states in between:

    | level | op | workers that run the code |
    |---|---|---|
    | collective | `pcf.shared_executor` | the whole group, as one |
    | partitioned | `tile_group` with `run_cluster` | named clusters, each as one |
    | per worker, partitioned | `run_thread` | every member, by itself |
    | worker code | `pcf.generic`, `pcf.loop` | every worker, by itself |

    A *scope* names one level of the machine and supplies worker ids, counts, a
    barrier and memory; any attribute that implements `ScopeAttrInterface` is
    one. An `!pcf.sref` is memory shared by the workers of a scope, whose layout
    and address space are not chosen yet. The handles `!pcf.threadgroup` and
    `!pcf.cluster` represent groups of workers and carry their values.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // DISTAFF_DIALECT_PCF_PCFBASE_TD
