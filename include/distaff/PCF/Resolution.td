//===- Resolution.td - Lowering clusters to workers' code --*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PCF_RESOLUTION_TD
#define DISTAFF_PCF_RESOLUTION_TD

include "mlir/Pass/PassBase.td"

class PCF_ResolutionPass<string argument> : Pass<argument> {
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::distaff::pcf::PCFDialect"
  ];
}

// Options of the passes that convert handles.
defvar PCF_TelescopeTo =
    Option<"telescopeTo", "telescope-to", "std::string", /*default=*/"\"\"",
           "Scope whose groups run what is a member's, as an attribute">;
defvar PCF_VerifyBarriersToo =
    Option<"verifyBarriers", "verify-barriers", "bool", /*default=*/"true",
           "Check that all cases wait equally often">;

def PCFResolveCopyTokens : PCF_ResolutionPass<"pcf-resolve-copy-tokens"> {
  let summary = "Lower copy tokens to barriers with fences";
  let description = [{
    `pcf.async_copy` becomes a read and a write. A phase of a group that waits
    gets a barrier of the group before it, with a fence of the refs that the
    copies write; a worker's own copies are ordered by its program. Tokens are
    removed from loops, branches and payload. Which copies are asynchronous, and
    where they are awaited, is decided when lanes' code is lowered: on NVIDIA by
    cp.async and its groups up to that barrier.

    **Before:** a phase waits for copies of earlier phases of its group.

    **After:** no token, and no op that takes one.

    **Example:** test/PCF/resolve-copy-tokens.mlir, @next_panel
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect",
                           "::mlir::scf::SCFDialect",
                           "::distaff::pcf::PCFDialect"];
}

def PCFSeparatePayload : PCF_ResolutionPass<"pcf-separate-payload"> {
  let summary = "Split handles with shared and private payload";
  let description = [{
    A handle that carries both becomes two of the same group, also through loops
    and branches, and each phase takes and returns handles of its own kind.
    Payload that bypasses a phase stays in the handle that carried it.

    **Before:** nothing.

    **After:** every handle carries shared payload or private payload or none,
    and nothing passes by a phase.

    **Example:** test/PCF/separate-payload.mlir, @both_kinds
  }];
}

def PCFMergeGroups : PCF_ResolutionPass<"pcf-merge-groups"> {
  let summary = "Merge groups whose clusters supply payload to one phase";
  let description = [{
    A phase may take payload of clusters of several nested groups whose bounds
    are shown to be the same. The inner group is erased: its code becomes code
    of the outer one, and each of its clusters is replaced by the outer one's in
    the same place.

    **Before:** groups whose clusters one phase takes payload of are split at
    the same points.

    **After:** all sources of a phase are of one group, and handles of clusters
    have that group's ids.

    **Example:** test/PCF/merge-groups.mlir, @two_groups
  }];
}

def PCFReplicateClusters : PCF_ResolutionPass<"pcf-replicate-clusters"> {
  let summary = "Replicate a group's code for each of its clusters";
  let description = [{
    The first half of `pcf-resolve-clusters`. A `tile_group` becomes an
    `scf.index_switch` on the worker's id with one case per cluster, each of
    which holds the whole region; executors are `pcf.generic`. Handles are
    results of casts: that of the case's own cluster has the member's ids as
    operands, those of the others have none. Outer groups are replicated first,
    and groups of other clusters are dropped. Barriers of some clusters get
    their ids.

    **Before:** everything in a `pcf.shared_executor` is distributed: no
    `run_cluster`, no shared payload, and no write to memory outside a phase.

    **After:** no executor and no `tile_group`; phases and handles are as they
    were, once per case.

    **Example:** test/PCF/replicate-clusters.mlir, @nested_control_flow
  }];
}

def PCFConvertClusters : PCF_ResolutionPass<"pcf-convert-clusters"> {
  let summary = "Lower the handles of a case to its members' values";
  let description = [{
    The second half of `pcf-resolve-clusters`. In each case only its own
    cluster's phases are left, inlined with the members' ids, and only its
    payload is carried, as real values.

    **Before:** `pcf-replicate-clusters` has run.

    **After:** no handle, and no op that takes one. With `telescope-to` the
    members' phases are collectives of that finer scope, in an executor of it
    per case.

    **Example:** test/PCF/convert-clusters.mlir, @nested_control_flow
  }];
  let options = [PCF_TelescopeTo, PCF_VerifyBarriersToo];
}

def PCFResolveClusters : PCF_ResolutionPass<"pcf-resolve-clusters"> {
  let summary = "Lower clusters to a switch on the worker id";
  let description = [{
    A `tile_group` becomes an `scf.index_switch` with one case per cluster. Each
    case is the whole region, in which only that cluster's phases are left,
    inlined with the members' ids, and only its payload is carried, as real
    values. Outer groups are resolved first. Then executors are `pcf.generic`.
    The pass runs `pcf-replicate-clusters` and `pcf-convert-clusters`, executor
    by executor.

    **Before:** everything in a `pcf.shared_executor` is distributed: no
    `run_cluster`, no shared payload, and no write to memory outside a phase.

    **After:** no handle, and no op that takes one. With `telescope-to` the
    members' phases are collectives of that finer scope, in an executor of it
    per case.

    **Example:** test/PCF/resolve-clusters.mlir, @nested_control_flow
  }];
  let options = [PCF_TelescopeTo, PCF_VerifyBarriersToo];
}

#endif // DISTAFF_PCF_RESOLUTION_TD
