// RUN: distaff-opt %s --distaff-distribute=target=sm_80 --verify-diagnostics

// DG7: 16 bytes are enough for every exchange (VX-63), and these kernels leave less.
#info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [4, 1], batch_tile = [32, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 4],
  subgroup_strides = [1, 0], thread_strides = [0, 1]>
#columns = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 4], batch_tile = [1, 32], outer_tile = [1, 1], thread_tile = [32, 1], element_tile = [4, 1],
  subgroup_strides = [0, 1], thread_strides = [1, 0]>
func.func @too_large(%m: memref<128x128xf32>, %o: memref<128x128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<128x128xf32>, vector<128x128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<128x128xf32>
  %own = memref.alloc() : memref<41727xf32, #gpu.address_space<workgroup>>
  memref.store %z, %own[%c0] : memref<41727xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{needs 16 bytes of workgroup memory at least to exchange data between subgroups, and the kernel's own buffers leave less of the target's 166912 (DG7); make those smaller, or lay the data out over one subgroup}}
  %y = iree_vector_ext.to_layout %x to layout(#columns) : vector<128x128xf32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x128xf32>
  return
}

#rows_of_four = #iree_vector_ext.nested_layout<
  subgroup_tile = [4, 1], batch_tile = [1, 32], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 1],
  subgroup_strides = [1, 0], thread_strides = [0, 1]>
#split = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 4], batch_tile = [32, 1], outer_tile = [1, 1], thread_tile = [32, 1], element_tile = [1, 1],
  subgroup_strides = [0, 1], thread_strides = [1, 0]>
func.func @no_room_for_results(%m: memref<1024x4xf32>, %o: memref<1024xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<1024xf32>
  %own = memref.alloc() : memref<41728xf32, #gpu.address_space<workgroup>>
  memref.store %z, %own[%c0] : memref<41728xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<1024x4xf32>, vector<1024x4xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#split) : vector<1024x4xf32>
  // expected-error @+1 {{'vector.multi_reduction' op needs 16 bytes of workgroup memory at least}}
  %s = vector.multi_reduction <add>, %x, %zeros [1] : vector<1024x4xf32> to vector<1024xf32>
  vector.transfer_write %s, %o[%c0] {in_bounds = [true]} : vector<1024xf32>, memref<1024xf32>
  return
}

func.func @no_room_for_a_part(%m: memref<4x1024xf32>, %o: memref<1024xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %own = memref.alloc() : memref<41727xf32, #gpu.address_space<workgroup>>
  memref.store %z, %own[%c0] : memref<41727xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x1024xf32>, vector<4x1024xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows_of_four) : vector<4x1024xf32>
  // expected-error @+1 {{'vector.extract' op needs 16 bytes of workgroup memory at least}}
  %s = vector.extract %x[2] : vector<1024xf32> from vector<4x1024xf32>
  vector.transfer_write %s, %o[%c0] {in_bounds = [true]} : vector<1024xf32>, memref<1024xf32>
  return
}

// What an op of the source becomes is not what the user wrote.
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [4], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
func.func @no_room_to_count(%n: memref<128xf32>, %m: memref<128xf32>, %b: memref<128xi1>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %f = arith.constant false
  %own = memref.alloc() : memref<41727xf32, #gpu.address_space<workgroup>>
  memref.store %z, %own[%c0] : memref<41727xf32, #gpu.address_space<workgroup>>
  %k = vector.transfer_read %b[%c0], %f {in_bounds = [true]} : memref<128xi1>, vector<128xi1>
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<128xf32>
  // expected-error @+1 {{'vector.expandload' op needs 16 bytes of workgroup memory at least}}
  %e = vector.expandload %n[%c0], %k, %x : memref<128xf32>, vector<128xi1>, vector<128xf32> into vector<128xf32>
  vector.transfer_write %e, %m[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  // expected-error @+1 {{'vector.compressstore' op needs 16 bytes of workgroup memory at least}}
  vector.compressstore %n[%c0], %k, %x : memref<128xf32>, vector<128xi1>, vector<128xf32>
  return
}
