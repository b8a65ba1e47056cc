//===- Passes.td - From dialect to dialect -----------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversions behind `lower`, to one vendor each, which take the same input
// and agree on the kernel ABI and differ in the ops of lanes, shuffles, barriers
// and MMA; those that end parallel control flow; and those that take the ops of
// iree_vector_ext to upstream's without distributing them.
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

    **Example:** test/Conversion/to-host.mlir, @k
  }];
}

//===----------------------------------------------------------------------===//
// Out of iree_vector_ext, without lanes
//===----------------------------------------------------------------------===//

def VectorExtFoldUnitDims
    : Pass<"vector-ext-fold-unit-dims"> {
  let summary = "Gather and scatter vectors without unit dims";
  let description = [{
    A dim of extent 1 goes from the vector of a `transfer_gather` or
    `transfer_scatter`, and from its index values and mask, with
    `vector.shape_cast` around it; so does a dim of an index value that no dim
    of the vector addresses. One that decides whether addresses are checked
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
    The positions along the dimension in order, each a slice of the input that
    is compared with the best so far, and two `arith.select`. A region with an
    op that does not take vectors, and a dimension of more than 256, is run on
    scalars in loops.

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
  let summary = "Forget layouts, where there are no lanes";
  let description = [{
    `to_layout` is its operand, whatever else it asks for, and pairs of
    `to_simd` and `to_simt` vanish.

    **Before:** code of the whole vector.

    **After:** no `to_layout`, `to_simd` or `to_simt`.

    **Example:** test/Conversion/vector-ext-layouts.mlir, @no_layouts
  }];
}

//===----------------------------------------------------------------------===//
// Out of pcf
//===----------------------------------------------------------------------===//

def PCFConvertSRefToMemRef : Pass<"pcf-convert-sref-to-memref",
                                  "::mlir::ModuleOp"> {
  let summary = "Give every sref a memory space and a layout";
  let description = [{
    Refs of an op become the memrefs behind them, allocations the memory of
    their scope, slices subviews. Where srefs of several layouts meet, in a
    loop, a branch, or the calls of a function, what they do not agree on
    becomes dynamic. Static allocations in workgroup memory go to the start of
    the function.

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
    `pcf.generic` is its body, with the ids and counts of its scope; in an
    `scf.execute_region` if it has several blocks. `pcf.loop` is an unmapped
    `scf.forall` from the worker's id in steps of the number of workers.
    Barriers become what the scope has for one, `sync true` one behind the op.

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
