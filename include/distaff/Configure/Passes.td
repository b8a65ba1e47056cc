//===- Passes.td - Passes that choose tiles ----------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that choose workgroup, tiles and instructions.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONFIGURE_PASSES
#define DISTAFF_CONFIGURE_PASSES

include "distaff/Analysis/Legality/PassOptions.td"
include "mlir/Pass/PassBase.td"

def Configure : Pass<"distaff-configure", "ModuleOp"> {
  let summary = "Choose the workgroup, the tiles and the instructions of a kernel";
  let description = [{
    Chooses by the target's table and cost model the workgroup and subgroup
    size, and for each launch on tensors the `lowering_config` of its root:
    workgroup tiles, reduction tiles, subgroups per dimension, the MMA
    instruction and the operands to promote. Choices that a user wrote are kept,
    and the rest is chosen to agree with them.

    Of the lanes of a workgroup that the target allows, `reserved-subgroups`
    subgroups stay free for others that are launched in addition. Where the
    kernel becomes a program of phases, `clusters` each have the chosen lanes,
    in addition to `producers` subgroups, and registers are counted for all of
    them.

    **Before:** as form-launches leaves it: every kernel is one launch, linalg
    on tensors or vectors on memrefs.

    **After:** every kernel has a `translation_info` with `workgroup_size` and
    `subgroup_size`; a linalg kernel has exactly one op with a
    `lowering_config`.

    **Example:** test/Configure/configure.mlir, @contraction_gets_an_instruction
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

def ConfigureClusters : Pass<"distaff-configure-clusters", "ModuleOp"> {
  let summary = "Choose the tiles of a contraction that becomes phases";
  let description = [{
    For a kernel with one contraction and ops on elements around it, of static
    or dynamic extents: chooses, by the target's row and cost, the workgroup's
    tile of the result, the box of it that each subgroup has, the step of the
    reduction and the instruction, and writes the contraction's
    `lowering_config` and the kernel's `translation_info` with
    `pipeline = RunClusterDistribute`. Tiles need not divide extents.

    A user's choices are kept and checked, and the rest is chosen to agree with
    them. A lane's box has to fit into its registers, of which a lane has fewer
    where `producers` are launched too. The panels of the promoted operands,
    `panel-slots` of each, have to fit into shared memory, and the workgroup's
    size is that of its subgroups. All `clusters` have equally many subgroups,
    and registers for the operands of a step. Where no instruction fits the
    types there is no `mma_kind`. Where there may be more tiles than resident
    workgroups, by their lanes, registers and shared memory, including
    `producers` subgroups, that number is `resident`. A kernel that starts
    workers itself is left alone. (The proposal calls this
    `CreateDispatchConfigPass`.)

    **Before:** as distaff-normalize-for-phases leaves it: linalg on tensors.

    **After:** a kernel's contraction has `workgroup`, `subgroup`, `reduction`
    and `promote_operands`, which fit, and its function a `translation_info`.

    **Example:** test/Configure/configure-clusters.mlir, @dynamic_matmul
  }];
  let options = [
    TargetOption, StrictFpOption,
    Option<"panelSlots", "panel-slots", "int64_t", "1",
           "Buffers per promoted operand, for schedules that overlap steps">,
    Option<"clusters", "clusters", "int64_t", "1",
           "Clusters that share the result out among them, each holding the "
           "operands of a step in registers while others read">,
    Option<"producers", "producers", "int64_t", "0",
           "Subgroups that are launched besides those that have tiles">
  ];
  let dependentDialects = [
    "::distaff::iree::IREECodegenDialect", "::distaff::iree::IREEGPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def CompleteLaunch : Pass<"distaff-complete-launch", "ModuleOp"> {
  let summary = "Give kernels that start workers the target's subgroup size";
  let description = [{
    A kernel of phases may leave out the size of its subgroups, so that one text
    is for targets of 32 and of 64 lanes. A kernel that specifies the size is
    left alone.

    **Before:** a kernel with ops of pcf has a `translation_info` with
    `workgroup_size`.

    **After:** it has `subgroup_size`, too.

    **Example:** test/Configure/complete-launch.mlir, @subgroups_of_the_target
  }];
  let options = [TargetOption];
  let dependentDialects = ["::distaff::iree::IREECodegenDialect"];
}

def ConfigurePhases : Pass<"distaff-configure-phases", "ModuleOp"> {
  let summary = "Choose the instructions of products in phases";
  let description = [{
    For every product in a phase of subgroups: chooses, by the target's row and
    cost, the instruction and the box of the result that one subgroup computes,
    and writes both as the product's `lowering_config`. Boxes fit into
    registers. Where there are more boxes than members of the group, or the
    number of members is dynamic, members iterate over boxes (`pcf-distribute`).
    The products of one group have equally many boxes. A user's choices are
    kept. A product that no instruction computes, by its types or its extents,
    gets a box alone, with a warning that states the reason.

    **Before:** a kernel's phases are of subgroups, and its `translation_info`
    has `workgroup_size`.

    **After:** products in phases have `subgroup`, and `mma_kind` where an
    instruction fits.

    **Example:** test/Configure/configure-phases.mlir, @cluster_of_any_size
  }];
  let options = [TargetOption, StrictFpOption];
  let dependentDialects = [
    "::distaff::iree::IREECodegenDialect", "::distaff::iree::IREEGPUDialect"
  ];
}

#endif // DISTAFF_CONFIGURE_PASSES
