// -----// IR Dump After UnrollToIntrinsicsPass //----- //
#executable_target_cuda_nvptx_fb = #hal.executable.target<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, <NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535]>>}>
#map = affine_map<(d0)[s0] -> (d0 + s0)>
#map1 = affine_map<(d0, d1) -> (d0 + d1 * 32)>
#map2 = affine_map<(d0) -> (d0 * 8)>
#map3 = affine_map<() -> ()>
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
        func.func @product_dispatch_0_matmul_32x32x32_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, translation_info = #translation} {
          %cst = arith.constant dense<0.000000e+00> : vector<1x1x2x1x2xf32>
          %c128 = arith.constant 128 : index
          %c0 = arith.constant 0 : index
          %0 = ub.poison : f16
          %cst_0 = arith.constant dense<0.000000e+00> : vector<2x1x2x1x2xf32>
          %thread_id_z = gpu.thread_id z
          %thread_id_y = gpu.thread_id y
          %thread_id_x = gpu.thread_id x
          %1 = affine.linearize_index disjoint [%thread_id_z, %thread_id_y, %thread_id_x] by (1, 1, 128) : index
          %2 = hal.interface.binding.subspan layout(#pipeline_layout) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %assume_align = memref.assume_alignment %2, 64 : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %3 = hal.interface.binding.subspan layout(#pipeline_layout) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %assume_align_1 = memref.assume_alignment %3, 64 : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout) binding(2) alignment(64) offset(%c0) flags(Indirect) : memref<32x32xf32, #hal.descriptor_type<storage_buffer>>
          %assume_align_2 = memref.assume_alignment %4, 64 : memref<32x32xf32, #hal.descriptor_type<storage_buffer>>
          scf.forall (%arg0) in (1) {
            %alloc = memref.alloc() : memref<32x32xf16, #gpu.address_space<workgroup>>
            %alloc_3 = memref.alloc() : memref<32x32xf16, #gpu.address_space<workgroup>>
            %expand_shape = memref.expand_shape %assume_align_2 [[0, 1, 2], [3, 4]] output_shape [2, 2, 8, 4, 8] : memref<32x32xf32, #hal.descriptor_type<storage_buffer>> into memref<2x2x8x4x8xf32, #hal.descriptor_type<storage_buffer>>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            scf.for %arg1 = %c0 to %c128 step %c128 {
              %5 = affine.apply #map(%arg1)[%1]
              %6:3 = affine.delinearize_index %5 into (1, 4, 32) : index, index, index
              %7 = affine.apply #map1(%6#2, %6#1)
              %8:2 = affine.delinearize_index %7 into (32, 4) : index, index
              %9 = affine.apply #map2(%8#1)
              %subview = memref.subview %assume_align_1[%8#0, %9] [1, 8] [1, 1] : memref<32x32xf16, #hal.descriptor_type<storage_buffer>> to memref<1x8xf16, strided<[32, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
              %subview_4 = memref.subview %assume_align[%8#0, %9] [1, 8] [1, 1] : memref<32x32xf16, #hal.descriptor_type<storage_buffer>> to memref<1x8xf16, strided<[32, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
              gpu.barrier memfence [#gpu.address_space<workgroup>]
              %subview_5 = memref.subview %alloc_3[%8#0, %9] [1, 8] [1, 1] : memref<32x32xf16, #gpu.address_space<workgroup>> to memref<1x8xf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
              %subview_6 = memref.subview %alloc[%8#0, %9] [1, 8] [1, 1] : memref<32x32xf16, #gpu.address_space<workgroup>> to memref<1x8xf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
              %10 = vector.transfer_read %subview_4[%c0, %c0], %0 {in_bounds = [true, true]} : memref<1x8xf16, strided<[32, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>, vector<1x8xf16>
              vector.transfer_write %10, %subview_5[%c0, %c0] {in_bounds = [true, true]} : vector<1x8xf16>, memref<1x8xf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
              %11 = vector.transfer_read %subview[%c0, %c0], %0 {in_bounds = [true, true]} : memref<1x8xf16, strided<[32, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>, vector<1x8xf16>
              vector.transfer_write %11, %subview_6[%c0, %c0] {in_bounds = [true, true]} : vector<1x8xf16>, memref<1x8xf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
              gpu.barrier memfence [#gpu.address_space<workgroup>]
              %12:3 = affine.delinearize_index %6#2 into (8, 4) : index, index, index
              %13 = iree_codegen.index_hint %12#1(#iree_gpu.lane_constant<4>) : index
              %14 = iree_codegen.index_hint %12#2(#iree_gpu.lane_increment<4, aligned>) : index
              %15 = affine.linearize_index disjoint [%14, %c0] by (4, 2) : index
              %subview_7 = memref.subview %expand_shape[0, 0, %13, %6#1, %15] [2, 2, 1, 1, 2] [1, 1, 1, 1, 1] : memref<2x2x8x4x8xf32, #hal.descriptor_type<storage_buffer>> to memref<2x2x1x1x2xf32, strided<[512, 256, 32, 8, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
              %expand_shape_8 = memref.expand_shape %alloc [[0, 1, 2], [3, 4]] output_shape [2, 2, 8, 4, 8] : memref<32x32xf16, #gpu.address_space<workgroup>> into memref<2x2x8x4x8xf16, #gpu.address_space<workgroup>>
              %expand_shape_9 = memref.expand_shape %alloc_3 [[0, 1, 2], [3, 4, 5]] output_shape [2, 2, 8, 2, 2, 8] : memref<32x32xf16, #gpu.address_space<workgroup>> into memref<2x2x8x2x2x8xf16, #gpu.address_space<workgroup>>
              %16 = vector.transfer_read %expand_shape_9[%c0, %c0, %13, %c0, %c0, %15], %0 {in_bounds = [true, true, true, true, true, true]} : memref<2x2x8x2x2x8xf16, #gpu.address_space<workgroup>>, vector<2x2x1x2x2x2xf16>
              %17 = vector.transpose %16, [0, 3, 1, 2, 4, 5] : vector<2x2x1x2x2x2xf16> to vector<2x2x2x1x2x2xf16>
              %18 = vector.transfer_read %expand_shape_8[%c0, %c0, %15, %6#1, %13], %0 {in_bounds = [true, true, true, true, true]} : memref<2x2x8x4x8xf16, #gpu.address_space<workgroup>>, vector<2x2x2x1x1xf16>
              %19 = vector.transpose %18, [0, 3, 4, 1, 2] : vector<2x2x2x1x1xf16> to vector<2x1x1x2x2xf16>
              %20 = vector.extract %17[0, 0] : vector<2x1x2x2xf16> from vector<2x2x2x1x2x2xf16>
              %21 = vector.extract %19[0, 0] : vector<1x2x2xf16> from vector<2x1x1x2x2xf16>
              %22 = vector.extract %cst[0, 0] : vector<2x1x2xf32> from vector<1x1x2x1x2xf32>
              %23 = iree_codegen.inner_tiled ins(%20, %21) outs(%22) <indexing_maps = [#map3, #map3, #map3], iterator_types = [], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> : vector<2x1x2x2xf16>, vector<1x2x2xf16> into vector<2x1x2xf32>
              %24 = vector.extract %17[1, 0] : vector<2x1x2x2xf16> from vector<2x2x2x1x2x2xf16>
              %25 = vector.extract %19[0, 0] : vector<1x2x2xf16> from vector<2x1x1x2x2xf16>
              %26 = vector.extract %cst[0, 0] : vector<2x1x2xf32> from vector<1x1x2x1x2xf32>
              %27 = iree_codegen.inner_tiled ins(%24, %25) outs(%26) <indexing_maps = [#map3, #map3, #map3], iterator_types = [], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> : vector<2x1x2x2xf16>, vector<1x2x2xf16> into vector<2x1x2xf32>
              %28 = vector.extract %17[0, 1] : vector<2x1x2x2xf16> from vector<2x2x2x1x2x2xf16>
              %29 = vector.extract %19[1, 0] : vector<1x2x2xf16> from vector<2x1x1x2x2xf16>
              %30 = iree_codegen.inner_tiled ins(%28, %29) outs(%23) <indexing_maps = [#map3, #map3, #map3], iterator_types = [], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> : vector<2x1x2x2xf16>, vector<1x2x2xf16> into vector<2x1x2xf32>
              %31 = vector.broadcast %30 : vector<2x1x2xf32> to vector<1x1x2x1x2xf32>
              %32 = vector.extract %17[1, 1] : vector<2x1x2x2xf16> from vector<2x2x2x1x2x2xf16>
              %33 = vector.extract %19[1, 0] : vector<1x2x2xf16> from vector<2x1x1x2x2xf16>
              %34 = iree_codegen.inner_tiled ins(%32, %33) outs(%27) <indexing_maps = [#map3, #map3, #map3], iterator_types = [], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> : vector<2x1x2x2xf16>, vector<1x2x2xf16> into vector<2x1x2xf32>
              %35 = vector.broadcast %34 : vector<2x1x2xf32> to vector<1x1x2x1x2xf32>
              %36 = vector.insert_strided_slice %31, %cst_0 offsets = [0, 0, 0, 0, 0], strides = [1, 1, 1, 1, 1] : vector<1x1x2x1x2xf32> into vector<2x1x2x1x2xf32>
              %37 = vector.insert_strided_slice %35, %36 offsets = [1, 0, 0, 0, 0], strides = [1, 1, 1, 1, 1] : vector<1x1x2x1x2xf32> into vector<2x1x2x1x2xf32>
              %38 = vector.transpose %37, [0, 2, 3, 1, 4] : vector<2x1x2x1x2xf32> to vector<2x2x1x1x2xf32>
              vector.transfer_write %38, %subview_7[%c0, %c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true, true]} : vector<2x2x1x1x2xf32>, memref<2x2x1x1x2xf32, strided<[512, 256, 32, 8, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
            }
            gpu.barrier memfence [#gpu.address_space<workgroup>]
          } {mapping = [#iree_codegen.workgroup_mapping<x>]}
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


