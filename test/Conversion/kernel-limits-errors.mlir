// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 --split-input-file --verify-diagnostics

// What a kernel asks of a launch that no launch gives.

gpu.module @kernels {
  // expected-error@+1 {{has 2048 lanes per workgroup, sm_80 allows 1024}}
  gpu.func @many_lanes() kernel attributes {known_block_size = array<i32: 1024, 2, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{argument 1 of type 'vector<4xf32>' cannot be passed to a kernel, which takes memrefs and scalars}}
  gpu.func @vector_argument(%x: f32, %v: vector<4xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{argument 0 of type 'memref<4xvector<4xf32>>' has elements that are not scalars}}
  gpu.func @memory_of_vectors(%m: memref<4xvector<4xf32>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @which_subgroup(%o: memref<64xindex>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %id = gpu.thread_id x
    // expected-error@+1 {{'gpu.subgroup_id' op needs the subgroup_size of translation_info}}
    %s = gpu.subgroup_id : index
    memref.store %s, %o[%id] : memref<64xindex>
    gpu.return
  }
}

// -----

gpu.module @first {
  // expected-note@+1 {{the other one}}
  gpu.func @twice() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}
gpu.module @second {
  // expected-error@+1 {{has a name that another has, and both are emitted}}
  gpu.func @twice() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 of type 'memref<4x4xf32, strided<[8, 1], offset: 2>, #gpu.address_space<workgroup>>' lies in workgroup memory, and is not row-major from offset 0, with nothing or something between rows; take the whole buffer and a memref.subview of it}}
  gpu.func @part_of_workgroup_memory(%a: memref<4x4xf32, strided<[8, 1], offset: 2>, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 of type 'memref<4x4xf32, strided<[3, 1]>, #gpu.address_space<workgroup>>' lies in workgroup memory, and is not row-major from offset 0, with nothing or something between rows}}
  gpu.func @rows_that_overlap(%a: memref<4x4xf32, strided<[3, 1]>, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 1 of type 'memref<4xf32, #gpu.address_space<workgroup>>' lies in workgroup memory, which ends with the workgroup: it is no result and no workspace of a launch}}
  gpu.func @result_in_workgroup_memory(%x: f32, %a: memref<4xf32, #gpu.address_space<workgroup>> {iree.abi.output = 0 : index}) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @as_much_as_asked_for(%n: index, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'memref.alloc' op of workgroup memory needs a static shape and no layout}}
    %m = memref.alloc(%n) : memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %x, %m[%c0] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @two_instructions() kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %fa = arith.constant dense<0.0> : vector<2x1x2x2xf16>
    %fb = arith.constant dense<0.0> : vector<1x1x1x2xf16>
    %acc = arith.constant dense<0.0> : vector<2x1x2x2xf32>
    // expected-error@+1 {{has more than one instruction's fragments; lower-vectors unrolls it}}
    %d = iree_codegen.inner_tiled ins(%fa, %fb) outs(%acc) {indexing_maps = [#mk, #kn, #mn], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>}
      : vector<2x1x2x2xf16>, vector<1x1x1x2xf16> into vector<2x1x2x2xf32>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 of type 'memref<4xf32, #gpu.address_space<workgroup>>' lies in workgroup memory, and its llvm.align is more than the target has of that; ask for less}}
  gpu.func @aligned_beyond_memory(%a: memref<4xf32, #gpu.address_space<workgroup>> {llvm.align = 1048576 : i64}) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    gpu.return
  }
}
