//===- StagePasses.td - Forming phases of kernels ----------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file defines the passes that form a kernel's workgroup loop, its phases
// and their panels.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PCF_STAGEPASSES
#define DISTAFF_PCF_STAGEPASSES

include "mlir/Pass/PassBase.td"

def WorkgroupLoop : Pass<"distaff-workgroup-loop", "::mlir::ModuleOp"> {
  let summary = "Form a pcf.loop over the workgroups of a kernel";
  let description = [{
    The `scf.forall` of a tiled kernel on memrefs becomes a `pcf.loop` over
    workgroups; a kernel without one, which is a workgroup's program, becomes a
    loop of one iteration. Vector computations and allocations before the loop
    move into it. Kernels that start workers are not changed. With `steps` a
    program without a loop is one iteration of a loop along that many
    neighboring tiles, and the number of workgroups is divided by it; with
    `any-program` so is one that has loops.

    **Before:** a kernel has at most one `scf.forall`, and no tensor.

    **After:** a kernel has one `pcf.loop` over workgroups.

    **Example:** test/PCF/workgroup-loop.mlir, @forall
  }];
  let options = [
    Option<"steps", "steps", "int64_t", /*default=*/"1",
           "Tiles that a workgroup without a loop takes one after the other">,
    Option<"anyProgram", "any-program", "bool", /*default=*/"false",
           "Do so for workgroups with loops, too">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect",
    "::distaff::pcf::PCFDialect", "::distaff::iree::IREECodegenDialect"
  ];
}

def RaiseWorkgroupLoop
    : Pass<"distaff-raise-workgroup-loop", "::mlir::ModuleOp"> {
  let summary = "Raise a pcf.loop over workgroups on tensors to scf.forall";
  let description = [{
    A kernel whose one op of pcf is a `pcf.loop` over workgroups, which reads
    static slices of tensors by readonly refs and writes static slices of its
    results, gets an `scf.forall` mapped to `#gpu.block` instead. Its grid is
    derived from the forall, and its own grid function is erased. Other kernels
    are not changed.

    **Before:** a kernel as its author wrote it.

    **After:** such a kernel starts no workers.

    **Example:** test/PCF/raise-workgroup-loop.mlir, @row_sums
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def WrapInExecutor : Pass<"distaff-wrap-in-executor"> {
  let summary = "Wrap a workgroup's work in an executor of its subgroups";
  let description = [{
    The tensor ops of a `pcf.loop` over workgroups become the body of a
    `pcf.shared_executor` over the workgroup's subgroups; arithmetic on
    positions stays before it. Srefs are captured. A body that has only
    arithmetic on positions, or is already wrapped, is not changed. (The
    proposal calls this `GPUWrapWorkgroupBodyPass`.)

    **Before:** loops over workgroups are tiled.

    **After:** in a loop over workgroups, ops on tensors are collective.

    **Example:** test/PCF/wrap-in-executor.mlir, @tiled
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect",
                           "::distaff::iree::IREEGPUDialect"];
}

def FormMatmulPhases : Pass<"distaff-form-matmul-phases"> {
  let summary = "Form phases of a contraction that carry the accumulator";
  let description = [{
    The contraction of an executor becomes three phases: fill the accumulator,
    add one step of the reduction, and write it, with the epilogue computed from
    it. The accumulator has the static size of the workgroup's tile; operands
    are padded with zeros to theirs, after the ops that compute them. Executors
    that have phases are not changed. (The proposal calls this
    `GPUFormRunClusterMatmulFlowPass`.)

    **Before:** an executor holds one contraction with a `lowering_config`, onto
    a filled tensor, of slices that are read and ops on their elements.

    **After:** all in it is phases and the loop over the reduction.

    **Example:** test/PCF/form-matmul-phases.mlir, @wrapped
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::distaff::pcf::PCFDialect"
  ];
}

def AnchorPayload : Pass<"distaff-anchor-payload"> {
  let summary = "Anchor the layouts of vectors that become payload";
  let description = [{
    Phases are formed at the loops and branches of an executor's body, and each
    is distributed by its own ops. So a vector that crosses one of these
    boundaries gets a `to_layout` with the layout that propagation through all
    of the body finds, and so does the operand of a reshape, if the layout of
    the result spells the same registers in another way. Constants, masks and
    the like, and extensions of numbers, which are cheaper to compute than to
    carry, are rematerialized where they are used: instructions expect the
    extensions next to the product. Executors with phases are not changed.

    **Before:** an executor holds a program on vectors with layouts.

    **After:** what a part between two loops takes from others has a layout.

    **Example:** test/PCF/anchor-payload.mlir, @loop
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect",
                           "::distaff::vector_ext::VectorExtDialect"];
}

def PromoteToSharedMemory : Pass<"distaff-promote-to-shared-memory"> {
  let summary = "Copy promoted operands to shared memory, step by step";
  let description = [{
    For every operand that `promote_operands` of a contraction's
    `lowering_config` lists, a panel is allocated in the executor's initializer.
    The ops that compute the operand move into a phase before it, which writes
    the panel; a barrier publishes it, and one after the contraction keeps the
    next step from overwriting it. Operands that are already read from panels
    are not changed. (The proposal calls this
    `GPUIntroduceSharedMemoryCopiesPass`.)

    If the instruction takes neighbors along the reduction as one word, they are
    not adjacent in the operand's own order, and the target has no loads that
    transpose matrices, the panel holds the transposed operand.

    **Before:** contractions are in phases, on operands of static size.

    **After:** promoted operands are read from panels, between two barriers.

    **Example:** test/PCF/promote-to-shared-memory.mlir, @flow
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "The GPU that computes; without one no panel is transposed">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::distaff::pcf::PCFDialect"];
}

def StageReads : Pass<"distaff-stage-reads"> {
  let summary = "Stage vectors of global memory in shared memory";
  let description = [{
    A vector that a phase reads from memory that its executor does not write,
    and converts to another layout through shared memory, is read from a panel,
    which keeps the order of memory. A phase before it writes the panel, a
    barrier publishes it, and in a loop one after the phase keeps the next step
    from overwriting it. With `all` this is done for all reads of phases in
    loops, so that some workers can copy while others compute. Panels take the
    shared memory that the kernel leaves; reads that do not fit are not changed.
    With `ahead` the pass warns of a kernel without panels.

    **Before:** phases are on vectors with layouts.

    **After:** what is staged is read from panels, between two barriers.

    **Example:** test/PCF/stage-reads.mlir, @promoted
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "The GPU whose shared memory panels are in">,
    Option<"all", "all", "bool", /*default=*/"false",
           "Stage all that phases of loops read">,
    Option<"ahead", "ahead", "bool", /*default=*/"false",
           "Warn of kernels that nothing is staged for">,
    Option<"slots", "slots", "int64_t", /*default=*/"1",
           "How many steps have their panels at a time">
  ];
  let dependentDialects = ["::mlir::vector::VectorDialect",
                           "::distaff::pcf::PCFDialect",
                           "::distaff::vector_ext::VectorExtDialect"];
}

def PCFTileCopies : Pass<"pcf-tile-copies"> {
  let summary = "Tile copies of many chunks into loops";
  let description = [{
    In phases without payload, a `transfer_read` whose vector a `write_slice`
    writes unchanged becomes a loop along one of its dims if the lanes of
    `workers` subgroups have many chunks of 16 bytes each. An iteration copies a
    few of them per lane.

    **Before:** copies are phases of their own.

    **After:** the same elements are copied.

    **Example:** test/PCF/tile-copies.mlir, @rows
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "Target name">,
    Option<"workers", "workers", "int64_t", /*default=*/"1",
           "Subgroups that run a phase which copies">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::distaff::pcf::PCFDialect"];
}

def PCFVerifyInits : Pass<"pcf-verify-inits"> {
  let summary = "Check that results of workers begin in writable memory";
  let description = [{
    A result is memory of its own, which the launch allocates, and an argument
    is only read. So the init of a result cannot be an argument whose values are
    kept, and a result that no worker writes has no values at all (PCF-198).

    **Before:** `pcf-eliminate-dead-inits`: an init that is not read is none any more.

    **After:** unchanged, and each result begins as a `tensor.empty`, or as the
    result of other workers, and is written.

    **Example:** test/PCF/verify-inits.mlir, @rows
  }];
}

#endif // DISTAFF_PCF_STAGEPASSES
