// -----// IR Dump After LowerIREEGPUOpsPass //----- //
#executable_target_rocm_hsaco_fb = #hal.executable.target<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.default_tuning_spec = #rocm.builtin.tuning_module<"iree_default_tuning_spec_gfx942.mlir">, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2FNUZ>, <MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32], workgroup_memory_bank_count = 32>>, ukernels = "none"}>
#map = affine_map<()[s0] -> (s0 * 4)>
#pipeline_layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#translation = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [256, 1, 1] subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>
#device_target_hip = #hal.device.target<"hip", [#executable_target_rocm_hsaco_fb]> : !hal.device
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #device_target_hip
  hal.executable private @product_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(#executable_target_rocm_hsaco_fb) {
      hal.executable.export public @product_dispatch_0_matmul_32x32x32_f16xf16xf32 ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @product_dispatch_0_matmul_32x32x32_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>, translation_info = #translation} {
          %cst = arith.constant dense<0.000000e+00> : vector<4x1xf32>
          %0 = ub.poison : f32
          %c0 = arith.constant 0 : index
          %1 = ub.poison : f16
          %thread_id_x = gpu.thread_id x upper_bound 256
          %2 = hal.interface.binding.subspan layout(#pipeline_layout) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %assume_align = memref.assume_alignment %2, 64 : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %3 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<32x32xf16, #hal.descriptor_type<storage_buffer>> to memref<32x32xf16, #amdgpu.address_space<fat_raw_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %assume_align_0 = memref.assume_alignment %4, 64 : memref<32x32xf16, #hal.descriptor_type<storage_buffer>>
          %5 = amdgpu.fat_raw_buffer_cast %assume_align_0 resetOffset : memref<32x32xf16, #hal.descriptor_type<storage_buffer>> to memref<32x32xf16, #amdgpu.address_space<fat_raw_buffer>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf32, #hal.descriptor_type<storage_buffer>>
          %assume_align_1 = memref.assume_alignment %6, 64 : memref<32x32xf32, #hal.descriptor_type<storage_buffer>>
          %7 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<32x32xf32, #hal.descriptor_type<storage_buffer>> to memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
          scf.forall (%arg0) in (1) {
            %alloc = memref.alloc() : memref<32x32xf16, #gpu.address_space<workgroup>>
            %alloc_2 = memref.alloc() : memref<32x32xf16, #gpu.address_space<workgroup>>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %8:3 = affine.delinearize_index %thread_id_x into (2, 2, 64) : index, index, index
            %expand_shape = memref.expand_shape %7 [[0, 1], [2, 3]] output_shape [2, 16, 2, 16] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>> into memref<2x16x2x16xf32, #amdgpu.address_space<fat_raw_buffer>>
            %9:2 = affine.delinearize_index %thread_id_x into (32, 8) : index, index
            %10 = affine.apply #map()[%9#1]
            %subview = memref.subview %5[%9#0, %10] [1, 4] [1, 1] : memref<32x32xf16, #amdgpu.address_space<fat_raw_buffer>> to memref<1x4xf16, strided<[32, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
            %subview_3 = memref.subview %3[%9#0, %10] [1, 4] [1, 1] : memref<32x32xf16, #amdgpu.address_space<fat_raw_buffer>> to memref<1x4xf16, strided<[32, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %subview_4 = memref.subview %alloc_2[%9#0, %10] [1, 4] [1, 1] : memref<32x32xf16, #gpu.address_space<workgroup>> to memref<1x4xf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
            %subview_5 = memref.subview %alloc[%9#0, %10] [1, 4] [1, 1] : memref<32x32xf16, #gpu.address_space<workgroup>> to memref<1x4xf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
            %11 = vector.transfer_read %subview_3[%c0, %c0], %1 {in_bounds = [true, true]} : memref<1x4xf16, strided<[32, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, vector<1x4xf16>
            vector.transfer_write %11, %subview_4[%c0, %c0] {in_bounds = [true, true]} : vector<1x4xf16>, memref<1x4xf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
            %12 = vector.transfer_read %subview[%c0, %c0], %1 {in_bounds = [true, true]} : memref<1x4xf16, strided<[32, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, vector<1x4xf16>
            vector.transfer_write %12, %subview_5[%c0, %c0] {in_bounds = [true, true]} : vector<1x4xf16>, memref<1x4xf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %13:3 = affine.delinearize_index %8#2 into (4, 16) : index, index, index
            %14 = iree_codegen.index_hint %13#1(#iree_gpu.lane_constant<16>) : index
            %15 = iree_codegen.index_hint %13#2(#iree_gpu.lane_increment<16, aligned>) : index
            %16 = affine.linearize_index disjoint [%14, %c0] by (4, 4) : index
            %subview_6 = memref.subview %expand_shape[%8#0, %16, %8#1, %15] [1, 4, 1, 1] [1, 1, 1, 1] : memref<2x16x2x16xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<1x4x1x1xf32, strided<[512, 32, 16, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
            %17 = affine.linearize_index disjoint [%8#0, %16] by (2, 16) : index
            %18 = affine.linearize_index disjoint [%8#1, %15] by (2, 16) : index
            %expand_shape_7 = memref.expand_shape %alloc [[0, 1], [2, 3]] output_shape [2, 16, 2, 16] : memref<32x32xf16, #gpu.address_space<workgroup>> into memref<2x16x2x16xf16, #gpu.address_space<workgroup>>
            %expand_shape_8 = memref.expand_shape %alloc_2 [[0, 1], [2, 3]] output_shape [2, 16, 2, 16] : memref<32x32xf16, #gpu.address_space<workgroup>> into memref<2x16x2x16xf16, #gpu.address_space<workgroup>>
            %19 = vector.transfer_read %expand_shape_8[%8#0, %15, %c0, %16], %1 {in_bounds = [true, true, true, true]} : memref<2x16x2x16xf16, #gpu.address_space<workgroup>>, vector<1x1x2x4xf16>
            %20 = vector.transpose %19, [0, 2, 1, 3] : vector<1x1x2x4xf16> to vector<1x2x1x4xf16>
            %21 = vector.transfer_read %expand_shape_7[%c0, %16, %8#1, %15], %1 {in_bounds = [true, true, true, true]} : memref<2x16x2x16xf16, #gpu.address_space<workgroup>>, vector<2x4x1x1xf16>
            %22 = vector.transpose %21, [0, 2, 3, 1] : vector<2x4x1x1xf16> to vector<2x1x1x4xf16>
            %23 = vector.extract %20[0, 0] : vector<1x4xf16> from vector<1x2x1x4xf16>
            %24 = vector.extract %22[0, 0] : vector<1x4xf16> from vector<2x1x1x4xf16>
            %25 = vector.shape_cast %23 : vector<1x4xf16> to vector<4xf16>
            %26 = vector.shape_cast %24 : vector<1x4xf16> to vector<4xf16>
            %27 = vector.shape_cast %cst : vector<4x1xf32> to vector<4xf32>
            %28 = amdgpu.mfma 16x16x16 %25 * %26 + %27 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %29 = vector.extract %20[0, 1] : vector<1x4xf16> from vector<1x2x1x4xf16>
            %30 = vector.extract %22[1, 0] : vector<1x4xf16> from vector<2x1x1x4xf16>
            %31 = vector.shape_cast %29 : vector<1x4xf16> to vector<4xf16>
            %32 = vector.shape_cast %30 : vector<1x4xf16> to vector<4xf16>
            %33 = amdgpu.mfma 16x16x16 %31 * %32 + %28 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %34 = vector.shape_cast %33 : vector<4xf32> to vector<4x1xf32>
            %35 = vector.shape_cast %34 : vector<4x1xf32> to vector<1x4x1x1xf32>
            vector.transfer_write %35, %subview_6[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<1x4x1x1xf32>, memref<1x4x1x1xf32, strided<[512, 32, 16, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
            %collapse_shape = memref.collapse_shape %subview_6 [[0, 1], [2, 3]] : memref<1x4x1x1xf32, strided<[512, 32, 16, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>> into memref<4x1xf32, strided<[32, 16], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
            %subview_9 = memref.subview %7[%17, %18] [4, 1] [1, 1] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<4x1xf32, strided<[32, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
            %36 = vector.transfer_read %collapse_shape[%c0, %c0], %0 {in_bounds = [true, true]} : memref<4x1xf32, strided<[32, 16], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, vector<4x1xf32>
            vector.transfer_write %36, %subview_9[%c0, %c0] {in_bounds = [true, true]} : vector<4x1xf32>, memref<4x1xf32, strided<[32, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
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
      stream.cmd.dispatch @product_dispatch_0::@rocm_hsaco_fb::@product_dispatch_0_matmul_32x32x32_f16xf16xf32 {
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


