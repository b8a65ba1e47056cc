// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file --verify-diagnostics

// DG5: sizes must be static (VX-117).
// expected-error @+1 {{has no static workgroup and subgroup size in its translation_info (DG5); give it one like #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>}}
func.func @no_sizes(%y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant dense<1.0> : vector<64xf32>
  vector.transfer_write %k, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

// DG5: an op without a rule.
#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @no_rule(%y: memref<64xf32>) attributes {translation_info = #translation} {
  %k = arith.constant dense<1.0> : vector<64xf32>
  // expected-error @+1 {{'vector.print' op operand #0, 'vector<64xf32>', is a vector, and there is no rule for its layout (DG5); take ops of arith, math and vector, and write to memory by vector.transfer_write}}
  vector.print %k : vector<64xf32>
  return
}

// -----

// DG6: a layout of more subgroups than there are, which do not fold.
#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#three = #iree_vector_ext.nested_layout<subgroup_tile = [3], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
func.func @too_many_subgroups(%x: memref<96xf32>, %y: memref<96xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<96xf32>, vector<96xf32>
  // expected-error @+1 {{layout ⟨S[3]:[1] T[32]:[1]⟩ does not fit the workgroup: layout needs 3 subgroups (span 3), the target has W = 64, w = 32, N = 2: its span is no multiple of the number of subgroups (DG6); lay it out over 2 subgroups of 32 lanes at most, or let 96 threads hold it (workgroup_size)}}
  %1 = iree_vector_ext.to_layout %0 to layout(#three) : vector<96xf32>
  vector.transfer_write %1, %y[%c0] {in_bounds = [true]} : vector<96xf32>, memref<96xf32>
  return
}

// -----

// DG5: no layout covers a scalable vector.
#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @scalable(%x: memref<64xf32>, %y: memref<64xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'vector.transfer_read' op result, 'vector<[4]xf32>', is a scalable vector, which no layout covers (DG5); give it a fixed size}}
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<[4]xf32>
  vector.transfer_write %0, %y[%c0] {in_bounds = [true]} : vector<[4]xf32>, memref<64xf32>
  return
}

// -----

// DG7: a conversion for which the kernel's own buffers leave nothing.
#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#outer = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [256], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
#inner = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [256], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @too_much_memory(%x: memref<16384xf32>, %y: memref<16384xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %own = memref.alloc() : memref<41728xf32, #gpu.address_space<workgroup>>
  memref.store %z, %own[%c0] : memref<41728xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<16384xf32>, vector<16384xf32>
  // expected-error @+1 {{changing 'vector<16384xf32>' from ⟨S[2]:[1] B[256] T[32]:[1]⟩ to ⟨B[256] T[32]:[1] E[2]⟩ needs 16 bytes of workgroup memory at least, and of sm_80's 166912 the kernel's own buffers take 166912 (DG7); make those smaller, or give both sides one layout}}
  %1 = iree_vector_ext.to_layout %0 to layout(#outer) : vector<16384xf32>
  %2 = iree_vector_ext.to_layout %1 to layout(#inner) : vector<16384xf32>
  vector.transfer_write %2, %y[%c0] {in_bounds = [true]} : vector<16384xf32>, memref<16384xf32>
  return
}

// -----

// VX-11: what a to_layout asks for must be known, also where configure has not
// seen it.
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
func.func @unknown_conversion(%x: memref<32xf32>, %y: memref<32xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  // expected-error @+1 {{has the shared_memory_conversion "foo", which is no promotion attribute}}
  %1 = iree_vector_ext.to_layout %0 to layout(#lanes) {shared_memory_conversion = "foo"} : vector<32xf32>
  vector.transfer_write %1, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
}

// -----

// The vector.print, which is refused too, is not looked at any more.
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
func.func @one_message(%x: memref<32xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  // expected-error @+1 {{has the shared_memory_conversion "foo", which is no promotion attribute}}
  %1 = iree_vector_ext.to_layout %0 to layout(#lanes) {shared_memory_conversion = "foo"} : vector<32xf32>
  vector.print %1 : vector<32xf32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 4096, 4096] subgroup_size = 32>
// expected-error @+1 {{has workgroups of 536870912 lanes, sm_80 has up to 1024}}
func.func @more_lanes_than_the_gpu(%y: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %k = arith.constant dense<1.0> : vector<64xf32>
  vector.transfer_write %k, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

// DG5 (VX-117).
// expected-error @+1 {{workgroup of 48 threads is no multiple of the subgroup size 32 (DG5); round its workgroup_size up to one}}
func.func @half_a_subgroup(%y: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [48, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %k = arith.constant dense<1.0> : vector<64xf32>
  vector.transfer_write %k, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

// expected-error @+1 {{argument #0, 'vector<64xf32>', is a vector, whose layout nothing determines (DG5); take a memref, and read the vector from it}}
func.func @a_vector_comes_in(%k: vector<64xf32>, %y: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  vector.transfer_write %k, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
