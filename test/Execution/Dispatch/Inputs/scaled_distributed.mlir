// After GPUDistributeForallPass, for sm_80: an index is split by extents that a launch computes.
func.func @scaled_dispatch_0_elementwise_5x70_f32() attributes {gpu.known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %thread_id_z = gpu.thread_id z
  %thread_id_y = gpu.thread_id y
  %thread_id_x = gpu.thread_id x
  %0 = affine.linearize_index disjoint [%thread_id_z, %thread_id_y, %thread_id_x] by (1, 1, 32) : index
  %1 = ub.poison : f32
  %c0 = arith.constant 0 : index
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) : memref<5x70xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align = memref.assume_alignment %2, 64 : memref<5x70xf32, #hal.descriptor_type<storage_buffer>>
  %3 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : memref<70xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align_0 = memref.assume_alignment %3, 64 : memref<70xf32, #hal.descriptor_type<storage_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c0) : memref<5x70xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align_1 = memref.assume_alignment %4, 64 : memref<5x70xf32, #hal.descriptor_type<storage_buffer>>
  scf.forall (%arg0, %arg1) in (5, 3) {
    %5 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg1)
    %6 = affine.min affine_map<(d0) -> (d0 * -32 + 70, 32)>(%arg1)
    %subview = memref.subview %assume_align_1[%arg0, %5] [1, %6] [1, 1] : memref<5x70xf32, #hal.descriptor_type<storage_buffer>> to memref<1x?xf32, strided<[70, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    scf.for %arg2 = %0 to %6 step %c32 {
      %7:2 = affine.delinearize_index %arg2 into (1, %6) : index, index
      %8 = affine.apply affine_map<(d0)[s0] -> (d0 * 32 + s0)>(%arg1)[%7#1]
      %subview_2 = memref.subview %subview[0, %7#1] [1, 1] [1, 1] : memref<1x?xf32, strided<[70, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<1x1xf32, strided<[70, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
      %9 = vector.transfer_read %assume_align[%arg0, %8], %1 {in_bounds = [true, true]} : memref<5x70xf32, #hal.descriptor_type<storage_buffer>>, vector<1x1xf32>
      %10 = vector.transfer_read %assume_align_0[%8], %1 {in_bounds = [true]} : memref<70xf32, #hal.descriptor_type<storage_buffer>>, vector<1xf32>
      %11 = vector.shape_cast %10 : vector<1xf32> to vector<1x1xf32>
      %12 = arith.mulf %9, %11 : vector<1x1xf32>
      vector.transfer_write %12, %subview_2[%c0, %c0] {in_bounds = [true, true]} : vector<1x1xf32>, memref<1x1xf32, strided<[70, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
    }
    gpu.barrier memfence [#gpu.address_space<workgroup>]
  } {mapping = [#iree_codegen.workgroup_mapping<y>, #iree_codegen.workgroup_mapping<x>]}
  return
}

