//===- Passes.td - Layout assignment -----------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that choose the layout of every vector, and those that
// bring layouts of an input into the form that these read. Each pass states
// what holds before and after it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUTS_PASSES
#define DISTAFF_LAYOUTS_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

def VectorExtAnchorEncodings
    : Pass<"vector-ext-anchor-encodings", "ModuleOp"> {
  let summary = "Turn layouts that encode tensor types into to_layout ops";
  let description = [{
    A tensor type may have a layout as its encoding. Then each value of the type
    has that layout: a `to_layout` follows the definition of the value, a result
    of an op or an argument of a block, and types lose their encodings. A
    `tensor.cast` from one encoding to another becomes a conversion. A
    `tensor.empty` holds no elements, so that its encoding is only dropped.

    **Before:** any code.

    **After:** no tensor type has an encoding. One that is no layout is refused.

    **Example:** test/Layouts/vector-ext-anchor-encodings.mlir, @cast
  }];
  let dependentDialects = ["::distaff::vector_ext::VectorExtDialect"];
}

def AssignLayouts : Pass<"distaff-assign-layouts", "ModuleOp"> {
  let summary = "Choose the layout of every vector and write it as to_layout ops";
  let description = [{
    Candidates come from the user's `to_layout` ops, from the target's MMA
    instructions, and from coalesced memory accesses; they propagate forward and
    backward through every op, loops included, and the cheapest combination is
    chosen. Its cost counts conversions, memory transactions, shuffles and
    barriers of reductions, work on replicas, and registers.

    A contraction that runs on an MMA instruction has a `to_layout` with its
    `mma_kind` on each operand, and so has another op that runs on an
    instruction of the target (`#distaff.target_op`) on each vector. A
    conversion that goes through shared memory, a promoted operand among them,
    is marked with `shared_memory_conversion`.

    Instructions have no masks: the mask of a contraction that consists of
    bounds or other parts for K and for the result becomes selects on both
    operands and on the result first (test/Layouts/separate-masks.mlir,
    @bounds).

    Vectors that no `to_layout` of a user reaches get a chosen layout, too; with
    `require-anchors` they are refused (DG4).

    Elementwise ops between a user's `to_simt` and `to_simd` become ops of the
    whole vectors first, and a `memref.copy` becomes reads and writes of
    vectors.

    **Before:** vectors on memrefs; `translation_info` with `workgroup_size` and
    `subgroup_size`; contractions may carry a `lowering_config` with `mma_kind`,
    `subgroup_basis` and `promote_operands`, which are obeyed.

    Then the rows of arguments and allocations in workgroup memory whose types
    specify no strides are padded for the fewest bank conflicts of the lanes
    that access them; the types specify the row pitch (test/Layouts/
    pad-shared-memory.mlir, @argument).

    **After:** the `to_layout` ops alone determine the layout of every vector by
    propagation, uniquely (checked). No `lowering_config` is left.

    **Example:** test/Layouts/assign-layouts.mlir, @mma_operands_are_anchored
  }];
  let options = [TargetOption, StrictFpOption,
                 Option<"requireAnchors", "require-anchors", "bool",
                        /*default=*/"false",
                        "Refuse vectors that no to_layout reaches">,
                 Option<"stagesOperands", "stages-operands", "bool",
                        /*default=*/"true",
                        "Stage a product's operands in workgroup memory where "
                        "that costs less; without, only for matrix loads">];
  let dependentDialects = ["::distaff::iree::IREEGPUDialect",
                           "::distaff::core::DistaffDialect",
                           "::distaff::vector_ext::VectorExtDialect"];
}

def RaiseLaneCode : Pass<"distaff-raise-lane-code", "ModuleOp"> {
  let summary = "Turn elementwise code between to_simt and to_simd into vectors";
  let description = [{
    Elementwise ops on a lane's part of a value become ops on the whole vector.
    `distaff-assign-layouts` does the same first; on a CPU, whose one worker
    has all elements, no other lowering of the casts is needed.

    **Before:** pairs of `to_simt` and `to_simd` with elementwise ops between.

    **After:** no `to_simt` or `to_simd`.

    **Example:** test/Layouts/raise-lane-code.mlir, @of_the_whole
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::distaff::vector_ext::VectorExtDialect"];
}

#endif // DISTAFF_LAYOUTS_PASSES
