//===- Passes.td - Passes for CPUs -------------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that only a CPU needs: cache blocking, packing, narrow
// conversions. Each states what holds before and after it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CPU_PASSES
#define DISTAFF_CPU_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "distaff/ToLLVM/ToVendor.td"
include "mlir/Pass/PassBase.td"

def PackPanels : Pass<"distaff-pack-panels", "ModuleOp"> {
  let summary = "Pack panels that many tiles read into workgroup memory";
  let description = [{
    This pass is for CPUs. A read inside of loops that depends on only some of a
    workgroup's ids reads the same data for all values of the others. Then a
    workgroup takes up to 32 of those tiles, and packs their data, the panel,
    before them; the grid function counts that many fewer workgroups. Where both
    sides of a product are such reads, a workgroup takes up to 64 tiles of up to
    32 panels, and packs the left sides too. Elements that are converted after a
    read are converted before they are copied. Long panels are copied in blocks
    of steps, and all tiles compute one block before the next (cache blocking);
    the caches and 1.25 MiB of stack determine the size of a block and the
    number of tiles. Loops whose trip count is known only at launch are always
    blocked. Tiles that share no data, but are adjacent in rows that are far
    apart, are blocked too, by 8 rows.

    Where the target multiplies bytes or halves several at a time, and converted
    elements have such a type, neighbouring steps are packed as the parts of one
    word, and products become `distaff.contract` of `distaff.packed_dot`; for
    floats, whose rounding depends on the instruction, only without `strict-fp`.
    Where the target has registers that hold matrices, and a tile fills some,
    ops of the `amx` dialect multiply them.

    **Before:** as the bufferize stage leaves it.

    **After:** the same, with one group of tiles of a kernel at most.

    **Example:** test/Cpu/pack-panels.mlir, @product
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

def ConvertAhead
    : InterfacePass<"distaff-convert-ahead", "::mlir::FunctionOpInterface"> {
  let summary = "Convert elements before a loop, several at once";
  let description = [{
    This pass is for CPUs. A loop with step 1 that reads one element, or a
    column of them, per step along a row of memory, and converts it, reads it
    from the workgroup's own memory instead, into which several steps' elements
    are converted at once before the loop. At most a quarter of the second cache
    is used for that.

    **Before:** as distaff-pack-panels leaves it.

    **After:** the same.

    **Example:** test/Cpu/convert-ahead.mlir, @halves
  }];
  let options = [TargetOption];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertToHost : ToVendor<"distaff-convert-to-host", "host"> {
  let summary = "Convert lowered kernels to the LLVM dialect, for a CPU";
  let description = [{
    Every kernel becomes a function of the kernel ABI that runs the workgroups
    `begin` to `end` (its last two arguments), numbered with x fastest, and a
    task `NAME__task(frame, begin, end)` that takes the other arguments from a
    frame: 8 bytes for each, in order. Grid functions are dropped. Numbers of
    bf16 are computed in f32.

    **Before:** as the lower stage for CPUs leaves it.

    **After:** only the LLVM dialect.

    **Example:** test/Cpu/to-host.mlir, @k
  }];
}

#endif // DISTAFF_CPU_PASSES
