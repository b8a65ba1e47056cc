// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 --split-input-file --verify-diagnostics

// What has no form for bytes that several elements share.

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @a_lane_writes_half_a_byte(%a: memref<2xi4>, %i: index, %x: i4) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    // expected-error@+1 {{'memref.store' op writes to an array of 'i4', of which 2 share a byte, and is not known to write whole bytes, without which lanes race; return a tensor, or write vectors whose rows begin and end with a byte, and of which a lane holds 2 neighbours or a multiple}}
    memref.store %x, %a[%i] : memref<2xi4>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @a_lane_writes_from_anywhere(%a: memref<64xi2>, %i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %x = arith.constant dense<1> : vector<4xi2>
    // expected-error@+1 {{'vector.store' op writes to an array of 'i2', of which 4 share a byte, and is not known to write whole bytes}}
    vector.store %x, %a[%i] : memref<64xi2>, vector<4xi2>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @any_place_is_aligned_to_1(%a: memref<64xi4>, %i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %x = arith.constant dense<1> : vector<2xi4>
    // expected-error@+1 {{'vector.store' op writes to an array of 'i4', of which 2 share a byte, and is not known to write whole bytes}}
    vector.store %x, %a[%i] {alignment = 1 : i64} : memref<64xi4>, vector<2xi4>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @an_extent_of_any_dim(%a: memref<?x?xi4>, %r: memref<index>, %i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    // expected-error@+1 {{'memref.dim' op accesses an array of 'i4', of which 2 share a byte, and asks for an extent of it that is not known; give the number of the dimension as a constant}}
    %n = memref.dim %a, %i : memref<?x?xi4>
    memref.store %n, %r[] : memref<index>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @half_a_byte_at_once(%a: memref<64xi4>, %i: index, %x: i4) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    // expected-error@+1 {{'memref.atomic_rmw' op accesses an array of 'i4', of which 2 share a byte, and has no form for its bytes; read it by memref.load, vector.load or vector.transfer_read, of the array or of a view of it, which is a memref.subview, expand_shape, collapse_shape, transpose, reinterpret_cast, assume_alignment or cast}}
    %y = memref.atomic_rmw addi %x, %a[%i] : (i4, memref<64xi4>) -> i4
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @one_array_or_another(%a: memref<64xi4>, %b: memref<64xi4>, %c: i1, %r: memref<i4>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'arith.select' op accesses an array of 'i4', of which 2 share a byte, and has no form for its bytes; read it by memref.load, vector.load or vector.transfer_read, of the array or of a view of it}}
    %s = arith.select %c, %a, %b : memref<64xi4>
    %x = memref.load %s[%c0] : memref<64xi4>
    memref.store %x, %r[] : memref<i4>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 of type 'memref<64xi5>' has elements of which several would share a byte and some lie in two; arrays of i2 and i4 are packed, of other integers below 8 bits pass an array of i8 that holds one each}}
  gpu.func @two_bytes_of_an_element(%a: memref<64xi5>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    gpu.return
  }
}
