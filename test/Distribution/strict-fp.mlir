// What --strict-fp makes of sums (VX-87): floats go from lane to lane in the order of
// the index, integers do not mind.
// RUN: distaff-opt %s --distaff-distribute=strict-fp | FileCheck %s

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: func.func @sums
func.func @sums(%m: memref<64xf32>, %n: memref<64xi32>, %o: memref<f32>, %p: memref<i32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %i = arith.constant 0 : i32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %1 = vector.transfer_read %n[%c0], %i {in_bounds = [true]} : memref<64xi32>, vector<64xi32>
  %y = iree_vector_ext.to_layout %1 to layout(#line) : vector<64xi32>
  // CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK: scf.for %[[T:.*]] = %{{.*}} to %c32 step %{{.*}} iter_args(%[[ACC:.*]] = %[[Z]]) -> (f32)
  // CHECK-NEXT: %[[A:.*]] = arith.addf %[[ACC]], %[[E0:.*]] : f32
  // CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[E1:.*]] : f32
  // CHECK: %[[LANE:.*]] = arith.index_cast %[[T]] : index to i32
  // CHECK: %[[NEXT:.*]], %{{.*}} = gpu.shuffle idx %[[B]], %[[LANE]]
  // CHECK-NEXT: scf.yield %[[NEXT]] : f32
  %s = vector.multi_reduction <add>, %x, %z [0] : vector<64xf32> to f32
  // CHECK: gpu.subgroup_reduce add %{{.*}} cluster(size = 32) : (i32) -> i32
  %t = vector.multi_reduction <add>, %y, %i [0] : vector<64xi32> to i32
  memref.store %s, %o[] : memref<f32>
  memref.store %t, %p[] : memref<i32>
  return
}
