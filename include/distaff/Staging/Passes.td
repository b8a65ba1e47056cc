//===- Passes.td - Staging through shared memory -----------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that move operands from global to shared memory and to registers:
// asynchronous copies, software pipelining, swizzles, matrix loads. Each
// description states what holds before and after the pass.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_STAGING_PASSES
#define DISTAFF_STAGING_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

def FormAsyncCopies
    : Pass<"distaff-form-async-copies", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Copy panels to workgroup memory without registers";
  let description = [{
    A vector that is read from global memory and only written to workgroup
    memory is copied by `nvgpu.device_async_copy`, in chunks of 16, 8 or 4 bytes
    of which both addresses are multiples. If the chunk depends on the length of
    an array's rows, a test at run time chooses between chunks of 16 bytes and a
    copy that is right for any length, through registers if necessary. Elements
    past an edge are filled with zeros.

    Copies between two barriers are a group. A lane waits for it before the
    barrier that publishes it, in a ring of slots before the last barrier that
    is early enough, and leaves younger groups in flight.

    **Before:** lanes copy by `vector.transfer_read` or `vector.load` and
    `vector.transfer_write` or `vector.store`.

    **After:** reads of the copied elements return the same numbers. Nothing
    changes on targets without such copies, and for copies that convert, pad with
    anything but zero, are masked, have other uses, or are not contiguous; with
    `report`, a remark states which.

    **Example:** test/Staging/form-async-copies.mlir, @panel
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
  let summary = "Unroll loops of a few iterations that fill workgroup memory";
  let description = [{
    A loop of a known number of iterations that only fills workgroup memory
    becomes straight-line code, where that is at most 256 instructions. Loads of
    all iterations can then be in flight together, and the loop around it is an
    innermost one.

    **Before:** ops are about one instruction each.

    **After:** the same numbers are copied. Loops that have results, branch,
    wait, write other memory or are longer stay.

    **Example:** test/Staging/unroll-copies.mlir, @rows_of_a_panel
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
    bytes that begin on multiples of 16 bytes. The elements of such an allocation
    are permuted by 16 bytes within its rows (XOR swizzle), so that the 8 rows lie
    in different banks, if every access can be adapted.

    **Before:** registers are scalars; an `inner_tiled` is one instruction.

    **After:** uses of such a register get the same number. Nothing changes on
    targets without such loads, in code that lanes of a subgroup may not execute
    together, and for registers of which this is not known.

    **Example:** test/Staging/form-matrix-loads.mlir, @panels
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

    **After:** the same slots are read and filled in the same order. Loops that
    would be longer than 2048 ops stay, and all loops of kernels without matrix
    products.

    **Example:** test/Staging/unroll-rings.mlir, @two_slots
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // DISTAFF_STAGING_PASSES
