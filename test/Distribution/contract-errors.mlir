// RUN: distaff-opt %s --distaff-distribute --split-input-file --verify-diagnostics

// Contractions that their instruction, or their layouts, do not fit (VX-65, VX-99, VX-105).

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#c = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>
func.func @a_product_of_sums(%m: memref<16x8xf16>, %n: memref<8x8xf16>, %o: memref<16x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %y = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %1 = vector.transfer_read %n[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf16>, vector<8x8xf16>
  %2 = vector.transfer_read %o[%c0, %c0], %y {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %a = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #kind} : vector<16x8xf16>
  %b = iree_vector_ext.to_layout %1 to layout(#b) {mma_kind = #kind} : vector<8x8xf16>
  %c = iree_vector_ext.to_layout %2 to layout(#c) {mma_kind = #kind} : vector<16x8xf32>
  // expected-error @+1 {{'vector.contract' op combines by maximumf, and 'NV_MMA_SYNC_F32_16x8x8_F16' adds; leave the mma_kind of its operands away to multiply without one}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maximumf>} %a, %b, %c : vector<16x8xf16>, vector<8x8xf16> into vector<16x8xf32>
  vector.transfer_write %d, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

// A sum along K of one row by one column: no rows, no columns.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#k = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>
func.func @a_dot_product(%m: memref<8xf16>, %n: memref<8xf16>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %y = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<8xf16>, vector<8xf16>
  %1 = vector.transfer_read %n[%c0], %z {in_bounds = [true]} : memref<8xf16>, vector<8xf16>
  %a = iree_vector_ext.to_layout %0 to layout(#k) {mma_kind = #kind} : vector<8xf16>
  %b = iree_vector_ext.to_layout %1 to layout(#k) {mma_kind = #kind} : vector<8xf16>
  // expected-error @+1 {{'vector.contract' op is no matrix product: a row, column or inner dim is missing; leave the mma_kind of its operands away to multiply without one}}
  %d = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"], kind = #vector.kind<add>} %a, %b, %y : vector<8xf16>, vector<8xf16> into f32
  memref.store %d, %o[] : memref<f32>
  return
}

// -----

// f32 is not what the instruction takes.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#c = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>
func.func @operands_of_another_type(%m: memref<16x8xf32>, %n: memref<8x8xf32>, %o: memref<16x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %y = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %y {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %1 = vector.transfer_read %n[%c0, %c0], %y {in_bounds = [true, true]} : memref<8x8xf32>, vector<8x8xf32>
  %2 = vector.transfer_read %o[%c0, %c0], %y {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %a = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #kind} : vector<16x8xf32>
  %b = iree_vector_ext.to_layout %1 to layout(#b) {mma_kind = #kind} : vector<8x8xf32>
  %c = iree_vector_ext.to_layout %2 to layout(#c) {mma_kind = #kind} : vector<16x8xf32>
  // expected-error @+1 {{'vector.contract' op has operand types that 'NV_MMA_SYNC_F32_16x8x8_F16' does not take; leave the mma_kind of its operands away to multiply without one}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<16x8xf32>, vector<8x8xf32> into vector<16x8xf32>
  vector.transfer_write %d, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

// Without an instruction: the subgroups hold other rows of lhs than of acc.
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#lhs = #iree_vector_ext.digit_layout<[[reg(2, 8), sg(2, 1), reg(2, 4), reg(2, 2), lane(8, 4)], [lane(4, 1), reg(2, 1)]]>
#rhs = #iree_vector_ext.digit_layout<[[lane(8, 4)], [lane(4, 1), reg(2, 1)]]>
#acc = #iree_vector_ext.digit_layout<[[sg(2, 1), reg(2, 8), reg(2, 4), reg(2, 2), lane(8, 4)], [lane(4, 1), reg(2, 1)]]>
func.func @rows_of_other_subgroups(%m: memref<128x8xf16>, %n: memref<8x8xf16>, %o: memref<128x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %y = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<128x8xf16>, vector<128x8xf16>
  %1 = vector.transfer_read %n[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf16>, vector<8x8xf16>
  %2 = vector.transfer_read %o[%c0, %c0], %y {in_bounds = [true, true]} : memref<128x8xf32>, vector<128x8xf32>
  // expected-note @+1 {{comes from this 'iree_vector_ext.to_layout'}}
  %a = iree_vector_ext.to_layout %0 to layout(#lhs) : vector<128x8xf16>
  // expected-note @+1 {{comes from this 'iree_vector_ext.to_layout'}}
  %b = iree_vector_ext.to_layout %1 to layout(#rhs) : vector<8x8xf16>
  // expected-note @+1 {{comes from this 'iree_vector_ext.to_layout'}}
  %c = iree_vector_ext.to_layout %2 to layout(#acc) : vector<128x8xf32>
  // expected-error-re @+1 {{result laid out as #iree_vector_ext.digit_layout<{{.*}}> disagree on the dims that they share: {{.*}} (DG3); place these alike by an 'iree_vector_ext.to_layout' on one of them}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<128x8xf16>, vector<8x8xf16> into vector<128x8xf32>
  vector.transfer_write %d, %o[%c0, %c0] {in_bounds = [true, true]} : vector<128x8xf32>, memref<128x8xf32>
  return
}

// -----

// An instruction of sixteen blocks, for a contraction of one.
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
#x = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#kind = #iree_gpu.mma_layout<MFMA_F32_4x4x4_16B_F16>
func.func @one_block(%m: memref<16x16xf16>, %n: memref<16x16xf16>, %o: memref<16x16xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %y = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = vector.transfer_read %n[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %2 = vector.transfer_read %o[%c0, %c0], %y {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %a = iree_vector_ext.to_layout %0 to layout(#x) {mma_kind = #kind} : vector<16x16xf16>
  %b = iree_vector_ext.to_layout %1 to layout(#x) {mma_kind = #kind} : vector<16x16xf16>
  %c = iree_vector_ext.to_layout %2 to layout(#x) {mma_kind = #kind} : vector<16x16xf32>
  // expected-error @+1 {{'vector.contract' op has no batch dim, and 'MFMA_F32_4x4x4_16B_F16' multiplies 16 blocks; leave the mma_kind of its operands away to multiply without one}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

// Lanes along columns where the instruction has them along rows.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [1, 8]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [1, 8]>
#c = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>
func.func @no_fragment(%m: memref<16x8xf16>, %n: memref<8x8xf16>, %o: memref<16x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %y = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %1 = vector.transfer_read %n[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf16>, vector<8x8xf16>
  %2 = vector.transfer_read %o[%c0, %c0], %y {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  // expected-note @+1 {{the layout comes from here}}
  %a = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #kind} : vector<16x8xf16>
  %b = iree_vector_ext.to_layout %1 to layout(#b) {mma_kind = #kind} : vector<8x8xf16>
  %c = iree_vector_ext.to_layout %2 to layout(#c) {mma_kind = #kind} : vector<16x8xf32>
  // expected-error-re @+1 {{lhs is laid out as {{.*}}, which is no repetition of a fragment of 'NV_MMA_SYNC_F32_16x8x8_F16', {{.*}}, not even with its indices renamed; lay it out otherwise, or run distaff-assign-layouts, which converts it}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<16x8xf16>, vector<8x8xf16> into vector<16x8xf32>
  vector.transfer_write %d, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}
