// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-convert-forall-to-generic-nest=scopes=#iree_gpu.subgroup_scope,#iree_gpu.lane_scope -split-input-file | FileCheck %s
// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-convert-forall-to-generic-nest -split-input-file | FileCheck %s --check-prefix=SEQ

// CHECK: #[[ID:.*]] = affine_map<()[s0, s1, s2] -> (s0 * s1 + s2)>
// CHECK: #[[CHUNK:.*]] = affine_map<()[s0, s1, s2] -> (s0 ceildiv (s1 * s2))>
// CHECK: #[[LO:.*]] = affine_map<()[s0, s1] -> (s0 * s1)>
// CHECK: #[[HI:.*]] = affine_map<()[s0, s1, s2] -> (s0 + s1, s2)>
// CHECK-LABEL: func @sample
// CHECK-SAME: (%[[N:.*]]: index, %[[INIT:.*]]: tensor<?xf32>)
// CHECK: %[[R:.*]] = pcf.generic scope(#iree_gpu.subgroup_scope) execute(%[[O:.*]] = %[[INIT]])[%[[W:.*]]: index, %[[NW:.*]]: index]
// CHECK-SAME: : (!sref_Dxf32_sync_subgroup) -> (tensor<?xf32>) {
// CHECK-NEXT: pcf.generic scope(#iree_gpu.lane_scope) execute[%[[L:.*]]: index, %[[NL:.*]]: index] {
// CHECK-NEXT: %[[LINEAR:.*]] = affine.apply #[[ID]]()[%[[W]], %[[NL]], %[[L]]]
// CHECK-NEXT: %[[SHARE:.*]] = affine.apply #[[CHUNK]]()[%[[N]], %[[NW]], %[[NL]]]
// CHECK-NEXT: %[[LOWER:.*]] = affine.apply #[[LO]]()[%[[LINEAR]], %[[SHARE]]]
// CHECK-NEXT: %[[UPPER:.*]] = affine.min #[[HI]]()[%[[LOWER]], %[[SHARE]], %[[N]]]
// CHECK-NEXT: scf.forall (%[[I:.*]]) = (%[[LOWER]]) to (%[[UPPER]]) step (1) {
// CHECK-NEXT: %[[V:.*]] = "test.make"(%[[I]])
// CHECK-NEXT: pcf.write_slice %[[V]] into %[[O]][%[[I]]] [1] [1]
// CHECK-NEXT: }
// CHECK-NEXT: pcf.return
// CHECK-NEXT: }
// CHECK-NEXT: pcf.return
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
// SEQ-LABEL: func @sample
// SEQ: pcf.generic scope(#pcf.sequential)
// SEQ-NOT: pcf.generic
// SEQ-LABEL: func @several_dimensions
func.func @sample(%n: index, %init: tensor<?xf32>) -> tensor<?xf32> {
  %r = scf.forall (%i) in (%n) shared_outs(%o = %init) -> (tensor<?xf32>) {
    %v = "test.make"(%i) : (index) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// -----

// PCF-43: several dimensions are linearized, shared out, and delinearized in the
// body, where bounds and steps are applied.
// CHECK-DAG: #[[COUNT:.*]] = affine_map<()[s0] -> ((s0 - 1) ceildiv 2)>
// CHECK-DAG: #[[I:.*]] = affine_map<(d0) -> (d0 * 2 + 1)>
// CHECK-LABEL: func @several_dimensions
// CHECK-SAME: (%[[N:.*]]: index)
// CHECK: %[[COUNTED:.*]] = affine.apply #[[COUNT]]()[%[[N]]]
// CHECK: scf.forall (%[[LINEAR:.*]]) =
// CHECK-NEXT: %[[IDS:.*]]:2 = affine.delinearize_index %[[LINEAR]] into (%[[COUNTED]], 7)
// CHECK: %[[X:.*]] = affine.apply #[[I]](%[[IDS]]#0)
// CHECK: "test.use"(%[[X]], %[[IDS]]#1)
func.func @several_dimensions(%n: index) {
  scf.forall (%i, %j) = (1, 0) to (%n, 7) step (2, 1) {
    "test.use"(%i, %j) : (index, index) -> ()
  }
  return
}

// -----

// PCF-43: of loops in loops, each is shared out.
// CHECK-LABEL: func @nested_loops
// CHECK-COUNT-2: pcf.generic
// CHECK: scf.forall
// CHECK-COUNT-2: pcf.generic
// CHECK: scf.forall
// CHECK-NOT: scf.forall
func.func @nested_loops() {
  scf.forall (%i) in (4) {
    scf.forall (%j) in (8) {
      "test.use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}
