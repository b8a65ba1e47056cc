// Kernels that the pipeline run-cluster cannot take are told why, at the op, and what
// to do instead: exit code 1, and no output.
//
// RUN: split-file %s %t
// RUN: not distaff compile %examples/softmax.mlir --target sm_80 --pipeline run-cluster --specialize ping-pong 2>&1 | FileCheck %s --check-prefix=SOFTMAX
// RUN: distaff compile %t/gathered.mlir --target sm_80 --pipeline run-cluster --specialize producer-consumer --stop-after=specialize 2>&1 | FileCheck %s --check-prefix=GATHERED
// RUN: distaff compile %t/one.mlir --target sm_80 --pipeline run-cluster --specialize producer-consumer --stop-after=specialize 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not distaff compile %t/sums.mlir --target sm_80 --pipeline run-cluster --specialize ping-pong 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: distaff run %t/loop.mlir --target gfx942 --pipeline run-cluster --check --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2
// RUN: not distaff compile %t/budget.mlir --target sm_80 --pipeline run-cluster 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not distaff compile %t/no-grid.mlir --target sm_80 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not distaff run %t/no-grid.mlir --target sm_80 --every-stage 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not distaff run %t/no-grid.mlir --target sm_80 --device ptx 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: distaff run %t/no-grid.mlir --target sm_80 --input arg0=iota
// RUN: not distaff compile %t/kept.mlir --target sm_80 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: not distaff compile %t/behind.mlir --target sm_80 --specialize ping-pong 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: distaff compile %t/wide.mlir --target sm_80 --specialize producer-consumer 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not distaff compile %t/workers.mlir --target sm_80 --specialize ping-pong 2>&1 | FileCheck %s --check-prefix=WORKERS
// RUN: not distaff compile %t/odd.mlir --target sm_80 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not distaff compile %t/lanes.mlir --target sm_80 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not distaff compile %t/loops.mlir --target sm_80 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: not distaff compile %t/ops.mlir --target sm_80 --specialize ping-pong 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: not distaff compile %examples/specialization/halves.mlir --target sm_80 --specialize ping-pong 2>&1 | FileCheck %s --check-prefix=TURNS-OF-CLUSTERS
// RUN: distaff compile %examples/specialization/halves.mlir --target sm_80 --specialize producer-consumer -o %t/clusters.out 2>&1 | FileCheck %s --check-prefix=AHEAD-OF-CLUSTERS
// RUN: not distaff compile %examples/specialization/together.mlir --target sm_80 --specialize ping-pong 2>&1 | FileCheck %s --check-prefix=TOGETHER
// RUN: not distaff compile %t/halves.mlir --target sm_80 --specialize ping-pong 2>&1 | FileCheck %s --check-prefix=HALVES
// RUN: not distaff compile %t/registers.mlir --target sm_80 --specialize producer-consumer 2>&1 | FileCheck %s --check-prefixes=REGISTERS,AHEAD
// RUN: not distaff compile %t/registers.mlir --target sm_80 --specialize ping-pong 2>&1 | FileCheck %s --check-prefixes=REGISTERS,TURNS
// RUN: distaff compile %t/registers.mlir --target sm_80 -o %t/registers.out
// RUN: not distaff compile %t/held.mlir --target sm_80 --specialize ping-pong 2>&1 | FileCheck %s --check-prefix=HELD

// SOFTMAX: error: cannot take turns: a tile has no loop with a product of matrices in its steps, so that one cluster could multiply while another one does not
// SOFTMAX: note: or let producers copy ahead, by --specialize=producer-consumer

// Clusters of the author's own are kept (PCF-185).
// TURNS-OF-CLUSTERS: error: 'pcf.shared_executor.tile_group' op partitions the workgroup already, and --specialize would partition it again
// TURNS-OF-CLUSTERS: note: leave out --specialize to use these clusters
// AHEAD-OF-CLUSTERS: warning: 'pcf.shared_executor.tile_group' op partitions the workgroup already, and --specialize would partition it again; the kernel is compiled as without --specialize
// TOGETHER: error: cannot multi-buffer a panel: it is filled outside the body of an scf.for
// TOGETHER: note: or let producers copy ahead, by --specialize=producer-consumer

//--- gathered.mlir
// Elements at places that are computed are copied ahead, places and all (PCF-131).
// GATHERED-NOT: warning
// GATHERED: run_cluster(%prod)
// GATHERED: transfer_gather
// GATHERED: run_cluster(%cons)
// GATHERED: pcf.read_slice
func.func @gathered(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> tensor<64x64xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

//--- one.mlir
// There is nothing to copy for a kernel that reads no memory, and it is as it is
// without --specialize (PCF-142).
// ONE: warning: nothing can be copied ahead: no step of a loop reads a vector of global memory{{.*}}; the kernel is compiled as without --specialize
// ONE-NOT: tile_group
func.func @one() -> tensor<64xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.fill ins(%c : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

//--- loop.mlir
// Loops over tensors are written out, and are no refusal any more.
func.func @loop(%a: tensor<64x64xf16>, %f: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %f) -> (tensor<64x64xf32>) {
    %y = linalg.matmul ins(%a, %a : tensor<64x64xf16>, tensor<64x64xf16>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

//--- budget.mlir
// BUDGET: budget.mlir:5:8: error: 'linalg.matmul' op needs {{[0-9]+}} registers per lane for its `subgroup` tile
#config = #iree_gpu.lowering_config<{workgroup = [512, 512, 0], subgroup = [512, 512, 0]}>
func.func @budget(%a: tensor<512x512xf16>, %f: tensor<512x512xf32>) -> tensor<512x512xf32> {

  %r = linalg.matmul {lowering_config = #config} ins(%a, %a : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

//--- no-grid.mlir
// GRID: no-grid.mlir:5:1: error: 'func.func' op has no grid function after tile; write @k__grid beside it, a func.func with the attribute 'host'
#wg = #iree_codegen.workgroup_scope
!R = !pcf.sref<8xi32, #wg>
!W = !pcf.sref<8xi32, sync(#wg)>
func.func @k(%in: tensor<8xi32>) -> tensor<8xi32> attributes {translation_info = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8xi32>
  %r = pcf.loop scope(#wg) count(%c2) execute(%x <- %in : tensor<8xi32>, %o = %e)[%id: index] : (!R, !W) -> (tensor<8xi32>) {
    %at = arith.muli %id, %c4 : index
    %v = pcf.read_slice %x[%at] [4] [1] : !R to tensor<4xi32>
    pcf.write_slice %v into %o[%at] [4] [1] : tensor<4xi32> into !W
    pcf.return
  }
  return %r : tensor<8xi32>
}

//--- kept.mlir
// A result that starts as an argument and of which nothing is written.
// KEPT: kept.mlir:6:8: error: 'pcf.loop' op writes nothing to its result 0 after tile; a result does not keep what it starts as
#wg = #iree_codegen.workgroup_scope
func.func @k(%in: tensor<8xi32>) -> tensor<8xi32> attributes {translation_info = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c2 = arith.constant 2 : index
  %r = pcf.loop scope(#wg) count(%c2) execute(%o = %in)[%id: index] : (!pcf.sref<8xi32, sync(#wg)>) -> (tensor<8xi32>) {
    pcf.return
  }
  return %r : tensor<8xi32>
}
func.func @k__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  return %c2, %c1, %c1 : index, index, index
}

//--- behind.mlir
// BEHIND: behind.mlir:3:3: error: 'gpu.func' op is behind the stage 'specialize' already; specialize the kernel before that stage, or leave out --specialize
gpu.module @kernels {
  gpu.func @k(%m: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      translation_info = #iree_codegen.translation_info<pipeline = RunClusterDistribute subgroup_size = 32>} {
    gpu.return
  }
}

//--- workers.mlir
// Code of subgroups has no phases that could be another one's.
// WORKERS: workers.mlir:4:8: error: 'pcf.generic' op is the code of each worker, and --specialize shares out phases of a group; write them in a 'pcf.shared_executor', or leave out --specialize
func.func @k(%in: tensor<8xi32>) -> tensor<8xi32> attributes {translation_info = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %r = pcf.generic scope(#iree_gpu.subgroup_scope) execute(%o = %in)[%id: index, %n: index] : (!pcf.sref<8xi32, sync(#iree_gpu.subgroup_scope)>) -> (tensor<8xi32>) {
    pcf.return
  }
  return %r : tensor<8xi32>
}

//--- odd.mlir
// Subgroups share out the work of all of their lanes.
// ODD: odd.mlir:4:1: error: 'func.func' op has workgroups of 100 lanes, which are not subgroups of 32; give it a workgroup_size that is a multiple of 32
!sg = !pcf.sref<16xf32, sync(#iree_gpu.subgroup_scope)>
func.func @k(%out: tensor<16xf32>) -> tensor<16xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [100, 1, 1] subgroup_size = 32>} {
  %v = arith.constant dense<1.0> : tensor<16xf32>
  %r = pcf.shared_executor scope(#iree_gpu.subgroup_scope) execute(%O = %out)[%tg: !pcf.threadgroup<#iree_gpu.subgroup_scope>] : (!sg) -> (tensor<16xf32>) {
    pcf.write_slice %v into %O[0] [16] [1] : tensor<16xf32> into !sg
    pcf.return
  }
  return %r : tensor<16xf32>
}

//--- lanes.mlir
// What lanes cannot compute with is named, and not the slices around it.
// LANES-NOT: read_slice
// LANES: lanes.mlir:10:10: error: 'tensor.concat' op is left after vectorize: it has no vector form; write it as linalg, elementwise ops or slices of memory
// LANES-NOT: error:
#ln = #iree_gpu.lane_scope
func.func @k(%in: tensor<16x16xf32>, %out: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %c4 = arith.constant 4 : index
  %r = pcf.generic scope(#ln) execute(%A <- %in : tensor<16x16xf32>, %O = %out)[%id: index, %n: index] : (!pcf.sref<16x16xf32, #ln>, !pcf.sref<16x16xf32, sync(#ln)>) -> (tensor<16x16xf32>) {
    %a = pcf.read_slice %A[0, 0] [8, 16] [1, 1] : !pcf.sref<16x16xf32, #ln> to tensor<8x16xf32>
    %b = tensor.concat dim(0) %a, %a : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    pcf.write_slice %b into %O[0, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !pcf.sref<16x16xf32, sync(#ln)>
    pcf.return
  }
  return %r : tensor<16x16xf32>
}

//--- loops.mlir
// A loop is around phases, and not in one.
// LOOPS: loops.mlir:11:12: error: cannot distribute this phase: no tiling rule for scf.for; put phases into the loop, and let it carry their handles
#sg = #iree_gpu.subgroup_scope
!T = tensor<16x16xf32>
func.func @k(%in: !T, %out: !T, %n: index) -> !T attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pcf.shared_executor scope(#sg) execute(%A <- %in : !T, %O = %out)[%tg: !pcf.threadgroup<#sg>] : (!pcf.sref<16x16xf32, #sg>, !pcf.sref<16x16xf32, sync(#sg)>) -> (!T) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %a = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf32, #sg> to !T
      %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> !T {
        %y = math.exp %x : !T
        scf.yield %y : !T
      }
      pcf.write_slice %b into %O[0, 0] [16, 16] [1, 1] : !T into !pcf.sref<16x16xf32, sync(#sg)>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.return
  }
  return %r : !T
}

//--- ops.mlir
// Ops on tensors are phases of one cluster only where the author writes phases.
// OPS: ops.mlir:7:8: error: cannot take turns: its ops on tensors are in no phases, so that no phase reads a panel while another one computes; write phases that fill panels and phases that read them, as examples/specialization/panels.mlir does
// OPS: note: or let producers copy ahead, by --specialize=producer-consumer
#sg = #iree_gpu.subgroup_scope
!T = tensor<16x16xf32>
func.func @k(%in: !T, %out: !T) -> !T attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %r = pcf.shared_executor scope(#sg) execute(%A <- %in : !T, %O = %out)[%tg: !pcf.threadgroup<#sg>] : (!pcf.sref<16x16xf32, #sg>, !pcf.sref<16x16xf32, sync(#sg)>) -> (!T) {
    %a = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf32, #sg> to !T
    %b = math.exp %a : !T
    pcf.write_slice %b into %O[0, 0] [16, 16] [1, 1] : !T into !pcf.sref<16x16xf32, sync(#sg)>
    pcf.return
  }
  return %r : !T
}

//--- wide.mlir
// Producers are subgroups of their own, for which there is no room (PCF-185).
// WIDE: wide.mlir:7:8: warning: cannot separate producers: 4 more subgroups of 32 threads do not fit a workgroup of 1024: it has at most 1024; the kernel is compiled as without --specialize
// WIDE-NOT: error:
#config = #iree_gpu.lowering_config<{workgroup = [128, 128, 0], subgroup = [32, 16, 0]}>
#info = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [1024, 1, 1] subgroup_size = 32>
func.func @wide(%a: tensor<512x512xf16>, %f: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {translation_info = #info} {
  %r = linalg.matmul {lowering_config = #config} ins(%a, %a : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

//--- halves.mlir
// One subgroup is not two halves.
// HALVES: halves.mlir:6:8: error: 'linalg.matmul' op is shared out among 2 clusters, for which the `workgroup` tile 64 of loop 0 has to be a multiple of 2 `subgroup` tiles, and is 1 of 64
#config = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], subgroup = [64, 64, 0], reduction = [0, 0, 32]}>
#info = #iree_codegen.translation_info<pipeline = RunClusterDistribute>
func.func @halves(%a: tensor<256x256xf16>, %f: tensor<256x256xf32>) -> tensor<256x256xf32> attributes {translation_info = #info} {
  %r = linalg.matmul {lowering_config = #config} ins(%a, %a : tensor<256x256xf16>, tensor<256x256xf16>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

//--- held.mlir
// A half that computes holds all of a step: 128 registers of operands beside those of the result (PCF-88).
// HELD: held.mlir:6:8: error: 'linalg.matmul' op needs 128 registers per lane for its `subgroup` tile and 128 for operands; {{.*}}, so make the `subgroup` or the `reduction` tile smaller
#config = #iree_gpu.lowering_config<{workgroup = [128, 128, 0], subgroup = [64, 64, 0], reduction = [0, 0, 64], mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
#info = #iree_codegen.translation_info<pipeline = RunClusterDistribute>
func.func @held(%a: tensor<256x256xf16>, %f: tensor<256x256xf32>) -> tensor<256x256xf32> attributes {translation_info = #info} {
  %r = linalg.matmul {lowering_config = #config} ins(%a, %a : tensor<256x256xf16>, tensor<256x256xf16>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

//--- registers.mlir
// Without panels there is nothing to overlap.
// REGISTERS: registers.mlir:9:8: error: 'linalg.matmul' op has empty `promote_operands`, and where nothing is copied to shared memory there is nothing that
// AHEAD-SAME: producers could copy ahead
// TURNS-SAME: one cluster reads while another computes
// REGISTERS-SAME: ; promote an operand, 0 or 1, or do not specialize
#config = #iree_gpu.lowering_config<{promote_operands = []}>
#info = #iree_codegen.translation_info<pipeline = RunClusterDistribute>
func.func @registers(%a: tensor<256x256xf16>, %f: tensor<256x256xf32>) -> tensor<256x256xf32> attributes {translation_info = #info} {
  %r = linalg.matmul {lowering_config = #config} ins(%a, %a : tensor<256x256xf16>, tensor<256x256xf16>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

//--- sums.mlir
// Halves that take turns are one sheared by a step against the other, and of two loops of sums that would be which?
// SUMS: sums.mlir:6:8: error: 'scf.for' op is another loop with phases of the cluster, and one can be skewed; make one loop of the two
// SUMS: note: or let producers copy ahead, by --specialize=producer-consumer
#info = #iree_codegen.translation_info<pipeline = RunClusterDistribute>
func.func @sums(%a: tensor<64x8x32xf16>, %b: tensor<8x32x64xf16>, %f: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {translation_info = #info} {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<64x8x32xf16>, tensor<8x32x64xf16>) outs(%f : tensor<64x64xf32>) {
    ^bb0(%p: f16, %q: f16, %s: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %v = arith.mulf %x, %y : f32
    %w = arith.addf %s, %v : f32
    linalg.yield %w : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
