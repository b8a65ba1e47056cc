// -----// IR Dump After ReconcileTranslationInfoPass: iree-codegen-reconcile-translation-info{distribute-along=x} ('builtin.module' operation) //----- //
#executable_target_cuda_nvptx_fb = #hal.executable.target<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "">}>
#map = affine_map<()[s0] -> (s0 * 3)>
#map1 = affine_map<()[s0] -> (s0 * 3, 2147483647)>
#map2 = affine_map<(d0) -> (d0 * -32 + 70, 32)>
#map3 = affine_map<(d0)[s0] -> (d0 * 32 + s0)>
#pipeline_layout = #hal.pipeline.layout<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#device_target_cuda = #hal.device.target<"cuda", [#executable_target_cuda_nvptx_fb]> : !hal.device
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @scaled_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(#executable_target_cuda_nvptx_fb) {
      hal.executable.export public @scaled_dispatch_0_elementwise_Dx70_f32 ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device, %arg1: index) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice(%arg1)
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @scaled_dispatch_0_elementwise_Dx70_f32() attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
          %c32 = arith.constant 32 : index
          %c0 = arith.constant 0 : index
          %c32_i64 = arith.constant 32 : i64
          %0 = ub.poison : f32
          %thread_id_x = gpu.thread_id x upper_bound 32
          %1 = hal.interface.constant.load layout(#pipeline_layout) ordinal(0) : i32
          %2 = hal.interface.constant.load layout(#pipeline_layout) ordinal(1) : i32
          %3 = arith.extui %1 : i32 to i64
          %4 = arith.extui %2 : i32 to i64
          %5 = arith.shli %4, %c32_i64 : i64
          %6 = arith.ori %3, %5 : i64
          %7 = arith.index_castui %6 : i64 to index
          %8 = util.assume.int %7<umin = 0, umax = 9007199254740991> : index
          %9 = hal.interface.binding.subspan layout(#pipeline_layout) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<70xf32, #hal.descriptor_type<storage_buffer>>
          %assume_align = memref.assume_alignment %9, 64 : memref<70xf32, #hal.descriptor_type<storage_buffer>>
          %10 = iree_tensor_ext.dispatch.workload.ordinal %8, 0 : index
          %11 = hal.interface.binding.subspan layout(#pipeline_layout) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<?x70xf32, #hal.descriptor_type<storage_buffer>>{%10}
          %assume_align_0 = memref.assume_alignment %11, 64 : memref<?x70xf32, #hal.descriptor_type<storage_buffer>>
          %12 = hal.interface.binding.subspan layout(#pipeline_layout) binding(2) alignment(64) offset(%c0) flags(Indirect) : memref<?x70xf32, #hal.descriptor_type<storage_buffer>>{%10}
          %assume_align_1 = memref.assume_alignment %12, 64 : memref<?x70xf32, #hal.descriptor_type<storage_buffer>>
          %13 = affine.apply #map()[%10]
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %workgroup_count_x = hal.interface.workgroup.count[0] : index
          %14 = affine.apply #map()[%10]
          %15 = affine.min #map1()[%10]
          scf.for %arg0 = %workgroup_id_x to %13 step %workgroup_count_x {
            %16:2 = affine.delinearize_index %arg0 into (%10, 3) : index, index
            %17 = affine.min #map2(%16#1)
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            scf.for %arg1 = %thread_id_x to %17 step %c32 {
              %18 = affine.apply #map3(%16#1)[%arg1]
              %19 = vector.transfer_read %assume_align_0[%16#0, %18], %0 {in_bounds = [true]} : memref<?x70xf32, #hal.descriptor_type<storage_buffer>>, vector<1xf32>
              %20 = vector.transfer_read %assume_align[%18], %0 {in_bounds = [true]} : memref<70xf32, #hal.descriptor_type<storage_buffer>>, vector<1xf32>
              %21 = arith.mulf %19, %20 : vector<1xf32>
              vector.transfer_write %21, %assume_align_1[%16#0, %18] {in_bounds = [true]} : vector<1xf32>, memref<?x70xf32, #hal.descriptor_type<storage_buffer>>
            }
            gpu.barrier memfence [#gpu.address_space<workgroup>]
          }
          iree_codegen.workgroup_count_hint(%15)
          return
        }
        iree_codegen.dispatch_config @scaled_dispatch_0_elementwise_Dx70_f32 workgroup_size = [32, 1, 1] subgroup_size = 32 {
        ^bb0(%arg0: !hal.device, %arg1: index):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice(%arg1)
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
}
