// RUN: distaff-opt %s --distaff-anchor-payload | FileCheck %s

// What crosses the loop is laid out in front of it and where it is yielded; the constant, and the
// extension, are made again beside their uses (PCF-130).
#sg = #iree_gpu.subgroup_scope
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [1, 2], subgroup_strides = [1, 0], thread_strides = [8, 1]>
// CHECK-LABEL: func.func @loop
// CHECK: %[[X:.*]] = vector.transfer_read
// CHECK: %[[LAID:.*]] = iree_vector_ext.to_layout %[[X]]
// CHECK: %[[OUT:.*]] = iree_vector_ext.to_layout %[[LAID]]
// CHECK-NOT: arith.extf
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8x16xf32>
// CHECK: %[[INIT:.*]] = iree_vector_ext.to_layout %[[ZERO]]
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %[[INIT]])
// CHECK: %[[WIDE:.*]] = arith.extf %[[OUT]]
// CHECK: %[[SUM:.*]] = arith.addf %[[S]], %[[WIDE]]
// CHECK: %[[YIELD:.*]] = iree_vector_ext.to_layout %[[SUM]]
// CHECK: scf.yield %[[YIELD]]
func.func @loop(%in: memref<8x16xf16>, %out: memref<8x16xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f16
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    %zero = arith.constant dense<0.0> : vector<8x16xf32>
    %x = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x16xf16>, vector<8x16xf16>
    %laid = iree_vector_ext.to_layout %x to layout(#rows) : vector<8x16xf16>
    %wide = arith.extf %laid : vector<8x16xf16> to vector<8x16xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (vector<8x16xf32>) {
      %t = arith.addf %s, %wide : vector<8x16xf32>
      scf.yield %t : vector<8x16xf32>
    }
    vector.transfer_write %r, %out[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xf32>, memref<8x16xf32>
    pcf.return
  }
  return
}
