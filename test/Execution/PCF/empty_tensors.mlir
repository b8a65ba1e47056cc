// A panel of no elements, and products of it in a loop; and workers that write nothing to a result, which has an argument's
// values then (PCF-198).
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --func panel --check | FileCheck %s
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --func panel --device ptx --check | FileCheck %s
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --func workers --check | FileCheck %s
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --func workers --device ptx --check | FileCheck %s
// CHECK: bound 0.00e+00  ok

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!A = !pcf.sref<0x0xf32, #sg>
!O = !pcf.sref<0x0xf32, sync(#sg)>
!T = tensor<0x0xf32>
!TG = !pcf.threadgroup<#sg>
!X = !pcf.threadgroup<#sg, {!T}>

func.func @panel(%in: !T, %out: !T) -> !T attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %r = pcf.shared_executor scope(#sg) initialize { %p0 = pcf.alloc() : !A  pcf.yield %p0 : !A } -> (%p: !A)
    execute(%A <- %in : !T, %O = %out)[%tg: !TG] : (!A, !O) -> (!T) {
    %h0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : !T
      %f = linalg.fill ins(%z : f32) outs(%e : !T) -> !T
      pcf.cluster_yield %f : !T
    } : (!TG) -> !X
    %h = scf.for %i = %c0 to %c4 step %c1 iter_args(%it = %h0) -> (!X) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %A[0, 0] [0, 0] [1, 1] : !A to !T
        pcf.write_slice %a into %p[0, 0] [0, 0] [1, 1] : !T into !A
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%p) : !A
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: !T) {
        %v = pcf.read_slice %p[0, 0] [0, 0] [1, 1] : !A to !T
        %m = linalg.matmul ins(%v, %v : !T, !T) outs(%x : !T) -> !T
        pcf.cluster_yield %m : !T
      } : (!X) -> !X
      pcf.barrier(#sg) fence(%p) : !A
      scf.yield %n : !X
    }
    pcf.shared_executor.run_cluster(%h)[] (%x: !T) {
      pcf.write_slice %x into %O[0, 0] [0, 0] [1, 1] : !T into !O
      pcf.cluster_yield
    } : (!X)
    pcf.return
  }
  return %r : !T
}

func.func @workers(%in: tensor<16x16xf32>, %out: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {translation_info = #launch} {
  %c4 = arith.constant 4 : index
  %r = pcf.generic scope(#sg) execute(%A <- %in : tensor<16x16xf32>, %O = %out)[%id: index, %n: index]
      : (!pcf.sref<16x16xf32, #sg>, !pcf.sref<16x16xf32, sync(#sg)>) -> (tensor<16x16xf32>) {
    %at = arith.muli %id, %c4 : index
    pcf.return
  }
  return %r : tensor<16x16xf32>
}
