// RUN: distaff-opt %s --split-input-file --verify-diagnostics

// VX-48: what a matrix store may not be.

#shared = #gpu.address_space<workgroup>
func.func @global(%a: vector<2xf16>, %m: memref<8x8xf16>, %i: index) {
  // expected-error @+1 {{stores into workgroup memory, got 'memref<8x8xf16>'}}
  distaff.stmatrix %a into %m[%i, %i] : vector<2xf16> into memref<8x8xf16>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @indices(%a: vector<2xf16>, %m: memref<8x8xf16, #shared>, %i: index) {
  // expected-error @+1 {{needs one index per dimension of the memref, 2, got 1}}
  distaff.stmatrix %a into %m[%i] : vector<2xf16> into memref<8x8xf16, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @three(%a: vector<2xf16>, %m: memref<8x8xf16, #shared>, %i: index) {
  // expected-error @+1 {{stores 1, 2 or 4 tiles, got 3}}
  distaff.stmatrix %a, %a, %a into %m[%i, %i] : vector<2xf16>, vector<2xf16>, vector<2xf16> into memref<8x8xf16, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @other_elements(%a: vector<2xbf16>, %m: memref<8x8xf16, #shared>, %i: index) {
  // expected-error @+1 {{stores elements of 'vector<2xbf16>' into 'memref<8x8xf16}}
  distaff.stmatrix %a into %m[%i, %i] : vector<2xbf16> into memref<8x8xf16, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @word(%a: vector<4xf16>, %m: memref<8x8xf16, #shared>, %i: index) {
  // expected-error @+1 {{stores words of 32 bits, got 'vector<4xf16>'}}
  distaff.stmatrix %a into %m[%i, %i] : vector<4xf16> into memref<8x8xf16, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @transposed_bytes(%a: vector<4xi8>, %m: memref<8x16xi8, #shared>, %i: index) {
  // expected-error @+1 {{transposes elements of 16 bits, got 'i8'}}
  distaff.stmatrix %a into %m[%i, %i] {transpose} : vector<4xi8> into memref<8x16xi8, #shared>
  return
}
