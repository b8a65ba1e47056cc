//===- Passes.td - Rewrites of parallel control flow ------*- tablegen -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes on pcf: into the dialect, across its boundaries, and out of its
// collective part. Each states what holds before and after it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TRANSFORMS_PCF_PASSES
#define DISTAFF_TRANSFORMS_PCF_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Out of the collective level
//===----------------------------------------------------------------------===//

def PCFResolveClusters : Pass<"pcf-resolve-clusters"> {
  let summary = "Turn clusters into a switch on the worker id";
  let description = [{
    A `tile_group` becomes an `scf.index_switch` with one case per cluster. Each
    case is the whole region, in which only that cluster's phases are left,
    inlined with the members' ids, and only its payload is carried, as real
    values. Outer groups go first. Then executors are `pcf.generic`.

    **Before:** everything in a `pcf.shared_executor` is distributed: no
    `run_cluster`, no shared payload, and no write to memory outside a phase.

    **After:** no handle, and no op that takes one.

    **Example:** test/Transforms/PCF/resolve-clusters.mlir, @nested_control_flow
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::distaff::pcf::PCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Out of refs
//===----------------------------------------------------------------------===//

def PCFResolveTokens : Pass<"pcf-resolve-tokens", "::mlir::ModuleOp"> {
  let summary = "Turn the synchronization of refs into values";
  let description = [{
    The type of a ref loses its synchronization attribute. In its place go the
    values that the attribute asks for, wherever the ref goes: through loops,
    branches, calls and views. They are made where the ref is allocated, and
    every write through it is recorded in them. For `sync(...)` there are none;
    the op that owns such a ref gets `sync true`.

    **Before:** every synchronization attribute of a value implements
    `SyncScopeAttrInterface`.

    **After:** no sref has a synchronization attribute.

    **Example:** test/Transforms/PCF/resolve-tokens.mlir, @sync_on_return
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect"];
}

#endif // DISTAFF_TRANSFORMS_PCF_PASSES
