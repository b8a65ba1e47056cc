// -----// IR Dump After IREEInjectAssumeAlignmentPass: iree-codegen-inject-assume-alignment //----- //
func.func @row_sum_dispatch_0_reduction_6x512_f32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>} {
  %cst = arith.constant dense<0.000000e+00> : vector<1x128xf32>
  %cst_0 = arith.constant dense<0.000000e+00> : vector<1xf32>
  %0 = ub.poison : f32
  %c0 = arith.constant 0 : index
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<6x512xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align = memref.assume_alignment %1, 64 : memref<6x512xf32, #hal.descriptor_type<storage_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<6xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align_1 = memref.assume_alignment %2, 64 : memref<6xf32, #hal.descriptor_type<storage_buffer>>
  scf.forall (%arg0) in (6) {
    %subview = memref.subview %assume_align_1[%arg0] [1] [1] : memref<6xf32, #hal.descriptor_type<storage_buffer>> to memref<1xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
    %3 = vector.transfer_read %assume_align[%arg0, %c0], %0 {in_bounds = [true, true]} : memref<6x512xf32, #hal.descriptor_type<storage_buffer>>, vector<1x512xf32>
    %4 = vector.shape_cast %3 : vector<1x512xf32> to vector<1x128x4xf32>
    %5 = iree_vector_ext.to_layout %4 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 4, 1], batch_tile = [1, 1, 1], outer_tile = [1, 1, 1], thread_tile = [1, 32, 1], element_tile = [1, 1, 4], subgroup_strides = [0, 1, 0], thread_strides = [0, 1, 0]>) : vector<1x128x4xf32>
    %6 = iree_vector_ext.to_layout %cst to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 1], subgroup_strides = [0, 1], thread_strides = [0, 1]>) : vector<1x128xf32>
    %7 = vector.multi_reduction <add>, %5, %6 [2] : vector<1x128x4xf32> to vector<1x128xf32>
    %8 = iree_vector_ext.to_layout %7 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 1], subgroup_strides = [0, 1], thread_strides = [0, 1]>) : vector<1x128xf32>
    %9 = vector.multi_reduction <add>, %8, %cst_0 [1] : vector<1x128xf32> to vector<1xf32>
    vector.transfer_write %9, %subview[%c0] {in_bounds = [true]} : vector<1xf32>, memref<1xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
    %subview_2 = memref.subview %assume_align_1[%arg0] [1] [1] : memref<6xf32, #hal.descriptor_type<storage_buffer>> to memref<1xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
    memref.copy %subview, %subview_2 : memref<1xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<1xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  memref.copy %assume_align_1, %assume_align_1 : memref<6xf32, #hal.descriptor_type<storage_buffer>> to memref<6xf32, #hal.descriptor_type<storage_buffer>>
  return
}
