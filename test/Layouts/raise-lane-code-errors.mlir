// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file --verify-diagnostics

// What lanes do with their registers is not always what it would be of the whole (VX-12).

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @no_layout(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-error @+1 {{operand has no layout; add an iree_vector_ext.to_layout}}
  %p = iree_vector_ext.to_simt %r : vector<64xf32> -> vector<1x1x2xf32>
  %m = arith.mulf %p, %p : vector<1x1x2xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @other_shape(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  // expected-error @+1 {{gives a lane 'vector<2x1xf32>', of ⟨T[32]:[1] E[2]⟩ it has 'vector<1x1x2xf32>', or collapsed 'vector<2xf32>'}}
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<2x1xf32>
  %m = arith.mulf %p, %p : vector<2x1xf32>
  %y = iree_vector_ext.to_simd %m : vector<2x1xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#R = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [2], subgroup_strides = [1], thread_strides = [2]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @laid_out_otherwise(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-note @+1 {{the other layout}}
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  %w = iree_vector_ext.to_layout %r to layout(#R) : vector<64xf32>
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  // expected-error @+1 {{and a lane combines it with what is laid out as ⟨T[32]:[1] E[2]⟩: its registers are not of the same elements; lay both out alike}}
  %q = iree_vector_ext.to_simt %w : vector<64xf32> -> vector<1x1x2xf32>
  %m = arith.mulf %p, %q : vector<1x1x2xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @registers(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  // expected-error @+1 {{stands between a to_simt and a to_simd, where elementwise ops are taken: what it does depends on which elements a lane holds; write it of the whole vector}}
  %m = vector.shuffle %p, %p [0] : vector<1x1x2xf32>, vector<1x1x2xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @constants(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  // expected-error @+1 {{is different in a lane's registers, and the same in all lanes, between a to_simt and a to_simd; of constants splats are taken there}}
  %k = arith.constant dense<[[[1.0, 2.0]]]> : vector<1x1x2xf32>
  %m = arith.mulf %p, %k : vector<1x1x2xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @from_nowhere(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %m = arith.constant dense<1.0> : vector<1x1x2xf32>
  // expected-error @+1 {{puts together what no to_simt has taken apart}}
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

// Half of the whole.
#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @half(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<32xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<32xf32>
  // expected-error @+1 {{takes 'vector<32xf32>' apart, of which 'vector<64xf32>' is put together}}
  %p = iree_vector_ext.to_simt %x : vector<32xf32> -> vector<1x1x1xf32>
  %m = arith.mulf %p, %p : vector<1x1x1xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x1xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @carried_by_while(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  %last = scf.while (%part = %p) : (vector<1x1x2xf32>) -> vector<1x1x2xf32> {
    %t = memref.load %a[%c1] : memref<64xf32>
    %more = arith.cmpf olt, %t, %z : f32
    scf.condition(%more) %part : vector<1x1x2xf32>
  } do {
  ^bb0(%part: vector<1x1x2xf32>):
    // expected-error @+1 {{puts together what no scf.for, scf.if or scf.index_switch hands on; put it together before, and hand on the whole}}
    %y = iree_vector_ext.to_simd %part : vector<1x1x2xf32> -> vector<64xf32>
    vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    %m = arith.mulf %part, %part : vector<1x1x2xf32>
    scf.yield %m : vector<1x1x2xf32>
  }
  return
}

// -----

// A scalar of one lane's registers is another in another lane.
#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @summed_by_a_lane(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  // expected-note @+1 {{the registers are taken here}}
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  // expected-error @+1 {{takes registers of a lane that no to_simd puts together again, by elementwise ops alone: what comes of them differs from lane to lane; write it of the whole vector}}
  %s = vector.multi_reduction <add>, %p, %z [0, 1, 2] : vector<1x1x2xf32> to f32
  %b = vector.broadcast %s : f32 to vector<1x1x2xf32>
  %m = arith.addf %p, %b : vector<1x1x2xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

// VX-12: batches of both dimensions come before elements in one shape, and between them in the other.
#L = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 2], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [2, 1], subgroup_strides = [0, 0], thread_strides = [8, 1]>
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @registers_in_two_orders(%a: memref<16x16xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<16x16xf32>
  %p = iree_vector_ext.to_simt %x : vector<16x16xf32> -> vector<4x2xf32>
  %q = vector.shape_cast %p : vector<4x2xf32> to vector<2x2x1x1x2x1xf32>
  // expected-error @+1 {{has a lane's part as 'vector<2x2x1x1x2x1xf32>', and code of this lane another as 'vector<4x2xf32>', in which registers are in another order; give both one shape}}
  %y = iree_vector_ext.to_simd %q : vector<2x2x1x1x2x1xf32> -> vector<16x16xf32>
  vector.transfer_write %y, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
