// RUN: distaff explain %s --target sm_80 | FileCheck %s
// RUN: distaff run %s --target sm_80 --check --every-stage | FileCheck %s --check-prefix=RAN
// Why threads wait for each other (VX-116): what they would read too early, what
// they would overwrite too early, and which of two writes would be the last.

// RAN: convert {{.*}} ok
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [1], thread_strides = [1]>
#stripes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [4], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
func.func @turns(%x: memref<128xf32>, %y: memref<128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<128xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %a = iree_vector_ext.to_layout %0 to layout(#rows) : vector<128xf32>
  vector.transfer_write %a, %m[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32, #gpu.address_space<workgroup>>
  // CHECK: barrier before {{.*}} vector.transfer_read, which reads what other threads write before it
  %1 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<128xf32, #gpu.address_space<workgroup>>, vector<128xf32>
  %b = iree_vector_ext.to_layout %1 to layout(#stripes) : vector<128xf32>
  %n = arith.negf %a : vector<128xf32>
  // CHECK: barrier before {{.*}} vector.transfer_write, which writes where other threads read before it
  vector.transfer_write %n, %m[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32, #gpu.address_space<workgroup>>
  // CHECK: barrier before {{.*}} vector.transfer_write, which writes where other threads write before it
  vector.transfer_write %b, %m[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32, #gpu.address_space<workgroup>>
  %2 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<128xf32, #gpu.address_space<workgroup>>, vector<128xf32>
  %c = iree_vector_ext.to_layout %2 to layout(#rows) : vector<128xf32>
  vector.transfer_write %c, %y[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  return
}
