//===- Passes.td - What a kernel runs as ---------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass that decides workgroup, tiles and instructions of a kernel.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONFIGURE_PASSES
#define DISTAFF_CONFIGURE_PASSES

include "mlir/Pass/PassBase.td"

def TargetOption : Option<"target", "target", "std::string",
                            /*default=*/"\"\"",
                            "Name of the target, as `--target` takes it">;

def StrictFpOption : Option<"strictFp", "strict-fp", "bool",
                            /*default=*/"false",
                            "Keep the order of float sums and products">;

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

    **Example:** test/Configure/configure.mlir, @contraction_gets_an_instruction
  }];
  let options = [TargetOption, StrictFpOption];
  let dependentDialects = [
    "::distaff::compat::IREECodegenDialect", "::distaff::compat::IREEGPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // DISTAFF_CONFIGURE_PASSES
