// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-vectors{target=gfx950})))' --split-input-file --verify-diagnostics
// Loads that transpose elements narrower than a byte are refused (VX-178).

gpu.module @m {
  gpu.func @halves_of_bytes(%o: memref<16xi4>) kernel {
    %c0 = arith.constant 0 : index
    %s = memref.alloc() : memref<256xi4, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'amdgpu.transpose_load' op reads 'vector<16xi4>', and elements narrower than 8 bits take a byte each in workgroup memory, which no transposing load reads; read elements one by one}}
    %x = amdgpu.transpose_load %s[%c0] : memref<256xi4, #gpu.address_space<workgroup>> -> vector<16xi4>
    vector.store %x, %o[%c0] : memref<16xi4>, vector<16xi4>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @of_another_target(%m: memref<256xf16>, %o: memref<8xf16>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'distaff.global_transpose_load' op is no instruction of gfx950}}
    %x = distaff.global_transpose_load %m[%c0] : memref<256xf16> -> vector<8xf16>
    vector.store %x, %o[%c0] : memref<8xf16>, vector<8xf16>
    gpu.return
  }
}
