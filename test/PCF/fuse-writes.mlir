// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fuse-writes -split-input-file | FileCheck %s

#sg = #iree_gpu.subgroup_scope

// PCF-45: the write of the loop's result becomes a write per iteration.
// CHECK: #[[OFF:.*]] = affine_map<(d0)[s0] -> (d0 * 8 + s0)>
// CHECK-LABEL: func @sample
// CHECK-SAME: (%{{.*}}: tensor<16xf32>, %[[WO:.*]]: index, %[[REF:.*]]: !sref_Dxf32_sync_subgroup)
// CHECK-NEXT: scf.forall (%[[I:.*]]) in (4) {
// CHECK-NEXT: %[[V:.*]] = "test.make"(%[[I]])
// CHECK-NEXT: %[[O:.*]] = affine.apply #[[OFF]](%[[I]])[%[[WO]]]
// CHECK-NEXT: pcf.write_slice %[[V]] into %[[REF]][%[[O]]] [4] [2] : tensor<4xf32> into !sref_Dxf32_sync_subgroup
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @sample(%init16: tensor<16xf32>, %wo: index, %ref: !pcf.sref<?xf32, sync(#sg)>) {
  %w = scf.forall (%i) in (4) shared_outs(%s = %init16) -> (tensor<16xf32>) {
    %v = "test.make"(%i) : (index) -> tensor<4xf32>
    %io = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%io] [4] [1] : tensor<4xf32> into tensor<16xf32>
    }
  }
  pcf.write_slice %w into %ref[%wo] [16] [2] : tensor<16xf32> into !pcf.sref<?xf32, sync(#sg)>
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// PCF-45: strides of both; an insert of lower rank expands its source; what the
// write's operands are computed by moves in front of the loop. The result stays
// where it has other users.
// CHECK-DAG: #[[ROW:.*]] = affine_map<()[s0, s1] -> (s0 + s1 * 3)>
// CHECK-DAG: #[[COL:.*]] = affine_map<(d0)[s0] -> (d0 * 10 + s0)>
// CHECK-LABEL: func @strides_and_ranks
// CHECK-SAME: (%[[INIT:.*]]: tensor<4x12xf32>, %[[N:.*]]: index, %[[REF:.*]]: !sref
// CHECK: %[[M:.*]] = arith.addi %[[N]], %[[N]]
// CHECK-NEXT: %[[VIEW:.*]] = pcf.subview %[[REF]]
// CHECK-NEXT: %[[R:.*]] = scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (4, 12) step (1, 4) shared_outs(%[[O:.*]] = %[[INIT]])
// CHECK: %[[V:.*]] = "test.make"
// CHECK: %[[A:.*]] = affine.apply #[[ROW]]()[%[[M]], %[[I]]]
// CHECK: %[[B:.*]] = affine.apply #[[COL]](%[[J]])[%[[N]]]
// CHECK: %[[W:.*]] = tensor.expand_shape %[[V]] {{\[\[}}0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
// CHECK: pcf.write_slice %[[W]] into %[[VIEW]][%[[A]], %[[B]]] [1, 2] [3, 10]
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[V]] into %[[O]]
// CHECK: return %[[R]]
func.func @strides_and_ranks(%init: tensor<4x12xf32>, %n: index, %ref: !pcf.sref<?x?xf32, sync(#sg)>) -> tensor<4x12xf32> {
  %w = scf.forall (%i, %j) = (0, 0) to (4, 12) step (1, 4) shared_outs(%s = %init) -> (tensor<4x12xf32>) {
    %v = "test.make"(%i, %j) : (index, index) -> tensor<2xf32>
    %c = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%i, %c] [1, 2] [1, 2] : tensor<2xf32> into tensor<4x12xf32>
    }
  }
  %m = arith.addi %n, %n : index
  %view = pcf.subview %ref[1, 1] [%n, %m] [1, 1] : !pcf.sref<?x?xf32, sync(#sg)> to !pcf.sref<?x?xf32, sync(#sg)>
  pcf.write_slice %w into %view[%m, %n] [4, 12] [3, 5] : tensor<4x12xf32> into !pcf.sref<?x?xf32, sync(#sg)>
  return %w : tensor<4x12xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// PCF-45: what sinks into one loop sinks into the loop in it; other results and
// other reads of a shared output stay. Refs of one op are different memory.
// CHECK-LABEL: func @further_in
// CHECK: pcf.generic {{.*}} execute(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})[
// CHECK: %[[KEPT:.*]] = scf.forall (%[[I:.*]]) in (4) shared_outs(%[[K:.*]] = %[[A:.*]]) -> (tensor<4xf32>) {
// CHECK-NEXT: %[[SEEN:.*]] = tensor.extract_slice %[[B:.*]][%[[I]]] [4] [1]
// CHECK-NOT: scf.forall.in_parallel
// CHECK: scf.forall (%[[J:.*]]) in (4) {
// CHECK: pcf.write_slice %{{.*}} into %[[P]][
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[K]]
// CHECK: pcf.write_slice %{{.*}} into %[[Q]][3]
// CHECK: "test.use"(%[[KEPT]])
func.func @further_in(%a: tensor<4xf32>, %b: tensor<16xf32>, %v: tensor<1xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %r:2 = pcf.generic scope(#seq) execute(%p = %b, %q = %b)[%id: index, %n: index] : (!sref, !sref) -> (tensor<16xf32>, tensor<16xf32>) {
    %w:2 = scf.forall (%i) in (4) shared_outs(%o = %b, %k = %a) -> (tensor<16xf32>, tensor<4xf32>) {
      %seen = tensor.extract_slice %o[%i] [4] [1] : tensor<16xf32> to tensor<4xf32>
      %x = scf.forall (%j) in (4) shared_outs(%u = %seen) -> (tensor<4xf32>) {
        %y = "test.make"(%i, %j) : (index, index) -> tensor<1xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %y into %u[%j] [1] [1] : tensor<1xf32> into tensor<4xf32>
        }
      }
      %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %v into %k[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
        tensor.parallel_insert_slice %x into %o[%at] [4] [1] : tensor<4xf32> into tensor<16xf32>
      }
    }
    pcf.write_slice %v into %q[3] [1] [1] : tensor<1xf32> into !sref
    pcf.write_slice %w#0 into %p[0] [16] [1] : tensor<16xf32> into !sref
    "test.use"(%w#1) : (tensor<4xf32>) -> ()
    pcf.return
  }
  return %r#0, %r#1 : tensor<16xf32>, tensor<16xf32>
}
