// RUN: distaff run %s --target sm_80 --check --every-stage --input arg3=11 --input arg4=7 --input arg5=30 --counters | FileCheck %s --check-prefixes=RIGHT,TWO
// RUN: distaff run %s --target sm_80 --check --every-stage --input arg3=16 --input arg4=9 --input arg5=64 --counters | FileCheck %s --check-prefixes=RIGHT,FOUR
// RUN: distaff run %s --target sm_80 --check --every-stage --input arg3=0 --input arg4=8 --input arg5=1 | FileCheck %s --check-prefix=RIGHT
// RUN: distaff run %s --target sm_80 --check --device ptx --input arg3=5 --input arg4=8 --input arg5=17 --counters | FileCheck %s --check-prefix=TWO

// VX-88, VX-98: a matrix product of ragged extents, its mask made in the loop over
// K; the operands are laid out by the user. Instructions multiply all the same.

// RIGHT: distribute {{.*}} ok
// RIGHT: convert {{.*}} ok
// TWO: mma                   2
// FOUR: mma                   4

#A = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#B = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @bounds_in_a_loop(%a: memref<16x64xf16>, %b: memref<8x64xf16>, %c: memref<16x8xf32>, %m: index, %n: index, %k: index) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f16
  %z32 = arith.constant 0.0 : f32
  %acc = vector.transfer_read %c[%c0, %c0], %z32 {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %r = scf.for %i = %c0 to %k step %c16 iter_args(%s = %acc) -> (vector<16x8xf32>) {
    %left = arith.subi %k, %i : index
    %x0 = vector.transfer_read %a[%c0, %i], %z : memref<16x64xf16>, vector<16x16xf16>
    %y0 = vector.transfer_read %b[%c0, %i], %z : memref<8x64xf16>, vector<8x16xf16>
    %x = iree_vector_ext.to_layout %x0 to layout(#A) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<16x16xf16>
    %y = iree_vector_ext.to_layout %y0 to layout(#B) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<8x16xf16>
    %in = vector.create_mask %m, %n, %left : vector<16x8x16xi1>
    %p = vector.mask %in { vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %s : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf32> } : vector<16x8x16xi1> -> vector<16x8xf32>
    scf.yield %p : vector<16x8xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}
