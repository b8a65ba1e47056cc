// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-vectors{target=sm_75})))' --split-input-file --verify-diagnostics
// MMA ops of lane code that are no instruction of the target, or say more than one does (VX-143).

gpu.module @m {
  gpu.func @shape_of_another_target(%o: memref<2x2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : vector<4x2xf16>
    %b = arith.constant dense<1.0> : vector<2x2xf16>
    %c = arith.constant dense<1.0> : vector<2x2xf32>
    // expected-error @+1 {{'nvgpu.mma.sync' op multiplies 16x8x16 of 'vector<4x2xf16>', 'vector<2x2xf16>' and 'vector<2x2xf32>' per lane, which is no instruction of sm_75; `distaff targets sm_75` lists those that there are}}
    %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    vector.store %d, %o[%c0, %c0] : memref<2x2xf32>, vector<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f32_in_full(%o: memref<2x2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : vector<4x1xf32>
    %b = arith.constant dense<1.0> : vector<2x1xf32>
    %c = arith.constant dense<1.0> : vector<2x2xf32>
    // expected-error @+1 {{'nvgpu.mma.sync' op multiplies f32, of which instructions read the upper 19 bits only; say so by tf32Enabled}}
    %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 8]} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    vector.store %d, %o[%c0, %c0] : memref<2x2xf32>, vector<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @of_another_vendor(%o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : vector<4xf16>
    %c = arith.constant dense<1.0> : vector<4xf32>
    // expected-error @+1 {{'amdgpu.mfma' op multiplies 16x16x16 of 'vector<4xf16>', 'vector<4xf16>' and 'vector<4xf32>' per lane, which is no instruction of sm_75}}
    %d = amdgpu.mfma 16x16x16 %a * %a + %c blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    vector.store %d, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @several_blocks(%o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = arith.constant 1.0 : f32
    %c = arith.constant dense<1.0> : vector<4xf32>
    // expected-error @+1 {{'amdgpu.mfma' op multiplies 4x4x1 in 16 blocks of 'f32', 'f32' and 'vector<4xf32>' per lane, which is no instruction of sm_75}}
    %d = amdgpu.mfma 4x4x1 %a * %a + %c {blocks = 16 : i32} blgp = none : f32, f32, vector<4xf32>
    vector.store %d, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// VX-176: what MFMA does to blocks and lanes, not on all types.
gpu.module @m {
  gpu.func @permuted_operand(%o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : vector<8xf8E4M3FNUZ>
    %c = arith.constant dense<1.0> : vector<4xf32>
    // expected-error @+1 {{'amdgpu.mfma' op rearranges blocks or lanes (cbsz, abid, blgp), which instructions on its types do not; do that to the operands themselves}}
    %d = amdgpu.mfma 16x16x32 %a * %a + %c blgp = bcast_first_32 : vector<8xf8E4M3FNUZ>, vector<8xf8E4M3FNUZ>, vector<4xf32>
    vector.store %d, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @more_blocks(%a: f32, %o: memref<16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c = arith.constant dense<1.0> : vector<16xf32>
    // expected-error @+1 {{'amdgpu.mfma' op broadcasts one block of A to 8 (cbsz), and the instruction has 4}}
    %d = amdgpu.mfma 16x16x1 %a * %a + %c {blocks = 4 : i32, cbsz = 3 : i32} blgp = none : f32, f32, vector<16xf32>
    vector.store %d, %o[%c0] : memref<16xf32>, vector<16xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @clamped(%o: memref<8xi32>) kernel {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1> : vector<16xi8>
    %c = arith.constant dense<1> : vector<8xi32>
    // expected-error @+1 {{'amdgpu.wmma' op clamps its result or has it in upper halves (subwordOffset 1), which is not supported; leave both away}}
    %d = amdgpu.wmma 16x16x16 %a * %a + %c {clamp} : vector<16xi8>, vector<16xi8>, vector<8xi32>
    vector.store %d, %o[%c0] : memref<8xi32>, vector<8xi32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @four_extents(%o: memref<2x2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : vector<4x2xf16>
    %b = arith.constant dense<1.0> : vector<2x2xf16>
    %c = arith.constant dense<1.0> : vector<2x2xf32>
    // expected-error @+1 {{'nvgpu.mma.sync' op has an mmaShape of 4 extents, an instruction has three}}
    %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16, 4]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    vector.store %d, %o[%c0, %c0] : memref<2x2xf32>, vector<2x2xf32>
    gpu.return
  }
}

// -----

// VX-178: a load that transposes is of one target.
gpu.module @m {
  gpu.func @transposed(%o: memref<4xf16>) kernel {
    %c0 = arith.constant 0 : index
    %s = memref.alloc() : memref<256xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'amdgpu.transpose_load' op is no instruction of sm_75}}
    %x = amdgpu.transpose_load %s[%c0] : memref<256xf16, #gpu.address_space<workgroup>> -> vector<4xf16>
    vector.store %x, %o[%c0] : memref<4xf16>, vector<4xf16>
    gpu.return
  }
}
