// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 | FileCheck %s

#t = #iree_codegen.translation_info<subgroup_size = 64>

gpu.module @kernels {
  // The lower half of a word, the first number in its lower byte. Nothing is
  // corrected: what is too large is NaN already.
  // CHECK-LABEL: llvm.func @there_and_back
  // CHECK: %[[W:.*]] = llvm.zext %{{.*}} : i16 to i32
  // CHECK: rocdl.cvt.pk.f32.bf8 %[[W]][false] : vector<2xf32>
  // CHECK: rocdl.cvt.pk.fp8.f32 %{{.*}}, %{{.*}} -> %{{.*}}[false] : i32
  // CHECK-NOT: llvm.fcmp
  // CHECK: llvm.return
  gpu.func @there_and_back(%x: memref<2xf8E5M2FNUZ>, %y: memref<2xf8E4M3FNUZ>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] {alignment = 2 : i64} : memref<2xf8E5M2FNUZ>, vector<2xf8E5M2FNUZ>
    %e:2 = vector.to_elements %v : vector<2xf8E5M2FNUZ>
    %0 = arith.extf %e#0 : f8E5M2FNUZ to f32
    %1 = arith.extf %e#1 : f8E5M2FNUZ to f32
    %2 = arith.truncf %0 : f32 to f8E4M3FNUZ
    %3 = arith.truncf %1 : f32 to f8E4M3FNUZ
    %w = vector.from_elements %2, %3 : vector<2xf8E4M3FNUZ>
    vector.store %w, %y[%c0] {alignment = 2 : i64} : memref<2xf8E4M3FNUZ>, vector<2xf8E4M3FNUZ>
    gpu.return
  }
}
