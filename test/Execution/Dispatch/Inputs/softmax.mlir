module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"hip", [#hal.executable.target<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "">, ukernels = "none"}>]> : !hal.device
  hal.executable private @softmax_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "">, ukernels = "none"}>) {
      hal.executable.export public @softmax_dispatch_0_softmax_Dx48xf32_dispatch_tensor_store ordinal(0) layout(#hal.pipeline.layout<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device, %arg1: index) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice(%arg1)
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @softmax_dispatch_0_softmax_Dx48xf32_dispatch_tensor_store() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1] subgroup_size = 64>} {
          %cst = arith.constant 0.000000e+00 : f32
          %cst_0 = arith.constant 0xFFC00000 : f32
          %c32_i64 = arith.constant 32 : i64
          %c0 = arith.constant 0 : index
          %0 = hal.interface.constant.load layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) ordinal(1) : i32
          %2 = arith.extui %0 : i32 to i64
          %3 = arith.extui %1 : i32 to i64
          %4 = arith.shli %3, %c32_i64 : i64
          %5 = arith.ori %2, %4 : i64
          %6 = arith.index_castui %5 : i64 to index
          %7 = util.assume.int %6<umin = 0, umax = 9007199254740991> : index
          %8 = iree_tensor_ext.dispatch.workload.ordinal %7, 0 : index
          %9 = hal.interface.binding.subspan layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<?x48xf32, #hal.descriptor_type<storage_buffer>>{%8}
          %10 = hal.interface.binding.subspan layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<?x48xf32, #hal.descriptor_type<storage_buffer>>{%8}
          %11 = iree_codegen.load_from_buffer %9 : memref<?x48xf32, #hal.descriptor_type<storage_buffer>> -> tensor<?x48xf32>
          %12 = tensor.empty(%8) : tensor<?x48xf32>
          %13 = tensor.empty(%8) : tensor<?xf32>
          %14 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<?xf32>) -> tensor<?xf32>
          %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%11 : tensor<?x48xf32>) outs(%14 : tensor<?xf32>) {
          ^bb0(%in: f32, %out: f32):
            %19 = arith.maxnumf %in, %out : f32
            linalg.yield %19 : f32
          } -> tensor<?xf32>
          %16 = linalg.fill ins(%cst : f32) outs(%13 : tensor<?xf32>) -> tensor<?xf32>
          %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%11, %15 : tensor<?x48xf32>, tensor<?xf32>) outs(%16 : tensor<?xf32>) attrs =  {lowering_config = #iree_gpu.lowering_config<{reduction = [0, 4], thread = [1, 0], workgroup = [64, 0]}>} {
          ^bb0(%in: f32, %in_1: f32, %out: f32):
            %19 = arith.subf %in, %in_1 : f32
            %20 = math.exp %19 : f32
            %21 = arith.addf %20, %out : f32
            linalg.yield %21 : f32
          } -> tensor<?xf32>
          %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%11, %15, %17 : tensor<?x48xf32>, tensor<?xf32>, tensor<?xf32>) outs(%12 : tensor<?x48xf32>) {
          ^bb0(%in: f32, %in_1: f32, %in_2: f32, %out: f32):
            %19 = arith.subf %in, %in_1 : f32
            %20 = math.exp %19 : f32
            %21 = arith.divf %20, %in_2 : f32
            linalg.yield %21 : f32
          } -> tensor<?x48xf32>
          iree_codegen.store_to_buffer %18, %10 : tensor<?x48xf32> into memref<?x48xf32, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @softmax_dispatch_0_softmax_Dx48xf32_dispatch_tensor_store {
        ^bb0(%arg0: !hal.device, %arg1: index):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice(%arg1)
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  util.func public @softmax(%arg0: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @softmax(%input0: tensor<?x48xf32>) -> (%output0: tensor<?x48xf32>)"}} {
    %c32_i64 = arith.constant 32 : i64
    %c0 = arith.constant 0 : index
    %c192 = arith.constant 192 : index
    %c48 = arith.constant 48 : index
    %0 = hal.buffer_view.dim<%arg0 : !hal.buffer_view>[0] : index
    %element_type_f32 = hal.element_type<f32> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%0, %c48]) type(%element_type_f32) encoding(%dense_row_major)
    %1 = arith.muli %0, %c192 : index
    %2 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<?x48xf32>{%0} in !stream.resource<external>{%1}
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%1} => !stream.timepoint
    %3 = arith.index_castui %0 : index to i64
    %4 = arith.index_castui %0 : index to i32
    %5 = arith.shrui %3, %c32_i64 : i64
    %6 = arith.trunci %5 : i64 to i32
    %7 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%result_timepoint) => with(%2 as %arg1: !stream.resource<external>{%1}, %result as %arg2: !stream.resource<external>{%1}) {
      stream.cmd.dispatch @softmax_dispatch_0::@rocm_hsaco_fb::@softmax_dispatch_0_softmax_Dx48xf32_dispatch_tensor_store[%0](%4, %6 : i32, i32) {
        ro %arg1[%c0 for %1] : !stream.resource<external>{%1},
        wo %arg2[%c0 for %1] : !stream.resource<external>{%1}
      }
    } => !stream.timepoint
    %8 = stream.timepoint.await %7 => %result : !stream.resource<external>{%1}
    %9 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %8 : tensor<?x48xf32>{%0} in !stream.resource<external>{%1} -> !hal.buffer_view
    util.return %9 : !hal.buffer_view
  }
}
