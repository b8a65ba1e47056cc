// After GPUApplyTilingLevelPass (threads), for sm_80: as many threads as the last tile has elements.
func.func @scaled_dispatch_0_elementwise_5x70_f32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) : memref<5x70xf32, #hal.descriptor_type<storage_buffer>>
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : memref<70xf32, #hal.descriptor_type<storage_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c0) : memref<5x70xf32, #hal.descriptor_type<storage_buffer>>
  %3 = iree_codegen.load_from_buffer %0 : memref<5x70xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5x70xf32>
  %4 = iree_codegen.load_from_buffer %1 : memref<70xf32, #hal.descriptor_type<storage_buffer>> -> tensor<70xf32>
  %5 = tensor.empty() : tensor<5x70xf32>
  %6 = scf.forall (%arg0, %arg1) = (0, 0) to (5, 70) step (1, 32) shared_outs(%arg2 = %5) -> (tensor<5x70xf32>) {
    %7 = affine.min affine_map<(d0) -> (-d0 + 70, 32)>(%arg1)
    %extracted_slice = tensor.extract_slice %arg2[%arg0, %arg1] [1, %7] [1, 1] : tensor<5x70xf32> to tensor<1x?xf32>
    %8 = scf.forall (%arg3, %arg4) in (1, %7) shared_outs(%arg5 = %extracted_slice) -> (tensor<1x?xf32>) {
      %9 = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%arg3, %arg0]
      %10 = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%arg4, %arg1]
      %extracted_slice_0 = tensor.extract_slice %3[%9, %10] [1, 1] [1, 1] : tensor<5x70xf32> to tensor<1x1xf32>
      %11 = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%arg4, %arg1]
      %extracted_slice_1 = tensor.extract_slice %4[%11] [1] [1] : tensor<70xf32> to tensor<1xf32>
      %extracted_slice_2 = tensor.extract_slice %arg5[%arg3, %arg4] [1, 1] [1, 1] : tensor<1x?xf32> to tensor<1x1xf32>
      %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_0, %extracted_slice_1 : tensor<1x1xf32>, tensor<1xf32>) outs(%extracted_slice_2 : tensor<1x1xf32>) attrs =  {lowering_config = #iree_gpu.lowering_config<{thread = [1, 1], workgroup = [1, 32]}>} {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %13 = arith.mulf %in, %in_3 : f32
        linalg.yield %13 : f32
      } -> tensor<1x1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %12 into %arg5[%arg3, %arg4] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<1x?xf32>
      }
    } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %8 into %arg2[%arg0, %arg1] [1, %7] [1, 1] : tensor<1x?xf32> into tensor<5x70xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<y>, #iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %6, %2 : tensor<5x70xf32> into memref<5x70xf32, #hal.descriptor_type<storage_buffer>>
  return
}

