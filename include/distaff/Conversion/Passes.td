//===- Passes.td - From dialect to dialect -----------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversions behind `lower`. Both take the same input and agree on the
// kernel ABI; they differ in the ops of lanes, shuffles, barriers and MMA.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONVERSION_PASSES
#define DISTAFF_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

class ToVendor<string flag, string vendor> : Pass<flag, "::mlir::ModuleOp"> {
  let summary = "Convert lowered kernels to the LLVM and " # vendor # " dialects";
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "Name of the target, as `--target` takes it">
  ];
  let dependentDialects = [
    "::distaff::compat::IREECodegenDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertGPUToNVVM : ToVendor<"distaff-convert-gpu-to-nvvm", "NVVM"> {
  let description = [{
    Every kernel becomes an `llvm.func` with the kernel ABI: one pointer per
    memref argument, then the scalars, then one i64 per dynamic extent in
    (argument, dimension) order. Allocations in workgroup memory become globals,
    `inner_tiled` becomes `nvvm.mma.sync`, conversions of floats of 8 bits go in
    pairs, grid functions are dropped.

    **Before:** as the lower stage leaves it.

    **After:** only the LLVM and NVVM dialects; every function is a kernel.

    **Example:** test/Conversion/gpu-to-nvvm.mlir, @k
  }];
}

def ConvertGPUToROCDL : ToVendor<"distaff-convert-gpu-to-rocdl", "ROCDL"> {
  let description = [{
    As `distaff-convert-gpu-to-nvvm`, with `rocdl.mfma` for `inner_tiled`.

    **Before:** as the lower stage leaves it.

    **After:** only the LLVM and ROCDL dialects; every function is a kernel.

    **Example:** test/Conversion/gpu-to-rocdl.mlir, @shuffle
  }];
}

#endif // DISTAFF_CONVERSION_PASSES
