// RUN: distaff-opt %s --distaff-distribute | FileCheck %s
// RUN: distaff run %s --target sm_80 --check --every-stage | FileCheck %s --check-prefix=RAN
// Of four words one is a lane's own, and is not shuffled (VX-39).

// CHECK-COUNT-3: gpu.shuffle
// CHECK-NOT: gpu.shuffle
// RAN: convert {{.*}} ok
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 1], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [1, 0]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 4], element_tile = [4, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>
func.func @turned(%x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x4xf32>, vector<4x4xf32>
  %a = iree_vector_ext.to_layout %0 to layout(#rows) : vector<4x4xf32>
  %b = iree_vector_ext.to_layout %a to layout(#columns) : vector<4x4xf32>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
  return
}
