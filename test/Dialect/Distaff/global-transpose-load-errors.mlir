// RUN: distaff-opt %s --split-input-file --verify-diagnostics

func.func @workgroup_memory(%m: memref<64xf16, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{'distaff.global_transpose_load' op loads from global memory, got 'memref<64xf16, #gpu.address_space<workgroup>>'}}
  %x = distaff.global_transpose_load %m[%i] : memref<64xf16, #gpu.address_space<workgroup>> -> vector<8xf16>
  return
}

// -----

func.func @one_index_of_two(%m: memref<8x8xf16>, %i: index) {
  // expected-error @+1 {{'distaff.global_transpose_load' op needs one index per dimension of the memref, 2, got 1}}
  %x = distaff.global_transpose_load %m[%i] : memref<8x8xf16> -> vector<8xf16>
  return
}

// -----

func.func @bytes(%m: memref<64xi8>, %i: index) {
  // expected-error @+1 {{'distaff.global_transpose_load' op loads 8 elements of 16 bits, those of the memref, got 'vector<8xi8>' of 'memref<64xi8>'}}
  %x = distaff.global_transpose_load %m[%i] : memref<64xi8> -> vector<8xi8>
  return
}
