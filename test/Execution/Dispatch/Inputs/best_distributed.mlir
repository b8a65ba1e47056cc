// After GPUDistributeForallPass, for gfx942: structured ops of a lane.
func.func @best_dispatch_0_reduction_5x40_f32xf32xi32() attributes {gpu.known_block_size = array<i32: 64, 1, 1>, translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %thread_id_z = gpu.thread_id z
  %thread_id_y = gpu.thread_id y
  %thread_id_x = gpu.thread_id x
  %0 = affine.linearize_index disjoint [%thread_id_z, %thread_id_y, %thread_id_x] by (1, 1, 64) : index
  %cst = arith.constant dense<0> : vector<4xi32>
  %cst_0 = arith.constant dense<0xFF800000> : vector<4xf32>
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) {iree_gpu.use_rocdl_buffer_instructions} : memref<5x40xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align = memref.assume_alignment %1, 64 : memref<5x40xf32, #hal.descriptor_type<storage_buffer>>
  %2 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<5x40xf32, #hal.descriptor_type<storage_buffer>> to memref<5x40xf32, #amdgpu.address_space<fat_raw_buffer>>
  %3 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) {iree_gpu.use_rocdl_buffer_instructions} : memref<5xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align_1 = memref.assume_alignment %3, 64 : memref<5xf32, #hal.descriptor_type<storage_buffer>>
  %4 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<5xf32, #hal.descriptor_type<storage_buffer>> to memref<5xf32, #amdgpu.address_space<fat_raw_buffer>>
  %5 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c64) {iree_gpu.use_rocdl_buffer_instructions} : memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
  %assume_align_2 = memref.assume_alignment %5, 64 : memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
  %6 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<5xi32, #amdgpu.address_space<fat_raw_buffer>>
  scf.forall (%arg0) in (1) {
    %c2 = arith.constant 2 : index
    %c2_3 = arith.constant 2 : index
    %c64_4 = arith.constant 64 : index
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    scf.for %arg1 = %0 to %c2_3 step %c64_4 {
      %7 = affine.delinearize_index %arg1 into (2) : index
      %8 = affine.apply affine_map<(d0) -> (d0 * 4)>(%7)
      %9 = affine.min affine_map<(d0) -> (-d0 + 5, 4)>(%8)
      %subview = memref.subview %4[%8] [%9] [1] : memref<5xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<?xf32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
      %10 = vector.create_mask %9 : vector<4xi1>
      vector.transfer_write %cst_0, %subview[%c0], %10 {in_bounds = [true]} : vector<4xf32>, memref<?xf32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    }
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    %c2_5 = arith.constant 2 : index
    %c2_6 = arith.constant 2 : index
    %c64_7 = arith.constant 64 : index
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    scf.for %arg1 = %0 to %c2_6 step %c64_7 {
      %7 = affine.delinearize_index %arg1 into (2) : index
      %8 = affine.apply affine_map<(d0) -> (d0 * 4)>(%7)
      %9 = affine.min affine_map<(d0) -> (-d0 + 5, 4)>(%8)
      %subview = memref.subview %6[%8] [%9] [1] : memref<5xi32, #amdgpu.address_space<fat_raw_buffer>> to memref<?xi32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
      %10 = vector.create_mask %9 : vector<4xi1>
      vector.transfer_write %cst, %subview[%c0], %10 {in_bounds = [true]} : vector<4xi32>, memref<?xi32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    }
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    scf.for %arg1 = %c0 to %c40 step %c4 {
      %c5 = arith.constant 5 : index
      %c5_8 = arith.constant 5 : index
      %c64_9 = arith.constant 64 : index
      gpu.barrier memfence [#gpu.address_space<workgroup>]
      scf.for %arg2 = %0 to %c5_8 step %c64_9 {
        %7 = affine.delinearize_index %arg2 into (5) : index
        %subview = memref.subview %2[%7, %arg1] [1, 4] [1, 1] : memref<5x40xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<1x4xf32, strided<[40, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
        %subview_10 = memref.subview %4[%7] [1] [1] : memref<5xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<1xf32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
        %subview_11 = memref.subview %6[%7] [1] [1] : memref<5xi32, #amdgpu.address_space<fat_raw_buffer>> to memref<1xi32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
        linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%subview : memref<1x4xf32, strided<[40, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>) outs(%subview_10, %subview_11 : memref<1xf32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, memref<1xi32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>) attrs =  {lowering_config = #iree_gpu.lowering_config<{reduction = [0, 4], thread = [1, 0], workgroup = [64, 0]}>} {
        ^bb0(%in: f32, %out: f32, %out_12: i32):
          %8 = linalg.index 1 : index
          %9 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%arg1)[%8]
          %10 = arith.index_cast %9 : index to i32
          %11 = arith.cmpf ogt, %in, %out : f32
          %12 = arith.select %11, %in, %out : f32
          %13 = arith.select %11, %10, %out_12 : i32
          linalg.yield %12, %13 : f32, i32
        }
      }
      gpu.barrier memfence [#gpu.address_space<workgroup>]
    }
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  return
}

