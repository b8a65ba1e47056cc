// After GPUApplyTilingLevelPass (threads), for sm_80: what is filled beside the loops over threads, two results.
func.func @best_dispatch_0_reduction_5x40_f32xf32xi32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) : memref<5x40xf32, #hal.descriptor_type<storage_buffer>>
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : memref<5xf32, #hal.descriptor_type<storage_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c64) : memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
  %3 = iree_codegen.load_from_buffer %0 : memref<5x40xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5x40xf32>
  %4 = tensor.empty() : tensor<5xi32>
  %5 = tensor.empty() : tensor<5xf32>
  %6:2 = scf.forall (%arg0) = (0) to (5) step (32) shared_outs(%arg1 = %5, %arg2 = %4) -> (tensor<5xf32>, tensor<5xi32>) {
    %7 = linalg.fill ins(%cst : f32) outs(%arg1 : tensor<5xf32>) -> tensor<5xf32>
    %8 = linalg.fill ins(%c0_i32 : i32) outs(%arg2 : tensor<5xi32>) -> tensor<5xi32>
    %9:2 = scf.for %arg3 = %c0 to %c40 step %c4 iter_args(%arg4 = %7, %arg5 = %8) -> (tensor<5xf32>, tensor<5xi32>) {
      %10:2 = scf.forall (%arg6) in (5) shared_outs(%arg7 = %arg4, %arg8 = %arg5) -> (tensor<5xf32>, tensor<5xi32>) {
        %extracted_slice = tensor.extract_slice %3[%arg6, %arg3] [1, 4] [1, 1] : tensor<5x40xf32> to tensor<1x4xf32>
        %extracted_slice_0 = tensor.extract_slice %arg7[%arg6] [1] [1] : tensor<5xf32> to tensor<1xf32>
        %extracted_slice_1 = tensor.extract_slice %arg8[%arg6] [1] [1] : tensor<5xi32> to tensor<1xi32>
        %11:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%extracted_slice : tensor<1x4xf32>) outs(%extracted_slice_0, %extracted_slice_1 : tensor<1xf32>, tensor<1xi32>) attrs =  {lowering_config = #iree_gpu.lowering_config<{reduction = [0, 4], thread = [1, 0], workgroup = [32, 0]}>} {
        ^bb0(%in: f32, %out: f32, %out_2: i32):
          %12 = linalg.index 1 : index
          %13 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%arg3)[%12]
          %14 = arith.index_cast %13 : index to i32
          %15 = arith.cmpf ogt, %in, %out : f32
          %16 = arith.select %15, %in, %out : f32
          %17 = arith.select %15, %14, %out_2 : i32
          linalg.yield %16, %17 : f32, i32
        } -> (tensor<1xf32>, tensor<1xi32>)
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %11#0 into %arg7[%arg6] [1] [1] : tensor<1xf32> into tensor<5xf32>
          tensor.parallel_insert_slice %11#1 into %arg8[%arg6] [1] [1] : tensor<1xi32> into tensor<5xi32>
        }
      } {mapping = [#gpu.thread<linear_dim_0>]}
      scf.yield %10#0, %10#1 : tensor<5xf32>, tensor<5xi32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %9#0 into %arg1[0] [5] [1] : tensor<5xf32> into tensor<5xf32>
      tensor.parallel_insert_slice %9#1 into %arg2[0] [5] [1] : tensor<5xi32> into tensor<5xi32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %6#0, %1 : tensor<5xf32> into memref<5xf32, #hal.descriptor_type<storage_buffer>>
  iree_codegen.store_to_buffer %6#1, %2 : tensor<5xi32> into memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
  return
}

