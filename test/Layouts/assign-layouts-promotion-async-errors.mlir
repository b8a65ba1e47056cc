// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file --verify-diagnostics
// Values that no asynchronous copy takes (VX-11).

#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
func.func @computed(%x: memref<64xf32>, %y: memref<64xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %n = arith.negf %a : vector<64xf32>
  // expected-error @+1 {{an asynchronous copy, and its value is not read from memory for it alone}}
  %b = iree_vector_ext.to_layout %n to layout(#lanes) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<64xf32>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
func.func @too_narrow(%x: memref<32x1xf16>, %y: memref<32x1xf16>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<32x1xf16>, vector<32xf16>
  // expected-error @+1 {{an asynchronous copy, and its value is read masked or in another order}}
  %b = iree_vector_ext.to_layout %a to layout(#lanes) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<32xf16>
  vector.transfer_write %b, %y[%c0, %c0] {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : vector<32xf16>, memref<32x1xf16>
  return
}

// -----

#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [3], element_tile = [11], subgroup_strides = [0], thread_strides = [1]>
func.func @odd_pieces(%x: memref<33xf16>, %y: memref<33xf16>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<33xf16>, vector<33xf16>
  // expected-error @+1 {{an asynchronous copy, and a lane's pieces have 2 bytes}}
  %b = iree_vector_ext.to_layout %a to layout(#lanes) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<33xf16>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<33xf16>, memref<33xf16>
  return
}

// -----

#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
func.func @there_already(%x: memref<64xf32, #gpu.address_space<workgroup>>, %y: memref<64xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32, #gpu.address_space<workgroup>>, vector<64xf32>
  // expected-error @+1 {{an asynchronous copy, and its value lies in workgroup memory already}}
  %b = iree_vector_ext.to_layout %a to layout(#lanes) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<64xf32>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
func.func @over_the_edge(%x: memref<?xf32>, %y: memref<64xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %z : memref<?xf32>, vector<64xf32>
  // expected-error @+1 {{an asynchronous copy, and its value may lie outside of its memory}}
  %b = iree_vector_ext.to_layout %a to layout(#lanes) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<64xf32>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
