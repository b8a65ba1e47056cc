//===- Passes.td - Target-independent rewrites of kernels --*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that take a kernel from its input form to vectors on memrefs, in
// the order of the stages. Each states what holds before and after it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TRANSFORMS_PASSES
#define DISTAFF_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TargetOption : Option<"target", "target", "std::string",
                            /*default=*/"\"\"",
                            "Name of the target, as `--target` takes it">;

def StrictFpOption : Option<"strictFp", "strict-fp", "bool",
                            /*default=*/"false",
                            "Keep the order of float sums and products">;

//===----------------------------------------------------------------------===//
// configure
//===----------------------------------------------------------------------===//

def Configure : Pass<"distaff-configure", "ModuleOp"> {
  let summary = "Choose the workgroup, the tiles and the instructions of a kernel";
  let description = [{
    Checks that every kernel is in a form that the compiler takes, brings the
    forms to two (linalg on tensors, vectors on memrefs), and decides by the
    target's table and cost what the later stages carry out: workgroup and
    subgroup size, and for each group of linalg ops that becomes one launch the
    `lowering_config` of its root: workgroup tiles, reduction tiles, subgroups
    per dimension, the MMA instruction and the operands to promote. What a user
    wrote is kept, and the rest is chosen to agree with it.

    **Before:** a `func.func` is a kernel: linalg on tensors, or vectors on
    memrefs with at most one `scf.forall`, or either with scalar or vector
    arguments and results.

    **After:** every kernel has a `translation_info` with `workgroup_size` and
    `subgroup_size`; a linalg kernel has exactly one op with a
    `lowering_config`; no argument or result is a vector and no result is a
    scalar: they became memref arguments, results after all other arguments.

    **Example:** test/Transforms/configure.mlir
  }];
  let options = [TargetOption, StrictFpOption];
  let dependentDialects = [
    "::distaff::compat::IREECodegenDialect", "::distaff::compat::IREEGPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// tile
//===----------------------------------------------------------------------===//

def Tile : Pass<"distaff-tile", "ModuleOp"> {
  let summary = "Tile and fuse a kernel into one loop over workgroups";
  let description = [{
    Turns the linalg ops of a kernel into one `scf.forall` whose iterations are
    the workgroups. A workgroup's tile of each result is computed by pulling:
    the op that makes the result is tiled, then the slices it reads pull tiles
    of their producers, up to the arguments. Loops inside a workgroup are
    `scf.for`: over K for a contraction, with partial accumulators for other
    reductions, and over columns for what does not fit into registers at once.

    **Before:** as configure leaves it.

    **After:** a linalg kernel is one `scf.forall` with a `#gpu.block` mapping,
    `x` innermost, and every linalg op is inside it, on static tiles. Beside
    every kernel `@NAME` stands `@NAME__grid`, which returns the number of
    workgroups in x, y and z; without a `scf.forall` that is 1, 1, 1.

    With `strict-fp` a loop over what is reduced carries the accumulator itself,
    so that elements are taken in the order of the source.

    **Example:** test/Transforms/tile.mlir
  }];
  let options = [StrictFpOption];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// vectorize
//===----------------------------------------------------------------------===//

def Vectorize : Pass<"distaff-vectorize", "ModuleOp"> {
  let summary = "Turn linalg ops on static tiles into vector ops";
  let description = [{
    Each linalg op becomes vectors of the size of its tile. Values between ops
    stay in vectors, accumulators of loops become vector `iter_args`, and what
    is a contraction becomes a `vector.contract` that carries the op's
    `lowering_config`; a wider accumulator type is an explicit extension of the
    operands.

    **Before:** as tile leaves it.

    **After:** no linalg op is left. Tensors are read and written by
    `vector.transfer_read` and `vector.transfer_write` alone.

    **Example:** test/Transforms/vectorize.mlir
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// bufferize
//===----------------------------------------------------------------------===//

def Bufferize : Pass<"distaff-bufferize", "ModuleOp"> {
  let summary = "Turn tensors into memrefs and results into out-arguments";
  let description = [{
    One-shot bufferization with row-major memrefs at the function boundary.
    A tensor result becomes a memref argument after all others, and what
    computes the result writes straight into it; subviews are folded into the
    transfers that use them.

    **Before:** as vectorize leaves it.

    **After:** no tensor is left, no memory is allocated, and the kernel returns
    nothing.

    **Example:** test/Transforms/bufferize.mlir
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// assign-layouts
//===----------------------------------------------------------------------===//

def AssignLayouts : Pass<"distaff-assign-layouts", "ModuleOp"> {
  let summary = "Choose the layout of every vector and write it as to_layout ops";
  let description = [{
    Candidates come from the user's `to_layout` ops, from the target's MMA
    instructions, and from coalesced memory accesses; they spread forward and
    backward through every op, loops included, and the cheapest combination is
    taken: conversions, memory transactions, shuffles and barriers of
    reductions, work on replicas, registers.

    A contraction that runs on an MMA instruction has a `to_layout` with its
    `mma_kind` on each operand. A conversion that goes through shared memory, a
    promoted operand among them, is marked with `shared_memory_conversion`.

    **Before:** vectors on memrefs; `translation_info` with `workgroup_size` and
    `subgroup_size`; contractions may carry a `lowering_config` with `mma_kind`,
    `subgroup_basis` and `promote_operands`, which are obeyed.

    **After:** the `to_layout` ops alone determine the layout of every vector by
    propagation, uniquely (checked). No `lowering_config` is left.

    **Example:** test/Transforms/assign-layouts.mlir
  }];
  let options = [TargetOption, StrictFpOption];
  let dependentDialects = ["::distaff::compat::IREEGPUDialect",
                           "::distaff::vector_ext::VectorExtDialect"];
}

//===----------------------------------------------------------------------===//
// lower
//===----------------------------------------------------------------------===//

def MapForall : Pass<"distaff-map-forall", "::mlir::func::FuncOp"> {
  let summary = "Replace the workgroup-mapped loop by workgroup ids";
  let description = [{
    The grid has one workgroup per iteration, so the body of the `scf.forall`
    runs once, with `lower bound + gpu.block_id * step` for its induction
    variables.

    **Before:** at most one `scf.forall`, mapped to `#gpu.block<x>`, `<y>`,
    `<z>`, without results.

    **After:** no `scf.forall`.

    **Example:** test/Transforms/map-forall.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect"];
}

def LowerIndices : Pass<"distaff-lower-indices", "::mlir::func::FuncOp"> {
  let summary = "Turn affine index arithmetic into arith";
  let description = [{
    Folds subviews into the accesses that use them and expands `affine.apply`,
    `min`, `max`, `delinearize_index` and `linearize_index`. Divisions of what
    is known not to be negative are unsigned.

    **Before:** index arithmetic in affine and arith; loops in scf.

    **After:** no affine op.

    **Example:** test/Transforms/lower-indices.mlir
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def StrictFp : Pass<"distaff-strict-fp", "::mlir::func::FuncOp"> {
  let summary = "Take back every leave to reorder or fuse float arithmetic";
  let description = [{
    Drops the fast-math flags of all ops. An MMA instruction in the code of one
    lane adds in an order of its own, so it is an error.

    **After:** no op has a fast-math flag; no `iree_codegen.inner_tiled` adds
    floats.

    **Example:** test/Transforms/strict-fp.mlir
  }];
}

def LowerSubgroupReduce
    : Pass<"distaff-lower-subgroup-reduce", "::mlir::func::FuncOp"> {
  let summary = "Turn gpu.subgroup_reduce into butterflies of shuffles";
  let description = [{
    log2(cluster size) rounds of `gpu.shuffle xor` and one combination each.
    Shuffles move 32-bit words: narrower elements of one op are packed, 64-bit
    ones are split in two.

    **Before:** clusters are powers of two within the subgroup; the function
    has a `translation_info` with `subgroup_size`.

    **After:** no `gpu.subgroup_reduce`; every `gpu.shuffle`, also of those that
    were there before, is of i32 or a 32-bit float.

    With `strict-fp`, float sums and products take the lanes one after the other.

    **Example:** test/Transforms/lower-subgroup-reduce.mlir
  }];
  let options = [StrictFpOption];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerVectors : Pass<"distaff-lower-vectors", "::mlir::func::FuncOp"> {
  let summary = "Give every register of every vector a scalar value of its own";
  let description = [{
    A vector of one lane becomes the list of its elements, through loops and
    branches too, so that transposes, broadcasts, slices and casts of shape
    vanish. Transfers become the widest legal loads and stores, guarded where
    they may leave the memref or are masked. Reductions and contractions become
    scalar arithmetic in a fixed order, `inner_tiled` one op per instruction.

    **Before:** vectors are per lane; memory is memrefs; indices are arith.

    **After:** vector types remain only at `vector.load`, `vector.store`,
    `vector.bitcast` between element widths and `iree_codegen.inner_tiled`, made
    and taken apart by `vector.from_elements` and `vector.to_elements`.

    With `strict-fp` the order is that of the source, from the accumulator on,
    and products are rounded before they are added.

    **Example:** test/Transforms/lower-vectors.mlir
  }];
  let options = [StrictFpOption];
  let dependentDialects = [
    "::distaff::compat::IREECodegenDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerMath : Pass<"distaff-lower-math", "::mlir::func::FuncOp"> {
  let summary = "Express math functions by what GPUs have";
  let description = [{
    `exp(x)` is `exp2(x log2 e)`; others are upstream's expansions and
    polynomials, in f32 where the type is narrower.

    **Before:** scalar code.

    **After:** of math, only ops with an instruction on every target remain;
    anything else was refused by name.

    **Example:** test/Transforms/lower-math.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerNarrowFloats
    : Pass<"distaff-lower-narrow-floats", "::mlir::func::FuncOp"> {
  let summary = "Convert floats of 8 bits as the target can";
  let description = [{
    `arith.extf` and `arith.truncf` of f8E4M3FN, f8E5M2, f8E4M3FNUZ and
    f8E5M2FNUZ stay where the target has an instruction between the two types,
    and become integer code elsewhere: on sm_90a f8E4M3FN goes to f16 by an
    instruction and on to f32, on sm_80 by a shift and a product. The result has
    the bits of `arith.truncf` (nearest, ties to even; what is too large is
    infinity, or NaN where there is none), but for the sign and payload of a
    NaN. Other ops of arith and math compute in f32, a fused multiply-add in
    f64, and round once more.

    **Before:** scalar code.

    **After:** of the ops of arith and math, only constants, `select`, `bitcast`
    and conversions with an instruction take or give floats of 8 bits.

    **Example:** test/Transforms/lower-narrow-floats.mlir
  }];
  let options = [TargetOption];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def Simplify : Pass<"distaff-simplify", "::mlir::func::FuncOp"> {
  let summary = "Upstream's canonical form, in linear time for many registers";
  let description = [{
    Canonicalization patterns, but for loops that carry thousands of values and
    branches that choose thousands: equal ones are found by hashing, where
    upstream compares each with each.

    **Before:** any code.

    **After:** what upstream's canonicalizer leaves.

    **Example:** test/Transforms/simplify.mlir
  }];
}

#endif // DISTAFF_TRANSFORMS_PASSES
