// Before GPUDistributeForallPass, for gfx942.
func.func @best_dispatch_0_reduction_5x40_f32xf32xi32() attributes {gpu.known_block_size = array<i32: 64, 1, 1>, translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %cst = arith.constant dense<0> : vector<4xi32>
  %cst_0 = arith.constant dense<0xFF800000> : vector<4xf32>
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) {iree_gpu.use_rocdl_buffer_instructions} : memref<5x40xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align = memref.assume_alignment %0, 64 : memref<5x40xf32, #hal.descriptor_type<storage_buffer>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<5x40xf32, #hal.descriptor_type<storage_buffer>> to memref<5x40xf32, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) {iree_gpu.use_rocdl_buffer_instructions} : memref<5xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align_1 = memref.assume_alignment %2, 64 : memref<5xf32, #hal.descriptor_type<storage_buffer>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<5xf32, #hal.descriptor_type<storage_buffer>> to memref<5xf32, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c64) {iree_gpu.use_rocdl_buffer_instructions} : memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
  %assume_align_2 = memref.assume_alignment %4, 64 : memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<5xi32, #amdgpu.address_space<fat_raw_buffer>>
  scf.forall (%arg0) in (1) {
    scf.forall (%arg1) = (0) to (5) step (4) {
      %6 = affine.min affine_map<(d0) -> (-d0 + 5, 4)>(%arg1)
      %subview = memref.subview %3[%arg1] [%6] [1] : memref<5xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<?xf32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
      %7 = vector.create_mask %6 : vector<4xi1>
      vector.transfer_write %cst_0, %subview[%c0], %7 {in_bounds = [true]} : vector<4xf32>, memref<?xf32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    } {mapping = [#gpu.thread<linear_dim_0>]}
    scf.forall (%arg1) = (0) to (5) step (4) {
      %6 = affine.min affine_map<(d0) -> (-d0 + 5, 4)>(%arg1)
      %subview = memref.subview %5[%arg1] [%6] [1] : memref<5xi32, #amdgpu.address_space<fat_raw_buffer>> to memref<?xi32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
      %7 = vector.create_mask %6 : vector<4xi1>
      vector.transfer_write %cst, %subview[%c0], %7 {in_bounds = [true]} : vector<4xi32>, memref<?xi32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    } {mapping = [#gpu.thread<linear_dim_0>]}
    scf.for %arg1 = %c0 to %c40 step %c4 {
      scf.forall (%arg2) in (5) {
        %subview = memref.subview %1[%arg2, %arg1] [1, 4] [1, 1] : memref<5x40xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<1x4xf32, strided<[40, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
        %subview_3 = memref.subview %3[%arg2] [1] [1] : memref<5xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<1xf32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
        %subview_4 = memref.subview %5[%arg2] [1] [1] : memref<5xi32, #amdgpu.address_space<fat_raw_buffer>> to memref<1xi32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
        linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%subview : memref<1x4xf32, strided<[40, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>) outs(%subview_3, %subview_4 : memref<1xf32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, memref<1xi32, strided<[1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>) attrs =  {lowering_config = #iree_gpu.lowering_config<{reduction = [0, 4], thread = [1, 0], workgroup = [64, 0]}>} {
        ^bb0(%in: f32, %out: f32, %out_5: i32):
          %6 = linalg.index 1 : index
          %7 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%arg1)[%6]
          %8 = arith.index_cast %7 : index to i32
          %9 = arith.cmpf ogt, %in, %out : f32
          %10 = arith.select %9, %in, %out : f32
          %11 = arith.select %9, %8, %out_5 : i32
          linalg.yield %10, %11 : f32, i32
        }
      } {mapping = [#gpu.thread<linear_dim_0>]}
    }
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  return
}

