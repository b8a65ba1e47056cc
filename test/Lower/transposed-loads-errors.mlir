// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-vectors{target=gfx950})))' --split-input-file --verify-diagnostics
// Loads that transpose elements of other sizes are refused (VX-178).

gpu.module @m {
  gpu.func @bytes(%o: memref<8xi8>) kernel {
    %c0 = arith.constant 0 : index
    %s = memref.alloc() : memref<256xi8, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'amdgpu.transpose_load' op reads 'vector<8xi8>', and transposing loads of elements of 16 bits alone are supported; read elements one by one}}
    %x = amdgpu.transpose_load %s[%c0] : memref<256xi8, #gpu.address_space<workgroup>> -> vector<8xi8>
    vector.store %x, %o[%c0] : memref<8xi8>, vector<8xi8>
    gpu.return
  }
}
