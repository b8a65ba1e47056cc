// RUN: distaff-opt %s --distaff-convert-to-host=target=host:amx | FileCheck %s
// The machine sums 32 products of 2 and 1 (0x3F80 in either half of a word) on top of 3.
// RUN: distaff run %s --func k --target host:amx --device simt --input arg0=2 --input arg1=1065369472 --input arg2=3 --output arg2=%t.npy
// RUN: %python -c "import struct, sys; data = struct.unpack('<256f', open(sys.argv[1], 'rb').read()[-4 * 256:]); assert set(data) == {67}, data" %t.npy

// Products of matrices keep the type of their elements while other numbers of
// bf16 become bits, and are not inlined to where the system has not been asked.
// CHECK-LABEL: llvm.func internal @k__workgroups(
// CHECK-SAME: attributes {{.*}}no_inline
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"({{.*}}) : (i16, i16, i16, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx) -> !llvm.x86_amx
// CHECK: llvm.call_intrinsic "llvm.x86.tilestored64.internal"
// CHECK-LABEL: llvm.func @k__task(
func.func @k(%a: memref<16x32xbf16>, %b: memref<16x16xi32>, %c: memref<16x16xf32>) {
  scf.forall (%x) in (1) {
    %c0 = arith.constant 0 : index
    %l = amx.tile_load %a[%c0, %c0] : memref<16x32xbf16> into !amx.tile<16x32xbf16>
    %r = amx.tile_load %b[%c0, %c0] : memref<16x16xi32> into !amx.tile<16x32xbf16>
    %s = amx.tile_load %c[%c0, %c0] : memref<16x16xf32> into !amx.tile<16x16xf32>
    %p = amx.tile_mulf %l, %r, %s : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
    amx.tile_store %c[%c0, %c0], %p : memref<16x16xf32>, !amx.tile<16x16xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// CHECK-LABEL: llvm.func internal @other__workgroups(
// CHECK-NOT: no_inline
// CHECK: llvm.func @other__task(
func.func @other(%c: memref<16xf32>) {
  scf.forall (%x) in (1) {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    memref.store %z, %c[%c0] : memref<16xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
