module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @heads_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "">}>) {
      hal.executable.export public @heads_dispatch_0_elementwise_24_f32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @heads_dispatch_0_elementwise_24_f32() {
          %c6 = arith.constant 6 : index
          %c3 = arith.constant 3 : index
          %c1 = arith.constant 1 : index
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>>
          %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : !iree_tensor_ext.dispatch.tensor<readonly:tensor<24xf32>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<24xf32>>
          %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>> -> tensor<4x2x3xf32>
          %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0], sizes = [24], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<24xf32>> -> tensor<24xf32>
          %5 = tensor.empty() : tensor<24xf32>
          %6 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%4 : tensor<24xf32>) outs(%5 : tensor<24xf32>) {
          ^bb0(%in: f32, %out: f32):
            %7 = linalg.index 0 : index
            %8 = arith.remsi %7, %c6 : index
            %9 = arith.divsi %7, %c6 : index
            %10 = arith.divui %8, %c3 : index
            %11 = arith.remui %8, %c3 : index
            %12 = arith.subi %c1, %10 : index
            %extracted = tensor.extract %3[%9, %12, %11] : tensor<4x2x3xf32>
            %13 = arith.subf %in, %extracted : f32
            linalg.yield %13 : f32
          } -> tensor<24xf32>
          iree_tensor_ext.dispatch.tensor.store %6, %2, offsets = [0], sizes = [24], strides = [1] : tensor<24xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<24xf32>>
          return
        }
      }
    }
  }
}
