//===- CollectivePasses.td - Passes on collective code -----*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file defines the passes on collective code that is written without
// phases: for a group, or for each of its members.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PCF_COLLECTIVEPASSES
#define DISTAFF_PCF_COLLECTIVEPASSES

include "mlir/Pass/PassBase.td"

def PCFBoundExtents : Pass<"pcf-bound-extents"> {
  let summary = "Replace dynamic extents by their upper bounds";
  let description = [{
    A tensor of a dynamic extent, outside of phases, gets the largest extent
    that it may have: the upper bound of the number that it is created with, or
    of the memory that it is a slice of. Slices are padded with zeros when they
    are read, and writes are clipped to their own extents. Reductions use
    neutral elements past an extent, and integers are divided by 1 there.

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
  let summary = "Decompose softmax of collective code";
  let description = [{
    `linalg.softmax` in executors, and in code of their workers, is decomposed
    into maximum, exp, sum and division, whose loops members can distribute.

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
  let summary = "Tile products that are reduced so that they fit into memory";
  let description = [{
    A product of matrices of collective code whose only use reduces it goes
    through memory: each worker that has an executor has memory for all of its
    product. If the products of a kernel need more than `target` has left, the
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
  let summary = "Lower ops that rearrange elements of tensors to memory";
  let description = [{
    Members of a group have the elements of an op's operands at the places of
    its result. An op that needs other elements becomes slices of memory: slices
    with offsets are read from the memory that their source is a slice of, or
    that it is written to; paddings, concatenations, inserted slices and
    reshapes are written to memory and read in the shape that is needed. An
    element that is extracted is loaded by all members. A convolution or a
    pooling becomes an op per window position, on slices.

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
  let summary = "Pass operands that members hold in parts through memory";
  let description = [{
    Members hold parts of a tensor, and cannot reduce it along a distributed
    dimension, nor multiply a product's boxes with another matrix. If an op of
    collective code would have such an operand, it is written to memory where it
    is defined, and read before the op. The memory belongs to the scope of the
    executor, or to a scope around it, where each worker has its own part.
    Slices of memory that no op writes are read again instead, and broadcasts,
    transposes and paddings are rematerialized.

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
  let summary = "Outline collective ops to phases";
  let description = [{
    Consecutive ops on tensors and memory in an executor's body, or in a
    `tile_group`, become a phase of the group that runs them. Values that more
    than one phase uses, or that control flow carries, become payload, one
    handle for each tensor. If a phase has a memory hazard with an earlier one,
    a barrier is inserted before it.

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
  let summary = "Run workers' tensor code collectively on a finer scope";
  let description = [{
    The code of a `pcf.generic`, or of a `pcf.loop`, that computes with tensors
    becomes the body of a `pcf.shared_executor` of the finer scope `to`: the
    lanes of a subgroup run the code of the subgroup together. Arithmetic on
    positions stays before the executor, and code without tensors is not
    changed.

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
  let summary = "Block rows of workers' code so that they fit into registers";
  let description = [{
    A worker holds all of a tensor with a dynamic extent, up to its upper bound.
    If that is more than half of its registers, and the worker computes the rows
    along the extent independently of each other, all code of the workers
    becomes the body of a loop: in each round a worker computes the next rows,
    as many as fit, and copies to memory of the `pcf.generic` are repeated. The
    number of rounds is the same for all workers, and a barrier ends each.

    The code is not changed if rounds would have different effects: it reads
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
  let summary = "Elect one member for the writes of a worker";
  let description = [{
    All lanes of a subgroup run its code. An op that writes memory there,
    outside of lanes' code, is put into a `pcf.generic` of the finer scope `to`,
    in which only the first member runs it, between two barriers of the members.

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
