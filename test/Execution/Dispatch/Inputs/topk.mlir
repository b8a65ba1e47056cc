module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @topk_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "">}>) {
      hal.executable.export public @topk_dispatch_0_topk_5x37xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @topk_dispatch_0_topk_5x37xf32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<Distribute> workgroup_size = [64, 1, 1] subgroup_size = 32>} {
          %c0_i32 = arith.constant 0 : i32
          %cst = arith.constant 0xFF800000 : f32
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<5x37xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<5x3xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c64) flags(Indirect) : memref<5x3xi32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %0 : memref<5x37xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5x37xf32>
          %4 = tensor.empty() : tensor<5x3xi32>
          %5 = tensor.empty() : tensor<5x3xf32>
          %6 = linalg.fill {lowering_config = #iree_codegen.lowering_config<tile_sizes = [[64]]>} ins(%c0_i32 : i32) outs(%4 : tensor<5x3xi32>) -> tensor<5x3xi32>
          %7 = linalg.fill {lowering_config = #iree_codegen.lowering_config<tile_sizes = [[64]]>} ins(%cst : f32) outs(%5 : tensor<5x3xf32>) -> tensor<5x3xf32>
          %8:2 = iree_linalg_ext.topk {lowering_config = #iree_codegen.lowering_config<tile_sizes = [[64]]>} dimension(1) ins(%3 : tensor<5x37xf32>) outs(%7, %6 : tensor<5x3xf32>, tensor<5x3xi32>) {
          ^bb0(%arg0: f32, %arg1: f32):
            %9 = arith.cmpf ogt, %arg0, %arg1 : f32
            iree_linalg_ext.yield %9 : i1
          } -> tensor<5x3xf32>, tensor<5x3xi32>
          iree_codegen.store_to_buffer %8#0, %1 : tensor<5x3xf32> into memref<5x3xf32, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %8#1, %2 : tensor<5x3xi32> into memref<5x3xi32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @topk_dispatch_0_topk_5x37xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
}
