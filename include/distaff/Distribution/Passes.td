//===- Passes.td - Distribution passes ---------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DISTRIBUTION_PASSES_TD
#define DISTAFF_DISTRIBUTION_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistributePass
    : Pass<"distaff-distribute", "::mlir::ModuleOp"> {
  let summary = "Replaces a workgroup's vectors by what one lane holds of them";
  let description = [{
    **Before:** functions with `translation_info` (workgroup size and subgroup
    size), their vectors undistributed, whose `to_layout` ops determine the layout
    of every vector.

    **After:** the code of one lane. Vectors have their layouts' distributed
    shapes; no `to_layout`, `to_simd` or `to_simt` is left. Data crosses lanes
    by `gpu.subgroup_reduce` and `gpu.shuffle`, and subgroups through buffers of
    workgroup memory that are allocated at the function's entry, with
    `gpu.barrier` where one thread reads what another wrote. Buffers that are not
    needed at the same time may be views of the same bytes, and a value that is
    larger than the target's memory goes through it in slices. A contraction with
    an MMA instruction is an `iree_codegen.inner_tiled`.

    Constants that no formula computes become tables, `memref.global`. Grid
    functions stay as they are.

    An op that cannot be distributed is an error that names the op and the
    reason; all of them are reported.

    **Example:** test/Distribution/reduce-8x64.mlir, @reduce_8x64
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"",
           "Target whose move costs and banks rank conversions">,
    Option<"strictFp", "strict-fp", "bool", /*default=*/"false",
           "Refuse to reassociate float additions and multiplications">,
    Option<"verifyRules", "verify-rules", "bool", /*default=*/"false",
           "Verify the function after each rule, not at the end alone">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::amdgpu::AMDGPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::distaff::core::DistaffDialect",
    "::distaff::vector_ext::VectorExtDialect",
    "::distaff::iree::IREECodegenDialect"
  ];
}

def WriteLaneKernels
    : Pass<"distaff-write-lane-kernels", "::mlir::ModuleOp"> {
  let summary = "Convert every kernel to one lane's program";
  let description = [{
    A `func.func` is the program of one workgroup, a `gpu.func` that of one
    lane. Each kernel becomes a `gpu.func` of the same name, with its arguments
    and their attributes, in one `gpu.module`, to which tables of constants move,
    too.
    `known_block_size` is the workgroup size, `known_grid_size` the grid where
    it is the same in every launch and not 1x1x1; `translation_info` keeps the
    subgroup size. Grid functions stay where they are.

    **Before:** kernels are distributed, return nothing, and have no loop over
    workgroups.

    **After:** every kernel is a `gpu.func`.

    **Example:** test/Distribution/write-lane-kernels.mlir, @doubled
  }];
  let dependentDialects = ["::distaff::iree::IREECodegenDialect",
                           "::mlir::gpu::GPUDialect"];
}

#endif // DISTAFF_DISTRIBUTION_PASSES_TD
