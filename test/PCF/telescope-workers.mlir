// RUN: distaff-opt %s -pcf-telescope-workers | FileCheck %s
// RUN: distaff-opt %s -pcf-telescope-workers -pcf-telescope-workers | FileCheck %s

// What a subgroup does with tensors is what its lanes do together (PCF-65, 122).

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!A = !pcf.sref<64x8xf32, #sg>

// Arithmetic on positions stays in front; how many subgroups there are the launch says.
// CHECK-LABEL: @by_subgroups
// CHECK: pcf.generic scope(#iree_gpu.subgroup_scope) execute[%[[ID:.*]]: index, %{{.*}}: index] {
// CHECK-NEXT: %[[N:.*]] = arith.constant 4 : index
// CHECK-NEXT: arith.divui %{{.*}}, %[[N]]
// CHECK-NEXT: pcf.shared_executor scope(#iree_gpu.lane_scope) execute[%{{.*}}: !{{.*}}] {
// CHECK-NEXT: pcf.read_slice
// CHECK-NEXT: pcf.write_slice
// CHECK-NEXT: pcf.return
// CHECK-NEXT: }
// CHECK-NEXT: pcf.return
func.func @by_subgroups(%a: !A, %k: index) attributes {translation_info = #launch} {
  pcf.generic scope(#sg) execute[%id: index, %n: index] {
    %at = arith.divui %k, %n : index
    %t = pcf.read_slice %a[%id, 0] [1, 8] [1, 1] : !A to tensor<1x8xf32>
    pcf.write_slice %t into %a[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !A
    pcf.return
  }
  return
}

// A graph of blocks is a region of its own, which ends where the worker returned.
// CHECK-LABEL: @blocks
// CHECK: pcf.shared_executor scope(#iree_gpu.lane_scope)
// CHECK: scf.execute_region {
// CHECK: cf.br ^[[HEAD:.*]](
// CHECK: ^[[HEAD]](%[[T:.*]]: tensor<1x8xf32>):
// CHECK: cf.cond_br %{{.*}}, ^[[END:.*]], ^[[BODY:.*]]
// CHECK: ^[[BODY]]:
// CHECK: cf.br ^[[HEAD]](
// CHECK: ^[[END]]:
// CHECK: scf.yield
func.func @blocks(%a: !A, %stop: i1) {
  pcf.generic scope(#sg) execute[%id: index, %n: index] {
    %t = pcf.read_slice %a[%id, 0] [1, 8] [1, 1] : !A to tensor<1x8xf32>
    cf.br ^head(%t : tensor<1x8xf32>)
  ^head(%x: tensor<1x8xf32>):
    pcf.br.cond_return %stop ^body
  ^body:
    %y = arith.addf %x, %x : tensor<1x8xf32>
    pcf.write_slice %y into %a[%id, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !A
    cf.br ^head(%y : tensor<1x8xf32>)
  }
  return
}

// Code of lanes inside is a phase of them, and all of them wait behind it if they did.
// CHECK-LABEL: @lanes_inside
// CHECK: pcf.shared_executor scope(#iree_gpu.lane_scope) execute[%[[TG:.*]]: !{{.*}}] {
// CHECK: pcf.shared_executor.run_thread(%[[TG]])[] () [%[[L:.*]]: index] {
// CHECK: pcf.read_slice %[[A:.*]][%[[L]], 0]
// CHECK: pcf.cluster_yield
// CHECK: pcf.barrier(#iree_gpu.lane_scope) fence(%[[A]])
// CHECK: pcf.read_slice
func.func @lanes_inside(%a: !A) {
  pcf.generic scope(#sg) execute[%id: index, %n: index] {
    pcf.generic sync true scope(#ln) execute[%l: index, %nl: index] {
      %t = pcf.read_slice %a[%l, 0] [1, 8] [1, 1] : !A to tensor<1x8xf32>
      pcf.write_slice %t into %a[%nl, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !A
      pcf.return
    }
    %t = pcf.read_slice %a[%id, 0] [1, 8] [1, 1] : !A to tensor<1x8xf32>
    pcf.write_slice %t into %a[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !A
    pcf.return
  }
  return
}

// So is each iteration of a loop; code on numbers, and of lanes alone, is left as it is.
// CHECK-LABEL: @loop_and_numbers
// CHECK: pcf.loop scope(#iree_gpu.subgroup_scope)
// CHECK: pcf.shared_executor scope(#iree_gpu.lane_scope)
// CHECK: pcf.generic scope(#iree_gpu.subgroup_scope)
// CHECK-NOT: shared_executor
// CHECK: pcf.generic scope(#iree_gpu.lane_scope)
// CHECK-NOT: shared_executor
// CHECK: return
func.func @loop_and_numbers(%a: !A, %m: memref<8xf32>, %x: f32) {
  %c8 = arith.constant 8 : index
  pcf.loop scope(#sg) count(%c8) execute[%i: index] {
    %t = pcf.read_slice %a[%i, 0] [1, 8] [1, 1] : !A to tensor<1x8xf32>
    pcf.write_slice %t into %a[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !A
    pcf.return
  }
  pcf.generic scope(#sg) execute[%id: index, %n: index] {
    memref.store %x, %m[%id] : memref<8xf32>
    pcf.generic scope(#ln) execute[%l: index, %nl: index] {
      %t = pcf.read_slice %a[%l, 0] [1, 8] [1, 1] : !A to tensor<1x8xf32>
      pcf.write_slice %t into %a[%l, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !A
      pcf.return
    }
    pcf.return
  }
  return
}
