// Workgroup memory that matrix loads read is permuted by 16 bytes within its rows,
// if every access can follow.
// RUN: distaff-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(distaff-form-matrix-loads{target=sm_80},cse)))" | FileCheck %s

#k = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
!a = memref<72x16xf16, #gpu.address_space<workgroup>>
!fragment = vector<1x1x4x2xf16>
!acc = vector<1x1x2x2xf32>
gpu.module @kernels {
  // Four rows of 32 bytes meet all banks; the halves of the next four are swapped,
  // for the lanes' own stores and loads of halves as for matrix loads.
  // CHECK-LABEL: @halves_of_rows
  // CHECK: %[[A:.*]] = memref.alloc
  // CHECK: %[[LANE:.*]] = gpu.lane_id
  // CHECK: %[[FOUR:.*]] = arith.shrui %[[LANE]], %c2
  // CHECK: %[[ODD:.*]] = arith.andi %[[FOUR]], %c1
  // CHECK: %[[SWAP:.*]] = arith.shli %[[ODD]], %c3
  // CHECK: %[[AT:.*]] = arith.xori %c8, %[[SWAP]]
  // CHECK: vector.store %{{.*}}, %[[A]][%[[LANE]], %[[AT]]]
  // CHECK: vector.load %[[A]][%[[LANE]], %[[AT]]]
  // CHECK: %[[ROW:.*]] = arith.xori
  // CHECK: nvgpu.ldmatrix %[[A]][%{{.*}}, %[[ROW]]]
  gpu.func @halves_of_rows(%c: !acc, %h: vector<8xf16>, %o: memref<32xf32>, %r: memref<32x8xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %b = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %g8 = arith.addi %g, %c8 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    vector.store %h, %a[%lane, %c8] : !a, vector<8xf16>
    gpu.barrier
    %half = vector.load %a[%lane, %c8] : !a, vector<8xf16>
    vector.store %half, %r[%lane, %c0] : memref<32x8xf16>, vector<8xf16>
    %p0 = vector.load %a[%g, %k] : !a, vector<2xf16>
    %p1 = vector.load %a[%g8, %k] : !a, vector<2xf16>
    %p2 = vector.load %a[%g, %k8] : !a, vector<2xf16>
    %p3 = vector.load %a[%g8, %k8] : !a, vector<2xf16>
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

  // A store of two rows has one index for both, and their halves may lie
  // differently: nothing is permuted.
  // CHECK-LABEL: @two_rows
  // CHECK-NOT: arith.xori
  // CHECK: nvgpu.ldmatrix
  gpu.func @two_rows(%c: !acc, %h: vector<2x2xf16>, %o: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %b = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %g8 = arith.addi %g, %c8 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    %c1 = arith.constant 1 : index
    %even = arith.muli %lane, %c2 : index
    %odd = arith.addi %even, %c1 : index
    vector.store %h, %a[%odd, %c8] : !a, vector<2x2xf16>
    gpu.barrier
    %p0 = vector.load %a[%g, %k] : !a, vector<2xf16>
    %p1 = vector.load %a[%g8, %k] : !a, vector<2xf16>
    %p2 = vector.load %a[%g, %k8] : !a, vector<2xf16>
    %p3 = vector.load %a[%g8, %k8] : !a, vector<2xf16>
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
}
