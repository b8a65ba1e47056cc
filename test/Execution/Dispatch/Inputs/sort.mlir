module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @sort_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "">, ukernels = "none"}>) {
      hal.executable.export public @sort_dispatch_0_sort_5x37xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @sort_dispatch_0_sort_5x37xf32() {
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags(Indirect) : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<5x37xf32>>
          %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<5x37xi32>>
          %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [5, 37], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<5x37xf32>> -> tensor<5x37xf32>
          %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [5, 37], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<5x37xi32>> -> tensor<5x37xi32>
          %4:2 = iree_linalg_ext.sort dimension(1) outs(%2, %3 : tensor<5x37xf32>, tensor<5x37xi32>) {
          ^bb0(%arg0: f32, %arg1: f32, %arg2: i32, %arg3: i32):
            %5 = arith.cmpf olt, %arg0, %arg1 : f32
            iree_linalg_ext.yield %5 : i1
          } -> tensor<5x37xf32>, tensor<5x37xi32>
          iree_tensor_ext.dispatch.tensor.store %4#0, %0, offsets = [0, 0], sizes = [5, 37], strides = [1, 1] : tensor<5x37xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<5x37xf32>>
          iree_tensor_ext.dispatch.tensor.store %4#1, %1, offsets = [0, 0], sizes = [5, 37], strides = [1, 1] : tensor<5x37xi32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<5x37xi32>>
          return
        }
      }
    }
  }
}
