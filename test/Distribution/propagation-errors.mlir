// RUN: distaff-opt %s --distaff-distribute --split-input-file --verify-diagnostics

// Layouts that to_layout ops leave open, or contradict (VX-57, VX-60, VX-63: DG1, DG4).

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @another_layout_comes_around(%x: memref<64xf32>, %n: index) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-note @+1 {{comes from this 'iree_vector_ext.to_layout'}}
  %a = iree_vector_ext.to_layout %0 to layout(#a) : vector<64xf32>
  // expected-error-re @+1 {{'scf.for' op value laid out as {{.*}} enters a value laid out as {{.*}} (DG1); convert it by an 'iree_vector_ext.to_layout' before}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (vector<64xf32>) {
    // expected-note @+1 {{comes from this 'iree_vector_ext.to_layout'}}
    %b = iree_vector_ext.to_layout %v to layout(#b) : vector<64xf32>
    scf.yield %b : vector<64xf32>
  }
  vector.transfer_write %r, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
func.func @no_anchor_in_a_loop(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{result has no layout: no 'iree_vector_ext.to_layout' reaches it (DG4); lay it out by one, or run distaff-assign-layouts, which chooses}}
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-error @+1 {{result has no layout: no 'iree_vector_ext.to_layout' reaches it (DG4); lay it out by one, or run distaff-assign-layouts, which chooses}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(
    // expected-error @+1 {{block argument of type 'vector<64xf32>' has no layout: no 'iree_vector_ext.to_layout' reaches it (DG4); lay it out by one, or run distaff-assign-layouts, which chooses}}
    %v = %0) -> (vector<64xf32>) {
    // expected-error @+1 {{result has no layout: no 'iree_vector_ext.to_layout' reaches it (DG4); lay it out by one, or run distaff-assign-layouts, which chooses}}
    %w = arith.negf %v : vector<64xf32>
    scf.yield %w : vector<64xf32>
  }
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @no_anchor_for_a_constant(%x: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %0 = arith.constant dense<0.0> : vector<64xf32>
  // expected-error @+1 {{'vector.transfer_write' op operand #0 has no layout: no 'iree_vector_ext.to_layout' reaches this use of a layout-free value (DG4); lay it out by one, or run distaff-assign-layouts, which chooses}}
  vector.transfer_write %0, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

// The products of an instruction's fragments have no lanes of their own, so that a
// mask has no layout.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>
func.func @masked_products(%m: memref<16x8xf16>, %n: memref<8x8xf16>, %o: memref<16x8xf32>, %k: index) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f16
  %y = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %1 = vector.transfer_read %n[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf16>, vector<8x8xf16>
  %2 = vector.transfer_read %o[%c0, %c0], %y {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %a = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #kind} : vector<16x8xf16>
  %b = iree_vector_ext.to_layout %1 to layout(#b) {mma_kind = #kind} : vector<8x8xf16>
  %c = iree_vector_ext.to_layout %2 to layout(#a) {mma_kind = #kind} : vector<16x8xf32>
  %mask = vector.create_mask %c16, %c8, %k : vector<16x8x8xi1>
  // expected-error @+1 {{'vector.mask' op masks the products of an MMA instruction, which no lane has apart (DG4); mask its operands and its result by arith.select, as distaff-assign-layouts does}}
  %d = vector.mask %mask { vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<16x8xf16>, vector<8x8xf16> into vector<16x8xf32> } : vector<16x8x8xi1> -> vector<16x8xf32>
  vector.transfer_write %d, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#split = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 8], subgroup_strides = [0, 0], thread_strides = [4, 1]>
func.func @rows_on_other_lanes(%x: memref<8x32xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x32xf32>, vector<8x32xf32>
  // expected-note @+1 {{comes from this 'iree_vector_ext.to_layout'}}
  %1 = iree_vector_ext.to_layout %0 to layout(#split) : vector<8x32xf32>
  // expected-error @+1 {{operand #0 is laid out as ⟨T[8,4]:[4,1] E[1,8]⟩, where a lane has not all of dim 0, along which vector.shuffle picks (DG1); convert it by an 'iree_vector_ext.to_layout' to a nested_layout with subgroup_tile and thread_tile 1 there}}
  %2 = vector.shuffle %1, %1 [7, 6, 5, 4, 3, 2, 9, 8] : vector<8x32xf32>, vector<8x32xf32>
  vector.transfer_write %2, %x[%c0, %c0] {in_bounds = [true, true]} : vector<8x32xf32>, memref<8x32xf32>
  return
}
