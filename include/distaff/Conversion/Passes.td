//===- Passes.td - Conversion passes between dialects ------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the conversions after `lower`, one for each vendor, which take the
// same input and agree on the kernel ABI and differ in the ops of lanes,
// shuffles, barriers and MMA; those that end parallel control flow; and those
// that lower iree_vector_ext to upstream dialects without distributing it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONVERSION_PASSES
#define DISTAFF_CONVERSION_PASSES

include "distaff/ToLLVM/ToVendor.td"
include "mlir/Pass/PassBase.td"

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
    Does the same as `distaff-convert-gpu-to-nvvm`, with `rocdl.mfma` for
    `inner_tiled`.

    **Before:** as the lower stage leaves it.

    **After:** only the LLVM and ROCDL dialects; every function is a kernel.

    **Example:** test/Conversion/gpu-to-rocdl.mlir, @shuffle
  }];
}

//===----------------------------------------------------------------------===//
// iree_vector_ext to upstream dialects, without lanes
//===----------------------------------------------------------------------===//

def VectorExtFoldUnitDims
    : Pass<"vector-ext-fold-unit-dims"> {
  let summary = "Drop unit dims of gathers and scatters";
  let description = [{
    A dim of extent 1 is dropped from the vector of a `transfer_gather` or
    `transfer_scatter`, and from its index values and mask, with
    `vector.shape_cast` around it; so is a dim of an index value that no dim of
    the vector addresses. A dim that decides whether addresses are checked
    stays.

    **Before:** any code.

    **After:** vectors of these ops have as few dims as they can.

    **Example:** test/Conversion/vector-ext-fold-unit-dims.mlir, @rows_of_one
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def VectorExtLowerIndexedAccess
    : Pass<"vector-ext-lower-indexed-access"> {
  let summary = "Turn gathers and scatters into vector.gather, vector.scatter "
                "or loops";
  let description = [{
    Where an index value feeds the base's last dim, and no other address varies
    along the vector's last dim, every row of the vector is a `vector.gather` or
    `vector.scatter` of rank 1 (a scatter into a tensor is not: upstream does
    not bufferize it). Otherwise loops over the elements access scalars. What
    `in_bounds` does not promise joins the mask.

    **Before:** code of the whole vector, on memrefs or tensors. Layouts are of
    no matter.

    **After:** no `transfer_gather` and no `transfer_scatter`.

    **Example:** test/Conversion/vector-ext-lower-indexed-access.mlir, @rows
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"
  ];
}

def VectorExtLowerArgCompare
    : Pass<"vector-ext-lower-arg-compare"> {
  let summary = "Turn arg_compare into vector ops";
  let description = [{
    The slices of the input at the positions along the dimension are compared
    in order with the best so far, followed by two `arith.select`. A region with
    an op that does not take vectors, or a dimension of more than 256, becomes
    loops over scalars.

    **Before:** code of the whole vector. Layouts are of no matter.

    **After:** no `arg_compare`.

    **Example:** test/Conversion/vector-ext-lower-arg-compare.mlir, @first_of_equal
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"
  ];
}

def VectorExtDropLayouts
    : Pass<"vector-ext-drop-layouts"> {
  let summary = "Drop layouts from code without lanes";
  let description = [{
    `to_layout` is replaced by its operand, whatever its other attributes, and
    pairs of `to_simd` and `to_simt` are erased.

    **Before:** code of the whole vector.

    **After:** no `to_layout`, `to_simd` or `to_simt`.

    **Example:** test/Conversion/vector-ext-layouts.mlir, @no_layouts
  }];
}

//===----------------------------------------------------------------------===//
// pcf to upstream dialects
//===----------------------------------------------------------------------===//

def PCFConvertSRefToMemRef : Pass<"pcf-convert-sref-to-memref",
                                  "::mlir::ModuleOp"> {
  let summary = "Give every sref a memory space and a layout";
  let description = [{
    Refs of an op become the memrefs that they refer to, allocations the memory
    of their scope, slices subviews. Where control flow joins srefs of several
    layouts (a loop, a branch, the calls of a function), the components that
    differ become dynamic. Static allocations in workgroup memory are hoisted to
    the start of the function.

    **Before:** no tensor has a ref, and no sref a synchronization attribute.

    **After:** no sref, and no op that reads, writes or makes one.

    **Example:** test/Conversion/convert-sref-to-memref.mlir, @write_vector
  }];
  let options = [
    Option<"clampZeroSize", "clamp-zero-size", "bool", /*default=*/"false",
           "Let a slice of dynamic size 0 start at offset 0, for targets whose "
           "address computations must stay in bounds">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"
  ];
}

def PCFLowerStructural : Pass<"pcf-lower-structural"> {
  let summary = "Turn worker code into ids, loops and barriers";
  let description = [{
    `pcf.generic` is replaced by its body, with the ids and counts of its scope;
    in an `scf.execute_region` if it has several blocks. `pcf.loop` becomes an
    unmapped `scf.forall` from the worker's id in steps of the number of
    workers. Barriers become the scope's own barrier, `sync true` one after the
    op.

    **Before:** no sref, no handle, and no op that takes one.

    **After:** nothing of pcf.

    **Example:** test/Conversion/pcf-lower-structural.mlir, @round_robin
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // DISTAFF_CONVERSION_PASSES
