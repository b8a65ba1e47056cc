//===- ToVendor.td - A pass that converts to the LLVM dialect *- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOLLVM_TOVENDOR
#define DISTAFF_TOLLVM_TOVENDOR

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

class ToVendor<string flag, string vendor> : Pass<flag, "::mlir::ModuleOp"> {
  let summary = "Convert lowered kernels to the LLVM and " # vendor # " dialects";
  let options = [TargetOption];
  let dependentDialects = [
    "::distaff::iree::IREECodegenDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // DISTAFF_TOLLVM_TOVENDOR
