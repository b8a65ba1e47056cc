// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fuse-consumers -split-input-file | FileCheck %s

#sg = #iree_gpu.subgroup_scope

// PCF-45: the consumer is computed on what is written; the old result goes.
// CHECK-LABEL: func @sample
// CHECK-SAME: (%[[INIT:.*]]: tensor<?xf32>, %[[DEST:.*]]: tensor<?xf32>)
// CHECK-NEXT: %[[F:.*]] = pcf.generic scope(#iree_gpu.subgroup_scope) execute(%[[O:.*]] = %[[DEST]])[%[[ID:.*]]: index, %{{.*}}: index]
// CHECK-NEXT: %[[OFF:.*]] = affine.apply
// CHECK-NEXT: %[[V:.*]] = "test.make"(%[[ID]])
// CHECK-NEXT: %[[D:.*]] = tensor.extract_slice %[[DEST]][%[[OFF]]] [16] [1] : tensor<?xf32> to tensor<16xf32>
// CHECK-NEXT: %[[X:.*]] = linalg.exp ins(%[[V]] : tensor<16xf32>) outs(%[[D]] : tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: pcf.write_slice %[[X]] into %[[O]][%[[OFF]]] [16] [1]
// CHECK-NEXT: pcf.return
// CHECK-NEXT: }
// CHECK-NEXT: return %[[F]]
func.func @sample(%init: tensor<?xf32>, %dest: tensor<?xf32>) -> tensor<?xf32> {
  %p = pcf.generic scope(#sg) execute(%o = %init)[%id: index, %nw: index] : (!pcf.sref<?xf32, sync(#sg)>) -> (tensor<?xf32>) {
    %off = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%id]
    %v = "test.make"(%id) : (index) -> tensor<16xf32>
    pcf.write_slice %v into %o[%off] [16] [1] : tensor<16xf32> into !pcf.sref<?xf32, sync(#sg)>
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<?xf32>) outs(%dest : tensor<?xf32>) -> tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<?x8xf32, sync(#seq)>

// PCF-45: at every write, in any block; the result may occur several times, also
// as an init; then its own init, or its extents, take the place of it.
// CHECK-LABEL: func @several_writes
// CHECK-SAME: (%[[A:.*]]: tensor<?x8xf32>, %[[N:.*]]: index
// CHECK: %[[R:.*]] = pcf.generic {{.*}} execute(%[[O:.*]])[{{.*}} -> (tensor<?x8xf32>{%[[N]]})
// CHECK: %[[V:.*]] = "test.first"
// CHECK-NEXT: %[[X:.*]] = linalg.add ins(%[[V]], %[[V]] : tensor<4x8xf32>, tensor<4x8xf32>) outs(%[[V]] : tensor<4x8xf32>)
// CHECK-NEXT: pcf.write_slice %[[X]] into %[[O]][%{{.*}}, 0] [4, 8] [1, 1]
// CHECK: scf.if
// CHECK: %[[W:.*]] = "test.second"
// CHECK-NEXT: %[[Y:.*]] = linalg.add ins(%[[W]], %[[W]] : tensor<?x2xf32>, tensor<?x2xf32>) outs(%[[W]] : tensor<?x2xf32>)
// CHECK-NEXT: pcf.write_slice %[[Y]] into %[[O]][%{{.*}}, 3] [%{{.*}}, 2] [1, 1]
// CHECK-NOT: pcf.write_slice
// CHECK: return %[[R]]
func.func @several_writes(%a: tensor<?x8xf32>, %n: index, %c: i1) -> tensor<?x8xf32> {
  %p = pcf.generic scope(#seq) execute(%o)[%id: index, %nw: index] : (!sref) -> (tensor<?x8xf32>{%n}) {
    %v = "test.first"(%id) : (index) -> tensor<4x8xf32>
    pcf.write_slice %v into %o[%id, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !sref
    scf.if %c {
      %w = "test.second"(%id) : (index) -> tensor<?x2xf32>
      pcf.write_slice %w into %o[%id, 3] [%n, 2] [1, 1] : tensor<?x2xf32> into !sref
    }
    pcf.return
  }
  %e = linalg.add ins(%p, %p : tensor<?x8xf32>, tensor<?x8xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %e : tensor<?x8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>
!half = !pcf.sref<16xf16, sync(#seq)>

// PCF-45: two consumers of one result, then a consumer of both, of a result with
// two values; what is not used any more goes.
// CHECK-LABEL: func @consumers_of_consumers
// CHECK-SAME: (%[[A:.*]]: tensor<16xf32>, %[[B:.*]]: tensor<16xf32>, %[[C:.*]]: tensor<16xf16>)
// CHECK: %[[R:.*]]:2 = pcf.loop scope(#pcf.sequential) count(%{{.*}}) execute(%[[P:.*]] = %[[B]], %[[Q:.*]] = %[[C]])[%[[I:.*]]: index]
// CHECK: %[[V:.*]] = "test.make"
// CHECK-DAG: %[[X:.*]] = linalg.exp ins(%[[V]] : tensor<4xf32>)
// CHECK-DAG: %[[Y:.*]] = linalg.tanh ins(%[[V]] : tensor<4xf32>)
// CHECK-DAG: %[[CUT:.*]] = tensor.extract_slice %[[B]][%{{.*}}] [4] [1]
// CHECK-DAG: %[[HALF:.*]] = tensor.extract_slice %[[C]][%{{.*}}] [4] [1]
// CHECK: %[[Z:.*]]:2 = linalg.generic {{.*}} ins(%[[X]], %[[Y]] : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf16>)
// CHECK: linalg.index 0
// CHECK: pcf.write_slice %[[Z]]#0 into %[[P]][
// CHECK: pcf.write_slice %[[Z]]#1 into %[[Q]][
// CHECK-NOT: pcf.write_slice
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @consumers_of_consumers(%a: tensor<16xf32>, %b: tensor<16xf32>, %c: tensor<16xf16>) -> (tensor<16xf32>, tensor<16xf16>) {
  %c4 = arith.constant 4 : index
  %p = pcf.loop scope(#seq) count(%c4) execute(%o = %a)[%i: index] : (!sref) -> (tensor<16xf32>) {
    %v = "test.make"(%i) : (index) -> tensor<4xf32>
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    pcf.write_slice %v into %o[%at] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %x = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.tanh ins(%p : tensor<16xf32>) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %z:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x, %y : tensor<16xf32>, tensor<16xf32>) outs(%b, %c : tensor<16xf32>, tensor<16xf16>) {
  ^bb0(%l: f32, %r: f32, %s: f32, %t: f16):
    %k = linalg.index 0 : index
    %q = arith.index_cast %k : index to i32
    %f = arith.sitofp %q : i32 to f32
    %m = arith.mulf %l, %f : f32
    %sum = arith.addf %m, %r : f32
    %h = arith.truncf %sum : f32 to f16
    linalg.yield %sum, %h : f32, f16
  } -> (tensor<16xf32>, tensor<16xf16>)
  return %z#0, %z#1 : tensor<16xf32>, tensor<16xf16>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<?x?xf32, sync(#seq)>

// PCF-45: a reduction may be fused where each write has all of its loop, known
// here by the extents of the ref. The result stays for whoever else uses it, and
// reads stay on the old ref.
// CHECK-LABEL: func @whole_reductions
// CHECK-SAME: (%[[A:.*]]: tensor<?xf32>, %[[M:.*]]: index, %[[K:.*]]: index)
// CHECK: %[[R:.*]]:2 = pcf.generic {{.*}} execute(%[[O:.*]], %[[S:.*]] = %[[A]])[%[[ID:.*]]: index, %{{.*}}: index]
// CHECK-SAME: -> (tensor<?x?xf32>{%[[M]], %[[K]]}, tensor<?xf32>)
// CHECK: %[[V:.*]] = pcf.read_slice %[[O]]
// CHECK: %[[T:.*]] = tensor.extract_slice %[[A]][%[[ID]]] [1] [1]
// CHECK: %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[V]] : tensor<1x?xf32>) outs(%[[T]] : tensor<1xf32>) dimensions = [1]
// CHECK: pcf.write_slice %[[SUM]] into %[[S]][%[[ID]]] [1] [1]
// CHECK: pcf.write_slice %[[V]] into %[[O]]
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @whole_reductions(%a: tensor<?xf32>, %m: index, %k: index) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %p = pcf.generic scope(#seq) execute(%o)[%id: index, %nw: index] : (!sref) -> (tensor<?x?xf32>{%m, %k}) {
    %v = pcf.read_slice %o[%id, 0] [1, %k] [1, 1] : !sref to tensor<1x?xf32>
    pcf.write_slice %v into %o[%id, 0] [1, %k] [1, 1] : tensor<1x?xf32> into !sref
    pcf.return
  }
  %e = linalg.reduce { arith.addf } ins(%p : tensor<?x?xf32>) outs(%a : tensor<?xf32>) dimensions = [1]
  return %p, %e : tensor<?x?xf32>, tensor<?xf32>
}

// -----

#seq = #pcf.sequential

// PCF-45: several results are used where the last of them is written. A matrix
// product takes whole rows and columns as they are.
// CHECK-LABEL: func @several_results
// CHECK-SAME: %[[D:arg2]]: tensor<8x8xf32>
// CHECK: pcf.generic {{.*}} execute(%[[O:.*]] = %[[D]])[
// CHECK: %[[V:.*]] = "test.rows"
// CHECK: %[[W:.*]] = "test.columns"
// CHECK: %[[T:.*]] = tensor.extract_slice %[[D]][%{{.*}}, 4] [2, 4] [1, 1]
// CHECK: %[[X:.*]] = linalg.matmul ins(%[[V]], %[[W]] : tensor<2x6xf32>, tensor<6x4xf32>) outs(%[[T]] : tensor<2x4xf32>)
// CHECK: pcf.write_slice %[[X]] into %[[O]][%{{.*}}, 4] [2, 4] [1, 1]
func.func @several_results(%a: tensor<8x6xf32>, %b: tensor<6x8xf32>, %d: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %p:2 = pcf.generic scope(#seq) execute(%o = %a, %q = %b)[%id: index, %nw: index] : (!pcf.sref<8x6xf32, sync(#seq)>, !pcf.sref<6x8xf32, sync(#seq)>) -> (tensor<8x6xf32>, tensor<6x8xf32>) {
    %v = "test.rows"(%id) : (index) -> tensor<2x6xf32>
    pcf.write_slice %v into %o[%id, 0] [2, 6] [1, 1] : tensor<2x6xf32> into !pcf.sref<8x6xf32, sync(#seq)>
    %w = "test.columns"(%id) : (index) -> tensor<6x4xf32>
    pcf.write_slice %w into %q[0, 4] [6, 4] [1, 1] : tensor<6x4xf32> into !pcf.sref<6x8xf32, sync(#seq)>
    pcf.return
  }
  %e = linalg.matmul ins(%p#0, %p#1 : tensor<8x6xf32>, tensor<6x8xf32>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope
!sref = !pcf.sref<?x8xf32, sync(#sg)>

// PCF-45: broadcasts and transposes of a tile; the write may be in an op of a
// finer scope. Dims of the result are those of the init.
// CHECK-LABEL: func @tiles_of_another_rank
// CHECK-SAME: (%[[A:.*]]: tensor<?x8xf32>, %[[B:.*]]: tensor<3x?xf32>, %[[D:.*]]: tensor<8x3x?xf32>)
// CHECK: pcf.generic {{.*}} execute(%[[O:.*]] = %[[D]])[
// CHECK: pcf.generic scope(#iree_gpu.lane_scope) execute[%[[L:.*]]: index,
// CHECK: %[[V:.*]] = "test.make"
// CHECK-DAG: %[[E:.*]] = tensor.extract_slice %[[B]][0, %[[L]]] [3, 2] [1, 1]
// CHECK-DAG: %[[T:.*]] = tensor.extract_slice %[[D]][1, 0, %[[L]]] [4, 3, 2] [1, 1, 1]
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%[[V]], %[[E]] : tensor<2x4xf32>, tensor<3x2xf32>) outs(%[[T]] : tensor<4x3x2xf32>)
// CHECK: pcf.write_slice %[[X]] into %[[O]][1, 0, %[[L]]] [4, 3, 2] [1, 1, 1]
func.func @tiles_of_another_rank(%a: tensor<?x8xf32>, %b: tensor<3x?xf32>, %d: tensor<8x3x?xf32>) -> tensor<8x3x?xf32> {
  %p = pcf.generic scope(#sg) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<?x8xf32>) {
    pcf.generic scope(#ln) execute[%l: index, %nl: index] {
      %v = "test.make"(%id) : (index) -> tensor<2x4xf32>
      pcf.write_slice %v into %o[%l, 1] [2, 4] [1, 1] : tensor<2x4xf32> into !sref
      pcf.return
    }
    pcf.return
  }
  %e = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k, i)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %b : tensor<?x8xf32>, tensor<3x?xf32>) outs(%d : tensor<8x3x?xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %sum = arith.addf %l, %r : f32
    linalg.yield %sum : f32
  } -> tensor<8x3x?xf32>
  return %e : tensor<8x3x?xf32>
}
