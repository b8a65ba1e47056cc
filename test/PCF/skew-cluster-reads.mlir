// RUN: distaff-opt %s --pcf-skew-cluster=cluster=pp.a --cse | FileCheck %s

// PCF-165: a vector that a phase reads of memory with an end, and hands on, is
// not read in the iteration after the last one: in front of the loop as in it,
// the read has a condition, and zeros stand for the vector, which has no use.

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {vector<8xf32>}, pp.a>

// CHECK-LABEL: func.func @read_of_memory
// CHECK-SAME: %[[N:[^,]*]]: index
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[N]], %c0
// CHECK: %[[FIRST:.*]] = pcf.shared_executor.run_cluster(%a)
// CHECK-NEXT: %[[X:.*]] = scf.if %[[ANY]] -> (vector<8xf32>) {
// CHECK-NEXT:   %[[READ:.*]] = vector.transfer_read %{{.*}}[%c0]
// CHECK-NEXT:   scf.yield %[[READ]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT:   scf.yield %[[ZEROS]]
// CHECK-NEXT: }
// CHECK-NEXT: pcf.cluster_yield %[[X]]
// CHECK: pcf.barrier
// CHECK: scf.for %[[K:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[V:.*]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c1
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK: run_cluster(%[[V]])
// CHECK: pcf.barrier
// CHECK: %[[AHEAD:.*]] = pcf.shared_executor.run_cluster(%a)
// CHECK-NEXT: scf.if %[[MORE]] -> (vector<8xf32>) {
// CHECK-NEXT:   vector.transfer_read %{{.*}}[%[[NEXT]]]
// CHECK: pcf.barrier
// CHECK: scf.yield %[[AHEAD]]
func.func @read_of_memory(%n: index, %in: memref<?xf32>, %out: !pcf.sref<8xf32, #sg>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %h = pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = vector.transfer_read %in[%k], %z {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
          pcf.cluster_yield %v : vector<8xf32>
        } : (!A) -> !AV
        pcf.barrier(#sg)
        pcf.shared_executor.run_cluster(%h)[%c1] (%v: vector<8xf32>) {
          %w = arith.addf %v, %v : vector<8xf32>
          pcf.write_slice %w into %out[0] [8] [1] : vector<8xf32> into !pcf.sref<8xf32, #sg>
          pcf.cluster_yield
        } : (!AV)
        pcf.barrier(#sg)
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}
