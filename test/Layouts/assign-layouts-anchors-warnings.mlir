// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file --verify-diagnostics | FileCheck %s

// What a user's mma_kind cannot have is said, and what is done instead (VX-99, VX-105).

#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#wrong = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [4, 8], element_tile = [2, 1], subgroup_strides = [0, 0], thread_strides = [8, 1]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
// CHECK-LABEL: @converted_to_the_fragment
func.func @converted_to_the_fragment(%x: memref<16x16xf16>, %y: memref<16x8xf16>, %d: memref<16x8xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %s = arith.constant dense<0.0> : vector<16x8xf32>
  // CHECK: mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
  // CHECK: vector.contract
  %0 = vector.transfer_read %x[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #kind} : vector<16x16xf16>
  %2 = vector.transfer_read %y[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %3 = iree_vector_ext.to_layout %2 to layout(#wrong) {mma_kind = #kind} : vector<16x8xf16>
  // expected-warning @+1 {{rhs is laid out as ⟨B[2,1] T[4,8]:[8,1] E[2,1]⟩, which is no repetition of a fragment of 'NV_MMA_SYNC_F32_16x8x16_F16', ⟨B[2,1] T[4,8]:[1,4] E[2,1]⟩, not even with its indices renamed; it is converted for NV_MMA_SYNC_F32_16x8x16_F16, which an mma_kind of its operands names}}
  %4 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %1, %3, %s : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %4, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [4, 8], element_tile = [2, 1], subgroup_strides = [0, 0], thread_strides = [1, 4]>
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
// CHECK-LABEL: @two_instructions
func.func @two_instructions(%x: memref<16x16xf16>, %y: memref<16x8xf16>, %d: memref<16x8xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %s = arith.constant dense<0.0> : vector<16x8xf32>
  // Both layouts are fragments of one, which is taken for that.
  // CHECK-COUNT-2: mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
  %0 = vector.transfer_read %x[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<16x16xf16>
  %2 = vector.transfer_read %y[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %3 = iree_vector_ext.to_layout %2 to layout(#b) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>} : vector<16x8xf16>
  // expected-warning @+1 {{has the mma_kind NV_MMA_SYNC_F32_16x8x16_F16 on its lhs and NV_MMA_SYNC_F32_16x8x8_F16 on its rhs, where one instruction takes both; neither is used}}
  %4 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %1, %3, %s : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %4, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

// Of other types, and of no multiple of its shape: the next best, or none.
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
// CHECK-LABEL: @of_other_types
func.func @of_other_types(%x: memref<16x16xf16>, %y: memref<16x8xf16>, %d: memref<16x8xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %s = arith.constant dense<0.0> : vector<16x8xf32>
  // CHECK-COUNT-3: mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
  // CHECK: vector.contract
  %0 = vector.transfer_read %x[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_BF16>} : vector<16x16xf16>
  %2 = vector.transfer_read %y[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  // expected-warning @+1 {{does not run on NV_MMA_SYNC_F32_16x8x16_BF16, which an mma_kind of its operands names: NV_MMA_SYNC_F32_16x8x16_BF16 takes other types}}
  %4 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %1, %2, %s : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %4, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

// A mask that is not made of parts; an operand names an instruction in vain.
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [4, 8], element_tile = [2, 1], subgroup_strides = [0, 0], thread_strides = [1, 4]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
// CHECK-LABEL: @masked
func.func @masked(%x: memref<16x16xf16>, %y: memref<16x8xf16>, %m: memref<16x8x16xi8>, %d: memref<16x8xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i8
  %h = arith.constant 0.0 : f16
  %s = arith.constant dense<0.0> : vector<16x8xf32>
  %none = arith.constant dense<0> : vector<16x8x16xi8>
  %m0 = vector.transfer_read %m[%c0, %c0, %c0], %i {in_bounds = [true, true, true]} : memref<16x8x16xi8>, vector<16x8x16xi8>
  %mask = arith.cmpi ne, %m0, %none : vector<16x8x16xi8>
  %0 = vector.transfer_read %x[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #kind} : vector<16x16xf16>
  %2 = vector.transfer_read %y[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %3 = iree_vector_ext.to_layout %2 to layout(#b) : vector<16x8xf16>
  // CHECK: vector.mask
  // expected-warning @+1 {{does not run on NV_MMA_SYNC_F32_16x8x16_F16, which an mma_kind of its operands names: it is masked in a way that does not come apart into masks of its operands and result, and instructions have none}}
  %4 = vector.mask %mask { vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %1, %3, %s : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32> } : vector<16x8x16xi1> -> vector<16x8xf32>
  vector.transfer_write %4, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

// The config halves k, of which the named instruction has one step.
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
// CHECK-LABEL: @basis_of_another
func.func @basis_of_another(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %s = arith.constant dense<0.0> : vector<16x8xf32>
  %0 = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %2 = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<16x16xf16>
  // CHECK: vector.contract
  // expected-warning @+1 {{does not run on NV_MMA_SYNC_F32_16x8x16_F16, which an mma_kind of its operands names: 16x8x16 (m, n, k) does not come apart as the lowering_config's subgroup_basis says, into multiples of 16x8x16}}
  %4 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 1, 2], [0, 1, 2]]}>} %2, %1, %s : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %4, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}
