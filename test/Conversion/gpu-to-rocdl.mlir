// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 | FileCheck %s

#t = #iree_codegen.translation_info<subgroup_size = 64>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.module @kernels {
  // A branch on the subgroup's id is the subgroup's: one side runs, not both with
  // lanes off. Of one subgroup there is nothing to ask.
  // CHECK-LABEL: llvm.func @ids
  // CHECK-DAG: rocdl.workitem.id.x range <i32, 0, 64>
  // CHECK-DAG: rocdl.workitem.id.y range <i32, 0, 2>
  // CHECK: llvm.udiv
  // CHECK: %[[ID:.*]] = rocdl.readfirstlane %{{.*}} : i32
  // CHECK: llvm.zext %[[ID]] : i32 to i64
  gpu.func @ids(%o: memref<4xindex>) kernel attributes {known_block_size = array<i32: 64, 2, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %s = gpu.subgroup_id : index
    memref.store %s, %o[%c0] : memref<4xindex>
    gpu.return
  }
  // CHECK-LABEL: llvm.func @one_subgroup
  // CHECK-NOT: tid
  // CHECK: llvm.return
  gpu.func @one_subgroup(%o: memref<4xindex>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %s = gpu.subgroup_id : index
    memref.store %s, %o[%c0] : memref<4xindex>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @mfma_f16
  // CHECK-SAME: rocdl.flat_work_group_size = "128,128", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 128, 1, 1>
  // CHECK: rocdl.mfma.f32.16x16x16f16 %{{.*}} : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  gpu.func @mfma_f16(%a: memref<4xf16>, %c: memref<4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %va = vector.load %a[%c0] {alignment = 8 : i64} : memref<4xf16>, vector<4xf16>
    %e:4 = vector.to_elements %va : vector<4xf16>
    %fa = vector.from_elements %e#0, %e#1, %e#2, %e#3 : vector<1x1x1x4xf16>
    %fb = vector.from_elements %e#0, %e#1, %e#2, %e#3 : vector<1x1x4x1xf16>
    %acc = arith.constant dense<0.0> : vector<1x1x4x1xf32>
    %d = iree_codegen.inner_tiled ins(%fa, %fb) outs(%acc) {indexing_maps = [#mk, #kn, #mn], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}
      : vector<1x1x1x4xf16>, vector<1x1x4x1xf16> into vector<1x1x4x1xf32>
    %r:4 = vector.to_elements %d : vector<1x1x4x1xf32>
    %v = vector.from_elements %r#0, %r#1, %r#2, %r#3 : vector<4xf32>
    vector.store %v, %c[%c0] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // The 1k forms take the bits of bf16 as i16.
  // CHECK-LABEL: llvm.func @mfma_bf16
  // CHECK: llvm.bitcast %{{.*}} : vector<4xbf16> to vector<4xi16>
  // CHECK: rocdl.mfma.f32.32x32x8bf16.1k %{{.*}} : (vector<4xi16>, vector<4xi16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
  gpu.func @mfma_bf16(%a: memref<4xbf16>, %c: memref<4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %va = vector.load %a[%c0] {alignment = 8 : i64} : memref<4xbf16>, vector<4xbf16>
    %e:4 = vector.to_elements %va : vector<4xbf16>
    %fa = vector.from_elements %e#0, %e#1, %e#2, %e#3 : vector<1x1x1x4xbf16>
    %fb = vector.from_elements %e#0, %e#1, %e#2, %e#3 : vector<1x1x4x1xbf16>
    %acc = arith.constant dense<0.0> : vector<1x1x16x1xf32>
    %d = iree_codegen.inner_tiled ins(%fa, %fb) outs(%acc) {indexing_maps = [#mk, #kn, #mn], kind = #iree_gpu.mma_layout<MFMA_F32_32x32x8_BF16>}
      : vector<1x1x1x4xbf16>, vector<1x1x4x1xbf16> into vector<1x1x16x1xf32>
    %r:16 = vector.to_elements %d : vector<1x1x16x1xf32>
    %v = vector.from_elements %r#0, %r#1, %r#2, %r#3 : vector<4xf32>
    vector.store %v, %c[%c0] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @shuffle
  // CHECK: rocdl.update.dpp {{.*}} with 177, 15, 15, true : i32
  gpu.func @shuffle(%o: memref<4xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %w = arith.constant 64 : i32
    %s, %valid = gpu.shuffle xor %x, %c1, %w : f32
    memref.store %s, %o[%c0] : memref<4xf32>
    gpu.return
  }
}
