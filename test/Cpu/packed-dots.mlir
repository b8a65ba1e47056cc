// RUN: distaff-opt %s --distaff-convert-to-host=target=host:avx512bf16 | FileCheck %s

// An instruction has 4, 8 or 16 words: longer vectors are cut, others filled up.
// CHECK-LABEL: llvm.func internal @k__workgroups(
func.func @k(%a: memref<37xi32>, %b: memref<37xi32>, %r: memref<37xi32> {iree.abi.output = 0 : index}, %s: memref<1xf32> {iree.abi.output = 1 : index}) {
  scf.forall (%x) in (1) {
    %c0 = arith.constant 0 : index
    %v = vector.load %a[%c0] : memref<37xi32>, vector<37xi32>
    %w = vector.load %b[%c0] : memref<37xi32>, vector<37xi32>
    // CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
    // CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(
    // CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"({{.*}}) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
    %d = distaff.packed_dot %v as ui8, %w as si8 : vector<37xi32> to vector<37xi32>
    vector.store %d, %r[%c0] : memref<37xi32>, vector<37xi32>
    // CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.128"({{.*}}) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
    // CHECK: llvm.extractelement
    %p = memref.load %a[%c0] : memref<37xi32>
    %q = memref.load %b[%c0] : memref<37xi32>
    %o = memref.load %s[%c0] : memref<1xf32>
    %e = distaff.packed_dot %p as bf16, %q as bf16 plus %o : i32 to f32
    memref.store %e, %s[%c0] : memref<1xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
