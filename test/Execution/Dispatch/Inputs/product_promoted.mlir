// After GPUApplyTilingLevelPass (threads), for sm_80: threads copy what the workgroup multiplies.
func.func @product_dispatch_0_matmul_19x23x29_f16xf16xf32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>} {
  %cst = arith.constant 0.000000e+00 : f16
  %cst_0 = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) : memref<19x29xf16, #hal.descriptor_type<storage_buffer>>
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : memref<29x23xf16, #hal.descriptor_type<storage_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c0) : memref<19x23xf32, #hal.descriptor_type<storage_buffer>>
  %3 = iree_codegen.load_from_buffer %0 : memref<19x29xf16, #hal.descriptor_type<storage_buffer>> -> tensor<19x29xf16>
  %4 = iree_codegen.load_from_buffer %1 : memref<29x23xf16, #hal.descriptor_type<storage_buffer>> -> tensor<29x23xf16>
  %5 = tensor.empty() : tensor<19x23xf32>
  %6 = scf.forall (%arg0, %arg1) = (0, 0) to (19, 23) step (32, 8) shared_outs(%arg2 = %5) -> (tensor<19x23xf32>) {
    %7 = affine.min affine_map<(d0) -> (-d0 + 23, 8)>(%arg1)
    %8 = tensor.empty() : tensor<2x1x2x8x8xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<2x1x2x8x8xf32>) -> tensor<2x1x2x8x8xf32>
    %10 = tensor.empty() : tensor<32x32xf16>
    %11 = scf.forall (%arg3, %arg4) = (0, 0) to (32, 32) step (1, 8) shared_outs(%arg5 = %10) -> (tensor<32x32xf16>) {
      %21 = affine.min affine_map<(d0) -> (19, d0)>(%arg3)
      %22 = affine.min affine_map<(d0) -> (-d0 + 19, 1)>(%21)
      %23 = affine.apply affine_map<(d0) -> (-d0 + 1)>(%22)
      %24 = affine.min affine_map<(d0) -> (29, d0)>(%arg4)
      %25 = affine.min affine_map<(d0) -> (-d0 + 29, 8)>(%24)
      %26 = affine.apply affine_map<(d0) -> (-d0 + 8)>(%25)
      %extracted_slice_4 = tensor.extract_slice %3[%21, %24] [%22, %25] [1, 1] : tensor<19x29xf16> to tensor<?x?xf16>
      %padded = tensor.pad %extracted_slice_4 low[0, 0] high[%23, %26] {
      ^bb0(%arg6: index, %arg7: index):
        tensor.yield %cst : f16
      } : tensor<?x?xf16> to tensor<1x8xf16>
      %extracted_slice_5 = tensor.extract_slice %arg5[%arg3, %arg4] [1, 8] [1, 1] : tensor<32x32xf16> to tensor<1x8xf16>
      %27 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%padded : tensor<1x8xf16>) outs(%extracted_slice_5 : tensor<1x8xf16>) -> tensor<1x8xf16>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %27 into %arg5[%arg3, %arg4] [1, 8] [1, 1] : tensor<1x8xf16> into tensor<32x32xf16>
      }
    } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    %expanded = tensor.expand_shape %11 [[0, 1, 2], [3, 4, 5]] output_shape [2, 2, 8, 2, 2, 8] : tensor<32x32xf16> into tensor<2x2x8x2x2x8xf16>
    %12 = tensor.empty() : tensor<2x2x2x8x2x8xf16>
    %transposed = linalg.transpose ins(%expanded : tensor<2x2x8x2x2x8xf16>) outs(%12 : tensor<2x2x2x8x2x8xf16>) permutation = [0, 3, 1, 2, 4, 5] 
    %13 = affine.min affine_map<(d0) -> (-d0 + 23, 0, 8)>(%arg1)
    %14 = affine.min affine_map<(d0, d1) -> (8, d0 - d1)>(%7, %13)
    %15 = tensor.empty() : tensor<32x8xf16>
    %16 = scf.forall (%arg3, %arg4) = (0, 0) to (32, 8) step (1, 4) shared_outs(%arg5 = %15) -> (tensor<32x8xf16>) {
      %21 = affine.min affine_map<(d0) -> (29, d0)>(%arg3)
      %22 = affine.min affine_map<(d0) -> (-d0 + 29, 1)>(%21)
      %23 = affine.apply affine_map<(d0) -> (-d0 + 1)>(%22)
      %24 = affine.min affine_map<(d0, d1, d2) -> (8, d1 - d2, d0)>(%arg4, %7, %13)
      %25 = affine.min affine_map<(d0, d1) -> (4, d0 - d1)>(%14, %24)
      %26 = affine.apply affine_map<(d0) -> (-d0 + 4)>(%25)
      %27 = affine.apply affine_map<()[s0, s1, s2] -> (s0 + s1 + s2)>()[%24, %13, %arg1]
      %extracted_slice_4 = tensor.extract_slice %4[%21, %27] [%22, %25] [1, 1] : tensor<29x23xf16> to tensor<?x?xf16>
      %padded = tensor.pad %extracted_slice_4 low[0, 0] high[%23, %26] {
      ^bb0(%arg6: index, %arg7: index):
        tensor.yield %cst : f16
      } : tensor<?x?xf16> to tensor<1x4xf16>
      %extracted_slice_5 = tensor.extract_slice %arg5[%arg3, %arg4] [1, 4] [1, 1] : tensor<32x8xf16> to tensor<1x4xf16>
      %28 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%padded : tensor<1x4xf16>) outs(%extracted_slice_5 : tensor<1x4xf16>) -> tensor<1x4xf16>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %28 into %arg5[%arg3, %arg4] [1, 4] [1, 1] : tensor<1x4xf16> into tensor<32x8xf16>
      }
    } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    %expanded_1 = tensor.expand_shape %16 [[0, 1, 2], [3, 4]] output_shape [2, 2, 8, 1, 8] : tensor<32x8xf16> into tensor<2x2x8x1x8xf16>
    %17 = tensor.empty() : tensor<2x1x8x2x8xf16>
    %transposed_2 = linalg.transpose ins(%expanded_1 : tensor<2x2x8x1x8xf16>) outs(%17 : tensor<2x1x8x2x8xf16>) permutation = [0, 3, 4, 1, 2] 
    %18 = iree_codegen.inner_tiled ins(%transposed, %transposed_2) outs(%9) <indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>, permutations = [array<i64: 0, 1, 2, 3>, array<i64: 2, 0, 1>, array<i64: 0, 1, 2>]> {lowering_config = #iree_gpu.lowering_config<{convert_acc_gemm, mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, padding = [32, 8, 32], promote_operands = [0, 1], reduction = [0, 0, 2], subgroup = [1, 1, 0], workgroup = [32, 8, 0]}>} : tensor<2x2x2x8x2x8xf16>, tensor<2x1x8x2x8xf16> into tensor<2x1x2x8x8xf32>
    %19 = tensor.empty() : tensor<2x2x8x1x8xf32>
    %transposed_3 = linalg.transpose ins(%18 : tensor<2x1x2x8x8xf32>) outs(%19 : tensor<2x2x8x1x8xf32>) permutation = [0, 2, 3, 1, 4] 
    %20 = linalg.copy ins(%transposed_3 : tensor<2x2x8x1x8xf32>) outs(%19 : tensor<2x2x8x1x8xf32>) -> tensor<2x2x8x1x8xf32>
    %collapsed = tensor.collapse_shape %20 [[0, 1, 2], [3, 4]] : tensor<2x2x8x1x8xf32> into tensor<32x8xf32>
    %extracted_slice = tensor.extract_slice %collapsed[0, 0] [19, %7] [1, 1] : tensor<32x8xf32> to tensor<19x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %extracted_slice into %arg2[0, %arg1] [19, %7] [1, 1] : tensor<19x?xf32> into tensor<19x23xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<y>, #iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %6, %2 : tensor<19x23xf32> into memref<19x23xf32, #hal.descriptor_type<storage_buffer>>
  return
}

