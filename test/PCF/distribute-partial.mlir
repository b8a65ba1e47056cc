// RUN: distaff-opt %s -pcf-distribute='scope=#iree_gpu.subgroup_scope' | FileCheck %s

// Of 48 threads, the second subgroup of 32 has some: how many members there are
// is not said, so one of them writes what all compute (PCF-72).
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [48, 1, 1] subgroup_size = 32>

// CHECK-LABEL: func.func @partial
// CHECK: run_thread(%{{.*}})[] () [%[[ID:.*]]: index]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ID]], %c0
// CHECK: scf.if %[[FIRST]]
// CHECK: pcf.write_slice %{{.*}}[0] [64] [1]
func.func @partial(%init: tensor<64xf32>) -> tensor<64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) execute(%o = %init)[%tg: !pcf.threadgroup<#sg>]
    : (!pcf.sref<64xf32, sync(#sg)>) -> (tensor<64xf32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = arith.constant dense<2.0> : tensor<64xf32>
      pcf.write_slice %x into %o[0] [64] [1] : tensor<64xf32> into !pcf.sref<64xf32, sync(#sg)>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.return
  }
  return %r : tensor<64xf32>
}
