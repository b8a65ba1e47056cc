//===- Passes.td - Input of other compilers ----------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that convert the output of other compilers to the form that the
// stages take: dispatches of IREE, intrinsics of LLVM, calls, constants in
// blobs. Each states what holds before and after it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_IMPORT_PASSES
#define DISTAFF_IMPORT_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

def InlineCalls : Pass<"distaff-inline-calls", "ModuleOp"> {
  let summary = "Inline private functions into kernels";
  let description = [{
    Every request of the Driver begins with this pass: a kernel is one function.
    A function that is recursive, or that has several blocks, is an error at the
    call.

    **Before:** kernels may call private functions of the module.

    **After:** they call none of those with a body, and the functions are gone.

    **Example:** test/Import/inline-calls.mlir, @twice
  }];
}

def ImportDispatches : Pass<"distaff-import-dispatches", "ModuleOp"> {
  let summary = "Convert IREE's dispatches to kernels";
  let description = [{
    Every request of the Driver begins with this pass. It converts the functions
    of a module that read their launch by ops of IREE's hal dialect, as IREE
    dumps them: bindings become arguments and results, in the order of the
    bindings; a constant with other uses than as an extent becomes an argument
    after them. Executables and their variants around the functions are removed,
    and so is IREE's choice of tiles. A function that accesses memrefs takes all
    of its bindings as arguments. Ops of iree_linalg_ext, in any function,
    become ops of linalg. A function that distributes work among its threads by
    loops becomes a lane's code.

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
  let summary = "Replace dense resources by dense constants";
  let description = [{
    Every request of the Driver begins with this pass: a weight that an exporter
    wrote as a blob after the module (`dense_resource<w>`) becomes a dense
    constant, and a splat if all of its elements are equal. Elements lie in the
    blob as in memory, row-major; those of 1, 2 and 4 bits take a byte each or
    are packed several to a byte, the low bits first; the size of the blob shows
    which. A blob that is missing, or that has not as many bytes as its type
    takes, is an error at the op.

    **Before:** attributes may be dense resources.

    **After:** none is.

    **Example:** test/Import/inline-resources.mlir, @weight
  }];
}

def RaiseIntrinsics : Pass<"distaff-raise-intrinsics", "ModuleOp"> {
  let summary = "Raise LLVM's ops on vectors to arith, math and vector";
  let description = [{
    An author may flatten n-D vectors by `vector.shape_cast` and work on them in
    LLVM's ops (VX-150): `llvm.intr.fma`, `llvm.call_intrinsic
    "llvm.smax.v8i32"`, `llvm.fadd` or `llvm.intr.matrix.multiply`. Where such
    an op is equivalent to ops of arith, math and vector, these replace it, with
    layouts and code on every target. A float reduction may be computed in
    another order, as `vector.reduction` may; `strict-fp` keeps it.

    Other intrinsics, and ops of x86vector, amx and arm_neon, are instructions
    of a CPU: they stay for `host`, which takes their vectors whole. It is an
    error if the target is a GPU, a CPU of another architecture, or an
    instruction set level without them; the message then names the level that
    has them.

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
