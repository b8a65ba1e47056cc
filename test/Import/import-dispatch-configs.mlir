// RUN: distaff-opt %s --distaff-import-dispatches -split-input-file | FileCheck %s

// VX-226: what TileAndFuse counts in tiles of its instruction is of elements and subgroups here.
// CHECK-DAG:   #[[CONFIG:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, promote_operands = [0, 1], reduction = [0, 0, 32], subgroup_basis = {{\[\[}}2, 2, 1], [0, 1, 2]], workgroup = [32, 32, 0]}>
// CHECK-DAG:   #[[INFO:.*]] = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
// CHECK-LABEL: func.func @product(
// CHECK-SAME:    inherited_config = #[[INFO]], translation_info = #[[INFO]]
// CHECK:         linalg.matmul {lowering_config = #[[CONFIG]]}
func.func @product() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<64x64xf16>
  %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<64x64xf16>
  %c = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(2) : memref<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %0 = iree_codegen.load_from_buffer %a : memref<64x64xf16> -> tensor<64x64xf16>
  %1 = iree_codegen.load_from_buffer %b : memref<64x64xf16> -> tensor<64x64xf16>
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{convert_acc_gemm, mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, padding = [32, 32, 16], promote_operands = [0, 1], reduction = [0, 0, 2], subgroup = [1, 2, 0], workgroup = [32, 32, 0]}>} ins(%0, %1 : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  iree_codegen.store_to_buffer %r, %c : tensor<64x64xf32> into memref<64x64xf32>
  return
}

// -----

// VX-226: nothing is left of a config that only IREE obeys.
// CHECK-LABEL: func.func @copied(
// CHECK-NOT:     config
func.func @copied() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<64xf32>
  %c = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<64xf32>
  %0 = iree_codegen.load_from_buffer %a : memref<64xf32> -> tensor<64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.exp {lowering_config = #iree_gpu.lowering_config<{lane_basis = [[32], [0]], padding = [32]}>} ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  iree_codegen.store_to_buffer %r, %c : tensor<64xf32> into memref<64xf32>
  return
}
