//===- Passes.td - Kernels for CPUs ------------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that a CPU alone needs: cache blocking, packing, narrow conversions.
// Each states what holds before and after it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CPU_PASSES
#define DISTAFF_CPU_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

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
  let summary = "Convert before a loop what it would convert bit by bit";
  let description = [{
    For a CPU. A loop by steps of 1 that reads one element, or a column of them,
    per step along a row of memory, and converts it, reads it from memory of the
    workgroup's own instead, into which several steps' elements are converted at
    once before the loop. At most a quarter of the second cache is for that.

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

#endif // DISTAFF_CPU_PASSES
