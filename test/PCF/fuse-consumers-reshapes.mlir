// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fuse-consumers -split-input-file | FileCheck %s

#seq = #pcf.sequential
!sref = !pcf.sref<?x8xf32, sync(#seq)>

// PCF-45: a leading part of a result: result, ref and init shrink, and each
// write to what lies inside.
// CHECK-DAG: #[[MIN:.*]] = affine_map<()[s0, s1] -> (4, s0 - s1)>
// CHECK-DAG: #[[MAX:.*]] = affine_map<()[s0] -> (s0, 0)>
// CHECK-LABEL: func @extract_slice
// CHECK-SAME: (%[[A:.*]]: tensor<?x8xf32>, %[[N:.*]]: index)
// CHECK: %[[INIT:.*]] = tensor.extract_slice %[[A]][0, 0] [%[[N]], 5] [1, 1] : tensor<?x8xf32> to tensor<?x5xf32>
// CHECK: %[[R:.*]] = pcf.generic {{.*}} execute(%[[O:.*]] = %[[INIT]])[%[[ID:.*]]: index, %{{.*}}: index]
// CHECK: %[[V:.*]] = "test.make"
// CHECK: %[[M:.*]] = affine.min #[[MIN]]()[%[[N]], %[[ID]]]
// CHECK: %[[S:.*]] = affine.max #[[MAX]]()[%[[M]]]
// CHECK: %[[W:.*]] = tensor.extract_slice %[[V]][0, 0] [%[[S]], 3] [1, 1] : tensor<4x4xf32> to tensor<?x3xf32>
// CHECK: pcf.write_slice %[[W]] into %[[O]][%[[ID]], 2] [%[[S]], 3] [1, 1]
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [%{{.*}}, 0] [1, 1]
// CHECK: pcf.write_slice %{{.*}} into %[[O]][%[[ID]], 6] [%{{.*}}, 0] [1, 1]
// CHECK: return %[[R]]
func.func @extract_slice(%a: tensor<?x8xf32>, %n: index) -> tensor<?x5xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<?x8xf32>) {
    %v = "test.make"(%id) : (index) -> tensor<4x4xf32>
    pcf.write_slice %v into %o[%id, 2] [4, 4] [1, 1] : tensor<4x4xf32> into !sref
    %w = "test.make"(%id) : (index) -> tensor<1x2xf32>
    pcf.write_slice %w into %o[%id, 6] [1, 2] [1, 1] : tensor<1x2xf32> into !sref
    pcf.return
  }
  %e = tensor.extract_slice %p[0, 0] [%n, 5] [1, 1] : tensor<?x8xf32> to tensor<?x5xf32>
  return %e : tensor<?x5xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8x?xf32, sync(#seq)>

// PCF-45: an untied result gets the sizes as its dims; a dimension that keeps
// its extent is written as before, wherever the write begins.
// CHECK-LABEL: func @extract_slice_untied
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
// CHECK: pcf.generic {{.*}} execute(%[[O:.*]])[{{.*}} -> (tensor<8x?xf32>{%[[M]]})
// CHECK: pcf.write_slice %{{.*}} into %[[O]][%{{.*}}, %{{.*}}] [2, %{{.*}}] [1, 1] : tensor<2x?xf32>
func.func @extract_slice_untied(%n: index, %m: index) -> tensor<8x?xf32> {
  %p = pcf.generic scope(#seq) execute(%o)[%id: index, %nw: index] : (!sref) -> (tensor<8x?xf32>{%n}) {
    %v = "test.make"(%id) : (index) -> tensor<2x4xf32>
    pcf.write_slice %v into %o[%id, %id] [2, 4] [1, 1] : tensor<2x4xf32> into !sref
    pcf.return
  }
  %e = tensor.extract_slice %p[0, 0] [8, %m] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
  return %e : tensor<8x?xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<?x4x8x3xf32, sync(#seq)>

// PCF-45: dimensions that the inner ones write whole are one run, without a
// loop; the offset is that of its first element.
// CHECK-LABEL: func @collapse_shape
// CHECK-SAME: (%[[A:.*]]: tensor<?x4x8x3xf32>)
// CHECK: %[[INIT:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1, 2], [3]] : tensor<?x4x8x3xf32> into tensor<?x3xf32>
// CHECK: pcf.generic {{.*}} execute(%[[O:.*]] = %[[INIT]])[%[[ID:.*]]: index, %{{.*}}: index]
// CHECK-NOT: scf.forall
// CHECK: %[[V:.*]] = "test.make"
// CHECK: %[[AT:.*]] = affine.linearize_index disjoint [%[[ID]], %c0{{.*}}, %c0{{.*}}] by (%{{.*}}, 4, 8) : index
// CHECK: %[[W:.*]] = tensor.collapse_shape %[[V]] {{\[\[}}0, 1, 2], [3]] : tensor<2x4x8x1xf32> into tensor<64x1xf32>
// CHECK: pcf.write_slice %[[W]] into %[[O]][%[[AT]], %[[ID]]] [64, 1] [1, 1]
func.func @collapse_shape(%a: tensor<?x4x8x3xf32>) -> tensor<?x3xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<?x4x8x3xf32>) {
    %v = "test.make"(%id) : (index) -> tensor<2x4x8x1xf32>
    pcf.write_slice %v into %o[%id, 0, 0, %id] [2, 4, 8, 1] [1, 1, 1, 1] : tensor<2x4x8x1xf32> into !sref
    pcf.return
  }
  %e = tensor.collapse_shape %p [[0, 1, 2], [3]] : tensor<?x4x8x3xf32> into tensor<?x3xf32>
  return %e : tensor<?x3xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<?x?x8x3xf32, sync(#seq)>

// PCF-45: over the other dimensions it loops; the dims of an untied result
// multiply.
// CHECK: #[[MUL:.*]] = affine_map<()[s0, s1] -> ((s0 * s1) * 8)>
// CHECK: #[[ADD:.*]] = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK-LABEL: func @collapse_shape_with_loops
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
// CHECK: %[[DIM:.*]] = affine.apply #[[MUL]]()[%[[N]], %[[M]]]
// CHECK: pcf.generic {{.*}} execute(%[[O:.*]])[%[[ID:.*]]: index, {{.*}} -> (tensor<?x3xf32>{%[[DIM]]})
// CHECK: %[[V:.*]] = "test.make"
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (2, %[[M]]) {
// CHECK-DAG: %[[X:.*]] = affine.apply #[[ADD]]()[%[[ID]], %[[I]]]
// CHECK-DAG: %[[Y:.*]] = affine.apply #[[ADD]]()[%[[N]], %[[J]]]
// CHECK-DAG: %[[T:.*]] = tensor.extract_slice %[[V]][%[[I]], %[[J]], 0, 0] [1, 1, 5, 1] [1, 1, 1, 1] : tensor<2x?x5x1xf32> to tensor<1x1x5x1xf32>
// CHECK: %[[AT:.*]] = affine.linearize_index disjoint [%[[X]], %[[Y]], %{{.*}}] by (%[[N]], %[[M]], 8) : index
// CHECK: %[[W:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0, 1, 2], [3]] : tensor<1x1x5x1xf32> into tensor<5x1xf32>
// CHECK: pcf.write_slice %[[W]] into %[[O]][%[[AT]], 2] [5, 1] [1, 1]
func.func @collapse_shape_with_loops(%n: index, %m: index) -> tensor<?x3xf32> {
  %p = pcf.generic scope(#seq) execute(%o)[%id: index, %nw: index] : (!sref) -> (tensor<?x?x8x3xf32>{%n, %m}) {
    %v = "test.make"(%id) : (index) -> tensor<2x?x5x1xf32>
    pcf.write_slice %v into %o[%id, %n, 1, 2] [2, %m, 5, 1] [1, 1, 1, 1] : tensor<2x?x5x1xf32> into !sref
    pcf.return
  }
  %e = tensor.collapse_shape %p [[0, 1, 2], [3]] : tensor<?x?x8x3xf32> into tensor<?x3xf32>
  return %e : tensor<?x3xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<?x8xf32, sync(#seq)>

// PCF-45: only an offset that is known to be 0 makes a dimension whole.
// CHECK-LABEL: func @collapse_shape_at_an_offset
// CHECK: scf.forall (%{{.*}}) in (4) {
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[%{{.*}}] [8] [1] : tensor<8xf32>
func.func @collapse_shape_at_an_offset(%n: index) -> tensor<?xf32> {
  %p = pcf.generic scope(#seq) execute(%o)[%id: index, %nw: index] : (!sref) -> (tensor<?x8xf32>{%n}) {
    %v = "test.make"(%id) : (index) -> tensor<4x8xf32>
    pcf.write_slice %v into %o[0, %n] [4, 8] [1, 1] : tensor<4x8xf32> into !sref
    pcf.return
  }
  %e = tensor.collapse_shape %p [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  return %e : tensor<?xf32>
}
