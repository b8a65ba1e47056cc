// After GPUFuseAndHoistParallelLoopsPass, for sm_80: an im2col of a lane.
func.func @conv_dispatch_0_conv_2x4x5x11x3x3x5_f16xf16xf32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [256, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = true>}>} {
  %c256 = arith.constant 256 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.000000e+00 : f16
  %cst_0 = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) : memref<2x6x7x5xf16, #hal.descriptor_type<storage_buffer>>
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : memref<3x3x5x11xf16, #hal.descriptor_type<storage_buffer>>
  %collapse_shape = memref.collapse_shape %1 [[0, 1, 2], [3]] : memref<3x3x5x11xf16, #hal.descriptor_type<storage_buffer>> into memref<45x11xf16, #hal.descriptor_type<storage_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c0) : memref<2x4x5x11xf32, #hal.descriptor_type<storage_buffer>>
  %3 = iree_codegen.load_from_buffer %0 : memref<2x6x7x5xf16, #hal.descriptor_type<storage_buffer>> -> tensor<2x6x7x5xf16>
  %4 = iree_codegen.load_from_buffer %collapse_shape : memref<45x11xf16, #hal.descriptor_type<storage_buffer>> -> tensor<45x11xf16>
  %5 = tensor.empty() : tensor<2x4x5x11xf32>
  %6 = scf.forall (%arg0) in (1) shared_outs(%arg1 = %5) -> (tensor<2x4x5x11xf32>) {
    %7 = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<2x4x16x16xf16>
    %8 = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<16x16xf16>
    %9 = tensor.empty() : tensor<2x4x1x2x8x2x8xf32>
    %10 = scf.forall (%arg2, %arg3, %arg4, %arg5, %arg6) in (1, 4, 1, 2, 32) shared_outs(%arg7 = %9) -> (tensor<2x4x1x2x8x2x8xf32>) {
      %11:3 = affine.delinearize_index %arg6 into (8, 4) : index, index, index
      %12 = iree_codegen.index_hint %11#1(#iree_gpu.lane_constant<4>) : index
      %13 = iree_codegen.index_hint %11#2(#iree_gpu.lane_increment<4, aligned>) : index
      %14 = affine.linearize_index disjoint [%13, %c0] by (4, 2) : index
      %15 = tensor.empty() : tensor<2x1x1x1x2x1x2xf32>
      %16 = linalg.fill ins(%cst_0 : f32) outs(%15 : tensor<2x1x1x1x2x1x2xf32>) -> tensor<2x1x1x1x2x1x2xf32>
      %17 = scf.for %arg8 = %c0 to %c3 step %c1 iter_args(%arg9 = %16) -> (tensor<2x1x1x1x2x1x2xf32>) {
        %20 = affine.min affine_map<(d0) -> (45, d0 * 16)>(%arg8)
        %21 = affine.min affine_map<(d0) -> (-d0 + 45, 16)>(%20)
        %22 = iree_gpu.barrier_region ins(%7 : tensor<2x4x16x16xf16>) {
        ^bb0(%arg10: tensor<2x4x16x16xf16>):
          %27 = scf.for %arg11 = %c0 to %c256 step %c256 iter_args(%arg12 = %arg10) -> (tensor<2x4x16x16xf16>) {
            %28 = affine.apply affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d1 + d2 * 32 + d3 * 64 + d4 * 256 + d5 * 64)>(%arg11, %arg6, %arg5, %c0, %c0, %arg3)
            %29:4 = affine.delinearize_index %28 into (2, 4, 16, 2) : index, index, index, index
            %30 = affine.apply affine_map<(d0) -> (d0 * 8)>(%29#3)
            %extracted_slice_7 = tensor.extract_slice %arg12[%29#0, %29#1, %29#2, %30] [1, 1, 1, 8] [1, 1, 1, 1] : tensor<2x4x16x16xf16> to tensor<1x1x1x8xf16>
            %31 = tensor.empty() : tensor<1x1x1x8xf16>
            %32 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 8)>(%20, %29#3)
            %33 = affine.max affine_map<(d0, d1) -> (-d0 + d1 * 8 + 8, 0)>(%21, %29#3)
            %34 = iree_linalg_ext.im2col strides = [1, 1, 1] dilations = [1, 1, 1] kernel_size = [1, 3, 3] offsets = [%29#0, %29#1, %29#2, %32] output_sizes = [[2], [4], [16], [1, 3, 3, 5]] batch_pos = [] m_pos = [0, 1, 2] k_pos = [3] input_k_perm = [0, 1, 2, 3] output_perm = [0, 1, 2, 3] input_pad_low = [0, 0, 0, 0] input_pad_high = [0, 0, 11, 0] output_pad_low = [0, 0, 0, 0] output_pad_high = [0, 0, 0, %33] pad_value(%cst : f16) ins(%3 : tensor<2x6x7x5xf16>) outs(%31 : tensor<1x1x1x8xf16>) -> tensor<1x1x1x8xf16>
            %35 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%34 : tensor<1x1x1x8xf16>) outs(%extracted_slice_7 : tensor<1x1x1x8xf16>) -> tensor<1x1x1x8xf16>
            %inserted_slice = tensor.insert_slice %35 into %arg12[%29#0, %29#1, %29#2, %30] [1, 1, 1, 8] [1, 1, 1, 1] : tensor<1x1x1x8xf16> into tensor<2x4x16x16xf16>
            scf.yield %inserted_slice : tensor<2x4x16x16xf16>
          } {unroll_loop}
          iree_gpu.yield %27 : tensor<2x4x16x16xf16>
        } : tensor<2x4x16x16xf16>
        %23 = iree_gpu.barrier_region ins(%8 : tensor<16x16xf16>) {
        ^bb0(%arg10: tensor<16x16xf16>):
          %27 = scf.for %arg11 = %c0 to %c256 step %c256 iter_args(%arg12 = %arg10) -> (tensor<16x16xf16>) {
            %28 = affine.apply affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d1 + d2 * 32 + d3 * 64 + d4 * 256 + d5 * 64)>(%arg11, %arg6, %arg5, %c0, %c0, %arg3)
            %29:2 = affine.delinearize_index %28 into (16, 16) : index, index
            %30 = affine.min affine_map<(d0, d1) -> (-d1 + 45, 16, d0)>(%29#0, %20)
            %extracted_slice_7 = tensor.extract_slice %arg12[%29#0, %29#1] [1, 1] [1, 1] : tensor<16x16xf16> to tensor<1x1xf16>
            %31 = affine.min affine_map<(d0, d1) -> (1, d0 - d1)>(%21, %30)
            %32 = affine.apply affine_map<(d0) -> (-d0 + 1)>(%31)
            %33 = affine.min affine_map<(d0) -> (11, d0)>(%29#1)
            %34 = affine.min affine_map<(d0) -> (-d0 + 11, 1)>(%33)
            %35 = affine.apply affine_map<(d0) -> (-d0 + 1)>(%34)
            %36 = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%30, %20]
            %extracted_slice_8 = tensor.extract_slice %4[%36, %33] [%31, %34] [1, 1] : tensor<45x11xf16> to tensor<?x?xf16>
            %padded = tensor.pad %extracted_slice_8 low[0, 0] high[%32, %35] {
            ^bb0(%arg13: index, %arg14: index):
              tensor.yield %cst : f16
            } : tensor<?x?xf16> to tensor<1x1xf16>
            %37 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%padded : tensor<1x1xf16>) outs(%extracted_slice_7 : tensor<1x1xf16>) -> tensor<1x1xf16>
            %inserted_slice = tensor.insert_slice %37 into %arg12[%29#0, %29#1] [1, 1] [1, 1] : tensor<1x1xf16> into tensor<16x16xf16>
            scf.yield %inserted_slice : tensor<16x16xf16>
          } {unroll_loop}
          iree_gpu.yield %27 : tensor<16x16xf16>
        } : tensor<16x16xf16>
        %expanded = tensor.expand_shape %23 [[0, 1, 2], [3, 4]] output_shape [1, 2, 8, 2, 8] : tensor<16x16xf16> into tensor<1x2x8x2x8xf16>
        %extracted_slice_2 = tensor.extract_slice %expanded[0, 0, %14, %arg5, %12] [1, 2, 2, 1, 1] [1, 1, 1, 1, 1] : tensor<1x2x8x2x8xf16> to tensor<1x2x2x1x1xf16>
        %expanded_3 = tensor.expand_shape %22 [[0], [1], [2, 3, 4], [5, 6, 7]] output_shape [2, 4, 1, 2, 8, 1, 2, 8] : tensor<2x4x16x16xf16> into tensor<2x4x1x2x8x1x2x8xf16>
        %extracted_slice_4 = tensor.extract_slice %expanded_3[0, %arg3, 0, 0, %12, 0, 0, %14] [2, 1, 1, 2, 1, 1, 2, 2] [1, 1, 1, 1, 1, 1, 1, 1] : tensor<2x4x1x2x8x1x2x8xf16> to tensor<2x1x1x2x1x1x2x2xf16>
        %24 = tensor.empty() : tensor<2x1x1x1x2x1x2x2xf16>
        %transposed_5 = linalg.transpose ins(%extracted_slice_4 : tensor<2x1x1x2x1x1x2x2xf16>) outs(%24 : tensor<2x1x1x1x2x1x2x2xf16>) permutation = [0, 1, 2, 5, 3, 4, 6, 7] 
        %25 = tensor.empty() : tensor<1x1x1x2x2xf16>
        %transposed_6 = linalg.transpose ins(%extracted_slice_2 : tensor<1x2x2x1x1xf16>) outs(%25 : tensor<1x1x1x2x2xf16>) permutation = [0, 3, 4, 1, 2] 
        %26 = iree_codegen.inner_tiled ins(%transposed_5, %transposed_6) outs(%arg9) <indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> {lowering_config = #iree_gpu.lowering_config<{convert_acc_gemm, mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, padding = [2, 4, 16, 16, 16], padding_conv = [2, 4, 16, 16, 0, 0, 0], promote_operands = [0, 1], reduction = [0, 0, 0, 0, 1], subgroup = [2, 1, 1, 1, 0], workgroup = [2, 4, 16, 16, 0]}>} : tensor<2x1x1x1x2x1x2x2xf16>, tensor<1x1x1x2x2xf16> into tensor<2x1x1x1x2x1x2xf32>
        scf.yield %26 : tensor<2x1x1x1x2x1x2xf32>
      }
      %18 = tensor.empty() : tensor<2x1x1x2x1x1x2xf32>
      %transposed = linalg.transpose ins(%17 : tensor<2x1x1x1x2x1x2xf32>) outs(%18 : tensor<2x1x1x2x1x1x2xf32>) permutation = [0, 1, 2, 4, 5, 3, 6] 
      %extracted_slice_1 = tensor.extract_slice %arg7[0, %arg3, 0, 0, %12, %arg5, %14] [2, 1, 1, 2, 1, 1, 2] [1, 1, 1, 1, 1, 1, 1] : tensor<2x4x1x2x8x2x8xf32> to tensor<2x1x1x2x1x1x2xf32>
      %19 = linalg.copy ins(%transposed : tensor<2x1x1x2x1x1x2xf32>) outs(%extracted_slice_1 : tensor<2x1x1x2x1x1x2xf32>) -> tensor<2x1x1x2x1x1x2xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %19 into %arg7[0, %arg3, 0, 0, %12, %arg5, %14] [2, 1, 1, 2, 1, 1, 2] [1, 1, 1, 1, 1, 1, 1] : tensor<2x1x1x2x1x1x2xf32> into tensor<2x4x1x2x8x2x8xf32>
      }
    } {mapping = [#gpu.thread<linear_dim_4>, #gpu.thread<linear_dim_3>, #gpu.thread<linear_dim_2>, #gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    %collapsed = tensor.collapse_shape %10 [[0], [1], [2, 3, 4], [5, 6]] : tensor<2x4x1x2x8x2x8xf32> into tensor<2x4x16x16xf32>
    %extracted_slice = tensor.extract_slice %collapsed[0, 0, 0, 0] [2, 4, 5, 11] [1, 1, 1, 1] : tensor<2x4x16x16xf32> to tensor<2x4x5x11xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %extracted_slice into %arg1[0, 0, 0, 0] [2, 4, 5, 11] [1, 1, 1, 1] : tensor<2x4x5x11xf32> into tensor<2x4x5x11xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %6, %2 : tensor<2x4x5x11xf32> into memref<2x4x5x11xf32, #hal.descriptor_type<storage_buffer>>
  return
}

