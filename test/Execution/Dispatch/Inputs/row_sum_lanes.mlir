// -----// IR Dump After ReconcileTranslationInfoPass: iree-codegen-reconcile-translation-info{distribute-along=x} ('builtin.module' operation) //----- //
#executable_target_cuda_nvptx_fb = #hal.executable.target<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "">}>
#pipeline_layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#device_target_cuda = #hal.device.target<"cuda", [#executable_target_cuda_nvptx_fb]> : !hal.device
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  hal.executable private @row_sum_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(#executable_target_cuda_nvptx_fb) {
      hal.executable.export public @row_sum_dispatch_0_reduction_6x512_f32 ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @row_sum_dispatch_0_reduction_6x512_f32() {
          %cst = arith.constant 0.000000e+00 : f32
          %cst_0 = arith.constant dense<0.000000e+00> : vector<1x1x1x1x1x4xf32>
          %c0 = arith.constant 0 : index
          %0 = ub.poison : f32
          %cst_1 = arith.constant dense<0.000000e+00> : vector<1x1x1xf32>
          %cst_2 = arith.constant dense<0.000000e+00> : vector<1x1x1x1x1x1xf32>
          %thread_id_y = gpu.thread_id y
          %thread_id_x = gpu.thread_id x
          %1 = hal.interface.binding.subspan layout(#pipeline_layout) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<6x512xf32, #hal.descriptor_type<storage_buffer>>
          %assume_align = memref.assume_alignment %1, 64 : memref<6x512xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<6xf32, #hal.descriptor_type<storage_buffer>>
          %assume_align_3 = memref.assume_alignment %2, 64 : memref<6xf32, #hal.descriptor_type<storage_buffer>>
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %workgroup_count_x = hal.interface.workgroup.count[0] : index
          %3:2 = affine.delinearize_index %thread_id_x into (4, 32) : index, index
          %4:2 = affine.delinearize_index %thread_id_x into (32) : index, index
          %5 = affine.linearize_index disjoint [%3#0, %4#1, %c0] by (4, 32, 4) : index
          %6 = vector.transfer_read %assume_align[%workgroup_id_x, %5], %0 {in_bounds = [true, true]} : memref<6x512xf32, #hal.descriptor_type<storage_buffer>>, vector<1x4xf32>
          %7 = vector.insert_strided_slice %6, %cst_0 offsets = [0, 0, 0, 0, 0, 0], strides = [1, 1] : vector<1x4xf32> into vector<1x1x1x1x1x4xf32>
          %8 = vector.shape_cast %7 : vector<1x1x1x1x1x4xf32> to vector<1x1x1x1x1x1x1x1x4xf32>
          %9 = vector.multi_reduction <add>, %8, %cst_2 [2, 5, 8] : vector<1x1x1x1x1x1x1x1x4xf32> to vector<1x1x1x1x1x1xf32>
          %10 = arith.addf %9, %cst_2 : vector<1x1x1x1x1x1xf32>
          %11 = vector.shape_cast %10 : vector<1x1x1x1x1x1xf32> to vector<1x1x1xf32>
          %12 = arith.addf %11, %cst_1 : vector<1x1x1xf32>
          %13 = vector.extract %12[0, 0, 0] : f32 from vector<1x1x1xf32>
          %14 = gpu.subgroup_reduce add %13 cluster(size = 32) : (f32) -> f32
          %alloc = memref.alloc() : memref<1x6xf32, #gpu.address_space<workgroup>>
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          %15 = arith.cmpi eq, %thread_id_y, %c0 : index
          %16 = arith.cmpi eq, %3#1, %c0 : index
          %17 = arith.andi %15, %16 : i1
          scf.if %17 {
            %28 = vector.broadcast %14 : f32 to vector<1x1xf32>
            vector.transfer_write %28, %alloc[%c0, %3#0] {in_bounds = [true, true]} : vector<1x1xf32>, memref<1x6xf32, #gpu.address_space<workgroup>>
          }
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          %18:2 = affine.delinearize_index %thread_id_x into (4) : index, index
          %19 = vector.transfer_read %alloc[%c0, %18#1], %cst {in_bounds = [true, true]} : memref<1x6xf32, #gpu.address_space<workgroup>>, vector<1x1xf32>
          %20 = vector.insert_strided_slice %19, %cst_2 offsets = [0, 0, 0, 0, 0, 0], strides = [1, 1] : vector<1x1xf32> into vector<1x1x1x1x1x1xf32>
          %21 = vector.shape_cast %20 : vector<1x1x1x1x1x1xf32> to vector<1x1x1xf32>
          %22 = arith.addf %21, %cst_1 : vector<1x1x1xf32>
          %23 = vector.extract %22[0, 0, 0] : f32 from vector<1x1x1xf32>
          %24 = gpu.subgroup_reduce add %23 cluster(size = 4) : (f32) -> f32
          %25 = vector.broadcast %24 : f32 to vector<1x1x1xf32>
          %26 = arith.addf %25, %cst_1 : vector<1x1x1xf32>
          %27 = arith.cmpi eq, %thread_id_x, %c0 : index
          scf.if %27 {
            %28 = vector.shape_cast %26 : vector<1x1x1xf32> to vector<1xf32>
            vector.transfer_write %28, %assume_align_3[%workgroup_id_x] {in_bounds = [true]} : vector<1xf32>, memref<6xf32, #hal.descriptor_type<storage_buffer>>
          }
          iree_codegen.workgroup_count_hint(6)
          return
        }
        iree_codegen.dispatch_config @row_sum_dispatch_0_reduction_6x512_f32 workgroup_size = [128, 1, 1] subgroup_size = 32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
}
