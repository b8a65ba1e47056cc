module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @att_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "">, ukernels = "none"}>) {
      hal.executable.export public @att_dispatch_0_attention_2x33x24x16x40 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @att_dispatch_0_attention_2x33x24x16x40() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64, {iree_codegen.denormal_fp_math_f32 = #iree_codegen.denormal_fp_math<"preserve-sign">}>} {
          %cst = arith.constant 1.000000e+00 : f32
          %cst_0 = arith.constant -3.40282347E+38 : f32
          %cst_1 = arith.constant 0.000000e+00 : f32
          %cst_2 = arith.constant 2.500000e-01 : f16
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x33x16xf16, #hal.descriptor_type<storage_buffer>>
          %1 = amdgpu.fat_raw_buffer_cast %0 resetOffset : memref<2x33x16xf16, #hal.descriptor_type<storage_buffer>> to memref<2x33x16xf16, #amdgpu.address_space<fat_raw_buffer>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x40x16xf16, #hal.descriptor_type<storage_buffer>>
          %3 = amdgpu.fat_raw_buffer_cast %2 resetOffset : memref<2x40x16xf16, #hal.descriptor_type<storage_buffer>> to memref<2x40x16xf16, #amdgpu.address_space<fat_raw_buffer>>
          %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x40x24xf16, #hal.descriptor_type<storage_buffer>>
          %5 = amdgpu.fat_raw_buffer_cast %4 resetOffset : memref<2x40x24xf16, #hal.descriptor_type<storage_buffer>> to memref<2x40x24xf16, #amdgpu.address_space<fat_raw_buffer>>
          %6 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(3) alignment(64) offset(%c0) flags(Indirect) : memref<2x33x24xf16, #hal.descriptor_type<storage_buffer>>
          %7 = amdgpu.fat_raw_buffer_cast %6 resetOffset : memref<2x33x24xf16, #hal.descriptor_type<storage_buffer>> to memref<2x33x24xf16, #amdgpu.address_space<fat_raw_buffer>>
          %8 = iree_codegen.load_from_buffer %1 : memref<2x33x16xf16, #amdgpu.address_space<fat_raw_buffer>> -> tensor<2x33x16xf16>
          %9 = iree_codegen.load_from_buffer %3 : memref<2x40x16xf16, #amdgpu.address_space<fat_raw_buffer>> -> tensor<2x40x16xf16>
          %10 = iree_codegen.load_from_buffer %5 : memref<2x40x24xf16, #amdgpu.address_space<fat_raw_buffer>> -> tensor<2x40x24xf16>
          %11 = tensor.empty() : tensor<2x33x24xf16>
          %12 = tensor.empty() : tensor<2x33x24xf32>
          %13 = tensor.empty() : tensor<2x33xf32>
          %14 = linalg.fill ins(%cst_1 : f32) outs(%12 : tensor<2x33x24xf32>) -> tensor<2x33x24xf32>
          %15 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<2x33xf32>) -> tensor<2x33xf32>
          %16 = linalg.fill ins(%cst_1 : f32) outs(%13 : tensor<2x33xf32>) -> tensor<2x33xf32>
          %17:3 = iree_linalg_ext.online_attention <indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> ()>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>], decomposition_config = {pv_attrs = {lowering_config = #iree_gpu.lowering_config<{lane_basis = [[1, 1, 1, 1, 8], [1, 0, 3, 4]], subgroup_basis = [[1, 1, 1, 1, 1], [0, 1, 3, 4]], thread = [0, 0, 8, 0]}>}, qk_attrs = {lowering_config = #iree_gpu.lowering_config<{lane_basis = [[1, 1, 1, 1, 8], [1, 0, 3, 4]], subgroup_basis = [[1, 1, 1, 1, 1], [0, 1, 2, 4]], thread = [0, 0, 8, 0]}>}}> {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 0, 0, 0, 8], workgroup = [1, 1, 16, 0, 0]}>} ins(%8, %9, %10, %cst_2 : tensor<2x33x16xf16>, tensor<2x40x16xf16>, tensor<2x40x24xf16>, f16) outs(%14, %15, %16 : tensor<2x33x24xf32>, tensor<2x33xf32>, tensor<2x33xf32>) {
          ^bb0(%arg0: f32):
            iree_linalg_ext.yield %arg0 : f32
          } -> tensor<2x33x24xf32>, tensor<2x33xf32>, tensor<2x33xf32>
          %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17#2, %17#0 : tensor<2x33xf32>, tensor<2x33x24xf32>) outs(%11 : tensor<2x33x24xf16>) {
          ^bb0(%in: f32, %in_3: f32, %out: f16):
            %19 = arith.divf %cst, %in : f32
            %20 = arith.mulf %19, %in_3 : f32
            %21 = arith.truncf %20 : f32 to f16
            linalg.yield %21 : f16
          } -> tensor<2x33x24xf16>
          iree_codegen.store_to_buffer %18, %7 : tensor<2x33x24xf16> into memref<2x33x24xf16, #amdgpu.address_space<fat_raw_buffer>>
          return
        }
        iree_codegen.dispatch_config @att_dispatch_0_attention_2x33x24x16x40 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
}
