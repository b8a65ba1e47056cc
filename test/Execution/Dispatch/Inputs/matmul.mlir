module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"cuda", [#hal.executable.target<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "">}>]> : !hal.device
  hal.executable private @matmul_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "">}>) {
      hal.executable.export public @matmul_dispatch_0_matmul_19x23x29_f16xf16xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @matmul_dispatch_0_matmul_19x23x29_f16xf16xf32() {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : !iree_tensor_ext.dispatch.tensor<readonly:tensor<19x29xf16>>
          %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : !iree_tensor_ext.dispatch.tensor<readonly:tensor<29x23xf16>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<19x23xf32>>
          %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [19, 29], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<19x29xf16>> -> tensor<19x29xf16>
          %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [29, 23], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<29x23xf16>> -> tensor<29x23xf16>
          %5 = tensor.empty() : tensor<19x23xf32>
          %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<19x23xf32>) -> tensor<19x23xf32>
          %7 = linalg.matmul ins(%3, %4 : tensor<19x29xf16>, tensor<29x23xf16>) outs(%6 : tensor<19x23xf32>) -> tensor<19x23xf32>
          iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0, 0], sizes = [19, 23], strides = [1, 1] : tensor<19x23xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<19x23xf32>>
          return
        }
      }
    }
  }
  util.func public @matmul(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @matmul(%input0: tensor<19x29xf16>, %input1: tensor<29x23xf16>) -> (%output0: tensor<19x23xf32>)"}} {
    %c0 = arith.constant 0 : index
    %c1748 = arith.constant 1748 : index
    %c1334 = arith.constant 1334 : index
    %c1102 = arith.constant 1102 : index
    %c23 = arith.constant 23 : index
    %c29 = arith.constant 29 : index
    %c19 = arith.constant 19 : index
    %element_type_f16 = hal.element_type<f16> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%c19, %c29]) type(%element_type_f16) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<19x29xf16> in !stream.resource<external>{%c1102}
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c29, %c23]) type(%element_type_f16) encoding(%dense_row_major)
    %1 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<29x23xf16> in !stream.resource<external>{%c1334}
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c1748} => !stream.timepoint
    %2 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%result_timepoint) => with(%0 as %arg2: !stream.resource<external>{%c1102}, %1 as %arg3: !stream.resource<external>{%c1334}, %result as %arg4: !stream.resource<external>{%c1748}) {
      stream.cmd.dispatch @matmul_dispatch_0::@cuda_nvptx_fb::@matmul_dispatch_0_matmul_19x23x29_f16xf16xf32 {
        ro %arg2[%c0 for %c1102] : !stream.resource<external>{%c1102},
        ro %arg3[%c0 for %c1334] : !stream.resource<external>{%c1334},
        wo %arg4[%c0 for %c1748] : !stream.resource<external>{%c1748}
      }
    } => !stream.timepoint
    %3 = stream.timepoint.await %2 => %result : !stream.resource<external>{%c1748}
    %4 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %3 : tensor<19x23xf32> in !stream.resource<external>{%c1748} -> !hal.buffer_view
    util.return %4 : !hal.buffer_view
  }
}
