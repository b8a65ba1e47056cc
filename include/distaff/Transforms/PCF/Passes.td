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

def PCFDistribute : Pass<"pcf-distribute"> {
  let summary = "Turn phases of a group into code of its members";
  let description = [{
    Payload fields that control flow connects are one class. Every phase is
    asked how it would distribute the classes it touches, until all agree; then
    a `run_cluster` is a `run_thread` on a member's part, and handles carry what
    is private to a member. Numbers stay as they are.

    `impl` is the way to distribute: `#pcf.tensor_tiling`.

    **Before:** phases take no tensor from outside that they cannot make
    themselves.

    **After:** executors of `scope`, all if it is not given, have no
    `run_cluster` and no shared payload. On an error, everything is as before.

    **Example:** test/Transforms/PCF/distribute.mlir, @chained
  }];
  let options = [
    Option<"scope", "scope", "std::string", /*default=*/"\"\"",
           "Scope whose executors are distributed">,
    Option<"impl", "impl", "std::string",
           /*default=*/"\"#pcf.tensor_tiling\"", "The way to distribute">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::distaff::pcf::PCFDialect"
  ];
}

def PCFResolveClusters : Pass<"pcf-resolve-clusters"> {
  let summary = "Turn clusters into a switch on the worker id";
  let description = [{
    A `tile_group` becomes an `scf.index_switch` with one case per cluster. Each
    case is the whole region, in which only that cluster's phases are left,
    inlined with the members' ids, and only its payload is carried, as real
    values. Outer groups go first. Then executors are `pcf.generic`.

    **Before:** everything in a `pcf.shared_executor` is distributed: no
    `run_cluster`, no shared payload, and no write to memory outside a phase.

    **After:** no handle, and no op that takes one. With `telescope-to` the
    members' phases are collectives of that finer scope, in an executor of it
    per case.

    **Example:** test/Transforms/PCF/resolve-clusters.mlir, @nested_control_flow
  }];
  let options = [
    Option<"telescopeTo", "telescope-to", "std::string", /*default=*/"\"\"",
           "Scope whose groups run what is a member's, as an attribute">,
    Option<"verifyBarriers", "verify-barriers", "bool", /*default=*/"true",
           "Check that all cases wait equally often">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::distaff::pcf::PCFDialect"
  ];
}

def PCFVerifyBarriers : Pass<"pcf-verify-barriers"> {
  let summary = "Check that all workers wait equally often, in one order";
  let description = [{
    Workers that take different sides of a branch must meet at the same
    barriers. Sides whose barriers, loops and branches with barriers are equal
    are; others are only if the condition is computed from nothing that tells
    workers apart. Barriers of some clusters are compared among their
    participants.

    **Before:** code of workers: `pcf.generic`, or functions whose scopes are
    lowered. Collective code is one stream and has nothing to compare.

    **After:** unchanged, and every worker reaches the same barriers.

    **Example:** test/Transforms/PCF/verify-barriers.mlir, @same_loops
  }];
  let options = [
    Option<"reportUniformity", "report-uniformity", "bool",
           /*default=*/"false",
           "Remark on values read from memory that workers must agree on">
  ];
}

#endif // DISTAFF_TRANSFORMS_PCF_PASSES
