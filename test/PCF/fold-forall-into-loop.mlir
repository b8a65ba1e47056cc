// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fold-forall-into-loop -split-input-file | FileCheck %s
// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fold-forall-into-loop=assume-covering=false -split-input-file | FileCheck %s --check-prefix=PROVED

#wgl = #iree_codegen.workgroup_scope<linearize>

// PCF-44: the inner loop is given its workers first.
// CHECK-LABEL: func @sample
// CHECK-SAME: (%[[N:.*]]: index, %[[INIT:.*]]: tensor<4x?xf32>)
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[G:.*]] = pcf.generic scope(#iree_codegen.workgroup_scope<linearize>) execute(%[[O:.*]] = %[[INIT]])[%[[ID:.*]]: index, %[[CNT:.*]]: index]
// CHECK-SAME: -> (tensor<4x?xf32>) {
// CHECK-NEXT: %[[M:.*]] = arith.minui %[[CNT]], %[[N]] : index
// CHECK-NEXT: %[[CI:.*]] = arith.maxui %[[M]], %[[C1]] : index
// CHECK-NEXT: %[[SO:.*]] = arith.divui %[[ID]], %[[CI]] : index
// CHECK-NEXT: %[[SI:.*]] = arith.remui %[[ID]], %[[CI]] : index
// CHECK-NEXT: %[[D:.*]] = arith.divui %[[CNT]], %[[CI]] : index
// CHECK-NEXT: %[[CO:.*]] = arith.maxui %[[D]], %[[C1]] : index
// CHECK-NEXT: %[[ON:.*]] = arith.cmpi ult, %[[SO]], %[[CO]] : index
// CHECK-NEXT: %[[LO:.*]] = arith.select %[[ON]], %[[SO]], %[[C4]] : index
// CHECK-NEXT: scf.forall (%[[S:.*]]) = (%[[LO]]) to (4) step (%[[CO]]) {
// CHECK-NEXT: scf.forall (%[[I:.*]]) = (%[[SI]]) to (%[[N]]) step (%[[CI]]) {
// CHECK-NEXT: %[[V:.*]] = "test.part"(%[[S]], %[[I]])
// CHECK-NEXT: pcf.write_slice %[[V]] into %[[O]][%[[S]], %[[I]]] [1, 1] [1, 1]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: pcf.return
// CHECK-NEXT: }
// CHECK-NEXT: return %[[G]]
// PROVED-LABEL: func @sample
// PROVED: pcf.generic
func.func @sample(%n: index, %init: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %r = scf.forall (%s) in (4) shared_outs(%o = %init) -> (tensor<4x?xf32>) {
    %e = tensor.extract_slice %o[%s, 0] [1, %n] [1, 1] : tensor<4x?xf32> to tensor<1x?xf32>
    %p = pcf.loop scope(#wgl) count(%n) execute(%q = %e)[%i: index] : (!pcf.sref<1x?xf32, sync(#wgl)>) -> (tensor<1x?xf32>) {
      %v = "test.part"(%s, %i) : (index, index) -> tensor<1x1xf32>
      pcf.write_slice %v into %q[0, %i] [1, 1] [1, 1] : tensor<1x1xf32> into !pcf.sref<1x?xf32, sync(#wgl)>
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<4x?xf32>
    }
  }
  return %r : tensor<4x?xf32>
}

// -----

#seq = #pcf.sequential

// PCF-44: a slice of a slice: offset ioff + woff * istride, stride istride *
// wstride; a dimension that the insert adds is expanded; several results; other
// reads of a shared output read its init; what computes n moves in front.
// CHECK-DAG: #[[OFF:.*]] = affine_map<()[s0, s1] -> (s0 + s1 * 3)>
// CHECK-LABEL: func @composes
// CHECK-SAME: (%[[A:.*]]: tensor<8x40xf32>, %[[B:.*]]: tensor<?xf32>, %[[OFF0:.*]]: index)
// CHECK: %[[N:.*]] = arith.addi
// CHECK: pcf.generic scope(#pcf.sequential) execute(%[[P:.*]] = %[[A]], %[[Q:.*]] = %[[B]])[
// CHECK: arith.minui %{{.*}}, %[[N]]
// CHECK: scf.forall (%[[S:.*]]) =
// CHECK: scf.forall (%[[I:.*]]) =
// CHECK: "test.part"(%[[S]], %[[I]], %[[A]])
// CHECK: %[[O:.*]] = affine.apply #[[OFF]]()[%[[OFF0]], %[[I]]]
// CHECK: %[[W:.*]] = vector.shape_cast %{{.*}} : vector<2xf32> to vector<1x2xf32>
// CHECK: pcf.write_slice %[[W]] into %[[P]][%[[S]], %[[O]]] [1, 2] [1, 6] : vector<1x2xf32>
// CHECK: pcf.write_slice %{{.*}} into %[[Q]][%[[S]]] [1] [1]
// PROVED-LABEL: func @composes
// PROVED: pcf.loop
func.func @composes(%a: tensor<8x40xf32>, %b: tensor<?xf32>, %off: index) -> (tensor<8x40xf32>, tensor<?xf32>) {
  %r:2 = scf.forall (%s) in (8) shared_outs(%o = %a, %u = %b) -> (tensor<8x40xf32>, tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %d = tensor.dim %u, %c0 : tensor<?xf32>
    %n = arith.addi %d, %d : index
    %e = tensor.extract_slice %o[%s, %off] [1, 8] [1, 3] : tensor<8x40xf32> to tensor<8xf32>
    %f = tensor.empty() : tensor<1xf32>
    %p:2 = pcf.loop scope(#seq) count(%n) execute(%x = %f, %q = %e)[%i: index]
      : (!pcf.sref<1xf32, sync(#seq)>, !pcf.sref<8xf32, sync(#seq)>) -> (tensor<1xf32>, tensor<8xf32>) {
      %v, %w = "test.part"(%s, %i, %o) : (index, index, tensor<8x40xf32>) -> (vector<2xf32>, tensor<1xf32>)
      pcf.write_slice %v into %q[%i] [2] [2] : vector<2xf32> into !pcf.sref<8xf32, sync(#seq)>
      pcf.write_slice %w into %x[0] [1] [1] : tensor<1xf32> into !pcf.sref<1xf32, sync(#seq)>
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p#0 into %u[%s] [1] [1] : tensor<1xf32> into tensor<?xf32>
      tensor.parallel_insert_slice %p#1 into %o[%s, %off] [1, 8] [1, 3] : tensor<8xf32> into tensor<8x40xf32>
    }
  }
  return %r#0, %r#1 : tensor<8x40xf32>, tensor<?xf32>
}

// -----

#seq = #pcf.sequential

// PCF-44: a loop of rank 2 with bounds is linearized. Here constants prove that
// the inits do not matter.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> (d0 * 2 + 1)>
// CHECK-LABEL: func @rank_2
// CHECK: arith.constant 12 : index
// CHECK: scf.forall (%[[L:.*]]) = (%{{.*}}) to (12) step
// CHECK-NEXT: %[[IJ:.*]]:2 = affine.delinearize_index %[[L]] into (4, 3)
// CHECK-NEXT: %[[X:.*]] = affine.apply #[[ROW]](%[[IJ]]#0)
// CHECK-NEXT: scf.forall (%[[K:.*]]) =
// CHECK-NEXT: "test.part"(%[[X]], %[[IJ]]#1, %[[K]])
// CHECK-NEXT: pcf.write_slice %{{.*}} into %{{.*}}[%[[X]], %[[IJ]]#1, %[[K]]]
// PROVED-LABEL: func @rank_2
// PROVED: pcf.generic
func.func @rank_2(%a: tensor<9x3x5xf32>) -> tensor<9x3x5xf32> {
  %n = arith.constant 5 : index
  %r = scf.forall (%s, %t) = (1, 0) to (9, 3) step (2, 1) shared_outs(%o = %a) -> (tensor<9x3x5xf32>) {
    %e = tensor.empty() : tensor<1x1x5xf32>
    %p = pcf.loop scope(#seq) count(%n) execute(%q = %e)[%i: index] : (!pcf.sref<1x1x5xf32, sync(#seq)>) -> (tensor<1x1x5xf32>) {
      %v = "test.part"(%s, %t, %i) : (index, index, index) -> tensor<1x1x1xf32>
      pcf.write_slice %v into %q[0, 0, %i] [1, 1, 1] [1, 1, 1] : tensor<1x1x1xf32> into !pcf.sref<1x1x5xf32, sync(#seq)>
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, %t, 0] [1, 1, 5] [1, 1, 1] : tensor<1x1x5xf32> into tensor<9x3x5xf32>
    }
  }
  return %r : tensor<9x3x5xf32>
}
