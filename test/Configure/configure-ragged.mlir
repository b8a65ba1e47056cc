// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 | FileCheck %s

// Tiles of dynamic extents are static, as if there were many of them; of batches
// a workgroup takes one.
// CHECK: #[[BATCHES:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
// CHECK-SAME: reduction = [0, 0, 0, {{[1-9][0-9]*}}]
// CHECK-SAME: workgroup = [1, {{[1-9][0-9]*}}, {{[1-9][0-9]*}}, 0]
// CHECK-LABEL: func.func @batches(
// CHECK:         linalg.batch_matmul {lowering_config = #[[BATCHES]]}
func.func @batches(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %d = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}
