//===- Passes.td - Passes of parallel control flow ---------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file defines the passes on pcf: into the dialect, across its boundaries,
// and out of its collective part. Each states what holds before and after it.
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
    zero past the slice; a vector that is written to a tensor and then to a
    slice, or to a corner of it, is written to the slice. A part of a tensor
    that a vector was written to is extracted from the vector; loops around such
    ops with a static trip count are unrolled, because a vector is in registers,
    which cannot be indexed at run time.

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
  let summary = "Multi-buffer panels: fill them ahead, in slots of a ring";
  let description = [{
    Panels that a phase of a loop fills, and later ones of the same iteration
    read, get `depth` slots. Iteration n reads slot n mod d and fills that of
    iteration n + d - 1, if there is one; the first d - 1 fills move to the
    prologue. Barriers that only order a fill before the reads of its own
    iteration are erased: one per iteration is left. If legality is not proved,
    the pass fails and changes nothing
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
    A phase of a loop that reads panels and computes becomes two: the first
    reads and yields the values as payload, and the second computes. A copy of
    the loop's last barrier is inserted between them, so that one cluster may
    read while another one computes: M and C of ping-pong (7.2 of the
    specification).

    **Before:** phases are collective, and one with payload, in a loop with a
    barrier, reads a panel outside of branches and loops.

    **After:** phases of loops with payload compute, or read panels.

    **Example:** test/PCF/prefetch-panel-reads.mlir, @product
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect"];
}

def PCFSpecializeProducers : Pass<"pcf-specialize-producers"> {
  let summary = "Specialize workers as producers (copies) and consumers";
  let description = [{
    A program of all workers becomes one of two clusters, `ws.prod` and
    `ws.cons` (warp specialization): phases that only fill panels run on the
    first, phases with payload on the second. Barriers are still of all workers.
    The first `producers` workers fill panels; with `add-workers` the launch in
    the function's `translation_info` grows by as many, so that the number of
    consumers stays the same. If legality is not proved, the pass fails and
    changes nothing ([why](../rationale/producers-and-consumers.md)).

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
  let summary = "Distribute phases of a group to its members";
  let description = [{
    Payload fields that control flow connects are one class. Every phase
    proposes a distribution of the classes that it uses, until all agree; then a
    `run_cluster` becomes a `run_thread` on a member's part, and handles carry
    values that are private to a member. Numbers are not distributed.

    `impl` is the distribution: `#pcf.tensor_tiling`, a box of each tensor for a
    member, or `#iree_vector_ext.nested_layout<...>`: vectors have the layouts
    that `to_layout` ops and instructions define, and vectors of the layout's
    own shape without another layout have this one. It is put in quotes if it
    contains blanks. For lanes the former yields fragments of the MMA that a
    contraction's `lowering_config` names, packed as `iree_codegen.inner_tiled`
    takes them, and for copies 16 bytes at a time, consecutive lanes next to
    each other. `impl-of-vectors` is the distribution for executors without
    tensors, `impl` if it is not given.

    `insert-relayout`: if two phases need a class in two distributions, it is
    split, and another phase between them converts the values from one to the
    other: through registers or exchanges of the members if the distribution
    supports that, else through memory of the scope, between barriers.

    `virtual-members`: if only the launch fixes the number of members of a
    group, or that number does not divide the boxes of a product's `subgroup`
    tiles, a phase is distributed to as many virtual members as there are boxes,
    or members of the scope, which are assigned to the real ones cyclically: a
    phase without a result iterates over them in a loop of its own, one with
    payload in rounds of all of the executor's code, each of which ends with a
    barrier.

    Exchanges of data inside of phases share bytes of workgroup memory, and
    together with panels take no more than `target` has of it.

    If members of a cluster need data of other members, the phase is split in
    two and the members wait for each other in between. They wait at a barrier
    of the cluster, or with `barriers-of-all`, for machines that have no barrier
    of some workers, at one of all workers. Barriers among some clusters then
    also become barriers of all workers, which all execute equally often.

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
  let summary = "Split every phase's work among clusters of its group";
  let description = [{
    The executors of the op whose phases run on all workers get one cluster per
    name. Every phase becomes one per cluster: each cluster writes a part of the
    written values, cut along a dimension, and computes and reads only what that
    part needs. Barriers are still of all workers.

    `dim` is the dimension of a result of the computation that is cut, by
    default the first whose extent the clusters can divide. Copies are cut along
    their own first such dimension. `split` lists the first workers of all
    clusters but the first; by default the workers are divided evenly, at run
    time.

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
  let summary = "Insert barriers around products for a ping-pong schedule";
  let description = [{
    For ping-pong on vectors: in the body of each `scf.for` of an executor whose
    ops are in no phases yet, a barrier is inserted before and after every
    `vector.contract`. The anchors that name its instruction and the exact
    extensions of its operands stay next to it. The phases formed later then
    alternate: a product, or no product. A cluster that runs one barrier ahead
    of another one does not multiply at the same time.

    **Before:** collective ops on vectors are in no phase.

    **After:** a product in a loop is alone between two barriers.

    **Example:** test/PCF/ping-pong-barriers.mlir, @turns
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect"];
}

def PCFJamTiles : Pass<"pcf-jam-tiles"> {
  let summary = "Unroll and jam a workgroup's two tiles, a cluster for each";
  let description = [{
    Unroll-and-jam of the loop along two tiles that `distaff-workgroup-loop`
    creates with `steps=2`: every phase becomes one of cluster `pp.even` for the
    first tile, and one of `pp.odd` for the second, each with payload and panels
    of its own; barriers are for both. Loops in a tile's program become one for
    both, and must have the same trip count for both. If the second tile may not
    exist, its cluster computes the first one's, and writes nothing; if no tile
    may exist, a branch skips the executor. The launch has twice as many
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
    In the loops of a `tile_group`, adjacent barriers of all workers are merged,
    and each fences the memory that any of them in the loop fences, so that each
    can replace another one.

    **Before:** any program of groups.

    **After:** no memory is ordered less.

    **Example:** test/PCF/unify-fences.mlir, @in_a_row
  }];
  let dependentDialects = ["::distaff::pcf::PCFDialect"];
}

def PCFSkewCluster : Pass<"pcf-skew-cluster"> {
  let summary = "Skew a cluster by a number of barriers";
  let description = [{
    Every phase that the cluster runs in a loop moves `steps` barriers forward;
    those that would leave the loop's first iteration run before it, in a
    prologue. Their barriers are repeated there, for all workers. In the last
    iteration they run for an iteration that does not exist: writes are
    predicated unless a condition already stops them, reads must be within
    bounds, and their values are not used.

    This is legal only if of every two accesses to an element by this cluster
    and another one, of which one writes, the first stays the first.

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
  let summary = "Peel first and last iterations of a loop of phases";
  let description = [{
    `front` iterations become copies of the body before the loop, `back` ones
    copies after it, each under the condition that the loop has it; the
    loop-carried values go through them. Conditions that the new bounds decide
    are folded, such as "there is another panel" in the last iteration. `loop`
    counts the loops with phases, in program order.

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
    Workers that take different sides of a branch must reach the same barriers.
    Two sides are equal if their barriers, loops and branches with barriers are;
    otherwise the condition must be uniform: not computed from values that
    differ between workers. Barriers of some clusters are compared among their
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
  let summary = "Lower the synchronization of refs to values";
  let description = [{
    The type of a ref loses its synchronization attribute. The values that the
    attribute defines replace it wherever the ref is used: in loops, branches,
    calls and views. They are created where the ref is allocated, and every
    write through it is recorded in them. For `sync(...)` there are none; the op
    that owns such a ref gets `sync true`.

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
    `pcf.loop`. Counts are normalized, the id with the smallest mapping (without
    a mapping: the last) varies fastest, inserts become writes, and other uses
    of a shared output read its initial value.

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
  let summary = "Distribute the iterations of scf.forall over several scopes";
  let description = [{
    Loops without a mapping, or mapped to `#iree_codegen.local_mapping`, become
    one `pcf.generic` per scope, nested. The linear id of a worker over all of
    them selects a contiguous share of the iterations.

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
  let summary = "Distribute workers over an scf.forall and the pcf.loop in it";
  let description = [{
    A loop whose body is a `pcf.loop` of one count, after pure ops, becomes one
    `pcf.generic`: a group of as many workers as there are iterations runs the
    inner loop, and as many such groups as there are workers run the outer one.

    **Before:** nothing; what does not match stays.

    **After:** each pair of iterations runs on one worker.

    **Example:** test/PCF/fold-forall-into-loop.mlir, @sample
  }];
  let options = [PCF_AssumeCovering];
}

def PCFFuseConsumers : PCF_CorePass<"pcf-fuse-consumers"> {
  let summary = "Fuse consumers of results into the writes of these results";
  let description = [{
    A tilable op on results of a `pcf.generic` or `pcf.loop` is computed on each
    value that is written to their refs, and its results are written to refs of
    their own. A `tensor.extract_slice` of a result clips the writes; a
    `tensor.collapse_shape` writes it in contiguous runs. Results that are then
    unused are dropped; the pass repeats until nothing changes.

    **Before:** nothing; what does not match stays.

    **After:** no such op left where the conditions of the match hold.

    **Example:** test/PCF/fuse-consumers.mlir, @sample
  }];
  let options = [PCF_AssumeCovering];
}

def PCFFuseProducers : PCF_CorePass<"pcf-fuse-producers"> {
  let summary = "Fuse producers into the reads of their results";
  let description = [{
    Reads of a ref whose init, or readonly source, is the result of a tilable op
    compute that tile of it. The op's own init becomes the ref's if no op can
    read the op's result any more; a readonly ref then has no use left, and
    `pcf-drop-unused-results` removes it. Reads in phases are not changed, since
    values that a phase captures are not distributed.

    **Before:** no worker reads an element that another has written.

    **After:** no read of such a ref where the conditions of the match hold.

    **Example:** test/PCF/fuse-producers.mlir, @sample
  }];
  let options = [PCF_AssumeCovering];
}

def PCFFuseWrites : PCF_CorePass<"pcf-fuse-writes"> {
  let summary = "Fuse the write of a loop's result into the loop";
  let description = [{
    A `pcf.write_slice` of the result of an `scf.forall` sinks into the loop and
    replaces the insert.

    **Before:** nothing; what does not match stays.

    **After:** no loop result is written where the conditions of the match hold.

    **Example:** test/PCF/fuse-writes.mlir, @sample
  }];
  let options = [PCF_AssumeCovering];
}

def PCFDropUnusedResults : PCF_CorePass<"pcf-drop-unused-results"> {
  let summary = "Drop unused results with the writes to their refs";
  let description = [{
    Removes tensor results without uses of the ops that own refs, if their refs
    are only written, and readonly refs without uses.

    **Before:** nothing.

    **After:** no such result or ref.

    **Example:** test/PCF/drop-unused-results.mlir, @a_result_goes_with_its_writes
  }];
}

def PCFCopyInits : PCF_CorePass<"pcf-copy-inits"> {
  let summary = "Copy arguments that initialize results";
  let description = [{
    A result of a workgroup's `pcf.shared_executor` whose init is an argument of
    the kernel is memory of its own, and the argument is not written. If the
    body reads the result's ref, or is not proved to write all of it, a
    `pcf.shared_executor` before it copies the argument, and the copy becomes
    the init. If workers each run their own code, a `pcf.generic` copies it. A
    computed init of a result that is proved to be written as a whole is
    dropped: it becomes a `tensor.empty`.

    **Before:** such arguments have static shapes, of workers' own results but
    for the first extent, and a result that begins as something else, but for
    tensor.empty or what workers made, is proved to be written as a whole.

    **After:** the init is no argument, or its values are not used.

    **Example:** test/PCF/copy-inits.mlir, @is_read
  }];
}

def PCFEliminateDeadInits : PCF_CorePass<"pcf-eliminate-dead-inits"> {
  let summary = "Eliminate initial values of results that are overwritten";
  let description = [{
    The init of a result becomes a `tensor.empty` if the body only writes the
    result's ref, itself or through views, and writes every element of it, or if
    it has none: the values of the init are not used.

    **Before:** nothing.

    **After:** no such init.

    **Example:** test/PCF/eliminate-dead-inits.mlir, @rows
  }];
  let options = [PCF_AssumeCovering];
}

#endif // DISTAFF_PCF_PASSES
