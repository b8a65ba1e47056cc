// RUN: distaff-opt %s --pcf-jam-tiles | FileCheck %s --check-prefixes=CHECK,JAM
// RUN: distaff-opt %s --pcf-jam-tiles --pcf-unify-fences | FileCheck %s --check-prefixes=CHECK,FENCES

// PCF-143: every phase of a tile's program becomes one of a cluster for the first
// tile, and one of another cluster for the second.

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {vector<16xf32>}>
!P = !pcf.sref<16xf32, #sg>

// Barriers are for both, and each cluster has a panel. Where there is no second
// tile its cluster computes the first one, and does not write it; without a tile
// a branch skips all. The launch has twice as many subgroups.
// CHECK: workgroup_size = [128, 1, 1]
// CHECK-LABEL: func.func @two_tiles
// CHECK: %[[ANY:.*]] = arith.cmpi sgt
// CHECK-NEXT: scf.if %[[ANY]] {
// CHECK: (%[[PANEL:.*]]: !{{.*}}, %[[SECOND:.*]]: !{{.*}}) execute
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[THERE:.*]] = arith.cmpi sgt
// CHECK: %[[TILE:.*]] = arith.select %[[THERE]]
// CHECK: tile_group %{{.*}} ns(pp) split {{\[\[}}%[[TWO]]]] (%[[EVEN:.*]]: !{{.*}}, %[[ODD:.*]]: !{{.*}}) {
// CHECK: run_cluster(%[[EVEN]])
// CHECK: run_cluster(%[[ODD]])
// CHECK: scf.for {{.*}} -> (!{{.*}}, !{{.*}}) {
// CHECK-NOT: scf.if
// CHECK: run_cluster(%[[EVEN]])
// CHECK: pcf.write_slice %{{.*}} into %[[PANEL]]
// CHECK: run_cluster(%[[ODD]])
// CHECK: pcf.write_slice %{{.*}} into %[[SECOND]]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[PANEL]], %[[SECOND]])
// FENCES-NOT: pcf.barrier
// JAM: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK: pcf.read_slice %[[PANEL]]
// CHECK: pcf.read_slice %[[SECOND]]
// JAM: pcf.barrier(#iree_gpu.subgroup_scope){{$}}
// FENCES: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[PANEL]], %[[SECOND]])
// CHECK: vector.transfer_write
// CHECK: scf.if %[[THERE]] {
// CHECK-NEXT: vector.transfer_write %{{.*}}, %{{.*}}[%[[TILE]]]
func.func @two_tiles(%a: memref<16xf32>, %out: memref<32xf32>, %left: index, %n: index) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %tiles = affine.min affine_map<()[s0] -> (2, s0)>()[%left]
  pcf.shared_executor scope(#sg) initialize {
    %p = pcf.alloc() : !P
    pcf.yield %p : !P
  } -> (%panel: !P) execute[%tg: !TG] {
    scf.for %t = %c0 to %tiles step %c1 {
      %x0 = pcf.shared_executor.run_cluster(%tg)[] () {
        %c = arith.constant dense<0.0> : vector<16xf32>
        pcf.cluster_yield %c : vector<16xf32>
      } : (!TG) -> !T
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %x0) -> (!T) {
        pcf.shared_executor.run_cluster(%tg)[] () {
          %v = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<16xf32>, vector<16xf32>
          pcf.write_slice %v into %panel[0] [16] [1] : vector<16xf32> into !P
          pcf.cluster_yield
        } : (!TG)
        pcf.barrier(#sg) fence(%panel) : !P
        pcf.barrier(#sg)
        %y = pcf.shared_executor.run_cluster(%x)[] (%s: vector<16xf32>) {
          %v = pcf.read_slice %panel[0] [16] [1] : !P to vector<16xf32>
          %w = arith.addf %s, %v : vector<16xf32>
          pcf.cluster_yield %w : vector<16xf32>
        } : (!T) -> !T
        pcf.barrier(#sg)
        scf.yield %y : !T
      }
      pcf.shared_executor.run_cluster(%r)[] (%s: vector<16xf32>) {
        vector.transfer_write %s, %out[%t] {in_bounds = [true]} : vector<16xf32>, memref<32xf32>
        pcf.cluster_yield
      } : (!T)
    }
    pcf.return
  }
  return
}
