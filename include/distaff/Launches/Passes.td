//===- Passes.td - Passes that form launches ---------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that bring a kernel to the forms that configure ranks,
// and form its launches. They rewrite, and choose no tiles.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAUNCHES_PASSES
#define DISTAFF_LAUNCHES_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

def FormLaunches : Pass<"distaff-form-launches", "ModuleOp"> {
  let summary = "Normalize kernels, and form launches of them";
  // It needs a source of rankers, which no generated function has.
  let constructor = "/*see Passes.h*/ nullptr";
  let description = [{
    Checks that every kernel is in a form that the compiler takes, and brings the
    forms to two: linalg on tensors, or vectors on memrefs. A kernel on tensors
    whose ops do not fuse into one launch, or are slower in one than in several,
    becomes kernels `@NAME__0`, `@NAME__1`, ... and a function of the host that
    names them (dispatch formation). A reduction that would leave most of the
    machine idle is split into parts and their combination (split-K). The cost
    of a launch is the prediction of configure's ranking. Tiles that a user
    wrote move to their op; tiles that another compiler chose are kept as far
    as they can be carried out.

    Of the lanes of a workgroup that the target allows, `reserved-subgroups`
    subgroups stay free for others that are launched in addition. Where kernels
    become programs of phases, `clusters` and `producers` are counted as
    configure counts them.

    **Before:** a `func.func` is a kernel: linalg on tensors, or vectors on
    memrefs with at most one `scf.forall`, or either with scalar or vector
    arguments and results.

    **After:** every kernel is one launch. On tensors, its results are computed
    by linalg ops; no argument or result is a vector and no result is a scalar:
    they became memref arguments, results after all other arguments.

    **Example:** test/Launches/form-launches.mlir, @products_in_a_row
  }];
  let options = [
    TargetOption, StrictFpOption,
    Option<"reservedSubgroups", "reserved-subgroups", "int64_t",
           /*default=*/"0", "Subgroups of a workgroup that stay free">,
    Option<"clusters", "clusters", "int64_t", /*default=*/"0",
           "Clusters of phases that each have the lanes; 0 for no phases">,
    Option<"producers", "producers", "int64_t", /*default=*/"0",
           "Subgroups that are launched besides, to copy">
  ];
  let dependentDialects = [
    "::distaff::iree::IREECodegenDialect", "::distaff::iree::IREEGPUDialect",
    "::distaff::core::DistaffDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def NormalizeForPhases : Pass<"distaff-normalize-for-phases", "ModuleOp"> {
  let summary = "Normalize a kernel of one product for phases";
  let description = [{
    For a kernel with one contraction and ops on elements around it: checks its
    form, makes ops on elements linalg, and moves a user's `lowering_config` to
    the contraction. A kernel that starts workers itself is left alone. Tiles
    that another compiler chose are dropped, with a warning.

    **Before:** a `func.func` is a kernel: linalg on tensors.

    **After:** ops on elements are linalg, and the kernel is marked
    `distaff.one_product`, which configure removes.

    **Example:** test/Launches/normalize-for-phases.mlir, @product_and_bias
  }];
  let options = [TargetOption, StrictFpOption];
  let dependentDialects = [
    "::distaff::iree::IREECodegenDialect", "::distaff::iree::IREEGPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // DISTAFF_LAUNCHES_PASSES
