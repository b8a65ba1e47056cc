//===- Passes.td - Rewrites of parallel control flow -------*- tablegen -*-===//
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
#ifndef DISTAFF_PCF_PASSES
#define DISTAFF_PCF_PASSES

include "distaff/PCF/Resolution.td"
include "mlir/Pass/PassBase.td"
include "distaff/PCF/CollectivePasses.td"
include "distaff/PCF/StagePasses.td"

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

def PCFVectorizeSlices : Pass<"pcf-vectorize-slices"> {
  let summary = "Read and write slices as vectors";
  let description = [{
    A slice that is read as a tensor and then as a vector is read as the vector,
    zero beyond the slice; a vector that is written to a tensor and then to a
    slice, or to a corner of it, is written to the slice. What is cut out of a
    vector that was written to a tensor is cut out of the vector; loops around
    that of a known number of iterations are unrolled, for a vector is
    registers, which have no numbers at run time.

    **Before:** linalg is vectorized.

    **After:** tensors between slices and vectors are gone.

    **Example:** test/PCF/vectorize-slices.mlir, @edges
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect",
    "::distaff::pcf::PCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Specialization
//===----------------------------------------------------------------------===//

def PCFMultiBuffer : Pass<"pcf-multi-buffer"> {
  let summary = "Fill panels for later iterations, each in a slot of its own";
  let description = [{
    Panels that a phase of a loop fills, and later ones of the same iteration
    read, get `depth` slots. Iteration n reads slot n mod d and fills, behind a
    check that there is one, that of iteration n + d - 1; the first d - 1 fills
    move before the loop. Barriers that only order a fill before the reads of
    its own iteration go: one per iteration is left. What is not proved to be
    legal is refused, and everything is as before
    ([why](../rationale/producers-and-consumers.md)).

    **Before:** phases are collective, and a loop fills a panel.

    **After:** what iterations read of panels was filled before they began.

    **Example:** test/PCF/multi-buffer.mlir, @copies
  }];
  let options = [
    Option<"depth", "depth", "int64_t", /*default=*/"2", "Slots of a panel">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::distaff::pcf::PCFDialect"];
}

def PCFPrefetchPanelReads : Pass<"pcf-prefetch-panel-reads"> {
  let summary = "Read panels in a phase of their own, a barrier ahead";
  let description = [{
    A phase of a loop that reads panels and computes becomes two: one that reads
    and hands on what it read as payload, and one that computes. A copy of the
    loop's last barrier stands between both, so that a cluster may read while
    another computes: M and C of ping-pong (7.2 of the specification).

    **Before:** phases are collective, and one with payload, in a loop with a
    barrier, reads a panel outside of branches and loops.

    **After:** phases of loops with payload compute, or read panels.

    **Example:** test/PCF/prefetch-panel-reads.mlir, @product
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect"];
}

def PCFSpecializeProducers : Pass<"pcf-specialize-producers"> {
  let summary = "Give copies to some workers, and the computation to others";
  let description = [{
    A program of all workers becomes one of two clusters, `ws.prod` and
    `ws.cons`: phases that only fill panels run on the one, phases with payload
    on the other. Barriers stay everybody's. `producers` of the workers fill
    panels, the first ones; with `add-workers` the launch that the function's
    `translation_info` gives grows by as many, so that consumers are as many as
    before. What is not proved to be legal is refused, and everything is as
    before ([why](../rationale/producers-and-consumers.md)).

    **Before:** phases are collective, of a group that is not partitioned, and
    copies are phases of their own.

    **After:** phases are of one of the two clusters.

    **Example:** test/PCF/specialize-producers.mlir, @copies
  }];
  let options = [
    Option<"producers", "producers", "std::string", /*default=*/"\"4\"",
           "How many workers fill panels: a number, or the name of an argument "
           "of type index, as in arg3">,
    Option<"addWorkers", "add-workers", "bool", /*default=*/"true",
           "Launch producers besides the workers that there are">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::distaff::iree::IREECodegenDialect",
                           "::distaff::pcf::PCFDialect"];
}

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

    `impl` is the way to distribute: `#pcf.tensor_tiling`, a box of each tensor
    for a member, or `#iree_vector_ext.nested_layout<...>`, vectors as `to_layout`
    ops and instructions say, and those of the layout's own shape that nothing
    else lays out by the layout itself. In quotes, if it is written with blanks.
    To lanes the former gives fragments of the MMA that a contraction's
    `lowering_config` names, packed as `iree_codegen.inner_tiled` takes them, and
    of what is only copied 16 bytes at a time, consecutive lanes next to each
    other. `impl-of-vectors` is the way for executors that have no tensor in
    them, `impl` if it is not given.

    `insert-relayout`: where two phases need a class in two ways, it is split,
    and another phase between them brings the values from one to the other:
    through registers or exchanges of the members if the way to distribute can
    do so, else through memory of the scope, between barriers.

    `virtual-members`: where only the launch knows how many members a group has,
    or that number does not divide the boxes of a product's `subgroup` tiles, a
    phase is distributed to as many virtual members as there are boxes, or
    members of the scope, and the real ones take turns at them: a phase that
    gives nothing in a loop of its own, one with payload in rounds of all of the
    executor's code, of which each ends with a barrier.

    Exchanges of data inside of phases share bytes of workgroup memory, and
    together with panels take no more than `target` has of it.

    Members of a cluster that need what others hold wait for each other between
    two phases, which one becomes. They wait at a barrier of the cluster, or with
    `barriers-of-all`, for machines that have no barrier of some workers, at one
    of all workers. Then so do those who wait at a barrier among some clusters,
    which all workers meet equally often.

    **Before:** phases take no tensor from outside that they cannot make
    themselves.

    **After:** executors of `scope`, all if it is not given, have no
    `run_cluster` and no shared payload. On an error, everything is as before.

    **Example:** test/PCF/distribute.mlir, @chained
  }];
  let options = [
    Option<"scope", "scope", "std::string", /*default=*/"\"\"",
           "Scope whose executors are distributed">,
    Option<"impl", "impl", "std::string",
           /*default=*/"\"#pcf.tensor_tiling\"", "The way to distribute">,
    Option<"implOfVectors", "impl-of-vectors", "std::string",
           /*default=*/"\"\"",
           "The way to distribute executors without tensors">,
    Option<"insertRelayout", "insert-relayout", "bool", /*default=*/"false",
           "Split classes that phases need in two ways">,
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "Machine whose workgroup memory phases exchange data in; any amount "
           "if it is not given">,
    Option<"virtualMembers", "virtual-members", "bool", /*default=*/"false",
           "Let members take turns where they are not as many as boxes">,
    Option<"barriersOfAll", "barriers-of-all", "bool", /*default=*/"false",
           "Let all workers wait where members of a cluster do">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::amdgpu::AMDGPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect",
    "::distaff::pcf::PCFDialect", "::distaff::core::DistaffDialect",
    "::distaff::iree::IREECodegenDialect",
    "::distaff::vector_ext::VectorExtDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Specialization of clusters
//===----------------------------------------------------------------------===//

def PCFSplitThreadgroup : Pass<"pcf-split-threadgroup"> {
  let summary = "Give each half of a group a part of every phase's work";
  let description = [{
    The executors of the op whose phases run on all workers get one cluster per
    name. Every phase becomes one per cluster: of what it writes each cluster
    writes a part, cut along a dimension, and of what it needs for that it
    computes and reads what that part needs. Barriers stay, for all.

    `dim` is the dimension of a result of the computation that is cut, by default
    the first whose extent the clusters can share. Copies are cut along their own
    first such dimension. `split` lists the first workers of all clusters but the
    first; by default the workers are shared out evenly, at run time.

    **Before:** the phases of an executor run on its threadgroup; how many
    workers there are is known.

    **After:** they run on clusters of it, and no barrier less orders what one
    cluster reads and another writes. On an error, everything is as before.

    **Example:** test/PCF/split-threadgroup.mlir, @v1_collective
  }];
  let options = [
    Option<"ns", "ns", "std::string", /*default=*/"\"pp\"",
           "Name of the group of clusters">,
    ListOption<"names", "names", "std::string",
               "Names of the clusters (default: even, odd)">,
    ListOption<"split", "split", "int64_t",
               "First workers of the second cluster and those after it">,
    Option<"dim", "dim", "int64_t", /*default=*/"-1",
           "Dimension of the payload to cut; -1 is the first that can be">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::gpu::GPUDialect", "::distaff::pcf::PCFDialect"
  ];
}

def PCFPingPongBarriers : Pass<"pcf-ping-pong-barriers"> {
  let summary = "Put barriers around products in the steps of loops";
  let description = [{
    For ping-pong on vectors: in the body of each `scf.for` of an executor whose
    work is in no phases yet, a barrier stands before and behind every
    `vector.contract`. The anchors that name its instruction and the exact
    extensions of its operands stand with it. Phases that are formed then are
    products or none, in turn, and a cluster that runs one barrier ahead of
    another one does not multiply while that does.

    **Before:** collective ops on vectors are in no phase.

    **After:** a product in a loop is alone between two barriers.

    **Example:** test/PCF/ping-pong-barriers.mlir, @turns
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect"];
}

def PCFJamTiles : Pass<"pcf-jam-tiles"> {
  let summary = "Compute a workgroup's two tiles at a time, by a cluster each";
  let description = [{
    Unroll-and-jam of the loop along two tiles that `distaff-workgroup-loop`
    makes with `steps=2`: every phase becomes one of cluster `pp.even` for the
    first tile, and one of `pp.odd` for the second, each with payload and panels
    of its own; barriers are for both. Loops in a tile's program become one for
    both, and must run as often for either. Where the second tile may not be
    there, its cluster computes the first one's, and writes nothing; where no
    tile may be there, a branch skips the executor. The launch has twice as many
    subgroups.

    **Before:** an executor's body is one `scf.for` from 0 to at most 2, whose
    iterations are independent: the tiles of a workgroup. Its phases run on the
    threadgroup.

    **After:** they run on two clusters, which meet at the barriers that there
    were.

    **Example:** test/PCF/jam-tiles.mlir, @two_tiles
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::distaff::pcf::PCFDialect", "::distaff::iree::IREECodegenDialect"
  ];
}

def PCFUnifyFences : Pass<"pcf-unify-fences"> {
  let summary = "Let the barriers of a loop fence the same memory";
  let description = [{
    In the loops of a `tile_group`, barriers of all workers in a row become one,
    and each fences all that any of them in the loop does, so that they can take
    each other's place.

    **Before:** any program of groups.

    **After:** no memory is ordered less.

    **Example:** test/PCF/unify-fences.mlir, @in_a_row
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect"];
}

def PCFSkewCluster : Pass<"pcf-skew-cluster"> {
  let summary = "Let a cluster run some barriers ahead of the others";
  let description = [{
    Every phase that the cluster runs in a loop moves `steps` barriers forward;
    those that would leave the loop's first iteration run in front of it. Their
    barriers are repeated there, for all. In the last iteration they run for an
    iteration that is not there: writes are put under a condition unless one
    stops them, what they read must be within bounds, and is not used.

    Legal only if of every two accesses to an element by this cluster and another
    one, of which one writes, the first stays the first.

    **Before:** the cluster's phases stand in one loop whose body ends with a
    barrier and holds phases, barriers that order the same memory, and
    arithmetic.

    **After:** they stand `steps` barriers further ahead. On an error,
    everything is as before.

    **Example:** test/PCF/skew-cluster.mlir, @v2_split
  }];
  let options = [
    Option<"cluster", "cluster", "std::string", /*default=*/"\"pp.even\"",
           "Full name of the cluster">,
    Option<"steps", "steps", "int64_t", /*default=*/"1",
           "Number of barriers">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PCFPeel : Pass<"pcf-peel"> {
  let summary = "Take first and last iterations out of a loop of phases";
  let description = [{
    `front` iterations become copies of the body before the loop, `back` ones
    copies behind it, each under the condition that the loop has it; what the
    loop carries goes through them. Conditions that the new bounds decide are
    folded, such as "there is another panel" in the last iteration. `loop`
    counts the loops with phases, in the order of the text.

    **Before:** the loop counts up by a number, between bounds that all workers
    share.

    **After:** all workers still wait equally often. On an error, everything is
    as before.

    **Example:** test/PCF/peel.mlir, @v3_sheared
  }];
  let options = [
    Option<"loop", "loop", "int64_t", /*default=*/"0", "Number of the loop">,
    Option<"front", "front", "int64_t", /*default=*/"1",
           "Iterations to peel in front of it">,
    Option<"back", "back", "int64_t", /*default=*/"1",
           "Iterations to peel behind it">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
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

    **Example:** test/PCF/verify-barriers.mlir, @same_loops
  }];
  let options = [
    Option<"reportUniformity", "report-uniformity", "bool",
           /*default=*/"false",
           "Remark on values read from memory that workers must agree on">
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

    **Example:** test/PCF/resolve-tokens.mlir, @sync_on_return
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect"];
}

//===----------------------------------------------------------------------===//
// Into pcf, and across the boundaries of its ops
//===----------------------------------------------------------------------===//

class PCF_CorePass<string flag> : Pass<flag> {
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect",
    "::distaff::pcf::PCFDialect", "::distaff::iree::IREECodegenDialect",
    "::distaff::iree::IREEGPUDialect"
  ];
}

def PCF_AssumeCovering
    : Option<"assumeCovering", "assume-covering", "bool", "true",
             "The writes of a body write every element of the result; false: "
             "only where constants prove that">;

def PCFConvertForallToLoops : PCF_CorePass<"pcf-convert-forall-to-loops"> {
  let summary = "Run the iterations of scf.forall on the workers of a scope";
  let description = [{
    Loops without a mapping, or mapped to `#iree_codegen.local_mapping`, become
    `pcf.loop`. Counts are normalised, the id with the smallest mapping (without
    a mapping: the last) varies fastest, inserts become writes, and other uses of
    a shared output read its first value.

    **Before:** a loop's `in_parallel` only inserts into shared outputs.

    **After:** no loop without a mapping or with a local one.

    **Example:** test/PCF/forall-to-loops.mlir, @sample
  }];
  let options = [
    Option<"scope", "scope", "std::string", "\"#pcf.sequential\"",
           "The scope whose workers run the iterations">,
    Option<"numIds", "num-ids", "int64_t", "0",
           "Most ids per loop, the slowest linearized; 0 for any number">
  ];
}

def PCFConvertForallToGenericNest
    : PCF_CorePass<"pcf-convert-forall-to-generic-nest"> {
  let summary = "Share out the iterations of scf.forall over several scopes";
  let description = [{
    Loops without a mapping, or mapped to `#iree_codegen.local_mapping`, become
    one `pcf.generic` per scope, one in the other. The linear id of a worker
    over all of them picks a contiguous share of the iterations.

    **Before:** a loop's `in_parallel` only inserts into shared outputs.

    **After:** loops without a mapping are shares of one worker.

    **Example:** test/PCF/forall-to-generic-nest.mlir, @sample
  }];
  let options = [
    ListOption<"scopes", "scopes", "std::string",
               "Scopes, the outermost first; #pcf.sequential if there is none">
  ];
}

def PCFFoldForallIntoLoop : PCF_CorePass<"pcf-fold-forall-into-loop"> {
  let summary = "Share out workers over an scf.forall and the pcf.loop in it";
  let description = [{
    A loop whose body is a `pcf.loop` of one count, behind pure ops, becomes one
    `pcf.generic`: as many workers as there are iterations take the inner loop,
    as many such groups as there are workers the outer one.

    **Before:** nothing; what does not match stays.

    **After:** each pair of iterations runs on one worker.

    **Example:** test/PCF/fold-forall-into-loop.mlir, @sample
  }];
  let options = [PCF_AssumeCovering];
}

def PCFFuseConsumers : PCF_CorePass<"pcf-fuse-consumers"> {
  let summary = "Recompute an op where what it uses is written";
  let description = [{
    A tilable op on results of a `pcf.generic` or `pcf.loop` is computed on each
    value that is written to their refs, and writes to a ref of its own. A
    `tensor.extract_slice` of a result cuts what is written; a
    `tensor.collapse_shape` writes it in contiguous runs. Results that are unused
    then are dropped; all this until nothing changes.

    **Before:** nothing; what does not match stays.

    **After:** no such op left where the conditions of the match hold.

    **Example:** test/PCF/fuse-consumers.mlir, @sample
  }];
  let options = [PCF_AssumeCovering];
}

def PCFFuseProducers : PCF_CorePass<"pcf-fuse-producers"> {
  let summary = "Recompute an op where its result is read through a ref";
  let description = [{
    Reads of a ref whose init, or readonly source, is the result of a tilable op
    compute that tile of it. The op's own init becomes the ref's where nothing of
    the op's result can be seen any more; a readonly ref then has no use left,
    and `pcf-drop-unused-results` removes it. Reads in phases stay, for what a
    phase captures is not distributed.

    **Before:** no worker reads an element that another has written.

    **After:** no read of such a ref where the conditions of the match hold.

    **Example:** test/PCF/fuse-producers.mlir, @sample
  }];
  let options = [PCF_AssumeCovering];
}

def PCFFuseWrites : PCF_CorePass<"pcf-fuse-writes"> {
  let summary = "Write each iteration's part of a loop's result by itself";
  let description = [{
    A `pcf.write_slice` of the result of an `scf.forall` sinks into the loop, in
    the place of the insert.

    **Before:** nothing; what does not match stays.

    **After:** no loop result is written where the conditions of the match hold.

    **Example:** test/PCF/fuse-writes.mlir, @sample
  }];
  let options = [PCF_AssumeCovering];
}

def PCFDropUnusedResults : PCF_CorePass<"pcf-drop-unused-results"> {
  let summary = "Drop unused results with what is written to them";
  let description = [{
    Removes tensor results without uses of the ops that own refs, if their refs
    are only written, and readonly refs without uses.

    **Before:** nothing.

    **After:** no such result or ref.

    **Example:** test/PCF/drop-unused-results.mlir, @a_result_goes_with_its_writes
  }];
}

def PCFCopyInits : PCF_CorePass<"pcf-copy-inits"> {
  let summary = "Copy arguments that results begin as";
  let description = [{
    A result of a workgroup's `pcf.shared_executor` that begins as an argument of
    the kernel is memory of its own, and the argument is not written. Where the
    body reads the result's ref, or is not proved to write all of it, a
    `pcf.shared_executor` before it copies the argument, and the result begins as
    that copy. Where workers each run their own code, a `pcf.generic` does so.
    What is computed in front of a result that is proved to be written as a whole
    is dropped: the result begins as `tensor.empty`.

    **Before:** such arguments have static shapes, of workers' own results but
    for the first extent, and a result that begins as something else, but for
    tensor.empty or what workers made, is proved to be written as a whole.

    **After:** the init is no argument, or its values are not used.

    **Example:** test/PCF/copy-inits.mlir, @is_read
  }];
}

def PCFEliminateDeadInits : PCF_CorePass<"pcf-eliminate-dead-inits"> {
  let summary = "Start results that are written as a whole as nothing";
  let description = [{
    The init of a result becomes a `tensor.empty` where the body only writes the
    result's ref, itself or through views, and writes every element of it, or
    where it has none: what the init held is not used.

    **Before:** nothing.

    **After:** no such init.

    **Example:** test/PCF/eliminate-dead-inits.mlir, @rows
  }];
  let options = [PCF_AssumeCovering];
}

#endif // DISTAFF_PCF_PASSES
