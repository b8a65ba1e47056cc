// Ops of amx in an author's kernel, on the machine and as code (VX-151).
// REQUIRES: host-avx2

// RUN: distaff run %s --target host:amx --check %host_stages
// RUN: distaff compile %s --target host:amx --emit asm | FileCheck %s
// CHECK: tdpbssd
// CHECK: tdpbf16ps

func.func @products(%a: memref<16x64xi8>, %b: memref<16x64xi8>, %c: memref<16x32xbf16>, %o: memref<16x16xi32>, %p: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %x = amx.tile_load %a[%c0, %c0] : memref<16x64xi8> into !amx.tile<16x64xi8>
  %y = amx.tile_load %b[%c0, %c0] : memref<16x64xi8> into !amx.tile<16x64xi8>
  %z = amx.tile_zero : !amx.tile<16x16xi32>
  %r = amx.tile_muli %x, %y, %z : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
  amx.tile_store %o[%c0, %c0], %r : memref<16x16xi32>, !amx.tile<16x16xi32>
  %u = amx.tile_load %c[%c0, %c0] : memref<16x32xbf16> into !amx.tile<16x32xbf16>
  %v = amx.tile_zero : !amx.tile<16x16xf32>
  %w = amx.tile_mulf %u, %u, %v : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
  amx.tile_store %p[%c0, %c0], %w : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}
