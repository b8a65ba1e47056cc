// RUN: distaff-opt %s -distaff-form-matmul-phases | FileCheck %s

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

#cfg = #iree_gpu.lowering_config<{workgroup = [16, 16, 0], reduction = [0, 0, 16]}>
!A = !pcf.sref<?x?xf32, #sg>
// Numbers computed in the executor stay before the phases that use them (PCF-85).
// CHECK-LABEL: func.func @numbers
// CHECK: %[[Z:.*]] = arith.constant 0.0
// CHECK: %[[O:.*]] = arith.addi
// CHECK: run_cluster
// CHECK: linalg.fill ins(%[[Z]]
// CHECK: scf.for %[[K:.*]] =
// CHECK: pcf.read_slice %{{.*}}[%[[O]], %
func.func @numbers(%a: !A, %b: !A, %out: !A, %z: f32, %n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
      %c0 = arith.constant 0.0 : f32
      %o = arith.addi %n, %n : index
      %x = pcf.read_slice %a[%o, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
      %y = pcf.read_slice %b[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
      %e = tensor.empty() : tensor<16x16xf32>
      %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
      %m = linalg.matmul {lowering_config = #cfg} ins(%x, %y : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
      pcf.write_slice %m into %out[0, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !A
    pcf.return
  }
  return
}
