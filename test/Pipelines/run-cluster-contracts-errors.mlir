// What breaks a contract of run-cluster is said at the op that breaks it, one
// file section per stage (PCF-86).
//
// RUN: split-file %s %t
// RUN: distaff-opt %t/tile.mlir --split-input-file --verify-diagnostics --distaff-verify-run-cluster-tile
// RUN: distaff-opt %t/wrap.mlir --split-input-file --verify-diagnostics --distaff-verify-wrap-in-executor
// RUN: distaff-opt %t/form-matmul-phases.mlir --split-input-file --verify-diagnostics --distaff-verify-form-matmul-phases
// RUN: sed 's/form-matmul-phases/specialize/' %t/form-matmul-phases.mlir > %t/specialize.mlir
// RUN: distaff-opt %t/specialize.mlir --split-input-file --verify-diagnostics --distaff-verify-specialize
// RUN: distaff-opt %t/copies.mlir --split-input-file --verify-diagnostics --distaff-verify-promote-to-shared-memory
// RUN: distaff-opt %t/distribute-subgroups.mlir --split-input-file --verify-diagnostics --distaff-verify-distribute-subgroups
// RUN: distaff-opt %t/distribute-lanes.mlir --split-input-file --verify-diagnostics --distaff-verify-distribute-lanes
// RUN: distaff-opt %t/vectorize.mlir --split-input-file --verify-diagnostics --distaff-verify-run-cluster-vectorize
// RUN: distaff-opt %t/concretize.mlir --split-input-file --verify-diagnostics --distaff-verify-concretize

//--- tile.mlir
// expected-error @+1 {{has no grid function after tile; write @no_grid__grid beside it, a func.func with the attribute 'host'}}
func.func @no_grid(%n: index) {
  pcf.loop scope(#iree_codegen.workgroup_scope) count(%n) execute[%id: index] {
    pcf.return
  }
  return
}

// -----

// expected-error @+1 {{has no loop over workgroups after tile}}
func.func @no_loop() {
  return
}
func.func @no_loop__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}

// -----

func.func @two_loops(%n: index) {
  // expected-note @+1 {{the first one}}
  pcf.loop scope(#iree_codegen.workgroup_scope) count(%n) execute[%id: index] {
    pcf.return
  }
  // expected-error @+1 {{is a second loop over workgroups after tile; workgroups wait for each other only at the end of a launch}}
  pcf.loop scope(#iree_codegen.workgroup_scope) count(%n) execute[%id: index] {
    pcf.return
  }
  return
}
func.func @two_loops__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}

// -----

#wg = #iree_codegen.workgroup_scope
func.func @linalg_outside(%x: tensor<4xf32>, %z: f32) -> tensor<4xf32> {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{is outside the loop over workgroups after tile}}
  %y = linalg.fill ins(%z : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %r = pcf.loop scope(#wg) count(%c2) execute(%o = %y)[%id: index] : (!pcf.sref<4xf32, sync(#wg)>) -> (tensor<4xf32>) {
    pcf.write_slice %x into %o[0] [4] [1] : tensor<4xf32> into !pcf.sref<4xf32, sync(#wg)>
    pcf.return
  }
  return %r : tensor<4xf32>
}
func.func @linalg_outside__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}

// -----

#wg = #iree_codegen.workgroup_scope
!R = !pcf.sref<4xf32, sync(#wg)>
func.func @result_read(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %r = pcf.loop scope(#wg) count(%c1) execute(%o = %x)[%id: index] : (!R) -> (tensor<4xf32>) {
    %view = pcf.subview %o[0] [2] [1] : !R to !pcf.sref<2xf32, sync(#wg)>
    // expected-error @+1 {{reads a result of the loop over workgroups after tile; read what it starts as by a readonly ref}}
    %v = pcf.read_slice %view[0] [2] [1] : !pcf.sref<2xf32, sync(#wg)> to tensor<2xf32>
    pcf.write_slice %v into %o[2] [2] [1] : tensor<2xf32> into !R
    pcf.return
  }
  return %r : tensor<4xf32>
}
func.func @result_read__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}

//--- wrap.mlir
func.func @unwrapped(%n: index, %z: f32) {
  pcf.loop scope(#iree_codegen.workgroup_scope) count(%n) execute[%id: index] {
    // expected-error @+1 {{is run by no subgroup after wrap-in-executor}}
    %e = tensor.empty() : tensor<4xf32>
    // expected-error @+1 {{is run by no subgroup after wrap-in-executor}}
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    pcf.return
  }
  return
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{is the program of one lane, needed that of one grid}}
  gpu.func @one_lane() kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    gpu.return
  }
}

//--- form-matmul-phases.mlir
#sg = #iree_gpu.subgroup_scope
func.func @no_phase(%z: f32) {
  pcf.shared_executor scope(#sg) execute[%all: !pcf.threadgroup<#sg>] {
    %e = tensor.empty() : tensor<4xf32>
    // expected-error @+1 {{is in no phase after form-matmul-phases}}
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    pcf.return
  }
  return
}

//--- copies.mlir
#wg = #iree_codegen.workgroup_scope
#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{promote_operands = [0, 1]}>
!M = !pcf.sref<4x4xf32, #wg>
!P = !pcf.sref<4x4xf32, #sg>
func.func @not_promoted(%a: tensor<4x4xf32>) {
  %c1 = arith.constant 1 : index
  pcf.loop scope(#wg) count(%c1) execute(%x <- %a : tensor<4x4xf32>)[%id: index] : (!M) -> () {
    pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !P  pcf.yield %m : !P } -> (%p: !P)
        execute[%all: !pcf.threadgroup<#sg>] {
      pcf.shared_executor.run_cluster(%all)[] () {
        %l = pcf.read_slice %p[0, 0] [4, 4] [1, 1] : !P to tensor<4x4xf32>
        %r = pcf.read_slice %x[0, 0] [4, 4] [1, 1] : !M to tensor<4x4xf32>
        %e = tensor.empty() : tensor<4x4xf32>
        // expected-error @+1 {{promotes operand 1, which is read from no panel after promote-to-shared-memory}}
        %c = linalg.matmul {lowering_config = #cfg} ins(%l, %r : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
        pcf.cluster_yield
      } : (!pcf.threadgroup<#sg>)
      pcf.return
    }
    pcf.return
  }
  return
}

// -----

#wg = #iree_codegen.workgroup_scope
#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!M = !pcf.sref<4x4xf32, #wg>
!P = !pcf.sref<4x4xf32, #sg>
!TP = !pcf.threadgroup<#sg, shared: {tensor<4x4xf32>}>
func.func @payload_of_a_panel(%a: tensor<4x4xf32>) {
  %c1 = arith.constant 1 : index
  pcf.loop scope(#wg) count(%c1) execute(%x <- %a : tensor<4x4xf32>)[%id: index] : (!M) -> () {
    pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !P  pcf.yield %m : !P } -> (%p: !P)
        execute[%all: !pcf.threadgroup<#sg>] {
      %t = pcf.shared_executor.run_cluster(%all)[] () {
        %l = pcf.read_slice %p[0, 0] [4, 4] [1, 1] : !P to tensor<4x4xf32>
        pcf.cluster_yield %l : tensor<4x4xf32>
      } : (!pcf.threadgroup<#sg>) -> !TP
      pcf.shared_executor.run_cluster(%t)[] (%l: tensor<4x4xf32>) {
        %e = tensor.empty() : tensor<4x4xf32>
        %c = linalg.matmul {lowering_config = #cfg} ins(%l, %l : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
        pcf.cluster_yield
      } : (!TP)
      pcf.return
    }
    pcf.return
  }
  return
}

// -----

#wg = #iree_codegen.workgroup_scope
#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!M = !pcf.sref<4x4xf32, #wg>
!P = !pcf.sref<4x4xf32, #sg>
!TP = !pcf.threadgroup<#sg, shared: {tensor<4x4xf32>}>
func.func @payload_of_global_memory(%a: tensor<4x4xf32>) {
  %c1 = arith.constant 1 : index
  pcf.loop scope(#wg) count(%c1) execute(%x <- %a : tensor<4x4xf32>)[%id: index] : (!M) -> () {
    pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !P  pcf.yield %m : !P } -> (%p: !P)
        execute[%all: !pcf.threadgroup<#sg>] {
      %t = pcf.shared_executor.run_cluster(%all)[] () {
        %l = pcf.read_slice %x[0, 0] [4, 4] [1, 1] : !M to tensor<4x4xf32>
        pcf.cluster_yield %l : tensor<4x4xf32>
      } : (!pcf.threadgroup<#sg>) -> !TP
      pcf.shared_executor.run_cluster(%t)[] (%l: tensor<4x4xf32>) {
        %e = tensor.empty() : tensor<4x4xf32>
        // expected-error @+1 {{promotes operand 0, which is read from no panel after promote-to-shared-memory}}
        %c = linalg.matmul {lowering_config = #cfg} ins(%l, %l : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
        pcf.cluster_yield
      } : (!TP)
      pcf.return
    }
    pcf.return
  }
  return
}

// -----

#wg = #iree_codegen.workgroup_scope
#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!M = !pcf.sref<4x4xf32, #wg>
!P = !pcf.sref<4x4xf32, #sg>
!TP = !pcf.threadgroup<#sg, shared: {tensor<4x4xf32>}>
func.func @payload_that_was_computed(%a: tensor<4x4xf32>) {
  %c1 = arith.constant 1 : index
  pcf.loop scope(#wg) count(%c1) execute(%x <- %a : tensor<4x4xf32>)[%id: index] : (!M) -> () {
    pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !P  pcf.yield %m : !P } -> (%p: !P)
        execute[%all: !pcf.threadgroup<#sg>] {
      %t = pcf.shared_executor.run_cluster(%all)[] () {
        %l = arith.constant dense<1.0> : tensor<4x4xf32>
        pcf.cluster_yield %l : tensor<4x4xf32>
      } : (!pcf.threadgroup<#sg>) -> !TP
      pcf.shared_executor.run_cluster(%t)[] (%l: tensor<4x4xf32>) {
        %e = tensor.empty() : tensor<4x4xf32>
        // expected-error @+1 {{promotes operand 0, which is read from no panel after promote-to-shared-memory}}
        %c = linalg.matmul {lowering_config = #cfg} ins(%l, %l : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
        pcf.cluster_yield
      } : (!TP)
      pcf.return
    }
    pcf.return
  }
  return
}

//--- distribute-subgroups.mlir
#sg = #iree_gpu.subgroup_scope
func.func @still_together() {
  // expected-error @+1 {{is left after distribute-subgroups}}
  pcf.shared_executor scope(#sg) execute[%all: !pcf.threadgroup<#sg>] {
    pcf.return
  }
  return
}

//--- distribute-lanes.mlir
#ln = #iree_gpu.lane_scope
func.func @still_together() {
  // expected-error @+1 {{is left after distribute-lanes}}
  pcf.shared_executor scope(#ln) execute[%all: !pcf.threadgroup<#ln>] {
    pcf.return
  }
  return
}

// -----

func.func @by_the_subgroup() {
  pcf.generic scope(#iree_gpu.subgroup_scope) execute[%id: index, %n: index] {
    // expected-error @+1 {{is run by no lane after distribute-lanes}}
    %e = tensor.empty() : tensor<4xf32>
    pcf.return
  }
  return
}

//--- vectorize.mlir
func.func @tensor_left(%n: index) {
  pcf.loop scope(#iree_codegen.workgroup_scope) count(%n) execute[%id: index] {
    pcf.generic scope(#iree_gpu.lane_scope) execute[%lane: index, %lanes: index] {
      // expected-error @+1 {{is left after vectorize}}
      %e = tensor.empty() : tensor<4xf32>
      pcf.return
    }
    pcf.return
  }
  return
}

//--- concretize.mlir
gpu.module @kernels {
  gpu.func @pcf_left() kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    // expected-error @+1 {{is left after concretize}}
    pcf.generic scope(#iree_gpu.lane_scope) execute[%lane: index, %lanes: index] {
      // expected-error @+1 {{is left after concretize}}
      pcf.return
    }
    gpu.return
  }
}

// -----

// expected-error @+1 {{is the program of one workgroup, needed that of one lane}}
func.func @not_written_for_a_lane() {
  return
}
