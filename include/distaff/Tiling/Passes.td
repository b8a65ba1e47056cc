//===- Passes.td - Tensors to tiles to vectors -------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that lower a configured kernel to vectors on memrefs:
// tile, vectorize and bufferize, in the order of the stages, and those that may
// run between any of them. Each pass states what holds before and after it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TILING_PASSES
#define DISTAFF_TILING_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

def Tile : Pass<"distaff-tile", "ModuleOp"> {
  let summary = "Tile and fuse a kernel into one loop over workgroups";
  let description = [{
    Turns the linalg ops of a kernel into one `scf.forall` whose iterations are
    the workgroups. A workgroup's tile of each result is computed by producer
    fusion: the op that computes the result is tiled, then the slices it reads
    are replaced by tiles of their producers, up to the arguments. Loops inside
    a workgroup are `scf.for`: over K for a contraction, with partial
    accumulators for other reductions, and over columns for rows that exceed the
    registers.

    **Before:** as configure leaves it.

    **After:** a linalg kernel is one `scf.forall` with a `#gpu.block` mapping,
    `x` innermost, and every linalg op is inside it, on static tiles. Beside
    every kernel `@NAME` stands `@NAME__grid`, which returns the number of
    workgroups in x, y and z; without a `scf.forall` that is 1, 1, 1. The grid
    is one that the target launches.

    With `strict-fp` a loop over a reduced dimension carries the accumulator
    itself, so that elements are combined in the order of the source.

    A CPU's tile of an attention may exceed its registers: its ops then have
    loops over register tiles, and the values between them are tensors.

    Along dynamic extents, which one contraction may have, the last tile is
    partial: its slices have the remaining elements, operands are padded with
    zeros to the size of the tile, and only that slice of the result is stored.
    The grid function then takes the extents, and asserts that those of one loop
    are equal in all operands.

    A kernel that has its loop over workgroups already, around vectors on
    tensors, keeps it; a `scf.for` in it whose step does not divide its range is
    peeled, so that whole steps need no masks.

    With `peel` off, whole tiles and whole steps have no bodies of their own:
    all steps of a loop are equal, with masks, so that software pipelining can
    copy the operands of the next step while one is computed.

    **Example:** test/Tiling/tile.mlir, @several_results_share_one_loop

    **Example:** test/Tiling/tile-ragged.mlir, @every_extent_is_dynamic
  }];
  let options = [
    TargetOption, StrictFpOption,
    Option<"peel", "peel", "bool", /*default=*/"true",
           "Give whole tiles and whole steps bodies of their own">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def TileToPCF : Pass<"distaff-tile-to-pcf", "ModuleOp"> {
  let summary = "Tile a contraction onto the workgroups of a pcf.loop";
  let description = [{
    Turns a kernel with one contraction, and elementwise ops around it, into one
    `pcf.loop` over workgroups: arguments enter it as memory that is read,
    results leave it as memory that is written, and a workgroup computes its
    tile of each tensor by slices that are clipped at the tensor's end. The loop
    that varies fastest in the results is the first id; of more than three loops
    the slowest share one id. With a `lowering_config` with `resident`
    workgroups, where there may be more tiles than that, all loops share one id,
    and the grid has `resident` workgroups: each one iterates over the tiles in
    steps of the grid's size
    ([why](../rationale/persistent-workgroups-loop-over-tiles.md)). A fill whose
    output is not read fills a fresh tensor. The kernel gets a grid function;
    for dynamic extents it asserts that those of one loop are equal. (The
    proposal calls this `GPUApplyWorkgroupTilingPass`.)

    **Before:** the contraction has a `lowering_config` with `workgroup` tiles.

    **After:** all tensors of a workgroup come from `pcf.read_slice` and go to
    `pcf.write_slice`, which write every element of the results once, so that
    what their inits hold is of no matter. A kernel that starts workers itself is
    as it was.

    **Example:** test/PCF/tile-to-pcf.mlir, @matmul
  }];
  let options = [TargetOption];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::distaff::pcf::PCFDialect",
    "::distaff::iree::IREECodegenDialect"
  ];
}

def Vectorize : Pass<"distaff-vectorize", "ModuleOp"> {
  let summary = "Turn linalg ops on static tiles into vector ops";
  let description = [{
    Each linalg op becomes vectors of the size of its tile. Values between ops
    stay in vectors, accumulators of loops become vector `iter_args`, and a
    contraction becomes a `vector.contract` that carries the op's
    `lowering_config`; a wider accumulator type is an explicit extension of the
    operands. A partial tile at the end of a tensor is read with its padding and
    written without the elements outside: such accesses are not `in_bounds`. An
    `iree_codegen.inner_tiled` of tensors becomes one of vectors.

    **Before:** as tile leaves it.

    **After:** no linalg op is left. Tensors are read and written by
    `vector.transfer_read` and `vector.transfer_write` alone.

    **Example:** test/Tiling/vectorize.mlir, @values_between_ops_are_vectors
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect",
    "::distaff::core::DistaffDialect", "::distaff::vector_ext::VectorExtDialect"
  ];
}

def VectorExtVectorizeToLayout
    : Pass<"vector-ext-vectorize-to-layout"> {
  let summary = "Give a tensor's layout to the vector that it is read into";
  let description = [{
    A `to_layout` of a tensor becomes a read of a vector of the layout's
    extents, the `to_layout` of that vector with all attributes, and a write
    into an empty tensor. Where the tensor is smaller than the layout, or its
    extents are dynamic, both are masked, and the padding is poison.

    **Before:** any code.

    **After:** no tensor has a layout.

    **Example:** test/Tiling/vectorize-to-layout.mlir, @smaller_than_its_layout
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"
  ];
}

def Bufferize : Pass<"distaff-bufferize", "ModuleOp"> {
  let summary = "Turn tensors into memrefs and results into out-arguments";
  let description = [{
    One-shot bufferization with row-major memrefs at the function boundary.
    A tensor result becomes a memref argument after all others, and the ops that
    compute the result write directly into it; subviews are folded into the
    transfers that use them, but for those that end inside a tile. Dynamic
    extents of a result are formulas of the arguments', `iree.abi.extents`.

    With `of-vectors` only kernels whose tensors are read and written by vectors
    are bufferized, and need no tiling; layouts of their tensors become layouts
    of those vectors. A result that begins as an argument begins as a copy of
    it.

    With `on-stack`, for CPUs, allocations become `memref.alloca`, with an upper
    bound of the size where extents are dynamic; 512 KiB at most. Allocations
    that are never live at the same time, as on the sides of a branch, are
    merged.

    **Before:** as vectorize leaves it, or vectors on tensors.

    **After:** no tensor is left, no memory is allocated but on the stack, and the
    kernel returns nothing.

    **Example:** test/Tiling/bufferize.mlir, @results_become_arguments
  }];
  let options = [
    Option<"ofVectors", "of-vectors", "bool", /*default=*/"false",
           "Only if vectors read and write all tensors of the module">,
    Option<"onStack", "on-stack", "bool", /*default=*/"false",
           "A tile that is written before it is read has memory on the stack">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def VersionRowAlignment
    : Pass<"distaff-version-row-alignment", "::mlir::func::FuncOp"> {
  let summary = "Version a kernel by whether rows are multiples of an access";
  let description = [{
    Lanes copy operands of a product by the target's widest accesses where rows
    are multiples of them. If a contraction's factors are read from arguments
    with rows of dynamic length, the body of the workgroup-mapped loop is
    versioned: if the rows of all of them are multiples, the body reads the
    arguments through a `memref.reinterpret_cast` with strides that are
    multiples; else the original body runs, with one loop over the steps of a
    product, the one for partial tiles. Where the target supports accesses that
    begin at any element, as AMD's GPUs do, such arguments are marked with
    `distaff.unaligned_rows` instead, and the body has one version.

    **Before:** memrefs; any code.

    **After:** the same. A loop that has two versions has one `scf.if` in it.

    **Example:** test/Tiling/version-row-alignment.mlir, @product
  }];
  let options = [TargetOption];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def MapForall : Pass<"distaff-map-forall", "::mlir::func::FuncOp"> {
  let summary = "Replace the workgroup-mapped loop by workgroup ids";
  let description = [{
    The grid has one workgroup per iteration, so the body of the `scf.forall`
    runs once, with `lower bound + gpu.block_id * step` for its induction
    variables.

    **Before:** at most one `scf.forall`, mapped to `#gpu.block<x>`, `<y>`,
    `<z>`, without results.

    **After:** no `scf.forall`.

    **Example:** test/Tiling/map-forall.mlir, @ids_become_indices
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect"];
}

def MapGrid : Pass<"distaff-map-grid", "ModuleOp"> {
  let summary = "Map grid-stride loops over workgroups to a known grid";
  let description = [{
    The results of a kernel's grid function are computed in the kernel, in place
    of `gpu.grid_dim`, for which not every target has a register. A loop that
    starts at the workgroup's id and steps by the number of workgroups is
    replaced by its body if it has as many iterations as workgroups. A loop that
    stays has a barrier of the workgroup between two iterations if they access
    the workgroup's memory.

    **Before:** loops that workgroups share out go in steps of `gpu.grid_dim`;
    every launch has the grid that the grid function returns.

    **After:** no `gpu.grid_dim` in kernels with a grid function that only
    computes; what a workgroup does to its memory for one iteration comes before
    what it does for the next.

    **Example:** test/Tiling/map-grid.mlir, @shared_out
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::distaff::iree::IREEGPUDialect"
  ];
}

def TileVectors : Pass<"distaff-tile-vectors", "ModuleOp"> {
  let summary = "Compute large n-D vectors in loops over tiles of them";
  let description = [{
    A vector whose unrolled code would exceed an eighth of the instruction cache
    is computed tile by tile, where it is written or reduced: its loops iterate
    over the outer dims, and their body computes as many registers as the target
    has for it (unroll and jam). The backward slice of a tile is in the same
    loop, down to reads of memory (fusion); a reduction or a contraction is a
    loop that carries the accumulators of the tile, and a scan one that carries
    its last partial result. A value that has to exist as a whole is kept in the
    workgroup's memory, and refused where none is left. Lanes share tiles
    evenly; elements past an end are masked.

    The attribute `distaff.native_vector` of a function, or of an op, is the
    tile, on any target (VX-119).

    **Before:** as configure leaves it; of vectors on memrefs.

    **After:** the same. With `strict-fp`, sums keep their order.

    **Example:** test/Tiling/tile-vectors.mlir, @one_loop_for_all
  }];
  let options = [TargetOption, StrictFpOption];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def StrictFp
    : InterfacePass<"distaff-strict-fp", "::mlir::FunctionOpInterface"> {
  let summary = "Forbid reordering and fusion of float arithmetic";
  let description = [{
    Drops the fast-math flags of all ops. An MMA instruction in the code of one
    lane adds in an order of its own, so that it is an error.

    **Before:** any code.

    **After:** no op has a fast-math flag; no `iree_codegen.inner_tiled` adds
    floats.

    **Example:** test/Tiling/strict-fp.mlir, @fused_by_leave
  }];
}

def Simplify
    : InterfacePass<"distaff-simplify", "::mlir::FunctionOpInterface"> {
  let summary = "Canonicalize in linear time for many registers";
  let description = [{
    Applies upstream's canonicalization patterns, except for equal values that
    loops carry or branches yield: these are found by hashing, since there may
    be thousands, and upstream compares all pairs.

    Patterns of MLIR 22.1.8 that change what a program computes are left out or
    replaced: docs/rationale/upstream-rewrites-are-guarded.md.

    **Before:** any code.

    **After:** what upstream's canonicalizer leaves.

    **Example:** test/Tiling/simplify.mlir, @values_carried_alike_are_one
  }];
  let options = [ListOption<"disabledPatterns", "disabled-patterns",
                            "std::string", "patterns to leave out, by name">];
}

def ContractToVector
    : InterfacePass<"distaff-contract-to-vector", "::mlir::FunctionOpInterface"> {
  let summary = "Convert contractions that multiply to vector.contract";
  let description = [{
    Canonicalizes `distaff.contract` and no other op: if its product is the
    multiplication, and its sum is a combining kind of the vector dialect, it
    becomes `vector.contract`, for which targets have MMA instructions.

    **Before:** any code.

    **After:** no `distaff.contract` multiplies, but for logsumexp, for operands
    of rank 0 and where one operand alone has a dim that is reduced.

    **Example:** test/Tiling/contract-to-vector.mlir, @multiplies
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

#endif // DISTAFF_TILING_PASSES
