// After GPUCombineValueSemanticBarriersPass, for sm_80: lanes share tensors between barriers, and map_store drops what lies outside.
func.func @product_dispatch_0_matmul_19x23x29_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 64, 1, 1>, translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>} {
  %c19 = arith.constant 19 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %cst = arith.constant 0.000000e+00 : f16
  %cst_0 = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) : memref<19x29xf16, #hal.descriptor_type<storage_buffer>>
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : memref<29x23xf16, #hal.descriptor_type<storage_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c0) : memref<19x23xf32, #hal.descriptor_type<storage_buffer>>
  %3 = iree_codegen.load_from_buffer %0 : memref<19x29xf16, #hal.descriptor_type<storage_buffer>> -> tensor<19x29xf16>
  %4 = iree_codegen.load_from_buffer %1 : memref<29x23xf16, #hal.descriptor_type<storage_buffer>> -> tensor<29x23xf16>
  %5 = tensor.empty() : tensor<19x23xf32>
  %6 = scf.forall (%arg0, %arg1) in (1, 3) shared_outs(%arg2 = %5) -> (tensor<19x23xf32>) {
    %7 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg1)
    %8 = affine.min affine_map<(d0) -> (d0 * -8 + 23, 8)>(%arg1)
    %9 = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<32x32xf16>
    %10 = affine.min affine_map<(d0) -> (d0 * -8 + 23, 0, 8)>(%arg1)
    %11 = affine.min affine_map<(d0, d1) -> (8, d0 - d1)>(%8, %10)
    %12 = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<32x8xf16>
    %13 = tensor.empty(%8) : tensor<19x?xf32>
    %14 = scf.forall (%arg3, %arg4, %arg5) in (2, 1, 32) shared_outs(%arg6 = %13) -> (tensor<19x?xf32>) {
      %15 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 32)>(%arg5, %arg3)
      %16:2 = affine.delinearize_index %15 into (32, 2) : index, index
      %17 = affine.apply affine_map<(d0) -> (d0 * 4)>(%16#1)
      %18 = affine.min affine_map<(d0) -> (29, d0)>(%16#0)
      %19 = affine.min affine_map<(d0) -> (-d0 + 29, 1)>(%18)
      %20 = affine.apply affine_map<(d0) -> (-d0 + 1)>(%19)
      %21 = affine.min affine_map<(d0, d1, d2) -> (8, d2 * 4, d0 - d1)>(%8, %10, %16#1)
      %22 = affine.min affine_map<(d0, d1) -> (4, d0 - d1)>(%11, %21)
      %23 = affine.apply affine_map<(d0) -> (-d0 + 4)>(%22)
      %24 = affine.apply affine_map<(d0)[s0, s1] -> (d0 * 8 + s0 + s1)>(%arg1)[%21, %10]
      %extracted_slice = tensor.extract_slice %4[%18, %24] [%19, %22] [1, 1] : tensor<29x23xf16> to tensor<?x?xf16>
      %padded = tensor.pad %extracted_slice low[0, 0] high[%20, %23] {
      ^bb0(%arg7: index, %arg8: index):
        tensor.yield %cst : f16
      } : tensor<?x?xf16> to tensor<1x4xf16>
      %25:2 = iree_gpu.barrier_region ins(%9, %12 : tensor<32x32xf16>, tensor<32x8xf16>) {
      ^bb0(%arg7: tensor<32x32xf16>, %arg8: tensor<32x8xf16>):
        %38 = scf.for %arg9 = %c0 to %c128 step %c64 iter_args(%arg10 = %arg7) -> (tensor<32x32xf16>) {
          %40 = affine.apply affine_map<(d0, d1, d2) -> (d0 + d1 + d2 * 32)>(%arg9, %arg5, %arg3)
          %41:2 = affine.delinearize_index %40 into (32, 4) : index, index
          %42 = affine.apply affine_map<(d0) -> (d0 * 8)>(%41#1)
          %extracted_slice_8 = tensor.extract_slice %arg10[%41#0, %42] [1, 8] [1, 1] : tensor<32x32xf16> to tensor<1x8xf16>
          %43 = affine.min affine_map<(d0) -> (19, d0)>(%41#0)
          %44 = affine.min affine_map<(d0) -> (-d0 + 19, 1)>(%43)
          %45 = affine.apply affine_map<(d0) -> (-d0 + 1)>(%44)
          %46 = affine.min affine_map<(d0) -> (29, d0 * 8)>(%41#1)
          %47 = affine.min affine_map<(d0) -> (-d0 + 29, 8)>(%46)
          %extracted_slice_9 = tensor.extract_slice %3[%43, %46] [%44, %47] [1, 1] : tensor<19x29xf16> to tensor<?x?xf16>
          %48 = affine.apply affine_map<(d0) -> (-d0 + 8)>(%47)
          %padded_10 = tensor.pad %extracted_slice_9 low[0, 0] high[%45, %48] {
          ^bb0(%arg11: index, %arg12: index):
            tensor.yield %cst : f16
          } : tensor<?x?xf16> to tensor<1x8xf16>
          %49 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%padded_10 : tensor<1x8xf16>) outs(%extracted_slice_8 : tensor<1x8xf16>) -> tensor<1x8xf16>
          %inserted_slice_11 = tensor.insert_slice %49 into %arg10[%41#0, %42] [1, 8] [1, 1] : tensor<1x8xf16> into tensor<32x32xf16>
          scf.yield %inserted_slice_11 : tensor<32x32xf16>
        } {unroll_loop}
        %extracted_slice_7 = tensor.extract_slice %arg8[%16#0, %17] [1, 4] [1, 1] : tensor<32x8xf16> to tensor<1x4xf16>
        %39 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%padded : tensor<1x4xf16>) outs(%extracted_slice_7 : tensor<1x4xf16>) -> tensor<1x4xf16>
        %inserted_slice = tensor.insert_slice %39 into %arg8[%16#0, %17] [1, 4] [1, 1] : tensor<1x4xf16> into tensor<32x8xf16>
        iree_gpu.yield %38, %inserted_slice : tensor<32x32xf16>, tensor<32x8xf16>
      } : tensor<32x32xf16>, tensor<32x8xf16>
      %26:3 = affine.delinearize_index %arg5 into (8, 4) : index, index, index
      %27 = iree_codegen.index_hint %26#1(#iree_gpu.lane_constant<4>) : index
      %28 = iree_codegen.index_hint %26#2(#iree_gpu.lane_increment<4, aligned>) : index
      %29 = affine.linearize_index disjoint [%28, %c0] by (4, 2) : index
      %30 = tensor.empty() : tensor<1x1x2x1x2xf32>
      %expanded = tensor.expand_shape %25#1 [[0, 1, 2], [3, 4]] output_shape [2, 2, 8, 1, 8] : tensor<32x8xf16> into tensor<2x2x8x1x8xf16>
      %extracted_slice_1 = tensor.extract_slice %expanded[0, 0, %29, 0, %27] [2, 2, 2, 1, 1] [1, 1, 1, 1, 1] : tensor<2x2x8x1x8xf16> to tensor<2x2x2x1x1xf16>
      %expanded_2 = tensor.expand_shape %25#0 [[0, 1, 2], [3, 4, 5]] output_shape [2, 2, 8, 2, 2, 8] : tensor<32x32xf16> into tensor<2x2x8x2x2x8xf16>
      %extracted_slice_3 = tensor.extract_slice %expanded_2[%arg3, 0, %27, 0, 0, %29] [1, 2, 1, 2, 2, 2] [1, 1, 1, 1, 1, 1] : tensor<2x2x8x2x2x8xf16> to tensor<1x2x1x2x2x2xf16>
      %31 = tensor.empty() : tensor<1x2x2x1x2x2xf16>
      %transposed = linalg.transpose ins(%extracted_slice_3 : tensor<1x2x1x2x2x2xf16>) outs(%31 : tensor<1x2x2x1x2x2xf16>) permutation = [0, 3, 1, 2, 4, 5] 
      %32 = tensor.empty() : tensor<2x1x1x2x2xf16>
      %transposed_4 = linalg.transpose ins(%extracted_slice_1 : tensor<2x2x2x1x1xf16>) outs(%32 : tensor<2x1x1x2x2xf16>) permutation = [0, 3, 4, 1, 2] 
      %33 = linalg.fill ins(%cst_0 : f32) outs(%30 : tensor<1x1x2x1x2xf32>) -> tensor<1x1x2x1x2xf32>
      %34 = iree_codegen.inner_tiled ins(%transposed, %transposed_4) outs(%33) <indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> {lowering_config = #iree_gpu.lowering_config<{convert_acc_gemm, mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, padding = [32, 8, 32], promote_operands = [0, 1], reduction = [0, 0, 2], subgroup = [1, 1, 0], workgroup = [32, 8, 0]}>} : tensor<1x2x2x1x2x2xf16>, tensor<2x1x1x2x2xf16> into tensor<1x1x2x1x2xf32>
      %35 = tensor.empty() : tensor<1x2x1x1x2xf32>
      %transposed_5 = linalg.transpose ins(%34 : tensor<1x1x2x1x2xf32>) outs(%35 : tensor<1x2x1x1x2xf32>) permutation = [0, 2, 3, 1, 4] 
      %36 = linalg.copy ins(%transposed_5 : tensor<1x2x1x1x2xf32>) outs(%35 : tensor<1x2x1x1x2xf32>) -> tensor<1x2x1x1x2xf32>
      %extracted_slice_6 = tensor.extract_slice %arg6[0, 0] [19, %8] [1, 1] : tensor<19x?xf32> to tensor<19x?xf32>
      %37 = iree_linalg_ext.map_store %36 into %extracted_slice_6 {
      ^bb0(%arg7: index, %arg8: index, %arg9: index, %arg10: index, %arg11: index):
        %38 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%arg7, %arg3)
        %39 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%arg9, %27)
        %40 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%arg11, %29)
        %41 = affine.linearize_index disjoint [%38, %arg8, %39] by (2, 2, 8) : index
        %42 = arith.cmpi ult, %41, %c19 : index
        %43 = arith.cmpi ult, %40, %8 : index
        %44 = arith.andi %42, %43 : i1
        iree_linalg_ext.yield %41, %40, %44 : index, index, i1
      } : tensor<1x2x1x1x2xf32> into tensor<19x?xf32> -> tensor<19x?xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %37 into %arg6[0, 0] [19, %8] [1, 1] : tensor<19x?xf32> into tensor<19x?xf32>
      }
    } {mapping = [#gpu.thread<linear_dim_2>, #gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %14 into %arg2[0, %7] [19, %8] [1, 1] : tensor<19x?xf32> into tensor<19x23xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<y>, #iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %6, %2 : tensor<19x23xf32> into memref<19x23xf32, #hal.descriptor_type<storage_buffer>>
  return
}

