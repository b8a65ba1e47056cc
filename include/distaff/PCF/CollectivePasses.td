//===- CollectivePasses.td - What is in no phase yet -------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes on collective code that is written without phases: of a group, or
// for each of its members.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PCF_COLLECTIVEPASSES
#define DISTAFF_PCF_COLLECTIVEPASSES

include "mlir/Pass/PassBase.td"

def PCFBoundExtents : Pass<"pcf-bound-extents"> {
  let summary = "Give tensors of collective code their upper bounds as extents";
  let description = [{
    A tensor of a dynamic extent, outside of phases, becomes one of the largest
    extent that it may have: that of the range of the number that it is made
    with, or of the memory that it is a slice of. Slices are read with zeros
    behind them, and written as far as they go. Reductions take neutral elements
    from behind an extent, and integers are divided by 1 there.

    **Before:** every dynamic extent has an upper bound that is a number.

    **After:** tensors in executors of `scope`, all if it is not given, have
    known extents outside of phases, but for slices where memory is accessed.

    **Example:** test/PCF/bound-extents.mlir, @rows
  }];
  let options = [
    Option<"scope", "scope", "std::string", /*default=*/"\"\"",
           "Scope whose executors are looked at">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::distaff::pcf::PCFDialect"
  ];
}

def PCFDecomposeAggregates : Pass<"pcf-decompose-aggregates"> {
  let summary = "Make a softmax of collective code max, exp, sum and division";
  let description = [{
    `linalg.softmax` in executors, and in code of their workers, becomes the
    ops of which it consists, each of which has loops that members share out.

    **Before:** every softmax is of floats.

    **After:** ops of linalg under ops of pcf have loops.

    **Example:** test/PCF/decompose-aggregates.mlir, @softmax
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def PCFTileReducedProducts : Pass<"pcf-tile-reduced-products"> {
  let summary = "Multiply and reduce as many rows at a time as memory holds";
  let description = [{
    A product of matrices of collective code whose only use reduces it goes
    through memory: each worker that has an executor has memory for all of its
    product. Where the products of a kernel are more than `target` has left, the
    reduction and the product become a loop over rows of the product, as many at
    a time as fit.

    **Before:** products have known extents.

    **After:** products that are reduced fit into memory, or are of the rows of
    one matrix instruction.

    **Example:** test/PCF/tile-reduced-products.mlir, @row_max
  }];
  let options = [
    Option<"scope", "scope", "std::string", /*default=*/"\"\"",
           "Scope whose executors are looked at">,
    Option<"target", "target", "std::string", /*default=*/"\"sm_80\"",
           "Target whose memory counts">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::distaff::pcf::PCFDialect"
  ];
}

def PCFArrangeInMemory : Pass<"pcf-arrange-in-memory"> {
  let summary = "Arrange elements of tensors of collective code in memory";
  let description = [{
    Members of a group have the elements of an op's operands at the places of
    its result. What has others becomes slices of memory: slices with offsets
    are read from memory of which their source is a slice, or to which it is
    written, and paddings, concatenations, inserted slices and other shapes are
    written to memory and read as they are wanted. An element that is extracted
    is loaded by all members. A convolution or a pooling becomes an op for each
    place of its window, on slices.

    **Before:** extents of tensors that go to memory have upper bounds that are
    numbers.

    **After:** in executors of `scope`, all if it is not given, ops on tensors
    outside of phases index them by loops, and slices are the first elements of
    their sources.

    **Example:** test/PCF/arrange-in-memory.mlir, @slice_of_slice
  }];
  let options = [
    Option<"scope", "scope", "std::string", /*default=*/"\"\"",
           "Scope whose executors are looked at">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::distaff::pcf::PCFDialect"
  ];
}

def PCFMaterializeOperands : Pass<"pcf-materialize-operands"> {
  let summary = "Pass through memory what members share out and an op needs whole";
  let description = [{
    Members hold parts of a tensor, and cannot reduce it along a dimension that
    they share out, nor multiply a product's boxes with another matrix. Where an
    op of collective code would have an operand so, the operand is written to
    memory where it is made, and read in front of the op. Memory is of the scope
    of the executor, or of a scope around it, where each worker has its own part
    of it. Slices of memory that nobody writes are read again instead, and what
    is broadcast, transposed or padded is so again.

    **Before:** tensors outside of phases have known extents.

    **After:** ops on tensors in executors of `scope`, all if it is not given,
    are shared out in one way between two accesses to memory.

    **Example:** test/PCF/materialize-operands.mlir, @sum_of_product
  }];
  let options = [
    Option<"scope", "scope", "std::string", /*default=*/"\"\"",
           "Scope whose executors are looked at">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::distaff::pcf::PCFDialect"];
}

def PCFFormCollectivePhases : Pass<"pcf-form-collective-phases"> {
  let summary = "Make collective ops outside of phases phases";
  let description = [{
    Ops on tensors and memory in an executor's body, or in a `tile_group`, that
    follow each other become a phase of the group that runs them. What more than
    one phase has, or control flow hands on, becomes payload, one handle for
    each tensor. Where a phase depends through memory on an earlier one, a
    barrier is put before it.

    **Before:** tensors outside of phases have known extents.

    **After:** executors of `scope`, all if it is not given, have ops on tensors
    and memory in phases alone.

    **Example:** test/PCF/form-collective-phases.mlir, @sum_of_steps
  }];
  let options = [
    Option<"scope", "scope", "std::string", /*default=*/"\"\"",
           "Scope whose executors are looked at">
  ];
  let dependentDialects = ["::distaff::pcf::PCFDialect",
                           "::distaff::iree::IREEGPUDialect"];
}

def PCFTelescopeWorkers : Pass<"pcf-telescope-workers"> {
  let summary = "Make what a worker does with tensors its own workers' together";
  let description = [{
    The code of a `pcf.generic`, or of a `pcf.loop`, that works on tensors
    becomes the body of a `pcf.shared_executor` of the finer scope `to`, in the
    worker's place: what a subgroup does is what its lanes do together.
    Arithmetic on positions stays in front, and code without tensors is left
    alone.

    **Before:** executors of the coarser scopes are resolved.

    **After:** ops on tensors are run by workers of `to`.

    **Example:** test/PCF/telescope-workers.mlir, @by_subgroups
  }];
  let options = [
    Option<"to", "to", "std::string",
           /*default=*/"\"#iree_gpu.lane_scope\"",
           "The scope of the workers that a worker consists of">
  ];
  let dependentDialects = ["::distaff::pcf::PCFDialect",
                           "::distaff::iree::IREEGPUDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def PCFRunWorkersInRounds : Pass<"pcf-run-workers-in-rounds"> {
  let summary = "Run code of workers several times, for some of the rows each time";
  let description = [{
    A worker holds all of a tensor whose extent is dynamic, the largest that is
    possible. Where that is more than half of its registers, and the worker
    computes the rows along the extent independently of each other, all code of
    the workers becomes the body of a loop: in each round a worker computes the
    next rows, as many as fit, and copies to memory of the `pcf.generic` are
    repeated. The number of rounds is the same for all workers, and a barrier
    ends each.

    The code stays as it is if it would not do the same in every round: it reads
    memory that it passes on, or writes rows to memory of the `pcf.generic`.

    **Before:** what workers do with tensors is their own workers' code.

    **After:** tensors of dynamic extents in code of workers fit into registers,
    where rows of them are independent.

    **Example:** test/PCF/run-workers-in-rounds.mlir, @product
  }];
  let options = [Option<"target", "target", "std::string",
                        /*default=*/"\"sm_80\"", "Target whose registers count">];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::distaff::pcf::PCFDialect"];
}

def PCFElectWriters : Pass<"pcf-elect-writers"> {
  let summary = "Have one member write what a worker writes";
  let description = [{
    The code of a subgroup is run by all its lanes. What writes memory there,
    and is in no code of lanes, is put into a `pcf.generic` of the finer scope
    `to`, in which the first member alone runs it, between two barriers of the
    members.

    **Before:** what workers do with tensors is their own workers' code.

    **After:** no op that writes memory is run by several members of a worker.

    **Example:** test/PCF/elect-writers.mlir, @by_subgroups
  }];
  let options = [
    Option<"to", "to", "std::string",
           /*default=*/"\"#iree_gpu.lane_scope\"",
           "The scope of the workers that a worker consists of">
  ];
  let dependentDialects = ["::distaff::pcf::PCFDialect",
                           "::distaff::iree::IREEGPUDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // DISTAFF_PCF_COLLECTIVEPASSES
