//===- Passes.td - From registers to scalars ---------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of the lower stage, from the code of one lane on n-D vectors to
// scalars, shuffles and wide accesses, in their order. What does not depend on
// there being lanes runs on any function, the others on a gpu.func.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LOWER_PASSES
#define DISTAFF_LOWER_PASSES

include "mlir/Pass/PassBase.td"

def TargetOption : Option<"target", "target", "std::string",
                            /*default=*/"\"\"",
                            "Name of the target, as `--target` takes it">;

def StrictFpOption : Option<"strictFp", "strict-fp", "bool",
                            /*default=*/"false",
                            "Keep the order of float sums and products">;

def LowerIndices
    : InterfacePass<"distaff-lower-indices", "::mlir::FunctionOpInterface"> {
  let summary = "Turn affine index arithmetic into arith";
  let description = [{
    Folds subviews into the accesses that use them and expands `affine.apply`,
    `min`, `max`, `delinearize_index` and `linearize_index`. Divisions of what
    is known not to be negative are unsigned.

    **Before:** index arithmetic in affine and arith; loops in scf.

    **After:** no affine op.

    **Example:** test/Lower/lower-indices.mlir, @ids_divide_unsigned
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def FormAsyncCopies
    : Pass<"distaff-form-async-copies", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Copy panels to workgroup memory without registers";
  let description = [{
    A vector that is read from global memory and only written to workgroup
    memory is copied by `nvgpu.device_async_copy`, in pieces of 16, 8 or 4 bytes
    of which both addresses are multiples. Where that hangs on the length of an
    array's rows, a test at run time chooses between pieces of 16 bytes and what
    is right for any length, a copy through registers if need be. What lies
    behind an edge is filled with zeros.

    Copies between two barriers are a group. A lane waits for it before the
    barrier that publishes it, in a ring of slots before the last barrier that
    is early enough, and leaves younger groups in flight.

    **Before:** lanes copy by `vector.transfer_read` or `vector.load` and
    `vector.transfer_write` or `vector.store`.

    **After:** who reads what was copied reads the same numbers. Nothing changes
    on targets without such copies, and for copies that convert, pad with
    anything but zero, are masked, have other uses, or are not contiguous; with
    `report`, a remark says which.

    **Example:** test/Lower/form-async-copies.mlir, @panel
  }];
  let options = [TargetOption,
                 Option<"report", "report", "bool", /*default=*/"false",
                        "Say why a copy goes through registers">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect"
  ];
}

def UnrollCopies : Pass<"distaff-unroll-copies", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Unroll loops of a few turns that fill workgroup memory";
  let description = [{
    A loop of a known number of turns that does nothing but fill workgroup memory
    becomes straight-line code, where that is at most 256 instructions. Loads of
    all turns can then be on their way together, and the loop around it is an
    innermost one.

    **Before:** ops are about one instruction each.

    **After:** the same numbers are copied. Loops stay that have results, branch,
    wait, write other memory or are longer.

    **Example:** test/Lower/unroll-copies.mlir, @rows_of_a_panel
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def FormMatrixLoads
    : Pass<"distaff-form-matrix-loads", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Load MMA fragments from workgroup memory by ldmatrix";
  let description = [{
    Registers of an `inner_tiled`'s operands that lanes load from an allocation
    in workgroup memory become up to four words of one `nvgpu.ldmatrix`, plain
    or transposed, where each word is, over all lanes, a tile of 8 rows of 16
    bytes that begin on multiples of 16 bytes. What lies in such an allocation is
    permuted by 16 bytes within its rows, so that the 8 rows meet different
    banks, if every access can follow.

    **Before:** registers are scalars; an `inner_tiled` is one instruction.

    **After:** who used such a register uses the same number. Nothing changes on
    targets without such loads, in code that lanes of a subgroup may not execute
    together, and for registers of which this cannot be told.

    **Example:** test/Lower/form-matrix-loads.mlir, @panels
  }];
  let options = [TargetOption];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::vector::VectorDialect"
  ];
}

def UnrollRings : Pass<"distaff-unroll-rings", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Unroll loops by the depth of their rings";
  let description = [{
    A loop from 0 that takes slot n mod d of a ring in workgroup memory in its
    iteration n is unrolled by d, so that slots are constants. Iterations that
    are left over follow in a loop of their own.

    **Before:** slots are remainders of iteration numbers.

    **After:** the same slots are read and filled in the same order. Loops stay
    that would be longer than 2048 ops, and all of kernels without matrix products.

    **Example:** test/Lower/unroll-rings.mlir, @two_slots
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerLaneExchange
    : Pass<"distaff-lower-lane-exchange", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Move what lanes exchange in 32-bit words";
  let description = [{
    A `gpu.shuffle` of scalars or 1-D vectors of any element of up to 64 bits
    becomes shuffles of words: narrower elements of one op share words, wider
    ones take two. A `gpu.subgroup_reduce` becomes log2(cluster size) rounds of
    `gpu.shuffle xor`, moved in the same way, and one combination each.

    **Before:** clusters are powers of two within the subgroup; the function
    has a `translation_info` with `subgroup_size`.

    **After:** of `gpu.subgroup_reduce` only uniform ones of i32, which are one
    instruction of the target; every `gpu.shuffle` is of i32 or a 32-bit float.

    With `strict-fp`, float sums and products take the lanes one after the other.

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
    Where nothing is distributed, a `vector.mask` is no more than its op: a
    transfer takes the mask as its own, elements that a reduction does not count
    become the identity of its kind, and a masked contraction is a reduction of
    its products.

    **Before:** vectors of any rank.

    **After:** no `vector.mask`.

    **Example:** test/Lower/lower-masks.mlir, @sums
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def PackPanels : Pass<"distaff-pack-panels", "ModuleOp"> {
  let summary = "Copy what many tiles read to memory of the workgroup, in order";
  let description = [{
    For a CPU. A read inside of loops that depends on some of a workgroup's ids
    alone reads the same for all others. A workgroup takes up to 32 of those tiles
    then, and copies what they read, the panel, before them; the grid function
    counts that many fewer workgroups. Where both sides of a product are such
    reads, it takes up to 64 tiles of up to 32 panels, and copies the left sides
    too. What is converted behind a read is converted before it is copied. Long
    panels are copied in blocks of steps, and all tiles do one block before the
    next; how long a block is and how many tiles there are goes by the caches and
    by 1.25 MiB of stack. Loops of which only a launch knows how often they run are
    done in blocks always. Tiles that share nothing, but lie side by side in rows
    that are far apart, are walked over in blocks too, of 8 rows.

    Where the target multiplies bytes or halves several at a time, and those are
    what is converted, neighbouring steps are copied as the parts of one word, and
    products become `distaff.contract` of `distaff.packed_dot`; of floats, which are
    rounded as the instruction likes, not with `strict-fp`. Where the target has
    registers that hold matrices, and a tile fills some, ops of the `amx` dialect
    multiply them.

    **Before:** as the bufferize stage leaves it.

    **After:** the same, with one group of tiles of a kernel at most.

    **Example:** test/Lower/pack-panels.mlir, @product
  }];
  let options = [TargetOption, StrictFpOption];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::amx::AMXDialect",
                           "::mlir::arith::ArithDialect",
                           "::distaff::core::DistaffDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerAtomics
    : InterfacePass<"distaff-lower-atomics", "::mlir::FunctionOpInterface"> {
  let summary = "Write updates that no instruction does as loops";
  let description = [{
    A body of one op on the element and a value from outside becomes the
    `memref.atomic_rmw` of that kind. An update that the target has no instruction
    for becomes a loop around a compare-and-swap, which begins with an atomic load.
    Both are bodies of `memref.generic_atomic_rmw` that are one instruction.

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
  let summary = "Make assertions of checked values";
  let description = [{
    Where the elements of a condition are a lane's, or a core's, what each of them
    says is one assertion, which stands in front of what uses the value.

    **Before:** `distaff.check` on scalars and vectors.

    **After:** none, but `cf.assert`.

    **Example:** test/Lower/lower-checks.mlir, @pair
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerPackedDots
    : InterfacePass<"distaff-lower-packed-dots", "::mlir::FunctionOpInterface"> {
  let summary = "Say what products of words are by plain arithmetic";
  let description = [{
    Those of integers become multiplications of wider integers and additions of
    neighbours, for which LLVM has patterns. Where it has none, and of floats,
    which instructions round as they like, they stay, their operands in the order
    of the target's instruction, and take the addition behind them along.

    **Before:** `distaff.packed_dot` on scalars and vectors of one dim.

    **After:** only those that the target has an instruction for.

    **Example:** test/Lower/lower-packed-dots.mlir, @halves
  }];
  let options = [TargetOption];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertAhead
    : InterfacePass<"distaff-convert-ahead", "::mlir::FunctionOpInterface"> {
  let summary = "Convert before a loop what it would convert bit by bit";
  let description = [{
    For a CPU. A loop by steps of 1 that reads one element, or a column of them,
    per step along a row of memory, and converts it, reads it from memory of the
    workgroup's own instead, into which several steps' elements are converted at
    once before the loop. At most a quarter of the second cache is for that.

    **Before:** as distaff-pack-panels leaves it.

    **After:** the same.

    **Example:** test/Lower/convert-ahead.mlir, @halves
  }];
  let options = [TargetOption];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerVectors
    : InterfacePass<"distaff-lower-vectors", "::mlir::FunctionOpInterface"> {
  let summary = "Give every register of every vector a scalar value of its own";
  let description = [{
    A vector of one lane becomes the list of its elements, through loops and
    branches too, so that transposes, broadcasts, slices and casts of shape
    vanish. Transfers become the target's widest legal loads and stores, guarded
    where they may leave the memref or are masked. Reductions and contractions
    become scalar arithmetic in a fixed order, `inner_tiled` one op per
    instruction.

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
    "::distaff::compat::IREECodegenDialect",
    "::distaff::compat::IREEGPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ApproximateMath
    : InterfacePass<"distaff-approximate-math", "::mlir::FunctionOpInterface"> {
  let summary = "Use a GPU's instructions for exponentials and reciprocals";
  let description = [{
    `exp` and `exp2` of at most 32 bits become instructions that take subnormal
    numbers for zeros and give zeros for them. A quotient of f32 becomes a
    product with the reciprocal of its divisor, which is computed once for all
    quotients of one divisor, and before a loop where the divisor is;
    docs/ScalarOps.md has the bounds, as departures from what the ops are.

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
  let summary = "Sum up over lanes once, behind a loop";
  let description = [{
    A loop that carries `l` from zero, and yields `l * u` plus a sum over lanes,
    with `u` the same in all lanes of that sum, carries each lane's own part of
    it. The parts are summed up behind the loop. It is a reassociation.

    **Before:** vectors are per lane; sums over lanes are `gpu.subgroup_reduce`.

    **After:** the same.

    **Example:** test/Lower/defer-lane-reductions.mlir, @sum_of_online_softmax
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerMath
    : InterfacePass<"distaff-lower-math", "::mlir::FunctionOpInterface"> {
  let summary = "Express math functions by what the target has";
  let description = [{
    `exp(x)` is `exp2(x log2 e)`; others are upstream's expansions and
    polynomials, in f32 where the type is narrower. CPUs have no exponential,
    so exp and exp2 are polynomials there, and in f64 a library has the others.

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

    **Example:** test/Lower/lower-narrow-floats.mlir, @e5m2_is_the_upper_half_of_f16
  }];
  let options = [TargetOption];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

//===----------------------------------------------------------------------===//
// For who runs a kernel
//===----------------------------------------------------------------------===//

def FillWorkgroupArguments
    : Pass<"distaff-fill-workgroup-arguments", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Pass arguments in workgroup memory through global memory";
  let description = [{
    No launch has a pointer to workgroup memory. So that a kernel with such
    arguments can be run where only launches fill memory, each becomes an array
    in global memory, row-major, which the lanes copy to a buffer of the kernel
    before all else, wherever its elements lie there, and back at the end if
    anything writes it.

    Where there are several workgroups, each has a copy; then nobody could say
    which is copied back, so none may be written.

    **Before:** as the lower stage leaves it.

    **After:** no argument lies in workgroup memory.

    **Example:** test/Lower/fill-workgroup-arguments.mlir, @rows_lie_apart
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // DISTAFF_LOWER_PASSES
