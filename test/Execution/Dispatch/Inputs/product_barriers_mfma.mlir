// After GPUCombineValueSemanticBarriersPass, for gfx942.
func.func @product_dispatch_0_matmul_19x23x29_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>, translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [256, 1, 1] subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>} {
  %cst = arith.constant 0.000000e+00 : f16
  %cst_0 = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) : memref<19x29xf16, #hal.descriptor_type<storage_buffer>>
  %1 = amdgpu.fat_raw_buffer_cast %0 resetOffset : memref<19x29xf16, #hal.descriptor_type<storage_buffer>> to memref<19x29xf16, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : memref<29x23xf16, #hal.descriptor_type<storage_buffer>>
  %3 = amdgpu.fat_raw_buffer_cast %2 resetOffset : memref<29x23xf16, #hal.descriptor_type<storage_buffer>> to memref<29x23xf16, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c0) : memref<19x23xf32, #hal.descriptor_type<storage_buffer>>
  %5 = amdgpu.fat_raw_buffer_cast %4 resetOffset : memref<19x23xf32, #hal.descriptor_type<storage_buffer>> to memref<19x23xf32, #amdgpu.address_space<fat_raw_buffer>>
  %6 = iree_codegen.load_from_buffer %1 : memref<19x29xf16, #amdgpu.address_space<fat_raw_buffer>> -> tensor<19x29xf16>
  %7 = iree_codegen.load_from_buffer %3 : memref<29x23xf16, #amdgpu.address_space<fat_raw_buffer>> -> tensor<29x23xf16>
  %8 = tensor.empty() : tensor<19x23xf32>
  %9 = scf.forall (%arg0, %arg1) in (1, 1) shared_outs(%arg2 = %8) -> (tensor<19x23xf32>) {
    %10 = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<32x32xf16>
    %11 = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<32x32xf16>
    %12 = scf.forall (%arg3, %arg4, %arg5) in (2, 2, 64) shared_outs(%arg6 = %8) -> (tensor<19x23xf32>) {
      %13 = affine.apply affine_map<(d0, d1, d2) -> (d0 + d1 * 128 + d2 * 64)>(%arg5, %arg3, %arg4)
      %14:2 = affine.delinearize_index %13 into (32, 8) : index, index
      %15 = affine.apply affine_map<(d0) -> (d0 * 4)>(%14#1)
      %16 = affine.min affine_map<(d0) -> (19, d0)>(%14#0)
      %17 = affine.min affine_map<(d0) -> (-d0 + 19, 1)>(%16)
      %18 = affine.apply affine_map<(d0) -> (-d0 + 1)>(%17)
      %19 = affine.min affine_map<(d0) -> (29, d0 * 4)>(%14#1)
      %20 = affine.min affine_map<(d0) -> (-d0 + 29, 4)>(%19)
      %extracted_slice = tensor.extract_slice %6[%16, %19] [%17, %20] [1, 1] : tensor<19x29xf16> to tensor<?x?xf16>
      %21 = affine.apply affine_map<(d0) -> (-d0 + 4)>(%20)
      %padded = tensor.pad %extracted_slice low[0, 0] high[%18, %21] {
      ^bb0(%arg7: index, %arg8: index):
        tensor.yield %cst : f16
      } : tensor<?x?xf16> to tensor<1x4xf16>
      %22 = affine.apply affine_map<(d0, d1, d2) -> (d0 + d1 * 128 + d2 * 64)>(%arg5, %arg3, %arg4)
      %23:2 = affine.delinearize_index %22 into (32, 8) : index, index
      %24 = affine.apply affine_map<(d0) -> (d0 * 4)>(%23#1)
      %25 = affine.min affine_map<(d0) -> (29, d0)>(%23#0)
      %26 = affine.min affine_map<(d0) -> (-d0 + 29, 1)>(%25)
      %27 = affine.apply affine_map<(d0) -> (-d0 + 1)>(%26)
      %28 = affine.min affine_map<(d0) -> (23, d0 * 4)>(%23#1)
      %29 = affine.min affine_map<(d0) -> (-d0 + 23, 4)>(%28)
      %extracted_slice_1 = tensor.extract_slice %7[%25, %28] [%26, %29] [1, 1] : tensor<29x23xf16> to tensor<?x?xf16>
      %30 = affine.apply affine_map<(d0) -> (-d0 + 4)>(%29)
      %padded_2 = tensor.pad %extracted_slice_1 low[0, 0] high[%27, %30] {
      ^bb0(%arg7: index, %arg8: index):
        tensor.yield %cst : f16
      } : tensor<?x?xf16> to tensor<1x4xf16>
      %31:2 = iree_gpu.barrier_region ins(%11, %10 : tensor<32x32xf16>, tensor<32x32xf16>) {
      ^bb0(%arg7: tensor<32x32xf16>, %arg8: tensor<32x32xf16>):
        %extracted_slice_10 = tensor.extract_slice %arg7[%14#0, %15] [1, 4] [1, 1] : tensor<32x32xf16> to tensor<1x4xf16>
        %49 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%padded : tensor<1x4xf16>) outs(%extracted_slice_10 : tensor<1x4xf16>) -> tensor<1x4xf16>
        %inserted_slice = tensor.insert_slice %49 into %arg7[%14#0, %15] [1, 4] [1, 1] : tensor<1x4xf16> into tensor<32x32xf16>
        %extracted_slice_11 = tensor.extract_slice %arg8[%23#0, %24] [1, 4] [1, 1] : tensor<32x32xf16> to tensor<1x4xf16>
        %50 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%padded_2 : tensor<1x4xf16>) outs(%extracted_slice_11 : tensor<1x4xf16>) -> tensor<1x4xf16>
        %inserted_slice_12 = tensor.insert_slice %50 into %arg8[%23#0, %24] [1, 4] [1, 1] : tensor<1x4xf16> into tensor<32x32xf16>
        iree_gpu.yield %inserted_slice, %inserted_slice_12 : tensor<32x32xf16>, tensor<32x32xf16>
      } : tensor<32x32xf16>, tensor<32x32xf16>
      %32:3 = affine.delinearize_index %arg5 into (4, 16) : index, index, index
      %33 = iree_codegen.index_hint %32#1(#iree_gpu.lane_constant<16>) : index
      %34 = iree_codegen.index_hint %32#2(#iree_gpu.lane_increment<16, aligned>) : index
      %35 = affine.linearize_index disjoint [%33, %c0] by (4, 4) : index
      %36 = affine.linearize_index disjoint [%arg3, %35] by (2, 16) : index
      %37 = affine.linearize_index disjoint [%arg4, %34] by (2, 16) : index
      %38 = affine.max affine_map<(d0) -> (-d0 + 19, 0)>(%36)
      %39 = affine.min affine_map<(d0) -> (4, d0)>(%38)
      %40 = affine.max affine_map<(d0) -> (-d0 + 23, 0)>(%37)
      %41 = affine.min affine_map<(d0) -> (1, d0)>(%40)
      %42 = tensor.empty() : tensor<1x1x4x1xf32>
      %expanded = tensor.expand_shape %31#1 [[0, 1], [2, 3]] output_shape [2, 16, 2, 16] : tensor<32x32xf16> into tensor<2x16x2x16xf16>
      %extracted_slice_3 = tensor.extract_slice %expanded[0, %35, %arg4, %34] [2, 4, 1, 1] [1, 1, 1, 1] : tensor<2x16x2x16xf16> to tensor<2x4x1x1xf16>
      %expanded_4 = tensor.expand_shape %31#0 [[0, 1], [2, 3]] output_shape [2, 16, 2, 16] : tensor<32x32xf16> into tensor<2x16x2x16xf16>
      %extracted_slice_5 = tensor.extract_slice %expanded_4[%arg3, %34, 0, %35] [1, 1, 2, 4] [1, 1, 1, 1] : tensor<2x16x2x16xf16> to tensor<1x1x2x4xf16>
      %43 = tensor.empty() : tensor<1x2x1x4xf16>
      %transposed = linalg.transpose ins(%extracted_slice_5 : tensor<1x1x2x4xf16>) outs(%43 : tensor<1x2x1x4xf16>) permutation = [0, 2, 1, 3] 
      %44 = tensor.empty() : tensor<2x1x1x4xf16>
      %transposed_6 = linalg.transpose ins(%extracted_slice_3 : tensor<2x4x1x1xf16>) outs(%44 : tensor<2x1x1x4xf16>) permutation = [0, 2, 3, 1] 
      %45 = linalg.fill ins(%cst_0 : f32) outs(%42 : tensor<1x1x4x1xf32>) -> tensor<1x1x4x1xf32>
      %46 = iree_codegen.inner_tiled ins(%transposed, %transposed_6) outs(%45) <indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> {lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, padding = [32, 32, 32], promote_operands = [0, 1], reduction = [0, 0, 2], subgroup = [1, 1, 0], workgroup = [32, 32, 0]}>} : tensor<1x2x1x4xf16>, tensor<2x1x1x4xf16> into tensor<1x1x4x1xf32>
      %47 = tensor.empty() : tensor<1x4x1x1xf32>
      %transposed_7 = linalg.transpose ins(%46 : tensor<1x1x4x1xf32>) outs(%47 : tensor<1x4x1x1xf32>) permutation = [0, 2, 1, 3] 
      %collapsed = tensor.collapse_shape %transposed_7 [[0, 1], [2, 3]] : tensor<1x4x1x1xf32> into tensor<4x1xf32>
      %extracted_slice_8 = tensor.extract_slice %collapsed[0, 0] [%39, %41] [1, 1] : tensor<4x1xf32> to tensor<?x?xf32>
      %extracted_slice_9 = tensor.extract_slice %arg6[%36, %37] [%39, %41] [1, 1] : tensor<19x23xf32> to tensor<?x?xf32>
      %48 = linalg.copy ins(%extracted_slice_8 : tensor<?x?xf32>) outs(%extracted_slice_9 : tensor<?x?xf32>) -> tensor<?x?xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %48 into %arg6[%36, %37] [%39, %41] [1, 1] : tensor<?x?xf32> into tensor<19x23xf32>
      }
    } {mapping = [#gpu.thread<linear_dim_2>, #gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %12 into %arg2[0, 0] [19, 23] [1, 1] : tensor<19x23xf32> into tensor<19x23xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<y>, #iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %9, %5 : tensor<19x23xf32> into memref<19x23xf32, #amdgpu.address_space<fat_raw_buffer>>
  return
}

