// RUN: distaff-opt %s --distaff-distribute --split-input-file --verify-diagnostics

#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
// expected-error @+1 {{needs a translation_info with workgroup_size and subgroup_size to be distributed; give it one like #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>}}
func.func @no_launch_shape(%m: memref<64xf32>) {
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [48, 1, 1] subgroup_size = 32>
// expected-error @+1 {{has a workgroup of 48 threads, which is no multiple of its subgroup size 32; round its workgroup_size up to one}}
func.func @half_a_subgroup(%m: memref<64xf32>) attributes {translation_info = #info} {
  return
}

// -----

// A collective in a branch that only some threads take (DG8, W23).
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
func.func @reduction_on_some_lanes(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %t = gpu.thread_id x
  %some = arith.cmpi ult, %t, %c7 : index
  scf.if %some {
    // expected-error @+1 {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id (DG8); move it out of the 'scf.if', or let that depend on what is the same in all threads}}
    %s = vector.multi_reduction <add>, %x, %z [0] : vector<64xf32> to f32
    memref.store %s, %o[] : memref<f32>
  }
  return
}

// -----

// A conversion between lanes in a branch that only some of them take (DG8,
// VX-51).
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
#stripes = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @shuffles_on_some_lanes(%m: memref<64xf32>, %o: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %t = gpu.thread_id x
  %some = arith.cmpi ult, %t, %c7 : index
  scf.if %some {
    // expected-error @+1 {{'iree_vector_ext.to_layout' op needs data of other threads to go from ⟨T[32]:[1] E[2]⟩ to ⟨B[2] T[32]:[1]⟩, but only some threads run it: 'scf.if' around it depends on a thread id (DG8); move it out of the 'scf.if', or let that depend on what is the same in all threads}}
    %y = iree_vector_ext.to_layout %x to layout(#stripes) : vector<64xf32>
    vector.transfer_write %y, %o[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  }
  return
}

// -----

// Operands laid out otherwise than the instruction that they name.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#swapped = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [1, 8]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [1, 8]>
#c = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
func.func @swapped_lane_strides(%a: memref<16x16xf16>, %b: memref<8x16xf16>, %c: memref<16x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<16x8xf32>
  %0 = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<8x16xf16>, vector<8x16xf16>
  // expected-note @+1 {{the layout comes from here}}
  %la = iree_vector_ext.to_layout %0 to layout(#swapped) {mma_kind = #mma} : vector<16x16xf16>
  %lb = iree_vector_ext.to_layout %1 to layout(#b) {mma_kind = #mma} : vector<8x16xf16>
  %lc = iree_vector_ext.to_layout %z to layout(#c) {mma_kind = #mma} : vector<16x8xf32>
  // expected-error @+1 {{'vector.contract' op lhs is laid out as}}
  %3 = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %la, %lb, %lc : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf32>
  vector.transfer_write %3, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

// More lanes than there are threads (DG6).
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#wide = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @too_many_lanes(%m: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-error @+1 {{'iree_vector_ext.to_layout' op cannot be distributed: layout needs 64 lanes (span 64), the target has W = 32, w = 32, N = 1: its span exceeds W in ⟨T[64]:[1]⟩ (DG6); lay it out over 1 subgroup of 32 lanes at most, or let 64 threads hold it (workgroup_size)}}
  %x = iree_vector_ext.to_layout %0 to layout(#wide) : vector<64xf32>
  vector.transfer_write %x, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

// VX-11
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
func.func @unknown_kind(%x: memref<32xf32>, %y: memref<32xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  // expected-error @+1 {{has the mma_kind "foo", which is no MMA instruction}}
  %1 = iree_vector_ext.to_layout %0 to layout(#lanes) {mma_kind = "foo"} : vector<32xf32>
  vector.transfer_write %1, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
}

// -----

// Digits say more than nested layouts: the subgroups hold other rows of lhs than of acc.
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#lhs = #iree_vector_ext.digit_layout<[[reg(2, 8), sg(2, 1), reg(2, 4), reg(2, 2), lane(8, 4)], [lane(4, 1), reg(2, 1)]]>
#rhs = #iree_vector_ext.digit_layout<[[lane(8, 4)], [lane(4, 1), reg(2, 1)]]>
#acc = #iree_vector_ext.digit_layout<[[sg(2, 1), reg(2, 8), reg(2, 4), reg(2, 2), lane(8, 4)], [lane(4, 1), reg(2, 1)]]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>
func.func @rows_of_other_subgroups(%m: memref<128x8xf16>, %n: memref<8x8xf16>, %o: memref<128x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %y = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<128x8xf16>, vector<128x8xf16>
  %1 = vector.transfer_read %n[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf16>, vector<8x8xf16>
  %2 = vector.transfer_read %o[%c0, %c0], %y {in_bounds = [true, true]} : memref<128x8xf32>, vector<128x8xf32>
  %a = iree_vector_ext.to_layout %0 to layout(#lhs) {mma_kind = #kind} : vector<128x8xf16>
  // expected-note @+1 {{the layout comes from here}}
  %b = iree_vector_ext.to_layout %1 to layout(#rhs) {mma_kind = #kind} : vector<8x8xf16>
  %c = iree_vector_ext.to_layout %2 to layout(#acc) {mma_kind = #kind} : vector<128x8xf32>
  // expected-error-re @+1 {{has operands that split a common dim over subgroups or batches differently, or name its indices so: lhs {{.*}}; lay it out otherwise, or run distaff-assign-layouts, which converts it}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<128x8xf16>, vector<8x8xf16> into vector<128x8xf32>
  vector.transfer_write %d, %o[%c0, %c0] {in_bounds = [true, true]} : vector<128x8xf32>, memref<128x8xf32>
  return
}

// -----

// VX-101: K may be numbered otherwise than the instruction's, by lhs and rhs
// alike; here only the rhs is.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lhs = #iree_vector_ext.digit_layout<[[reg(2, 2), lane(8, 4)], [reg(2, 4), lane(4, 1), reg(2, 1)]]>
#rhs = #iree_vector_ext.digit_layout<[[lane(8, 4)], [lane(4, 1), reg(4, 1)]]>
#acc = #iree_vector_ext.digit_layout<[[reg(2, 2), lane(8, 4)], [lane(4, 1), reg(2, 1)]]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
func.func @k_of_one_operand(%m: memref<16x16xf16>, %n: memref<8x16xf16>, %o: memref<16x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %y = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = vector.transfer_read %n[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x16xf16>, vector<8x16xf16>
  %2 = vector.transfer_read %o[%c0, %c0], %y {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  // expected-note @+1 {{comes from this 'iree_vector_ext.to_layout'}}
  %a = iree_vector_ext.to_layout %0 to layout(#lhs) {mma_kind = #kind} : vector<16x16xf16>
  // expected-note @+1 {{comes from this 'iree_vector_ext.to_layout'}}
  %b = iree_vector_ext.to_layout %1 to layout(#rhs) {mma_kind = #kind} : vector<8x16xf16>
  // expected-note @+1 {{comes from this 'iree_vector_ext.to_layout'}}
  %c = iree_vector_ext.to_layout %2 to layout(#acc) {mma_kind = #kind} : vector<16x8xf32>
  // expected-error-re @+1 {{lhs laid out as {{.*}} and rhs laid out as {{.*}} disagree on the reduced dims: ⟨B[2] T[4]:[1] E[2]⟩ and ⟨T[4]:[1] E[4]⟩ (DG3); place these alike by an 'iree_vector_ext.to_layout' on one of them}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf32>
  vector.transfer_write %d, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

// What has effects is done once per op of the source, not once per lane (VX-94).
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @effects(%m: memref<32xi32>, %n: memref<32xi32>, %one: i32) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'memref.alloca' op is memory of each lane's own, which the lanes that share this kernel's values cannot share; take memref.alloc, which is memory of the workgroup}}
  %a = memref.alloca() : memref<32xi32>
  // expected-error @+1 {{'memref.atomic_rmw' op has no distribution rule, and would be done by every lane of the workgroup; read and write memory by vector.transfer_read and write, memref.load and store}}
  %0 = memref.atomic_rmw addi %one, %m[%c0] : (i32, memref<32xi32>) -> i32
  // expected-error @+1 {{'memref.copy' op has no distribution rule, and would be done by every lane}}
  memref.copy %m, %n : memref<32xi32> to memref<32xi32>
  // expected-error @+1 {{'nvvm.barrier0' op has no distribution rule, and would be done by every lane}}
  nvvm.barrier0
  // expected-error @+1 {{'affine.for' op has no distribution rule; loops and branches are those of scf}}
  affine.for %i = 0 to 4 {
    memref.store %one, %m[%i] : memref<32xi32>
  }
  // expected-error @+1 {{'memref.generic_atomic_rmw' op has no distribution rule}}
  %1 = memref.generic_atomic_rmw %m[%c0] : memref<32xi32> {
  ^bb0(%old: i32):
    memref.atomic_yield %old : i32
  }
  return
}

// -----

// These may be done as often as one likes.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @no_effects(%m: memref<32xi32>, %one: i32, %c: i1) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<32xi32>
  %s = memref.subview %m[4] [8] [1] : memref<32xi32> to memref<8xi32, strided<[1], offset: 4>>
  cf.assert %c, "must hold"
  gpu.barrier
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi ult, %i, %c1 : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    memref.store %one, %s[%i] : memref<8xi32, strided<[1], offset: 4>>
    scf.yield %next : index
  }
  memref.store %one, %a[%c0] : memref<32xi32>
  memref.dealloc %a : memref<32xi32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 4096, 4096] subgroup_size = 32>
// expected-error @+1 {{has workgroups of 536870912 lanes, GPUs have up to 1024; lower its workgroup_size, and spread the layouts over fewer subgroups}}
func.func @more_lanes_than_any_gpu(%m: memref<64xf32>) attributes {translation_info = #info} {
  return
}
