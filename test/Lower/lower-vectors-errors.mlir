// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-vectors{target=sm_80})))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error@+1 {{has vector arguments or results; a kernel takes and returns them through memory}}
  gpu.func @vector_argument(%v: vector<4xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_rule(%m: memref<4xf32>, %b: i1) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %m[%c0] : memref<4xf32>, vector<4xf32>
    // expected-error@+1 {{'vector.print' op has no lowering to registers}}
    vector.print %v : vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @tensor_access(%t: tensor<4xf32>, %m: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    // expected-error@+1 {{accesses a tensor; bufferize first}}
    %v = vector.transfer_read %t[%c0], %z {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
    vector.store %v, %m[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Nobody spills so much, and nothing is unrolled to find out.
  gpu.func @more_than_a_lane_holds(%m: memref<8x128xf32>, %o: memref<1048577xf32>) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    // expected-error@+1 {{about 1048577 registers per lane hold vectors here, more than the 65536 that can be spilled to memory; make the tiles smaller or take more lanes}}
    %v = vector.transfer_read %m[%c0, %c0], %z : memref<8x128xf32>, vector<1048577xf32>
    vector.transfer_write %v, %o[%c0] : vector<1048577xf32>, memref<1048577xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Four bytes are a register.
  gpu.func @bytes(%m: memref<262145xi8>, %x: i8) kernel {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{about 65537 registers per lane hold vectors here}}
    %v = vector.broadcast %x : i8 to vector<262145xi8>
    vector.store %v, %m[%c0] : memref<262145xi8>, vector<262145xi8>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @carried_by_a_loop(%n: index, %m: memref<65537xf64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{about 131074 registers per lane hold vectors here}}
    %s = arith.constant dense<0.0> : vector<65537xf64>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s) -> vector<65537xf64> {
      scf.yield %a : vector<65537xf64>
    }
    vector.store %r, %m[%c0] : memref<65537xf64>, vector<65537xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @bits(%n: index, %m: memref<4xi32>) kernel {
    // expected-error@+1 {{about 65537 registers per lane hold vectors here}}
    %b = vector.create_mask %n : vector<262145xi1>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @scalable(%x: f32, %m: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'vector.broadcast' op 'vector<[4]xf32>' is scalable, and a lane of sm_80 has a fixed number of registers; take one such as 'vector<4xf32>'}}
    %v = vector.broadcast %x : f32 to vector<[4]xf32>
    vector.store %v, %m[%c0] : memref<4xf32>, vector<[4]xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @scale(%m: memref<4xindex>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'vector.vscale' op is the scale of scalable vectors, and a lane of sm_80 has a fixed number of registers; take sizes without it}}
    %v = vector.vscale
    memref.store %v, %m[%c0] : memref<4xindex>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @memory_of_vectors(%m: memref<4xvector<4xf32>>, %n: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %p = arith.constant dense<0.0> : vector<4xf32>
    // expected-error@+1 {{'vector.transfer_read' op accesses a memref of vectors; take memory of scalars}}
    %v = vector.transfer_read %m[%c0], %p : memref<4xvector<4xf32>>, vector<1x4xf32>
    %w = vector.shape_cast %v : vector<1x4xf32> to vector<4xf32>
    vector.store %w, %n[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @numbers_in_a_file(%m: memref<4xi32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'arith.constant' op is a vector constant with no dense value; write its elements out, as dense<[...]>}}
    %v = arith.constant dense_resource<numbers> : vector<4xi32>
    vector.store %v, %m[%c0] : memref<4xi32>, vector<4xi32>
    gpu.return
  }
}

{-#
  dialect_resources: { builtin: { numbers: "0x0400000001000000" } }
#-}
