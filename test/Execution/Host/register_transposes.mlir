// Transposes of a CPU's registers are n log n shuffles of two registers, for which LLVM has an instruction each: rows of
// #distaff.target_op for them would name what the instruction selector finds (VX-219).
// REQUIRES: host-avx2

// RUN: distaff run %s --target host --device host --check --func t4
// RUN: distaff run %s --target host --device host --check --func t8
// RUN: distaff run %s --target host --device host --check --func t16
// RUN: distaff compile %s --target host:avx512 --emit asm | FileCheck %s --check-prefix=AVX512
// AVX512-LABEL: {{^}}t4__workgroups:
// AVX512-COUNT-8: {{vmovlhps|vunpck[hl]p[sd]|vperm[it]2p[sd]}}
// AVX512-NOT: {{vperm|vunpck|vshuf|vinsert|vextract|vmovss|gather}}
// AVX512-LABEL: {{^}}t8__workgroups:
// AVX512-COUNT-24: {{vperm2f128|vunpck[hl]p[sd]|vperm[it]2p[sd]}}
// AVX512-NOT: {{vperm|vunpck|vshuf|vinsert|vextract|vmovss|gather}}
// AVX512-LABEL: {{^}}t16__workgroups:
// AVX512-COUNT-64: {{vinsertf64x4|vshuff64x2|vunpck[hl]p[sd]|vperm[it]2p[sd]}}
// AVX512-NOT: {{vperm|vunpck|vshuf|vinsert|vextract|vmovss|gather}}

// RUN: distaff compile %s --target host:avx2 --emit asm | FileCheck %s --check-prefix=AVX2
// AVX2-LABEL: {{^}}t8__workgroups:
// AVX2-COUNT-32: {{vperm2f128|vunpck[hl]p[sd]|vshufps}}
// AVX2-NOT: {{vperm|vunpck|vshuf|vinsert|vextract|vmovss|gather}}
// AVX2-LABEL: {{^}}t16__workgroups:

// The same code has 8 shuffles of 4 x 4 on an AArch64 CPU.
// RUN: distaff compile %s --target host:avx2 --func t4 --emit llvm | sed -e '/^target /d' -e '/^attributes /d' -e 's/ #[0-9]*//' | llc -O3 -mtriple=aarch64-linux-gnu | FileCheck %s --check-prefix=NEON
// NEON-LABEL: {{^}}t4__workgroups:
// NEON-COUNT-8: {{zip[12]|trn[12]|mov	v[0-9]+.d\[}}
// NEON-NOT: {{zip|trn|tbl|ins|ld1}}
// NEON: ret

func.func @t4(%a: memref<4x4xf32>, %o: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x4xf32>, vector<4x4xf32>
  %y = vector.transpose %x, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
  return
}

func.func @t8(%a: memref<8x8xf32>, %o: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf32>, vector<8x8xf32>
  %y = vector.transpose %x, [1, 0] : vector<8x8xf32> to vector<8x8xf32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32>
  return
}

func.func @t16(%a: memref<16x16xf32>, %o: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %y = vector.transpose %x, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
