// RUN: distaff run %s --target sm_80 --stop-after=input --input arg0=random:1 --input arg1=0 --output arg2=%t.npy
// RUN: distaff run %s --target sm_80 --stop-after=lower --input arg0=random:1 --input arg1=0 --output arg2=%t.lowered.npy
// RUN: cmp %t.npy %t.lowered.npy
// A block has an argument of its own in every lane: what lies at it is read lane by lane.

#k = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
!a = memref<64x16xf16, #gpu.address_space<workgroup>>
!fragment = vector<1x1x4x2xf16>
!acc = vector<1x1x2x2xf32>
gpu.module @kernels {
  gpu.func @arg(%in: memref<64x16xf16>, %i: index, %o: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c = arith.constant dense<0.0> : !acc
    %b = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %one = arith.constant 1.0 : f32
    %lane = gpu.lane_id
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %below = arith.addi %lane, %c32 : index
    %s0 = vector.load %in[%lane, %c0] : memref<64x16xf16>, vector<8xf16>
    %s1 = vector.load %in[%lane, %c8] : memref<64x16xf16>, vector<8xf16>
    %s2 = vector.load %in[%below, %c0] : memref<64x16xf16>, vector<8xf16>
    %s3 = vector.load %in[%below, %c8] : memref<64x16xf16>, vector<8xf16>
    gpu.barrier
    vector.store %s0, %a[%lane, %c0] : !a, vector<8xf16>
    vector.store %s1, %a[%lane, %c8] : !a, vector<8xf16>
    vector.store %s2, %a[%below, %c0] : !a, vector<8xf16>
    vector.store %s3, %a[%below, %c8] : !a, vector<8xf16>
    gpu.barrier
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    %row = gpu.thread_id x
    %other = gpu.block_id x
    %first = arith.cmpi eq, %other, %c2 : index
    cf.cond_br %first, ^side, ^next(%row : index)
  ^side:
    memref.store %one, %o[%c2] : memref<32xf32>
    cf.br ^next(%i : index)
  ^next(%start: index):
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
}
