// RUN: distaff-opt %s --distaff-distribute | FileCheck %s

#translation = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [32, 1, 1] subgroup_size = 32>
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#c = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#k = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
func.func @contract_16x8x16(%a: memref<16x16xf16>, %b: memref<8x16xf16>, %c: memref<16x8xf32>, %d: memref<16x8xf32>)
    attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %f = arith.constant 0.0 : f32
  %0 = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<8x16xf16>, vector<8x16xf16>
  %2 = vector.transfer_read %c[%c0, %c0], %f {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %la = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #k} : vector<16x16xf16>
  %lb = iree_vector_ext.to_layout %1 to layout(#b) {mma_kind = #k} : vector<8x16xf16>
  %lc = iree_vector_ext.to_layout %2 to layout(#c) {mma_kind = #k} : vector<16x8xf32>
  %3 = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %la, %lb, %lc : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf32>
  vector.transfer_write %3, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// One instruction; no data leaves its lane. The A fragment's registers are
// numbered (o_k, o_m, e), the layout's (o_m, o_k, e).

// CHECK-LABEL: func.func @contract_16x8x16
// CHECK-NOT:     memref.alloc
// CHECK-COUNT-4: vector.transfer_read {{.*}} memref<16x16xf16>, vector<1x2xf16>
// CHECK-COUNT-2: vector.transfer_read {{.*}} memref<8x16xf16>, vector<1x2xf16>
// CHECK-COUNT-2: vector.transfer_read {{.*}} memref<16x8xf32>, vector<1x2xf32>
// CHECK:         vector.transpose %{{.*}}, [1, 0, 2] : vector<2x2x2xf16> to vector<2x2x2xf16>
// CHECK:         iree_codegen.inner_tiled {{.*}} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
// CHECK-NOT:     iree_codegen.inner_tiled
// CHECK-NOT:     gpu.barrier
// CHECK-COUNT-2: vector.transfer_write
// CHECK-NOT:     scf.if
