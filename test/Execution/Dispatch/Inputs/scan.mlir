module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @scan_dispatch_0 {
    hal.executable.variant public @embedded_elf_x86_64 target(<"llvm-cpu", "embedded-elf-x86_64", {iree.encoding.resolver = #iree_cpu.cpu_encoding_resolver<>, max_stack_allocation_size = 32768 : i64, native_vector_size = 64 : i64, target_triple = "x86_64-unknown-unknown-eabi-elf"}>) {
      hal.executable.export public @scan_dispatch_0_scan_5x37xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @scan_dispatch_0_scan_5x37xf32() {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c768 = arith.constant 768 : index
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x37xf32>>
          %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x37xf32>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c768) flags(Indirect) : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
          %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [5, 37], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x37xf32>> -> tensor<5x37xf32>
          %4 = tensor.empty() : tensor<5xf32>
          %5 = tensor.empty() : tensor<5x37xf32>
          %6 = linalg.fill ins(%cst : f32) outs(%4 : tensor<5xf32>) -> tensor<5xf32>
          %7:2 = iree_linalg_ext.scan dimension(1) inclusive(true) ins(%3 : tensor<5x37xf32>) outs(%5, %6 : tensor<5x37xf32>, tensor<5xf32>) {
          ^bb0(%arg0: f32, %arg1: f32):
            %8 = arith.addf %arg0, %arg1 : f32
            iree_linalg_ext.yield %8 : f32
          } -> tensor<5x37xf32>, tensor<5xf32>
          iree_tensor_ext.dispatch.tensor.store %7#0, %1, offsets = [0, 0], sizes = [5, 37], strides = [1, 1] : tensor<5x37xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x37xf32>>
          iree_tensor_ext.dispatch.tensor.store %7#1, %2, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
          return
        }
      }
    }
  }
}
