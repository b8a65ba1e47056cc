// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-convert-forall-to-loops -split-input-file | FileCheck %s
// RUN: distaff-opt %s -allow-unregistered-dialect '--pcf-convert-forall-to-loops=scope=#iree_gpu.subgroup_scope num-ids=2' -split-input-file | FileCheck %s --check-prefix=TWO
// RUN: distaff-opt %s -allow-unregistered-dialect '--pcf-convert-forall-to-loops=scope=#iree_codegen.workgroup_scope<linearize> num-ids=1' -split-input-file | FileCheck %s --check-prefix=ONE

// PCF-42: the last dimension is fastest, an insert is a write, a read of the
// shared output reads the init.
// CHECK-LABEL: func @sample
// CHECK-SAME: (%[[D0:.*]]: index, %[[INIT:.*]]: tensor<?x32xf32>)
// CHECK: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[R:.*]] = pcf.loop scope(#pcf.sequential) count(%[[C32]], %[[D0]]) execute(%[[O:.*]] = %[[INIT]])[%[[J:.*]]: index, %[[I:.*]]: index]
// CHECK-SAME: : (!sref_Dx32xf32_sync_sequential) -> (tensor<?x32xf32>) {
// CHECK-NEXT: %[[X:.*]] = tensor.extract_slice %[[INIT]][%[[I]], %[[J]]] [1, 1] [1, 1]
// CHECK-NEXT: %[[Y:.*]] = linalg.exp ins(%[[X]] : tensor<1x1xf32>) outs(%[[X]] : tensor<1x1xf32>)
// CHECK-NEXT: pcf.write_slice %[[Y]] into %[[O]][%[[I]], %[[J]]] [1, 1] [1, 1]
// CHECK-NEXT: pcf.return
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
func.func @sample(%d0: index, %init: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %r = scf.forall (%i, %j) in (%d0, 32) shared_outs(%o = %init) -> (tensor<?x32xf32>) {
    %x = tensor.extract_slice %o[%i, %j] [1, 1] [1, 1] : tensor<?x32xf32> to tensor<1x1xf32>
    %y = linalg.exp ins(%x : tensor<1x1xf32>) outs(%x : tensor<1x1xf32>) -> tensor<1x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<?x32xf32>
    }
  }
  return %r : tensor<?x32xf32>
}

// -----

// PCF-42: a mapping orders the ids, smaller is faster, relative to its smallest
// id; it is dropped.
// CHECK-LABEL: func @a_mapping_orders_the_ids
// CHECK-SAME: (%[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index)
// CHECK: pcf.loop scope(#pcf.sequential) count(%[[C]], %[[A]], %[[B]]) execute[%[[K:.*]]: index, %[[I:.*]]: index, %[[J:.*]]: index] {
// CHECK-NEXT: "test.use"(%[[I]], %[[J]], %[[K]])
// CHECK-NOT: mapping
// PCF-42: with fewer ids than dimensions the slowest are linearized.
// TWO-DAG: #[[MAX:.*]] = affine_map<()[s0] -> (s0, 0)>
// TWO-DAG: #[[PRODUCT:.*]] = affine_map<()[s0, s1] -> (s0 * s1)>
// TWO-LABEL: func @a_mapping_orders_the_ids
// TWO-SAME: (%[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index)
// TWO-DAG: %[[B0:.*]] = affine.max #[[MAX]]()[%[[B]]]
// TWO-DAG: %[[A0:.*]] = affine.max #[[MAX]]()[%[[A]]]
// TWO: %[[BA:.*]] = affine.apply #[[PRODUCT]]()[%[[B0]], %[[A0]]]
// TWO: pcf.loop scope(#iree_gpu.subgroup_scope) count(%[[C]], %[[BA]]) execute[%[[K:.*]]: index, %[[L:.*]]: index] {
// TWO-NEXT: %[[JI:.*]]:2 = affine.delinearize_index %[[L]] into (%[[B]], %[[A]])
// TWO-NEXT: "test.use"(%[[JI]]#1, %[[JI]]#0, %[[K]])
// ONE-LABEL: func @a_mapping_orders_the_ids
// ONE-SAME: (%[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index)
// ONE: pcf.loop scope(#iree_codegen.workgroup_scope<linearize>) count(%{{.*}}) execute[%[[L:.*]]: index] {
// ONE-NEXT: %[[JIK:.*]]:3 = affine.delinearize_index %[[L]] into (%[[B]], %[[A]], %[[C]])
// ONE-NEXT: "test.use"(%[[JIK]]#1, %[[JIK]]#0, %[[JIK]]#2)
func.func @a_mapping_orders_the_ids(%a: index, %b: index, %c: index) {
  scf.forall (%i, %j, %k) in (%a, %b, %c) {
    "test.use"(%i, %j, %k) : (index, index, index) -> ()
  } {mapping = [#iree_codegen.local_mapping<6>, #iree_codegen.local_mapping<7>, #iree_codegen.local_mapping<5>]}
  return
}

// -----

// PCF-42: bounds are normalised, also where they are values.
// CHECK-DAG: #[[COUNT:.*]] = affine_map<()[s0, s1, s2] -> ((s0 - s1) ceildiv s2)>
// CHECK-DAG: #[[INDEX:.*]] = affine_map<(d0)[s0, s1] -> (d0 * s1 + s0)>
// CHECK-DAG: #[[STATIC:.*]] = affine_map<(d0) -> (d0 * 4 + 3)>
// CHECK-LABEL: func @bounds_are_normalised
// CHECK-SAME: (%[[LB:.*]]: index, %[[UB:.*]]: index, %[[STEP:.*]]: index)
// CHECK-DAG: %[[N:.*]] = affine.apply #[[COUNT]]()[%[[UB]], %[[LB]], %[[STEP]]]
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK: pcf.loop scope(#pcf.sequential) count(%[[C2]], %[[N]]) execute[%[[B:.*]]: index, %[[A:.*]]: index]
// CHECK-DAG: %[[I:.*]] = affine.apply #[[INDEX]](%[[A]])[%[[LB]], %[[STEP]]]
// CHECK-DAG: %[[J:.*]] = affine.apply #[[STATIC]](%[[B]])
// CHECK: "test.use"(%[[I]], %[[J]])
func.func @bounds_are_normalised(%lb: index, %ub: index, %step: index) {
  scf.forall (%i, %j) = (%lb, 3) to (%ub, 10) step (%step, 4) {
    "test.use"(%i, %j) : (index, index) -> ()
  }
  return
}

// -----

// PCF-42: a rank-reducing insert expands its source first; several outputs are
// several refs, in order.
// CHECK-LABEL: func @lower_ranks_are_expanded
// CHECK-SAME: (%[[F:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<4x?x1xi8>
// CHECK: pcf.loop {{.*}} execute(%[[R0:.*]] = %[[F]], %[[R1:.*]] = %[[S]])[%[[I:.*]]: index]
// CHECK: %[[V:.*]] = "test.row"
// CHECK: %[[T:.*]] = "test.scalar"
// CHECK: %[[W:.*]] = tensor.expand_shape %[[V]] {{\[\[}}0, 1, 2]] output_shape [1, %[[N:.*]], 1] : tensor<?xi8> into tensor<1x?x1xi8>
// CHECK: pcf.write_slice %[[W]] into %[[R1]][%[[I]], 0, 0] [1, %[[N]], 1] [1, 2, 1]
// CHECK: %[[U:.*]] = tensor.expand_shape %[[T]] [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
// CHECK: pcf.write_slice %[[U]] into %[[R0]][%[[I]], 5] [1, 1] [1, 1]
func.func @lower_ranks_are_expanded(%f: tensor<4x8xf32>, %s: tensor<4x?x1xi8>, %n: index) -> (tensor<4x8xf32>, tensor<4x?x1xi8>) {
  %r:2 = scf.forall (%i) in (4) shared_outs(%o = %f, %p = %s) -> (tensor<4x8xf32>, tensor<4x?x1xi8>) {
    %v = "test.row"(%i) : (index) -> tensor<?xi8>
    %t = "test.scalar"(%i) : (index) -> tensor<f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %p[%i, 0, 0] [1, %n, 1] [1, 2, 1] : tensor<?xi8> into tensor<4x?x1xi8>
      tensor.parallel_insert_slice %t into %o[%i, 5] [1, 1] [1, 1] : tensor<f32> into tensor<4x8xf32>
    }
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x?x1xi8>
}

// -----

// PCF-42: a loop that another level of the machine runs stays, one inside it is
// converted.
// CHECK-LABEL: func @mapped_loops_stay
// CHECK: scf.forall (%{{.*}}) in (8) {
// CHECK: pcf.loop
// CHECK: } {mapping = [#gpu.block<x>]}
func.func @mapped_loops_stay() {
  scf.forall (%i) in (8) {
    scf.forall (%j) in (4) {
      "test.use"(%i, %j) : (index, index) -> ()
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

// PCF-42: loops in loops, and a read of the shared output by another loop.
// CHECK-LABEL: func @nested_loops
// CHECK-SAME: %[[INIT:.*]]: tensor<4x8xf32>
// CHECK: pcf.loop {{.*}} execute(%[[O:.*]] = %[[INIT]])
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[INIT]]
// CHECK: %[[INNER:.*]] = pcf.loop {{.*}} execute(%{{.*}} = %[[ROW]])
// CHECK: pcf.write_slice %[[INNER]] into %[[O]]
func.func @nested_loops(%init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4x8xf32>) {
    %row = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %q = scf.forall (%j) in (8) shared_outs(%p = %row) -> (tensor<1x8xf32>) {
      %v = "test.make"(%i, %j) : (index, index) -> tensor<1x1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %v into %p[0, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<1x8xf32>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}
