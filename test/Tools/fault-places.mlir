// A fault names the lane where a subgroup has several, and the workgroup alone where it has one.
// RUN: not distaff run %s --target sm_80 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not distaff run %s --target host:avx2 --device simt 2>&1 | FileCheck %s --check-prefix=HOST
// GPU: error: 'memref.store' op out of bounds: lane 0 of subgroup 0 in workgroup (8, 0, 0) uses index 8 in dimension 0 of arg0, whose extent is 8
// HOST: error: 'memref.store' op out of bounds: workgroup (8, 0, 0) uses index 8 in dimension 0 of arg0, whose extent is 8

func.func @outside(%a: memref<8xf32>) {
  %z = arith.constant 1.0 : f32
  scf.forall (%i) in (9) {
    memref.store %z, %a[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
