module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @argc_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "">, ukernels = "none"}>) {
      hal.executable.export public @argc_dispatch_0_arg_compare_5x40xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @argc_dispatch_0_arg_compare_5x40xf32() {
          %c0_i32 = arith.constant 0 : i32
          %cst = arith.constant 0xFF800000 : f32
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x40xf32>>
          %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c64) flags(Indirect) : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xi32>>
          %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [5, 40], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x40xf32>> -> tensor<5x40xf32>
          %4 = tensor.empty() : tensor<5xi32>
          %5 = tensor.empty() : tensor<5xf32>
          %6 = linalg.fill ins(%c0_i32 : i32) outs(%4 : tensor<5xi32>) -> tensor<5xi32>
          %7 = linalg.fill ins(%cst : f32) outs(%5 : tensor<5xf32>) -> tensor<5xf32>
          %8:2 = iree_linalg_ext.arg_compare dimension(1) ins(%3 : tensor<5x40xf32>) outs(%7, %6 : tensor<5xf32>, tensor<5xi32>) {
          ^bb0(%arg0: f32, %arg1: f32):
            %9 = arith.cmpf ogt, %arg0, %arg1 : f32
            iree_linalg_ext.yield %9 : i1
          } -> tensor<5xf32>, tensor<5xi32>
          iree_tensor_ext.dispatch.tensor.store %8#0, %1, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
          iree_tensor_ext.dispatch.tensor.store %8#1, %2, offsets = [0], sizes = [5], strides = [1] : tensor<5xi32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xi32>>
          return
        }
      }
    }
  }
}
