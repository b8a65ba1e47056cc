//===- PCFScopes.td - Interfaces of scopes -----------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interfaces by which a machine provides its workers, their barriers, and
// their shared memory to this dialect.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCFSCOPES_TD
#define DISTAFF_DIALECT_PCF_PCFSCOPES_TD

include "mlir/IR/OpBase.td"

def PCF_ScopeAttrInterface : AttrInterface<"ScopeAttrInterface"> {
  let cppNamespace = "::distaff::pcf";
  let description = [{
    One level of the machine. Its workers form a box whose rank is the scope's
    native number of ids; ids and counts are ordered fastest varying first.
  }];
  let methods = [
    InterfaceMethod<"Rank of the worker grid, at least 1.",
      "int64_t", "getNativeNumProcessorIds">,
    InterfaceMethod<[{
        Exactly `n` (at least 1) values of type index, fastest first, each less
        than its count. With native rank r: for n < r the last is the
        linearization of the native ids n-1 to r-1; for n > r the native ids are
        followed by zeros. Uniform over everything below the worker.
      }],
      "::llvm::SmallVector<::mlir::Value>", "getWorkerIDs",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "int64_t":$n)>,
    InterfaceMethod<[{
        The counts of the ids that getWorkerIDs(n) returns: for n < r the last
        is a product, for n > r the native counts are followed by ones.
      }],
      "::llvm::SmallVector<::mlir::Value>", "getWorkerCounts",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "int64_t":$n)>,
    InterfaceMethod<[{
        Inserts code that no worker of the scope passes before all have reached
        it. Accesses to each of `spaces` made before it are visible after it.
        Without spaces it orders no memory. Failure: there is no such code, and
        none was inserted.
      }],
      "::llvm::LogicalResult", "addBarrier",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::llvm::ArrayRef<::mlir::Attribute>":$spaces),
      [{}], [{ return ::mlir::failure(); }]>,
    InterfaceMethod<[{
        As addBarrier for `numWorkers` workers that all use the constant `id`,
        at least 1.
      }],
      "::llvm::LogicalResult", "addSubsetBarrier",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "int64_t":$id, "::mlir::Value":$numWorkers,
           "::llvm::ArrayRef<::mlir::Attribute>":$spaces),
      [{}], [{ return ::mlir::failure(); }]>,
    InterfaceMethod<[{
        Inserts a fence for memory that the workers of the scope share, in
        `spaces`.
      }],
      "::llvm::LogicalResult", "addFence",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::distaff::pcf::FenceKind":$kind,
           "::llvm::ArrayRef<::mlir::Attribute>":$spaces),
      [{}], [{ return ::mlir::failure(); }]>,
    InterfaceMethod<[{
        The memory space of `pcf.alloc` and of untied results; a null attribute
        is the default space. Failure: the scope cannot allocate.
      }],
      "::llvm::FailureOr<::mlir::Attribute>", "getAllocMemSpace",
      (ins "::mlir::MLIRContext *":$context),
      [{}], [{ return ::mlir::Attribute(); }]>,
    InterfaceMethod<"Alignment of allocations in bytes.",
      "::mlir::IntegerAttr", "getPreferredAllocAlignment",
      (ins "::mlir::MLIRContext *":$context),
      [{}], [{ return ::mlir::Builder(context).getI64IntegerAttr(16); }]>,
    InterfaceMethod<"0 for the widest scope, larger is finer; for diagnostics.",
      "int64_t", "getNestingLevel">
  ];
}

def PCF_SyncScopeAttrInterface : AttrInterface<"SyncScopeAttrInterface"> {
  let cppNamespace = "::distaff::pcf";
  let description = [{
    Defines how writes through an sref become visible. Token resolution requests
    the values that represent one ref's state and records every write in them.
  }];
  let methods = [
    InterfaceMethod<"Types of the values that stand for one ref's state.",
      "::llvm::SmallVector<::mlir::Type>", "getConcreteTypes",
      (ins "::mlir::MLIRContext *":$context)>,
    InterfaceMethod<"Creates those values.",
      "::llvm::SmallVector<::mlir::Value>", "allocate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc),
      [{}], [{ return {}; }]>,
    InterfaceMethod<"Inserts what is to follow a write through the ref.",
      "void", "enqueueWrite",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$syncValues,
           "::mlir::Operation *":$writingOp),
      [{}], [{ return; }]>
  ];
}

#endif // DISTAFF_DIALECT_PCF_PCFSCOPES_TD
