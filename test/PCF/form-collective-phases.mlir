// RUN: distaff-opt %s -pcf-form-collective-phases | FileCheck %s
// RUN: distaff-opt %s -pcf-form-collective-phases -pcf-form-collective-phases | FileCheck %s
// RUN: distaff-opt %s -pcf-form-collective-phases=scope=#iree_gpu.lane_scope | FileCheck %s --check-prefix=LANES

// Collective ops outside of phases become phases (PCF-61, 124).

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>
!H = !pcf.threadgroup<#sg, {tensor<8x8xf32>}>
!L = !pcf.cluster<#sg, (0 -> d0), left>
!R = !pcf.cluster<#sg, (d0 -> s0), right>

// What a loop carries is the payload of a handle; arithmetic on positions stays outside.
// CHECK-LABEL: @sum_of_steps
// CHECK: %[[Z:.*]] = pcf.shared_executor.run_cluster(%[[TG:.*]])[] () {
// CHECK:   linalg.fill
// CHECK:   pcf.cluster_yield %{{.*}} : tensor<8x8xf32>
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[H:.*]] = %[[Z]]) -> (!
// CHECK:   %[[AT:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK:   %[[N:.*]] = pcf.shared_executor.run_cluster(%[[H]])[] (%[[X:.*]]: tensor<8x8xf32>) {
// CHECK-NEXT: %[[T:.*]] = pcf.read_slice %{{.*}}[%[[AT]], 0]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[T]]
// CHECK-NEXT: pcf.cluster_yield %[[S]]
// CHECK:   scf.yield %[[N]] : !
// CHECK: pcf.shared_executor.run_cluster(%[[SUM]])[] (%[[Y:.*]]: tensor<8x8xf32>) {
// CHECK-NEXT: pcf.write_slice %[[Y]]
// CHECK-NOT: run_cluster
// LANES-LABEL: @sum_of_steps
// LANES-NOT: run_cluster
// LANES: return
func.func @sum_of_steps(%a: !A, %n: index, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %e = tensor.empty() : tensor<8x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (tensor<8x8xf32>) {
      %at = arith.muli %i, %c8 : index
      %t = pcf.read_slice %a[%at, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
      %s = arith.addf %x, %t : tensor<8x8xf32>
      scf.yield %s : tensor<8x8xf32>
    }
    pcf.write_slice %sum into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
    pcf.return
  }
  return
}

// A phase ends where the next op depends on memory, and a barrier fences it; one that the author has
// put there is enough. Two tensors of a phase are two handles.
// CHECK-LABEL: @ordered
// CHECK: %[[BOTH:.*]] = pcf.shared_executor.run_cluster
// CHECK:   %[[P:.*]] = pcf.read_slice
// CHECK:   %[[Q:.*]] = arith.addf
// CHECK:   pcf.write_slice
// CHECK:   pcf.cluster_yield %[[P]], %[[Q]]
// CHECK: pcf.shared_executor.run_cluster(%[[BOTH]])[] (%{{.*}}, %[[SECOND:.*]]: tensor<8x8xf32>) {
// CHECK-NEXT: pcf.cluster_yield %[[SECOND]]
// CHECK: pcf.shared_executor.run_cluster(%[[BOTH]])[] (%[[FIRST:.*]]: tensor<8x8xf32>, %{{.*}}) {
// CHECK-NEXT: pcf.cluster_yield %[[FIRST]]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[A:.*]]) :
// CHECK: run_cluster
// CHECK-NEXT: pcf.read_slice
// CHECK-NOT: pcf.barrier
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[A]])
// CHECK-NOT: pcf.barrier
// CHECK: run_cluster
// CHECK-NOT: pcf.barrier
// CHECK: return
func.func @ordered(%a: !A) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %p = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
    %q = arith.addf %p, %p : tensor<8x8xf32>
    pcf.write_slice %q into %a[8, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
    %t = pcf.read_slice %a[4, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
    %u = arith.mulf %t, %q : tensor<8x8xf32>
    %v = arith.addf %u, %p : tensor<8x8xf32>
    pcf.barrier(#sg) fence(%a) : !A
    pcf.write_slice %v into %a[4, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
    pcf.return
  }
  return
}

// The group that a tile_group divides runs what is in no phase of it; of a cluster's group, the cluster.
// CHECK-LABEL: @grouped
// CHECK: tile_group %[[TG:.*]] split
// CHECK: pcf.shared_executor.run_cluster(%[[TG]])[]
// CHECK: tile_group %[[R:.*]][%[[K:.*]]] ns(
// CHECK: %[[Q:.*]] = pcf.shared_executor.run_cluster(%[[R]])[%[[K]]]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) among(%[[R]])[%[[K]]] fence
// CHECK: pcf.shared_executor.run_cluster(%[[Q]])[%[[K]]]
func.func @grouped(%a: !A, %k: index, %j: index, %one: tensor<8x8xf32>) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !L, %r: !R) {
      %p = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
      pcf.write_slice %p into %a[8, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      pcf.shared_executor.tile_group %r[%k] ns(in) split [[%j]] (%ra: !pcf.cluster<#sg, (d0 -> d1), in.ra>, %rb: !pcf.cluster<#sg, (d1 -> s0), in.rb>) {
        %q = pcf.read_slice %a[16, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
        pcf.write_slice %q into %a[16, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
        pcf.return
      } : !R
      pcf.return
    } : !TG
    pcf.return
  }
  return
}

// What the author's phases take from outside is theirs.
// CHECK-LABEL: @captured
// CHECK: %[[T:.*]] = pcf.read_slice
// CHECK: run_cluster(%{{.*}})[] () {
// CHECK-NEXT: pcf.write_slice %[[T]]
// CHECK: run_cluster
// CHECK-NEXT: pcf.read_slice
// CHECK: return
func.func @captured(%a: !A, %b: !A) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %t = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.write_slice %t into %b[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      pcf.cluster_yield
    } : (!TG)
    %u = pcf.read_slice %a[8, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
    pcf.write_slice %u into %b[8, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
    pcf.return
  }
  return
}
