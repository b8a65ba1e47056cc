module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @best_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "">, ukernels = "none"}>) {
      hal.executable.export public @best_dispatch_0_reduction_5x40_f32xf32xi32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @best_dispatch_0_reduction_5x40_f32xf32xi32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1] subgroup_size = 64>} {
          %c0_i32 = arith.constant 0 : i32
          %cst = arith.constant 0xFF800000 : f32
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<5x40xf32, #hal.descriptor_type<storage_buffer>>
          %1 = amdgpu.fat_raw_buffer_cast %0 resetOffset : memref<5x40xf32, #hal.descriptor_type<storage_buffer>> to memref<5x40xf32, #amdgpu.address_space<fat_raw_buffer>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<5xf32, #hal.descriptor_type<storage_buffer>>
          %3 = amdgpu.fat_raw_buffer_cast %2 resetOffset : memref<5xf32, #hal.descriptor_type<storage_buffer>> to memref<5xf32, #amdgpu.address_space<fat_raw_buffer>>
          %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c64) flags(Indirect) : memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = amdgpu.fat_raw_buffer_cast %4 resetOffset : memref<5xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<5xi32, #amdgpu.address_space<fat_raw_buffer>>
          %6 = iree_codegen.load_from_buffer %1 : memref<5x40xf32, #amdgpu.address_space<fat_raw_buffer>> -> tensor<5x40xf32>
          %7 = tensor.empty() : tensor<5xi32>
          %8 = tensor.empty() : tensor<5xf32>
          %9 = linalg.fill ins(%c0_i32 : i32) outs(%7 : tensor<5xi32>) -> tensor<5xi32>
          %10 = linalg.fill ins(%cst : f32) outs(%8 : tensor<5xf32>) -> tensor<5xf32>
          %11:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<5x40xf32>) outs(%10, %9 : tensor<5xf32>, tensor<5xi32>) attrs =  {lowering_config = #iree_gpu.lowering_config<{reduction = [0, 4], thread = [1, 0], workgroup = [64, 0]}>} {
          ^bb0(%in: f32, %out: f32, %out_0: i32):
            %12 = linalg.index 1 : index
            %13 = arith.index_cast %12 : index to i32
            %14 = arith.cmpf ogt, %in, %out : f32
            %15 = arith.select %14, %in, %out : f32
            %16 = arith.select %14, %13, %out_0 : i32
            linalg.yield %15, %16 : f32, i32
          } -> (tensor<5xf32>, tensor<5xi32>)
          iree_codegen.store_to_buffer %11#0, %3 : tensor<5xf32> into memref<5xf32, #amdgpu.address_space<fat_raw_buffer>>
          iree_codegen.store_to_buffer %11#1, %5 : tensor<5xi32> into memref<5xi32, #amdgpu.address_space<fat_raw_buffer>>
          return
        }
        iree_codegen.dispatch_config @best_dispatch_0_reduction_5x40_f32xf32xi32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
}
