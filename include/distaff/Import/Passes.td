//===- Passes.td - Input of other compilers ----------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that bring what other compilers write into the form that the stages
// take: dispatches of IREE, intrinsics of LLVM, calls, constants in blobs.
// Each states what holds before and after it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_IMPORT_PASSES
#define DISTAFF_IMPORT_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

def InlineCalls : Pass<"distaff-inline-calls", "ModuleOp"> {
  let summary = "Put private functions where kernels call them";
  let description = [{
    Every request of the Driver begins so: a kernel is one function. A function
    that comes to call itself, or that has several blocks, is an error at the
    call.

    **Before:** kernels may call private functions of the module.

    **After:** they call none of those with a body, and the functions are gone.

    **Example:** test/Import/inline-calls.mlir, @twice
  }];
}

def ImportDispatches : Pass<"distaff-import-dispatches", "ModuleOp"> {
  let summary = "Make kernels of IREE's dispatches";
  let description = [{
    Every request of the Driver begins so: of the functions of a module that
    read their launch by ops of IREE's hal dialect, as IREE dumps them, bindings
    become arguments and results, in the order of the bindings; a constant that
    does more than say an extent becomes an argument behind them. What is around
    the functions, executables and their variants, is gone, and so is how IREE
    would tile them. A function that accesses memrefs takes all of
    its bindings as arguments. Ops of iree_linalg_ext, in any function, become ops
    of linalg. A function that shares work out among its threads by loops becomes
    a lane's code.

    **Before:** functions may read their launch by ops of hal.

    **After:** none does, and no op of hal, util, iree_tensor_ext or iree_linalg_ext is left.

    **Example:** test/Import/import-dispatches.mlir, @row_sum
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::distaff::iree::IREECodegenDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def InlineResources : Pass<"distaff-inline-resources", "ModuleOp"> {
  let summary = "Make constants of dense resources dense";
  let description = [{
    Every request of the Driver begins so: a weight that an exporter wrote as a
    blob behind the module (`dense_resource<w>`) is a dense constant, and a splat
    where all of its elements are equal. Elements lie in the blob as in memory,
    row-major; those of 1, 2 and 4 bits take a byte each or lie several to a
    byte, the low bits first, as the size of the blob tells. A blob that is
    missing, or that has not as many bytes as its type takes, is an error at the
    op.

    **Before:** attributes may be dense resources.

    **After:** none is.

    **Example:** test/Import/inline-resources.mlir, @weight
  }];
}

def RaiseIntrinsics : Pass<"distaff-raise-intrinsics", "ModuleOp"> {
  let summary = "Give LLVM's ops on vectors the form of arith, math and vector";
  let description = [{
    An author may flatten n-D vectors by `vector.shape_cast` and work on them in
    LLVM's terms (VX-150): by `llvm.intr.fma`, `llvm.call_intrinsic
    "llvm.smax.v8i32"`, `llvm.fadd` or `llvm.intr.matrix.multiply`. Where such an
    op computes what ops of arith, math and vector do, these take its place, and
    it has layouts and code on every target. A float reduction may be computed in
    another order, as `vector.reduction` may; `strict-fp` keeps it.

    Other intrinsics, and ops of x86vector, amx and arm_neon, are instructions of
    a CPU: they stay for `host`, which takes their vectors whole. It is an error
    if the target is a GPU, a CPU of another architecture, or a level of
    instructions without them, which then says which level has them.

    **Before:** kernels may have ops of the LLVM dialect on vectors.

    **After:** those that are left are instructions that the target has. Lane
    code in a `gpu.func` is as it was.

    **Example:** test/Import/raise-intrinsics.mlir, @elements
  }];
  let options = [TargetOption];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // DISTAFF_IMPORT_PASSES
