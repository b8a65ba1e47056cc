module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @product_i8_dispatch_0 {
    hal.executable.variant public @embedded_elf_x86_64 target(<"llvm-cpu", "embedded-elf-x86_64", {iree.encoding.resolver = #iree_cpu.cpu_encoding_resolver<>, max_stack_allocation_size = 32768 : i64, native_vector_size = 64 : i64, target_triple = "x86_64-unknown-unknown-eabi-elf"}>) {
      hal.executable.export public @product_i8_dispatch_0_matmul_Dx17x24_i8xi8xi32 ordinal(0) layout(#hal.pipeline.layout<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device, %arg1: index) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice(%arg1)
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @product_i8_dispatch_0_matmul_Dx17x24_i8xi8xi32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
          %c32_i64 = arith.constant 32 : i64
          %c0 = arith.constant 0 : index
          %c0_i32 = arith.constant 0 : i32
          %0 = hal.interface.constant.load layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) ordinal(1) : i32
          %2 = arith.extui %0 : i32 to i64
          %3 = arith.extui %1 : i32 to i64
          %4 = arith.shli %3, %c32_i64 : i64
          %5 = arith.ori %2, %4 : i64
          %6 = arith.index_castui %5 : i64 to index
          %7 = util.assume.int %6<umin = 0, umax = 9007199254740991> : index
          %8 = hal.interface.binding.subspan layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<24x17xi8, #hal.descriptor_type<storage_buffer>>
          %9 = iree_tensor_ext.dispatch.workload.ordinal %7, 0 : index
          %10 = hal.interface.binding.subspan layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<?x24xi8, #hal.descriptor_type<storage_buffer>>{%9}
          %11 = hal.interface.binding.subspan layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) : memref<?x17xi32, #hal.descriptor_type<storage_buffer>>{%9}
          %12 = iree_codegen.load_from_buffer %10 : memref<?x24xi8, #hal.descriptor_type<storage_buffer>> -> tensor<?x24xi8>
          %13 = iree_codegen.load_from_buffer %8 : memref<24x17xi8, #hal.descriptor_type<storage_buffer>> -> tensor<24x17xi8>
          %14 = tensor.empty(%9) : tensor<?x17xi32>
          %15 = linalg.fill {lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [8, 17]>} ins(%c0_i32 : i32) outs(%14 : tensor<?x17xi32>) -> tensor<?x17xi32>
          %16 = linalg.matmul {lowering_config = #iree_cpu.lowering_config<distribution = [64, 17, 0], vector_common_parallel = [8, 17, 0], vector_reduction = [0, 0, 12]>} ins(%12, %13 : tensor<?x24xi8>, tensor<24x17xi8>) outs(%15 : tensor<?x17xi32>) -> tensor<?x17xi32>
          iree_codegen.store_to_buffer %16, %11 : tensor<?x17xi32> into memref<?x17xi32, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @product_i8_dispatch_0_matmul_Dx17x24_i8xi8xi32 {
        ^bb0(%arg0: !hal.device, %arg1: index):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice(%arg1)
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
}
