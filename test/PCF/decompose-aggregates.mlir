// RUN: distaff-opt %s -pcf-decompose-aggregates -split-input-file -verify-diagnostics | FileCheck %s

// A softmax of collective code, or of a worker, is ops with loops (PCF-151).

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<16x16xf32, #sg>
!TG = !pcf.threadgroup<#sg>

// CHECK-LABEL: @softmax
// CHECK: linalg.softmax
// CHECK: pcf.shared_executor
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK-NOT: linalg.softmax
func.func @softmax(%x: !A, %t: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %outside = linalg.softmax dimension(1) ins(%t : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %a = pcf.read_slice %x[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
      %s = linalg.softmax dimension(1) ins(%a : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
      pcf.write_slice %s into %x[0, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !A
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %outside : tensor<16x16xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<16x16xi32, #sg>
!TG = !pcf.threadgroup<#sg>

func.func @integers(%x: !A) {
  %e = tensor.empty() : tensor<16x16xi32>
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.read_slice %x[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xi32>
    // expected-error @+1 {{'linalg.softmax' op is of 'i32', which has no exponential; extend it to a float before}}
    %s = linalg.softmax dimension(1) ins(%a : tensor<16x16xi32>) outs(%e : tensor<16x16xi32>) -> tensor<16x16xi32>
    pcf.write_slice %s into %x[0, 0] [16, 16] [1, 1] : tensor<16x16xi32> into !A
    pcf.return
  }
  return
}
