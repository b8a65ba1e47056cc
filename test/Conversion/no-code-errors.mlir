// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 --split-input-file --verify-diagnostics
// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @memory_of_the_launch(%x: i8) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error-re @+1 {{'gpu.dynamic_shared_memory' op has no code for {{sm_80|gfx942}}: a launch allocates what the kernel's own buffers take; make one by memref.alloc, of static shape in workgroup memory}}
    %m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    memref.store %x, %m[%c0] : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @scope_of_a_value(%x: f32, %out: memref<4xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error-re @+1 {{'memref.alloca_scope' op has no code for {{sm_80|gfx942}}: private memory lives as long as the kernel; move its ops out of the scope}}
    %r = memref.alloca_scope -> f32 {
      %a = memref.alloca() : memref<4xf32>
      memref.store %x, %a[%c0] : memref<4xf32>
      %l = memref.load %a[%c0] : memref<4xf32>
      memref.alloca_scope.return %l : f32
    }
    memref.store %r, %out[%c0] : memref<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @extents_in_an_array(%m: memref<4xf32>, %s: memref<2xindex>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error-re @+1 {{'memref.reshape' op has no code for {{sm_80|gfx942}}: memref.reinterpret_cast takes extents that are values, not an array of them}}
    %r = memref.reshape %m(%s) : (memref<4xf32>, memref<2xindex>) -> memref<?x?xf32>
    memref.store %x, %r[%c0, %c0] : memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @update_with_a_body(%m: memref<4xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error-re @+1 {{'memref.generic_atomic_rmw' op has no code for {{sm_80|gfx942}}: no instruction does this update; distaff-lower-atomics makes a loop of it}}
    %r = memref.generic_atomic_rmw %m[%c0] : memref<4xf32> {
    ^bb0(%old: f32):
      %new = arith.mulf %old, %x : f32
      memref.atomic_yield %new : f32
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @atomic_product(%m: memref<4xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error-re @+1 {{'memref.atomic_rmw' op has no code for {{sm_80|gfx942}}: no instruction does this update; distaff-lower-atomics makes a loop of it}}
    %r = memref.atomic_rmw mulf %x, %m[%c0] : (f32, memref<4xf32>) -> f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // LLVM packs the elements of a vector, and memory does not.
  gpu.func @several_at_once(%m: memref<4xi48>, %n: memref<4xi64>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error-re @+1 {{'vector.load' op has no code for {{sm_80|gfx942}}: in memory a gap follows each 'i48'; distaff-lower-vectors accesses them one by one}}
    %v = vector.load %m[%c0] : memref<4xi48>, vector<2xi48>
    vector.store %v, %m[%c0] : memref<4xi48>, vector<2xi48>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @several_bits_at_once(%m: memref<4xi1>, %b: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = vector.broadcast %b : i1 to vector<4xi1>
    // expected-error-re @+1 {{'vector.store' op has no code for {{sm_80|gfx942}}: in memory a gap follows each 'i1'}}
    vector.store %v, %m[%c0] : memref<4xi1>, vector<4xi1>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @rotation(%out: memref<64xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %id = gpu.thread_id x
    // The first op without a pattern is named, where it stands.
    // expected-error-re @+1 {{'gpu.rotate' op has no code for {{sm_80|gfx942}}: gpu.shuffle idx, from the lane that is rotated here, does the same}}
    %r, %valid = gpu.rotate %x, 1, 16 : f32
    %s = gpu.all_reduce add %r {} : (f32) -> f32
    memref.store %s, %out[%id] : memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @sum_over_a_workgroup(%out: memref<64xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %id = gpu.thread_id x
    // expected-error-re @+1 {{'gpu.all_reduce' op has no code for {{sm_80|gfx942}}: gpu.subgroup_reduce, and workgroup memory between subgroups, do the same; so does vector.multi_reduction before distribute}}
    %s = gpu.all_reduce add %x {} : (f32) -> f32
    memref.store %s, %out[%id] : memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @none_of_ours() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error-re @+1 {{'gpu.alloc' op has no code for {{sm_80|gfx942}}: write it with ops of arith, math, scf, memref or vector}}
    %m = gpu.alloc () : memref<64xf32>
    gpu.dealloc %m : memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @types_that_do_not_meet(%x: f32, %m: memref<4xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error-re @+1 {{has no code for {{sm_80|gfx942}}: it leaves a value of type 'f32' that others take as 'i32'}}
    %y = builtin.unrealized_conversion_cast %x : f32 to i32
    memref.store %y, %m[%c0] : memref<4xi32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @prints(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error-re @+1 {{'vector.print' op has no code for {{sm_80|gfx942}}: no launch prints; remove it, what a kernel computes is written to files by distaff run --output}}
    vector.print %x : f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @four_bits(%x: f4E2M1FN, %out: memref<f32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error-re @+1 {{'arith.extf' op has no code for {{sm_80|gfx942}}: nothing converts f4E2M1FN; of the floats below 16 bits there are f8E4M3FN, f8E5M2, f8E4M3FNUZ and f8E5M2FNUZ, so convert the data to one of them beforehand}}
    %w = arith.extf %x : f4E2M1FN to f32
    memref.store %w, %out[] : memref<f32>
    gpu.return
  }
}
