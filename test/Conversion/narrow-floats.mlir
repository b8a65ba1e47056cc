// RUN: distaff-opt %s --split-input-file --distaff-convert-gpu-to-nvvm=target=sm_90a | FileCheck %s

#t = #iree_codegen.translation_info<subgroup_size = 32>

gpu.module @kernels {
  // Neighbours go in pairs, the second in the upper byte, and what saturated is
  // corrected.
  // CHECK-LABEL: llvm.func @pairs
  // CHECK: nvvm.convert.f32x2.to.f8x2 %[[SECOND:.*]], %[[FIRST:.*]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>{{ ?}}(f8E4M3FN)
  // CHECK: llvm.intr.fabs(%[[FIRST]])
  // CHECK: llvm.fcmp "oge"
  // CHECK: llvm.zext %{{.*}} : i1 to i8
  // CHECK: llvm.add
  // CHECK: nvvm.convert.f32x2.to.f8x2
  // CHECK-NOT: nvvm.convert
  gpu.func @pairs(%x: memref<4xf32>, %y: memref<4xf8E4M3FN>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
    %e:4 = vector.to_elements %v : vector<4xf32>
    %0 = arith.truncf %e#0 : f32 to f8E4M3FN
    %1 = arith.truncf %e#1 : f32 to f8E4M3FN
    %2 = arith.truncf %e#2 : f32 to f8E4M3FN
    %3 = arith.truncf %e#3 : f32 to f8E4M3FN
    %w = vector.from_elements %0, %1, %2, %3 : vector<4xf8E4M3FN>
    vector.store %w, %y[%c0] {alignment = 4 : i64} : memref<4xf8E4M3FN>, vector<4xf8E4M3FN>
    gpu.return
  }

  // One alone has a zero beside it; widening is exact.
  // CHECK-LABEL: llvm.func @alone
  // CHECK: nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>{{ ?}}(f8E4M3FN) -> vector<2xf16>
  // CHECK-NOT: llvm.fcmp
  // CHECK: llvm.return
  gpu.func @alone(%x: memref<4xf8E4M3FN>, %y: memref<4xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xf8E4M3FN>
    %w = arith.extf %v : f8E4M3FN to f16
    memref.store %w, %y[%c0] : memref<4xf16>
    gpu.return
  }
}
