// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 --split-input-file --verify-diagnostics

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 1 of type 'memref<?xf32, #gpu.address_space<workgroup>>' lies in workgroup memory, of which a kernel declares how much it takes; give it static extents}}
  gpu.func @dynamic_workgroup_argument(%x: f32, %a: memref<?xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 of type 'memref<4x4xf32, strided<[8, 1]>>' is not row-major from offset 0}}
  gpu.func @strided_argument(%a: memref<4x4xf32, strided<[8, 1]>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{has no known_block_size}}
  gpu.func @no_launch_shape() kernel {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 64>
gpu.module @kernels {
  // expected-error@+1 {{has subgroups of 64 lanes, sm_80 has 32}}
  gpu.func @wrong_subgroup() kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @global_allocation() kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    // expected-error@+1 {{allocates global memory inside a kernel; memory comes from the launch or is workgroup memory}}
    %m = memref.alloc() : memref<4xf32>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{needs 166928 bytes of workgroup memory, sm_80 has 166912}}
  gpu.func @too_much_workgroup_memory() kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    // expected-note@+1 {{allocates 'memref<166912xi8}}
    %m = memref.alloc() : memref<166912xi8, #gpu.address_space<workgroup>>
    // expected-note@+1 {{allocates 'memref<1xi8}}
    %n = memref.alloc() : memref<1xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-note@+1 {{by this one}}
  gpu.func @a_b() kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
  // expected-error@+1 {{is emitted as 'a_b', which is taken}}
  gpu.func @a.b() kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @other_vendors_instruction() kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %fa = arith.constant dense<0.0> : vector<1x1x1x4xf16>
    %fb = arith.constant dense<0.0> : vector<1x1x4x1xf16>
    %acc = arith.constant dense<0.0> : vector<1x1x4x1xf32>
    // expected-error@+1 {{needs MFMA_F32_16x16x16_F16, which sm_80 does not have}}
    %d = iree_codegen.inner_tiled ins(%fa, %fb) outs(%acc) {indexing_maps = [#mk, #kn, #mn], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}
      : vector<1x1x1x4xf16>, vector<1x1x4x1xf16> into vector<1x1x4x1xf32>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 of type 'memref<?xf32>' is a result or a workspace with a dynamic extent, which no launch passes; results give theirs by `iree.abi.extents`}}
  gpu.func @result_without_extents(%r: memref<?xf32> {iree.abi.output = 0 : index}) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 of type 'memref<?xf32>' has `iree.abi.extents` = affine_map<() -> (4, 4)>, needed 1 formulas of the launch's extents}}
  gpu.func @too_many_extents(%r: memref<?xf32> {iree.abi.extents = affine_map<() -> (4, 4)>, iree.abi.output = 0 : index}) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 of type 'memref<?xf32>' has `iree.abi.extents` = affine_map<()[s0] -> (s0)>, needed 0 formulas}}
  gpu.func @extents_of_an_argument(%a: memref<?xf32> {iree.abi.extents = affine_map<()[s0] -> (s0)>}) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 1 has formulas of 2 extents, the launch has 1}}
  gpu.func @formulas_of_other_extents(%a: memref<?xf32>, %r: memref<?xf32> {iree.abi.extents = affine_map<()[s0, s1] -> (s1)>, iree.abi.output = 0 : index}) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}
