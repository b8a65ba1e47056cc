//===- StagePasses.td - From linalg to phases --------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that make a kernel's workgroup loop, its phases and their panels.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PCF_STAGEPASSES
#define DISTAFF_PCF_STAGEPASSES

include "mlir/Pass/PassBase.td"

def WorkgroupLoop : Pass<"distaff-workgroup-loop", "::mlir::ModuleOp"> {
  let summary = "Make a kernel's loop over workgroups a pcf.loop";
  let description = [{
    The `scf.forall` of a tiled kernel on memrefs becomes a `pcf.loop` over
    workgroups; a kernel without one, which is a workgroup's program, becomes a
    loop of one iteration. What is computed on vectors or allocated in front of
    the loop moves into it. Kernels that start workers are left alone. With
    `steps` a program without a loop is one iteration of a loop along so many
    neighbouring tiles, and there are as many workgroups fewer; with `any-program`
    one that has loops, too.

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
  let summary = "Make a pcf.loop over workgroups on tensors an scf.forall";
  let description = [{
    A kernel whose one op of pcf is a `pcf.loop` over workgroups, which reads
    static slices of tensors by readonly refs and writes static slices of its
    results, becomes one with an `scf.forall` mapped to `#gpu.block`, from which
    its grid follows: its own grid function is dropped. Other kernels are left
    alone.

    **Before:** a kernel as its author wrote it.

    **After:** such a kernel starts no workers.

    **Example:** test/PCF/raise-workgroup-loop.mlir, @row_sums
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def WrapInExecutor : Pass<"distaff-wrap-in-executor"> {
  let summary = "Make a workgroup's work its subgroups' together";
  let description = [{
    What a `pcf.loop` over workgroups does with tensors becomes the body of a
    `pcf.shared_executor` over the workgroup's subgroups; arithmetic on
    positions stays in front. Srefs are captured. A body that has nothing but
    positions, or is wrapped already, is left alone. (The proposal calls this
    `GPUWrapWorkgroupBodyPass`.)

    **Before:** loops over workgroups are tiled.

    **After:** in a loop over workgroups, ops on tensors are collective.

    **Example:** test/PCF/wrap-in-executor.mlir, @tiled
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect",
                           "::distaff::iree::IREEGPUDialect"];
}

def FormMatmulPhases : Pass<"distaff-form-matmul-phases"> {
  let summary = "Make a contraction phases that pass the accumulator on";
  let description = [{
    The contraction of an executor becomes three phases: fill the accumulator,
    add one step of the reduction, write it, with what is computed of it. The
    accumulator has the static size of the workgroup's tile; operands are padded
    with zeros to theirs, after what is computed of them on the way. Executors
    that have phases are left alone. (The proposal calls this
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
  let summary = "Lay out the vectors that phases will pass on";
  let description = [{
    Phases are formed at the loops and branches of an executor's body, and each
    is distributed by what is in it. So a vector that crosses one of these is
    laid out by a `to_layout` with the layout that propagation through all of
    the body finds, and so is what is reshaped, where the layout of the result
    spells the same registers in another way. Constants, masks and the like, and
    extensions of numbers, which are cheaper to make than to pass on, are made
    again where they are used: instructions find the extensions beside the
    product. Executors with phases are left alone.

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
    What makes the operand moves into a phase in front, which writes the panel;
    a barrier publishes it, and one after the contraction keeps the next step
    from overwriting it. Operands that are read from panels already are left
    alone. (The proposal calls this `GPUIntroduceSharedMemoryCopiesPass`.)

    Where the instruction takes neighbours along the reduction as one word, the
    operand's own order has them apart, and the target has no loads that
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
  let summary = "Copy vectors of global memory to shared memory, step by step";
  let description = [{
    What a phase reads of memory that its executor does not write, and converts
    to another layout through shared memory, is read from a panel, as it lies in
    memory. A phase in front of it writes the panel, a barrier publishes it, and
    in a loop one behind the phase keeps the next step from overwriting it. With
    `all` that is done to all that phases of loops read, so that some workers
    can copy what others compute with. Panels take the shared memory that the
    kernel leaves; what they do not fit into is read as before. With `ahead` a
    kernel that is left without panels is warned of.

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
  let summary = "Make loops of copies that have many pieces";
  let description = [{
    In phases without payload, a `transfer_read` whose vector a `write_slice`
    writes as it is becomes a loop along one of its dims if the lanes of `workers`
    subgroups have many pieces of 16 bytes each. An iteration copies a few of
    them per lane.

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
  let summary = "Check that results of workers begin as memory that they may write";
  let description = [{
    A result is memory of its own, which the launch gives, and an argument is
    only read. So a result cannot begin as an argument whose values are kept,
    and one that no worker writes has no values at all (PCF-198).

    **Before:** `pcf-eliminate-dead-inits`: an init that is not read is none any more.

    **After:** unchanged, and each result begins as a `tensor.empty`, or as the
    result of other workers, and is written.

    **Example:** test/PCF/verify-inits.mlir, @rows
  }];
}

#endif // DISTAFF_PCF_STAGEPASSES
