// Rows that begin elsewhere in each lane are no tile, in whatever order a function
// has the blocks that compute where.
// RUN: distaff-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(distaff-form-matrix-loads{target=sm_80},cse)))" | FileCheck %s

#k = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
!a = memref<72x16xf16, #gpu.address_space<workgroup>>
!fragment = vector<1x1x4x2xf16>
!acc = vector<1x1x2x2xf32>
gpu.module @kernels {
  // CHECK-LABEL: @same_in_all_lanes
  // CHECK: nvgpu.ldmatrix
  gpu.func @same_in_all_lanes(%c: !acc, %o: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %b = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    %row = gpu.block_id x
    %start = arith.remui %row, %c8 : index
    %m = arith.addi %start, %g : index
    %m8 = arith.addi %m, %c8 : index
    %p0 = vector.load %a[%m, %k] : !a, vector<2xf16>
    %p1 = vector.load %a[%m8, %k] : !a, vector<2xf16>
    %p2 = vector.load %a[%m, %k8] : !a, vector<2xf16>
    %p3 = vector.load %a[%m8, %k8] : !a, vector<2xf16>
    %e0:2 = vector.to_elements %p0 : vector<2xf16>
    %e1:2 = vector.to_elements %p1 : vector<2xf16>
    %e2:2 = vector.to_elements %p2 : vector<2xf16>
    %e3:2 = vector.to_elements %p3 : vector<2xf16>
    %f = vector.from_elements %e0#0, %e0#1, %e1#0, %e1#1, %e2#0, %e2#1, %e3#0, %e3#1 : !fragment
    %d = iree_codegen.inner_tiled ins(%f, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #k} : !fragment, vector<1x1x2x2xf16> into !acc
    %parts:4 = vector.to_elements %d : !acc
    memref.store %parts#0, %o[%lane] : memref<32xf32>
    gpu.return
  }

  // CHECK-LABEL: @of_each_lane
  // CHECK-NOT: nvgpu.ldmatrix
  gpu.func @of_each_lane(%c: !acc, %o: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %b = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    cf.br ^row
  ^loads:
    %start = arith.remui %row, %c8 : index
    %m = arith.addi %start, %g : index
    %m8 = arith.addi %m, %c8 : index
    %p0 = vector.load %a[%m, %k] : !a, vector<2xf16>
    %p1 = vector.load %a[%m8, %k] : !a, vector<2xf16>
    %p2 = vector.load %a[%m, %k8] : !a, vector<2xf16>
    %p3 = vector.load %a[%m8, %k8] : !a, vector<2xf16>
    %e0:2 = vector.to_elements %p0 : vector<2xf16>
    %e1:2 = vector.to_elements %p1 : vector<2xf16>
    %e2:2 = vector.to_elements %p2 : vector<2xf16>
    %e3:2 = vector.to_elements %p3 : vector<2xf16>
    %f = vector.from_elements %e0#0, %e0#1, %e1#0, %e1#1, %e2#0, %e2#1, %e3#0, %e3#1 : !fragment
    %d = iree_codegen.inner_tiled ins(%f, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #k} : !fragment, vector<1x1x2x2xf16> into !acc
    %parts:4 = vector.to_elements %d : !acc
    memref.store %parts#0, %o[%lane] : memref<32xf32>
    gpu.return
  ^row:
    %row = gpu.thread_id x
    cf.br ^loads
  }
}
