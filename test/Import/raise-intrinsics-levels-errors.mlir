// Instructions that a level of the CPU lacks are refused with the level that has
// them (VX-151).
// REQUIRES: host-avx2
// RUN: distaff-opt %s --distaff-raise-intrinsics=target=host:avx2 --split-input-file --verify-diagnostics

func.func @bf16(%s: vector<16xf32>, %a: vector<32xbf16>) -> vector<16xf32> {
  // expected-error @+1 {{'x86vector.avx512.dot' op needs the feature avx512bf16, which host:avx2 lacks; --target host:avx512bf16 has it}}
  %0 = x86vector.avx512.dot %s, %a, %a : vector<32xbf16> -> vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

func.func @compress(%k: vector<16xi1>, %a: vector<16xf32>) -> vector<16xf32> {
  // expected-error @+1 {{'x86vector.avx512.mask.compress' op needs the feature avx512f, which host:avx2 lacks; --target host:avx512 has it}}
  %0 = x86vector.avx512.mask.compress %k, %a : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

func.func @no_level(%a: vector<16xi32>) -> (vector<16xi1>, vector<16xi1>) {
  // expected-error @+1 {{'x86vector.avx512.vp2intersect' op needs the feature avx512vp2intersect, which host:avx2 lacks; no level of host has it, and `host` itself only on a machine that does}}
  %0, %1 = x86vector.avx512.vp2intersect %a, %a : vector<16xi32>
  return %0, %1 : vector<16xi1>, vector<16xi1>
}

// -----

func.func @tiles(%m: memref<16x64xi8>, %i: index) {
  // expected-error @+1 {{'amx.tile_load' op needs the feature amx-tile, which host:avx2 lacks; --target host:amx has it}}
  %0 = amx.tile_load %m[%i, %i] : memref<16x64xi8> into !amx.tile<16x64xi8>
  return
}

// -----

func.func @of_arm(%a: vector<4x4xi8>, %c: vector<4xi32>) -> vector<4xi32> {
  // expected-error @+1 {{'arm_neon.intr.sdot' op is an instruction of AArch64, and this CPU is x86-64; take ops of arith, math and vector, which both have}}
  %0 = arm_neon.2d.sdot %c, %a, %a : vector<4x4xi8>, vector<4x4xi8> to vector<4xi32>
  return %0 : vector<4xi32>
}

// -----

func.func @memory(%m: memref<1xbf16>) -> vector<8xf32> {
  // expected-error @+1 {{'x86vector.avx.bcst_to_f32.packed' op reads memory of bf16, which has no code; load a vector, and extend it}}
  %0 = x86vector.avx.bcst_to_f32.packed %m : memref<1xbf16> -> vector<8xf32>
  return %0 : vector<8xf32>
}
