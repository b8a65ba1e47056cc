// What IREE's dumps have around a kernel is read and printed as it is (VX-160).
// RUN: distaff-opt %s --mlir-print-local-scope | distaff-opt --mlir-print-local-scope | FileCheck %s

// Attributes of which no kernel is made are kept as text.
// CHECK: module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>}
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  // CHECK: hal.executable private @f_dispatch_0
  hal.executable private @f_dispatch_0 {
    // CHECK: hal.executable.variant public @cuda_nvptx_fb target(<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>]>>}>)
    hal.executable.variant public @cuda_nvptx_fb target(<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>]>>}>) {
      // CHECK: hal.executable.export public @f ordinal(0) layout(#hal.pipeline.layout<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%{{.*}}: !hal.device, %{{.*}}: index) -> (index, index, index) {
      // CHECK: iree_tensor_ext.dispatch.workgroup_count_from_slice(%{{.*}})
      // CHECK: hal.return %{{.*}} : index, index, index
      hal.executable.export public @f ordinal(0) layout(#hal.pipeline.layout<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device, %arg1: index) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice(%arg1)
        hal.return %x, %y, %z : index, index, index
      }
      // CHECK: hal.executable.export public @g layout
      // CHECK: attributes {subgroup_size = 32 : index, workgroup_local_memory = 16 : index, workgroup_size = [64 : index, 1 : index, 1 : index]}
      hal.executable.export public @g layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      } <workgroup_size = [64 : index, 1 : index, 1 : index], subgroup_size = 32, workgroup_local_memory = 16>
      builtin.module {
        func.func @f() {
          %c0 = arith.constant 0 : index
          // CHECK: hal.interface.constant.load layout(<constants = 2, bindings = {{.*}}) ordinal(1) : i32
          %0 = hal.interface.constant.load layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) ordinal(1) : i32
          %1 = arith.index_castui %0 : i32 to index
          // CHECK: %[[N:.*]]:2 = util.assume.int %{{.*}}<umax = 64, umin = 0>, %{{.*}}[<umax = 64, umin = 0>, <udiv = 16, umax = 32, umin = 16>] : index, index
          %2:2 = util.assume.int
              %1<umin = 0, umax = 64>,
              %1[<umin = 0, umax = 64>, <umin = 16, umax = 32, udiv = 16>]
            : index, index
          // CHECK: iree_tensor_ext.dispatch.workload.ordinal %[[N]]#0, 0 : index
          %3 = iree_tensor_ext.dispatch.workload.ordinal %2#0, 0 : index
          // CHECK: hal.interface.binding.subspan layout(<{{.*}}) binding(0) alignment(64) offset(%{{.*}}) flags("ReadOnly|Indirect") : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?x8xf32>>{%{{.*}}}
          %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?x8xf32>>{%3}
          // CHECK: hal.interface.binding.subspan layout(<{{.*}}) binding(1) : memref<?x8xf32, #hal.descriptor_type<storage_buffer>>{%{{.*}}}
          %5 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<?x8xf32, #hal.descriptor_type<storage_buffer>>{%3}
          // CHECK: iree_tensor_ext.dispatch.tensor.load %{{.*}}, offsets = [0, 0], sizes = [%{{.*}}, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?x8xf32>>{%{{.*}}} -> tensor<?x8xf32>
          %6 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0], sizes = [%3, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?x8xf32>>{%3} -> tensor<?x8xf32>
          // CHECK: iree_codegen.load_from_buffer %{{.*}} : memref<?x8xf32, #hal.descriptor_type<storage_buffer>> -> tensor<?x8xf32>
          %7 = iree_codegen.load_from_buffer %5 : memref<?x8xf32, #hal.descriptor_type<storage_buffer>> -> tensor<?x8xf32>
          // CHECK: iree_codegen.store_to_buffer %{{.*}}, %{{.*}} : tensor<?x8xf32> into memref<?x8xf32, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %6, %5 : tensor<?x8xf32> into memref<?x8xf32, #hal.descriptor_type<storage_buffer>>
          // CHECK: hal.interface.workgroup.id[0] upper_bound 4 : index
          %8 = hal.interface.workgroup.id[0] upper_bound 4 : index
          // CHECK: iree_codegen.index_hint %{{.*}}(#iree_gpu.lane_constant<16>) : index
          %hinted = iree_codegen.index_hint %8(#iree_gpu.lane_constant<16>) : index
          // CHECK: hal.interface.workgroup.count[1] : index
          %9 = hal.interface.workgroup.count[1] : index
          // CHECK: hal.interface.workgroup.size[2] : index
          %10 = hal.interface.workgroup.size[2] : index
          // CHECK: mapping = [#iree_codegen.workgroup_mapping<z:1>, #iree_codegen.workgroup_mapping<x>]
          scf.forall (%i, %j) in (2, 4) {
          } {mapping = [#iree_codegen.workgroup_mapping<z:1>, #iree_codegen.workgroup_mapping<x>]}
          return
        }
        // CHECK: iree_codegen.dispatch_config @f workgroup_size = [64, 1, 1] subgroup_size = 32 workgroup_local_memory = 1024 {
        // CHECK: ^bb0(%{{.*}}: !hal.device):
        // CHECK: iree_codegen.yield %{{.*}} : index, index, index
        iree_codegen.dispatch_config @f workgroup_size = [64, 1, 1] subgroup_size = 32 workgroup_local_memory = 1024 {
        ^bb0(%device: !hal.device):
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1, %c1, %c1 : index, index, index
        }
      }
    }
  }
}

// A pipeline's name, as an attribute of its dialect.
// CHECK: func.func private @pipelines
// CHECK-SAME: a = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1]>
// CHECK-SAME: b = #iree_codegen.translation_info<pipeline = CPUDoubleTilingExpert, {enable_loop_peeling}>
// CHECK-SAME: c = #iree_cpu.lowering_config<distribution = [8, 0]>, d = #iree_codegen.lowering_config<tile_sizes = {{\[\[}}8]]>
func.func private @pipelines() attributes {
  a = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1]>,
  b = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>, {enable_loop_peeling}>,
  c = #iree_cpu.lowering_config<distribution = [8, 0]>, d = #iree_codegen.lowering_config<tile_sizes = [[8]]>}

// CHECK-LABEL: func.func @windows
// CHECK: iree_linalg_ext.im2col strides = [1, 2] dilations = [1, 1] kernel_size = [3, 3] offsets = [0, %{{.*}}, 0] output_sizes = {{\[}}[1], [4, %{{.*}}], [3, 3, 5]] batch_pos = [0] m_pos = [1, 2] k_pos = [3] output_pad_high = [0, 0, %{{.*}}] pad_value(%{{.*}} : f32) ins(%{{.*}} : tensor<1x6x7x5xf32>) outs(%{{.*}} : tensor<1x?x45xf32>) -> tensor<1x?x45xf32>
// CHECK: iree_linalg_ext.map_store %{{.*}} into %{{.*}} {
// CHECK: } : tensor<1x?x45xf32> into tensor<4xf32> -> tensor<4xf32>
// CHECK: iree_gpu.barrier_region ins(%{{.*}} : tensor<4xf32>) {
// CHECK: iree_gpu.yield %{{.*}} : tensor<4xf32>
// CHECK: } : tensor<4xf32>
func.func @windows(%x: tensor<1x6x7x5xf32>, %o: tensor<1x?x45xf32>, %i: index, %n: index, %f: f32, %t: tensor<4xf32>) {
  %r = iree_linalg_ext.im2col strides = [1, 2] dilations = [1, 1] kernel_size = [3, 3] offsets = [0, %i, 0] output_sizes = [[1], [4, %n], [3, 3, 5]] batch_pos = [0] m_pos = [1, 2] k_pos = [3] output_pad_high = [0, 0, %n] pad_value(%f : f32) ins(%x : tensor<1x6x7x5xf32>) outs(%o : tensor<1x?x45xf32>) -> tensor<1x?x45xf32>
  %s = iree_linalg_ext.map_store %r into %t {
  ^bb0(%a: index, %b: index, %c: index):
    %d = arith.constant true
    iree_linalg_ext.yield %b, %d : index, i1
  } : tensor<1x?x45xf32> into tensor<4xf32> -> tensor<4xf32>
  %u = iree_gpu.barrier_region ins(%s : tensor<4xf32>) {
  ^bb0(%v: tensor<4xf32>):
    iree_gpu.yield %v : tensor<4xf32>
  } : tensor<4xf32>
  return
}
