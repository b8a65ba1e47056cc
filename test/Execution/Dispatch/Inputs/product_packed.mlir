// -----// IR Dump After GPUPackToIntrinsicsPass //----- //
#executable_target_cuda_nvptx_fb = #hal.executable.target<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, <NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535]>>}>
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#pipeline_layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#translation = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>
#device_target_cuda = #hal.device.target<"cuda", [#executable_target_cuda_nvptx_fb]> : !hal.device
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #device_target_cuda
  hal.executable private @product_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(#executable_target_cuda_nvptx_fb) {
      hal.executable.export public @product_dispatch_0_matmul_32x32x32_f16xf16xf32 ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @product_dispatch_0_matmul_32x32x32_f16xf16xf32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout) binding(2) alignment(64) offset(%c0) flags(Indirect) : memref<32x32xf32, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %0 : memref<32x32xf16, #hal.descriptor_type<storage_buffer>> -> tensor<32x32xf16>
          %4 = iree_codegen.load_from_buffer %1 : memref<32x32xf16, #hal.descriptor_type<storage_buffer>> -> tensor<32x32xf16>
          %5 = tensor.empty() : tensor<32x32xf32>
          %6 = scf.forall (%arg0) = (0) to (32) step (32) shared_outs(%arg1 = %5) -> (tensor<32x32xf32>) {
            %7 = linalg.fill ins(%cst : f32) outs(%arg1 : tensor<32x32xf32>) -> tensor<32x32xf32>
            %8 = tensor.empty() : tensor<32x32xf16>
            %9 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%3 : tensor<32x32xf16>) outs(%8 : tensor<32x32xf16>) -> tensor<32x32xf16>
            %10 = tensor.empty() : tensor<32x32xf16>
            %11 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%4 : tensor<32x32xf16>) outs(%10 : tensor<32x32xf16>) -> tensor<32x32xf16>
            %12 = tensor.empty() : tensor<2x2x16x16xf16>
            %pack = linalg.pack %9 inner_dims_pos = [0, 1] inner_tiles = [16, 16] into %12 : tensor<32x32xf16> -> tensor<2x2x16x16xf16>
            %13 = tensor.empty() : tensor<2x4x8x16xf16>
            %pack_0 = linalg.pack %11 inner_dims_pos = [1, 0] inner_tiles = [8, 16] into %13 : tensor<32x32xf16> -> tensor<2x4x8x16xf16>
            %14 = tensor.empty() : tensor<2x4x16x8xf32>
            %pack_1 = linalg.pack %7 inner_dims_pos = [0, 1] inner_tiles = [16, 8] into %14 : tensor<32x32xf32> -> tensor<2x4x16x8xf32>
            %15 = iree_codegen.inner_tiled ins(%pack, %pack_0) outs(%pack_1) <indexing_maps = [#map, #map1, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>, permutations = [array<i64: 0, 1>, array<i64: 1, 0>, array<i64: 0, 1>]> {lowering_config = #iree_gpu.lowering_config<{convert_acc_gemm, mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, promote_operands = [0, 1], reduction = [0, 0, 2], subgroup = [2, 1, 0], workgroup = [32, 32, 0]}>} : tensor<2x2x16x16xf16>, tensor<2x4x8x16xf16> into tensor<2x4x16x8xf32>
            %unpack = linalg.unpack %15 inner_dims_pos = [0, 1] inner_tiles = [16, 8] into %arg1 : tensor<2x4x16x8xf32> -> tensor<32x32xf32>
            scf.forall.in_parallel {
              tensor.parallel_insert_slice %unpack into %arg1[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<32x32xf32>
            }
          } {mapping = [#iree_codegen.workgroup_mapping<x>]}
          iree_codegen.store_to_buffer %6, %2 : tensor<32x32xf32> into memref<32x32xf32, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @product_dispatch_0_matmul_32x32x32_f16xf16xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  util.func public @k(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @k(%input0: tensor<32x32xf16>, %input1: tensor<32x32xf16>) -> (%output0: tensor<32x32xf32>)"}} {
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %c2048 = arith.constant 2048 : index
    %c32 = arith.constant 32 : index
    %element_type_f16 = hal.element_type<f16> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%c32, %c32]) type(%element_type_f16) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<32x32xf16> in !stream.resource<external>{%c2048}
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c32, %c32]) type(%element_type_f16) encoding(%dense_row_major)
    %1 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<32x32xf16> in !stream.resource<external>{%c2048}
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c4096} => !stream.timepoint
    %2 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%result_timepoint) => with(%0 as %arg2: !stream.resource<external>{%c2048}, %1 as %arg3: !stream.resource<external>{%c2048}, %result as %arg4: !stream.resource<external>{%c4096}) {
      stream.cmd.dispatch @product_dispatch_0::@cuda_nvptx_fb::@product_dispatch_0_matmul_32x32x32_f16xf16xf32 {
        ro %arg2[%c0 for %c2048] : !stream.resource<external>{%c2048},
        ro %arg3[%c0 for %c2048] : !stream.resource<external>{%c2048},
        wo %arg4[%c0 for %c4096] : !stream.resource<external>{%c4096}
      }
    } => !stream.timepoint
    %3 = stream.timepoint.await %2 => %result : !stream.resource<external>{%c4096}
    %4 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %3 : tensor<32x32xf32> in !stream.resource<external>{%c4096} -> !hal.buffer_view
    util.return %4 : !hal.buffer_view
  }
}


