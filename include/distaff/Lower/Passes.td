//===- Passes.td - Passes from vectors to scalars ----------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of the lower stage, from the code of one lane on n-D vectors to
// scalars, shuffles and wide accesses, in their order. A pass that does not
// depend on lanes runs on any function, the others on a gpu.func.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LOWER_PASSES
#define DISTAFF_LOWER_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

def LowerIndices
    : InterfacePass<"distaff-lower-indices", "::mlir::FunctionOpInterface"> {
  let summary = "Turn affine index arithmetic into arith";
  let description = [{
    Folds subviews into the accesses that use them and expands `affine.apply`,
    `min`, `max`, `delinearize_index` and `linearize_index`. Divisions of values
    that are known not to be negative are unsigned.

    **Before:** index arithmetic in affine and arith; loops in scf.

    **After:** no affine op.

    **Example:** test/Lower/lower-indices.mlir, @ids_divide_unsigned
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LowerLaneExchange
    : Pass<"distaff-lower-lane-exchange", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Exchange values between lanes in 32-bit words";
  let description = [{
    A `gpu.shuffle` of scalars or 1-D vectors of any element of up to 64 bits
    becomes shuffles of words: narrower elements of one op share words, wider
    ones take two. A `gpu.subgroup_reduce` becomes log2(cluster size) rounds of
    `gpu.shuffle xor`, moved in the same way, and one combination each.

    **Before:** clusters are powers of two within the subgroup; the function
    has a `translation_info` with `subgroup_size`.

    **After:** of `gpu.subgroup_reduce` only uniform ones of i32, which are one
    instruction of the target; every `gpu.shuffle` is of i32 or a 32-bit float.

    With `strict-fp`, float sums and products take the lanes one after the
    other.

    **Example:** test/Lower/lower-lane-exchange.mlir, @halves_share_a_word
  }];
  let options = [TargetOption, StrictFpOption];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerMasks
    : InterfacePass<"distaff-lower-masks", "::mlir::FunctionOpInterface"> {
  let summary = "Give masked ops their masks as operands";
  let description = [{
    Where nothing is distributed, each masked op absorbs its `vector.mask`: a
    transfer takes the mask as an operand, elements that a reduction masks off
    become the identity of its kind, and a masked contraction becomes a
    reduction of its products.

    **Before:** vectors of any rank.

    **After:** no `vector.mask`.

    **Example:** test/Lower/lower-masks.mlir, @sums
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerAtomics
    : InterfacePass<"distaff-lower-atomics", "::mlir::FunctionOpInterface"> {
  let summary = "Expand updates without an instruction to loops";
  let description = [{
    A body of one op on the element and a value from outside becomes the
    `memref.atomic_rmw` of that kind. An update that the target has no
    instruction for becomes a loop around a compare-and-swap, which begins with
    an atomic load. Both are bodies of `memref.generic_atomic_rmw` that are one
    instruction.

    **Before:** `memref.atomic_rmw` of every kind, `memref.generic_atomic_rmw` with
    any body.

    **After:** those that are one instruction.

    **Example:** test/Lower/lower-atomics.mlir, @maximum
  }];
  let options = [TargetOption];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerChecks
    : InterfacePass<"distaff-lower-checks", "::mlir::FunctionOpInterface"> {
  let summary = "Lower checked values to assertions";
  let description = [{
    The elements of a condition that a lane, or a core, holds become one
    assertion, which precedes the uses of the checked value.

    **Before:** `distaff.check` on scalars and vectors.

    **After:** none, but `cf.assert`.

    **Example:** test/Lower/lower-checks.mlir, @pair
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerPackedDots
    : InterfacePass<"distaff-lower-packed-dots", "::mlir::FunctionOpInterface"> {
  let summary = "Lower packed dot products to plain arithmetic";
  let description = [{
    Packed dot products of integers become multiplications of wider integers and
    additions of neighbours, for which LLVM has patterns. Those without a
    pattern, and those of floats, whose rounding depends on the instruction,
    stay, with their operands in the order of the target's instruction, and
    absorb the addition that follows.

    **Before:** `distaff.packed_dot` on scalars and vectors of one dim.

    **After:** only those that the target has an instruction for.

    **Example:** test/Lower/lower-packed-dots.mlir, @halves
  }];
  let options = [TargetOption];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerVectors
    : InterfacePass<"distaff-lower-vectors", "::mlir::FunctionOpInterface"> {
  let summary = "Replace vectors by one scalar value per register";
  let description = [{
    A vector of one lane becomes the list of its elements, through loops and
    branches too, so that transposes, broadcasts, slices and casts of shape
    vanish. Transfers become the target's widest legal loads and stores,
    predicated where they may leave the memref or are masked. Reductions and
    contractions become scalar arithmetic in a fixed order, `inner_tiled` one op
    per instruction.

    **Before:** vectors are per lane; memory is memrefs; indices are arith.

    **After:** vector types remain only at `vector.load`, `vector.store`,
    `vector.bitcast` between element widths and `iree_codegen.inner_tiled`, made
    and taken apart by `vector.from_elements` and `vector.to_elements`. On AMD's
    GPUs a `vector.extract` at the counter of a loop reads a numbered register.

    With `strict-fp` the order is that of the source, from the accumulator on,
    and products are rounded before they are added.

    **Example:** test/Lower/lower-vectors.mlir, @loops_carry_registers
  }];
  let options = [TargetOption, StrictFpOption];
  let dependentDialects = [
    "::distaff::iree::IREECodegenDialect",
    "::distaff::iree::IREEGPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ApproximateMath
    : InterfacePass<"distaff-approximate-math", "::mlir::FunctionOpInterface"> {
  let summary = "Use a GPU's instructions for exponentials and reciprocals";
  let description = [{
    `exp` and `exp2` of at most 32 bits become instructions that flush subnormal
    operands and results to zero. A quotient of f32 becomes a product with the
    reciprocal of its divisor, which is computed once for all quotients of one
    divisor, and before a loop in which the divisor is loop-invariant;
    docs/ScalarOps.md has the bounds, as departures from the ops' definitions.

    **Before:** scalar code, or vectors of one dim.

    **After:** exponentials, and reciprocals for the instruction, have the flag
    `afn`. Of other divisions of f32 only those of 1, and by constants without a
    normal reciprocal, remain.

    **Example:** test/Lower/approximate-math.mlir, @quotients_share_a_reciprocal
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def DeferLaneReductions
    : InterfacePass<"distaff-defer-lane-reductions",
                    "::mlir::FunctionOpInterface"> {
  let summary = "Hoist sums over lanes out of loops";
  let description = [{
    A loop that carries `l` from zero, and yields `l * u` plus a sum over lanes,
    with `u` uniform in all lanes of that sum, carries each lane's partial sum
    instead. The partial sums are added after the loop. It is a reassociation.

    **Before:** vectors are per lane; sums over lanes are `gpu.subgroup_reduce`.

    **After:** the same.

    **Example:** test/Lower/defer-lane-reductions.mlir, @sum_of_online_softmax
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerMath
    : InterfacePass<"distaff-lower-math", "::mlir::FunctionOpInterface"> {
  let summary = "Expand math functions that the target lacks";
  let description = [{
    `exp(x)` is `exp2(x log2 e)`; others are upstream's expansions and
    polynomials, in f32 where the type is narrower. CPUs have no exponential,
    so exp and exp2 are polynomials there; a library has the other functions of
    f64.

    **Before:** scalar code, or vectors of one dim.

    **After:** of math, only ops with an instruction on every target remain, or,
    for a CPU, in its library; anything else was refused by name.

    **Example:** test/Lower/lower-math.mlir, @exp_is_exp2
  }];
  let options = [
    Option<"ofHost", "of-host", "bool", /*default=*/"false",
           "For a CPU, which has no exp2, but a library">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerNarrowFloats
    : InterfacePass<"distaff-lower-narrow-floats",
                    "::mlir::FunctionOpInterface"> {
  let summary = "Convert 8-bit floats by instructions or integer code";
  let description = [{
    `arith.extf` and `arith.truncf` of f8E4M3FN, f8E5M2, f8E4M3FNUZ and
    f8E5M2FNUZ stay where the target has an instruction between the two types,
    and become integer code elsewhere: on sm_90a f8E4M3FN goes to f16 by an
    instruction and on to f32, on sm_80 by a shift and a product. The result has
    the bits of `arith.truncf` (nearest, ties to even; a value that is too large
    is infinity, or NaN where there is none), except for the sign and payload of
    a NaN. Other ops of arith and math compute in f32, a fused multiply-add in
    f64, and round once more.

    **Before:** scalar code.

    **After:** of the ops of arith and math, only constants, `select`, `bitcast`
    and conversions with an instruction take or give floats of 8 bits.

    **Example:** test/Lower/lower-narrow-floats.mlir, @e5m2_is_the_upper_half_of_f16
  }];
  let options = [TargetOption];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

//===----------------------------------------------------------------------===//
// Passes for harnesses that run a kernel
//===----------------------------------------------------------------------===//

def FillWorkgroupArguments
    : Pass<"distaff-fill-workgroup-arguments", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Pass arguments in workgroup memory through global memory";
  let description = [{
    No launch has a pointer to workgroup memory. So that a kernel with such
    arguments can be run where only launches fill memory, each becomes a
    row-major array in global memory. The lanes copy it to a buffer of the
    kernel, with the buffer's layout, before all else, and back at the end if an
    op writes it.

    With several workgroups each has a copy; then it would be ambiguous which
    one is copied back, so none may be written.

    **Before:** as the lower stage leaves it.

    **After:** no argument lies in workgroup memory.

    **Example:** test/Lower/fill-workgroup-arguments.mlir, @rows_lie_apart
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // DISTAFF_LOWER_PASSES
