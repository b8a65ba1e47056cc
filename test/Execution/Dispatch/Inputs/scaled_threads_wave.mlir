// After GPUApplyTilingLevelPass (threads), for gfx942.
func.func @scaled_dispatch_0_elementwise_5x70_f32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %c0 = arith.constant 0 : index
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) : memref<5x70xf32, #hal.descriptor_type<storage_buffer>>
  %1 = amdgpu.fat_raw_buffer_cast %0 resetOffset : memref<5x70xf32, #hal.descriptor_type<storage_buffer>> to memref<5x70xf32, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : memref<70xf32, #hal.descriptor_type<storage_buffer>>
  %3 = amdgpu.fat_raw_buffer_cast %2 resetOffset : memref<70xf32, #hal.descriptor_type<storage_buffer>> to memref<70xf32, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c0) : memref<5x70xf32, #hal.descriptor_type<storage_buffer>>
  %5 = amdgpu.fat_raw_buffer_cast %4 resetOffset : memref<5x70xf32, #hal.descriptor_type<storage_buffer>> to memref<5x70xf32, #amdgpu.address_space<fat_raw_buffer>>
  %6 = iree_codegen.load_from_buffer %1 : memref<5x70xf32, #amdgpu.address_space<fat_raw_buffer>> -> tensor<5x70xf32>
  %7 = iree_codegen.load_from_buffer %3 : memref<70xf32, #amdgpu.address_space<fat_raw_buffer>> -> tensor<70xf32>
  %8 = tensor.empty() : tensor<5x70xf32>
  %9 = scf.forall (%arg0, %arg1) = (0, 0) to (5, 70) step (8, 8) shared_outs(%arg2 = %8) -> (tensor<5x70xf32>) {
    %10 = affine.min affine_map<(d0) -> (-d0 + 70, 8)>(%arg1)
    %extracted_slice = tensor.extract_slice %arg2[0, %arg1] [5, %10] [1, 1] : tensor<5x70xf32> to tensor<5x?xf32>
    %11 = scf.forall (%arg3, %arg4) in (5, %10) shared_outs(%arg5 = %extracted_slice) -> (tensor<5x?xf32>) {
      %12 = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%arg4, %arg1]
      %extracted_slice_0 = tensor.extract_slice %6[%arg3, %12] [1, 1] [1, 1] : tensor<5x70xf32> to tensor<1x1xf32>
      %13 = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%arg4, %arg1]
      %extracted_slice_1 = tensor.extract_slice %7[%13] [1] [1] : tensor<70xf32> to tensor<1xf32>
      %extracted_slice_2 = tensor.extract_slice %arg5[%arg3, %arg4] [1, 1] [1, 1] : tensor<5x?xf32> to tensor<1x1xf32>
      %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_0, %extracted_slice_1 : tensor<1x1xf32>, tensor<1xf32>) outs(%extracted_slice_2 : tensor<1x1xf32>) attrs =  {lowering_config = #iree_gpu.lowering_config<{thread = [1, 1], workgroup = [8, 8]}>} {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %15 = arith.mulf %in, %in_3 : f32
        linalg.yield %15 : f32
      } -> tensor<1x1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %14 into %arg5[%arg3, %arg4] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<5x?xf32>
      }
    } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %11 into %arg2[0, %arg1] [5, %10] [1, 1] : tensor<5x?xf32> into tensor<5x70xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<y>, #iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %9, %5 : tensor<5x70xf32> into memref<5x70xf32, #amdgpu.address_space<fat_raw_buffer>>
  return
}

