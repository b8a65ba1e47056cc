// -----// IR Dump After GenericVectorizationPass: iree-codegen-generic-vectorization{enable-cleanup=false enable-vector-masking=true fold-cast-into-contract=true generate-contract=true max-vector-size=2147483647 use-configured-vector-sizes=true vectorize-copies=true vectorize-map-store=true vectorize-to-transfer-gather=false} //----- //
func.func @row_sum_dispatch_0_reduction_6x512_f32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>} {
  %cst = arith.constant dense<0.000000e+00> : vector<1x128xf32>
  %cst_0 = arith.constant dense<0.000000e+00> : vector<1xf32>
  %0 = ub.poison : f32
  %c0 = arith.constant 0 : index
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<6x512xf32, #hal.descriptor_type<storage_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<6xf32, #hal.descriptor_type<storage_buffer>>
  %3 = iree_codegen.load_from_buffer %1 : memref<6x512xf32, #hal.descriptor_type<storage_buffer>> -> tensor<6x512xf32>
  %4 = tensor.empty() : tensor<6xf32>
  %5 = scf.forall (%arg0) in (6) shared_outs(%arg1 = %4) -> (tensor<6xf32>) {
    %6 = tensor.empty() : tensor<1xf32>
    %extracted_slice = tensor.extract_slice %3[%arg0, 0] [1, 512] [1, 1] : tensor<6x512xf32> to tensor<1x512xf32>
    %7 = vector.transfer_write %cst_0, %6[%c0] {in_bounds = [true]} : vector<1xf32>, tensor<1xf32>
    %8 = vector.transfer_read %extracted_slice[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<1x512xf32>, vector<1x512xf32>
    %9 = vector.shape_cast %8 : vector<1x512xf32> to vector<1x128x4xf32>
    %10 = iree_vector_ext.to_layout %9 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 4, 1], batch_tile = [1, 1, 1], outer_tile = [1, 1, 1], thread_tile = [1, 32, 1], element_tile = [1, 1, 4], subgroup_strides = [0, 1, 0], thread_strides = [0, 1, 0]>) : vector<1x128x4xf32>
    %11 = iree_vector_ext.to_layout %cst to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 1], subgroup_strides = [0, 1], thread_strides = [0, 1]>) : vector<1x128xf32>
    %12 = vector.multi_reduction <add>, %10, %11 [2] : vector<1x128x4xf32> to vector<1x128xf32>
    %13 = iree_vector_ext.to_layout %12 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 1], subgroup_strides = [0, 1], thread_strides = [0, 1]>) : vector<1x128xf32>
    %14 = vector.multi_reduction <add>, %13, %cst_0 [1] : vector<1x128xf32> to vector<1xf32>
    %15 = vector.transfer_write %14, %7[%c0] {in_bounds = [true]} : vector<1xf32>, tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %15 into %arg1[%arg0] [1] [1] : tensor<1xf32> into tensor<6xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %5, %2 : tensor<6xf32> into memref<6xf32, #hal.descriptor_type<storage_buffer>>
  return
}
