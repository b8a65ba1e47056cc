// Exchanges are counted each by itself, and once as what they take together: two
// conversions and the results of a reduction share bytes, the kernel's own buffer
// has some of its own.
//
// RUN: distaff explain %s --target sm_80 | FileCheck %s
// RUN: distaff compile %s --target sm_80 --stop-after=distribute | FileCheck %s --check-prefix=IR

#rows = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [16, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [0, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [1, 32], outer_tile = [1, 1], thread_tile = [32, 1], element_tile = [2, 1], subgroup_strides = [0, 1], thread_strides = [1, 0]>

// CHECK: explain @shares {{.*}} shared for conversions 65536 B, for reductions 1024 B, own 64 B, in all 32832 B allocated
// IR-DAG: memref.alloc() {{.*}}memref<32768xi8, #gpu.address_space<workgroup>>
// IR-DAG: memref.alloc() : memref<16xf32, #gpu.address_space<workgroup>>
// IR-NOT: memref.alloc
func.func @shares(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %s: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<64xf32>
  %own = memref.alloc() : memref<16xf32, #gpu.address_space<workgroup>>
  memref.store %z, %own[%c0] : memref<16xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x128xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<64x128xf32>
  %2 = iree_vector_ext.to_layout %1 to layout(#columns) : vector<64x128xf32>
  %3 = vector.multi_reduction <add>, %2, %zeros [1] : vector<64x128xf32> to vector<64xf32>
  %4 = iree_vector_ext.to_layout %2 to layout(#rows) : vector<64x128xf32>
  vector.transfer_write %4, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x128xf32>, memref<64x128xf32>
  vector.transfer_write %3, %s[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
