// -----// IR Dump After GenericVectorizationPass //----- //
#executable_target_cuda_nvptx_fb = #hal.executable.target<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, <NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535]>>}>
#nested = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2, 1], batch_tile = [1, 1, 1], outer_tile = [1, 1, 1], thread_tile = [1, 32, 1], element_tile = [1, 1, 4], subgroup_strides = [0, 1, 0], thread_strides = [0, 1, 0]>
#nested1 = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 1], subgroup_strides = [0, 1], thread_strides = [0, 1]>
#nested2 = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [1], element_tile = [1], subgroup_strides = [0], thread_strides = [0]>
#nested3 = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 4], subgroup_strides = [0, 1], thread_strides = [0, 1]>
#pipeline_layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#translation = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>
#device_target_cuda = #hal.device.target<"cuda", [#executable_target_cuda_nvptx_fb]> : !hal.device
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #device_target_cuda
  hal.executable private @softmax_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(#executable_target_cuda_nvptx_fb) {
      hal.executable.export public @softmax_dispatch_0_softmax_64x256xf32_dispatch_tensor_store ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @softmax_dispatch_0_softmax_64x256xf32_dispatch_tensor_store() attributes {translation_info = #translation} {
          %cst = arith.constant dense<0.000000e+00> : vector<1x64xf32>
          %cst_0 = arith.constant dense<0.000000e+00> : vector<1xf32>
          %cst_1 = arith.constant dense<0xFFC00000> : vector<1x64xf32>
          %cst_2 = arith.constant dense<0xFFC00000> : vector<1xf32>
          %0 = ub.poison : f32
          %c0 = arith.constant 0 : index
          %1 = hal.interface.binding.subspan layout(#pipeline_layout) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<64x256xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<64x256xf32, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<64x256xf32, #hal.descriptor_type<storage_buffer>> -> tensor<64x256xf32>
          %4 = tensor.empty() : tensor<64x256xf32>
          %5 = scf.forall (%arg0) in (64) shared_outs(%arg1 = %4) -> (tensor<64x256xf32>) {
            %extracted_slice = tensor.extract_slice %3[%arg0, 0] [1, 256] [1, 1] : tensor<64x256xf32> to tensor<1x256xf32>
            %extracted_slice_3 = tensor.extract_slice %arg1[%arg0, 0] [1, 256] [1, 1] : tensor<64x256xf32> to tensor<1x256xf32>
            %6 = vector.transfer_read %extracted_slice[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<1x256xf32>, vector<1x256xf32>
            %7 = vector.shape_cast %6 : vector<1x256xf32> to vector<1x64x4xf32>
            %8 = iree_vector_ext.to_layout %7 to layout(#nested) : vector<1x64x4xf32>
            %9 = iree_vector_ext.to_layout %cst_1 to layout(#nested1) : vector<1x64xf32>
            %10 = vector.multi_reduction <maxnumf>, %8, %9 [2] : vector<1x64x4xf32> to vector<1x64xf32>
            %11 = iree_vector_ext.to_layout %10 to layout(#nested1) : vector<1x64xf32>
            %12 = vector.multi_reduction <maxnumf>, %11, %cst_2 [1] : vector<1x64xf32> to vector<1xf32>
            %13 = iree_vector_ext.to_layout %12 to layout(#nested2) : vector<1xf32>
            %14 = iree_vector_ext.to_layout %cst to layout(#nested1) : vector<1x64xf32>
            %15 = vector.broadcast %13 : vector<1xf32> to vector<64x4x1xf32>
            %16 = vector.transpose %15, [2, 0, 1] : vector<64x4x1xf32> to vector<1x64x4xf32>
            %17 = arith.subf %8, %16 : vector<1x64x4xf32>
            %18 = math.exp %17 : vector<1x64x4xf32>
            %19 = vector.multi_reduction <add>, %18, %14 [2] : vector<1x64x4xf32> to vector<1x64xf32>
            %20 = iree_vector_ext.to_layout %19 to layout(#nested1) : vector<1x64xf32>
            %21 = vector.multi_reduction <add>, %20, %cst_0 [1] : vector<1x64xf32> to vector<1xf32>
            %22 = vector.transfer_read %extracted_slice[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<1x256xf32>, vector<1x256xf32>
            %23 = iree_vector_ext.to_layout %22 to layout(#nested3) : vector<1x256xf32>
            %24 = iree_vector_ext.to_layout %12 to layout(#nested2) : vector<1xf32>
            %25 = iree_vector_ext.to_layout %21 to layout(#nested2) : vector<1xf32>
            %26 = vector.transfer_read %extracted_slice_3[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<1x256xf32>, vector<1x256xf32>
            %27 = iree_vector_ext.to_layout %26 to layout(#nested3) : vector<1x256xf32>
            %28 = vector.transfer_write %27, %extracted_slice_3[%c0, %c0] {in_bounds = [true, true]} : vector<1x256xf32>, tensor<1x256xf32>
            %29 = vector.broadcast %24 : vector<1xf32> to vector<256x1xf32>
            %30 = vector.transpose %29, [1, 0] : vector<256x1xf32> to vector<1x256xf32>
            %31 = vector.broadcast %25 : vector<1xf32> to vector<256x1xf32>
            %32 = vector.transpose %31, [1, 0] : vector<256x1xf32> to vector<1x256xf32>
            %33 = arith.subf %23, %30 : vector<1x256xf32>
            %34 = math.exp %33 : vector<1x256xf32>
            %35 = arith.divf %34, %32 : vector<1x256xf32>
            %36 = vector.transfer_write %35, %28[%c0, %c0] {in_bounds = [true, true]} : vector<1x256xf32>, tensor<1x256xf32>
            %37 = iree_vector_ext.to_layout %35 to layout(#nested3) : vector<1x256xf32>
            %38 = vector.transfer_write %37, %36[%c0, %c0] {in_bounds = [true, true]} : vector<1x256xf32>, tensor<1x256xf32>
            scf.forall.in_parallel {
              tensor.parallel_insert_slice %38 into %arg1[%arg0, 0] [1, 256] [1, 1] : tensor<1x256xf32> into tensor<64x256xf32>
            }
          } {mapping = [#iree_codegen.workgroup_mapping<x>]}
          iree_codegen.store_to_buffer %5, %2 : tensor<64x256xf32> into memref<64x256xf32, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @softmax_dispatch_0_softmax_64x256xf32_dispatch_tensor_store {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  util.func public @k(%arg0: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @k(%input0: tensor<64x256xf32>) -> (%output0: tensor<64x256xf32>)"}} {
    %c0 = arith.constant 0 : index
    %c65536 = arith.constant 65536 : index
    %c256 = arith.constant 256 : index
    %c64 = arith.constant 64 : index
    %element_type_f32 = hal.element_type<f32> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%c64, %c256]) type(%element_type_f32) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<64x256xf32> in !stream.resource<external>{%c65536}
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c65536} => !stream.timepoint
    %1 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%result_timepoint) => with(%0 as %arg1: !stream.resource<external>{%c65536}, %result as %arg2: !stream.resource<external>{%c65536}) {
      stream.cmd.dispatch @softmax_dispatch_0::@cuda_nvptx_fb::@softmax_dispatch_0_softmax_64x256xf32_dispatch_tensor_store {
        ro %arg1[%c0 for %c65536] : !stream.resource<external>{%c65536},
        wo %arg2[%c0 for %c65536] : !stream.resource<external>{%c65536}
      }
    } => !stream.timepoint
    %2 = stream.timepoint.await %1 => %result : !stream.resource<external>{%c65536}
    %3 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %2 : tensor<64x256xf32> in !stream.resource<external>{%c65536} -> !hal.buffer_view
    util.return %3 : !hal.buffer_view
  }
}


