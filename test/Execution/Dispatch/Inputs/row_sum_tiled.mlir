// -----// IR Dump After TileAndDistributeToWorkgroupsUsingForallOpPass: iree-codegen-tile-and-distribute-to-workgroups-using-forall-op{transpose-workgroup=false} //----- //
func.func @row_sum_dispatch_0_reduction_6x512_f32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>} {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<6x512xf32, #hal.descriptor_type<storage_buffer>>
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<6xf32, #hal.descriptor_type<storage_buffer>>
  %2 = iree_codegen.load_from_buffer %0 : memref<6x512xf32, #hal.descriptor_type<storage_buffer>> -> tensor<6x512xf32>
  %3 = tensor.empty() : tensor<6xf32>
  %4 = scf.forall (%arg0) in (6) shared_outs(%arg1 = %3) -> (tensor<6xf32>) {
    %extracted_slice = tensor.extract_slice %2[%arg0, 0] [1, 512] [1, 1] : tensor<6x512xf32> to tensor<1x512xf32>
    %extracted_slice_0 = tensor.extract_slice %arg1[%arg0] [1] [1] : tensor<6xf32> to tensor<1xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%extracted_slice_0 : tensor<1xf32>) -> tensor<1xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%extracted_slice : tensor<1x512xf32>) outs(%5 : tensor<1xf32>) attrs =  {lowering_config = #iree_gpu.lowering_config<{lane_basis = [[1, 32], [0, 1]], partial_reduction = [0, 512], subgroup_basis = [[1, 4], [0, 1]], thread = [0, 4], workgroup = [1, 0]}>} {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.addf %in, %out : f32
      linalg.yield %7 : f32
    } -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %6 into %arg1[%arg0] [1] [1] : tensor<1xf32> into tensor<6xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %4, %1 : tensor<6xf32> into memref<6xf32, #hal.descriptor_type<storage_buffer>>
  return
}
