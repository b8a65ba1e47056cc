// RUN: distaff-opt %s --pcf-split-threadgroup | FileCheck %s

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<16x4xf32, #sg>

// A branch between phases returns a number once, and a handle once per cluster.
// CHECK-LABEL: func.func @number_and_handle
// CHECK: %[[R:.*]]:3 = scf.if %{{.*}} -> (index, !{{.*}}, !{{.*}}) {
// CHECK: %[[EVEN:.*]] = pcf.shared_executor.run_cluster
// CHECK: %[[ODD:.*]] = pcf.shared_executor.run_cluster
// CHECK: scf.yield %{{.*}}, %[[EVEN]], %[[ODD]] :
// CHECK: } else {
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK: run_cluster(%[[R]]#1)
// CHECK: write_slice %{{.*}} into %{{.*}}[%[[R]]#0, 0] [4, 4]
// CHECK: %[[ROW:.*]] = arith.addi %[[R]]#0, %c4
// CHECK: run_cluster(%[[R]]#2)
// CHECK: write_slice %{{.*}} into %{{.*}}[%[[ROW]], 0] [4, 4]
func.func @number_and_handle(%in: !M, %out: !M, %n: index, %more: i1) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    %row, %x = scf.if %more -> (index, !TX) {
      %a = pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %in[%n, 0] [8, 4] [1, 1] : !M to !X
        pcf.cluster_yield %v : !X
      } : (!T) -> !TX
      scf.yield %n, %a : index, !TX
    } else {
      %a = pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %in[0, 0] [8, 4] [1, 1] : !M to !X
        pcf.cluster_yield %v : !X
      } : (!T) -> !TX
      scf.yield %c0, %a : index, !TX
    }
    pcf.shared_executor.run_cluster(%x)[] (%v: !X) {
      pcf.write_slice %v into %out[%row, 0] [8, 4] [1, 1] : !X into !M
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return
}
