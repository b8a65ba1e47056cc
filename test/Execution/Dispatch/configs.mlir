// VX-226: a dispatch is tiled as it comes, by its instruction and for its workgroup: 64x64 elements are 2 x 2 workgroups of
// 128 lanes; a flag goes before. Where the target does not have such subgroups or workgroups, or tiles do not fit, the
// kernel is tiled anew, and the warning says why; a CPU has none of these.
// RUN: distaff compile %s --target sm_80 --stop-after=tile 2>&1 | FileCheck %s --check-prefix=TILED --implicit-check-not=warning
// TILED-DAG: workgroup_size = [128
// TILED-DAG: mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
// TILED:     scf.forall ({{.*}}) in (2, 2)
// RUN: distaff explain %s --target sm_80 2>&1 | FileCheck %s --check-prefix=EXPLAIN --implicit-check-not=warning
// EXPLAIN:   explain @product {{.*}} W=128 w=32 N=4
// EXPLAIN:   tile sizes {{.*}}: tile 32x32x32, m16n8k16 f16, subgroups 2x2x1, lhs promoted, rhs promoted, 4 subgroups, 4 workgroups
// RUN: distaff explain %s --target sm_80 --config workgroup=64x64x0 --config workgroup_size=128 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED:     tile sizes {{.*}}: tile 64x64x{{.*}}, 1 workgroups
// RUN: distaff run %s --target sm_80 --check 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: lower {{.*}} ok
// RUN: distaff compile %s --target sm_80 --stop-after=tile --config workgroup=64x64x0 --config workgroup_size=128 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG:      scf.forall ({{.*}}) in (1)
// RUN: distaff run %s --target gfx942 --check 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER:     warning: the kernel does not follow the tiles that it comes with: its subgroups have 32 lanes, those of gfx942 have 64
// OTHER:     lower {{.*}} ok
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --check 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER:   warning: the kernel does not follow the tiles that it comes with: this pipeline tiles its phases by its own rules
// CLUSTER:   ok
// RUN: distaff run %s --target host --device host --check 2>&1 | FileCheck %s --check-prefix=HOST --implicit-check-not=warning
// HOST:      ok
// RUN: sed -e 's/workgroup_size = .128, 1, 1./workgroup_size = [2048, 1, 1]/' %s > %t.large.mlir
// RUN: distaff run %t.large.mlir --target sm_80 --check 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE:     warning: the kernel does not follow the tiles that it comes with: its workgroups have 2048 lanes, sm_80 has up to 1024
// LARGE:     ok
// RUN: sed -e 's/workgroup = .32, 32, 0./thread = [1, 1, 1], workgroup = [32, 32, 0]/' %s > %t.thread.mlir
// RUN: distaff run %t.thread.mlir --target sm_80 --check 2>&1 | FileCheck %s --check-prefix=THREAD
// THREAD:    warning: the kernel follows the tiles and sizes that it comes with, and not how lanes share them: 'linalg.matmul' op asks for `thread`, which is not supported
// THREAD:    ok
func.func @product() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<64x64xf16>
  %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<64x64xf16>
  %c = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(2) : memref<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %0 = iree_codegen.load_from_buffer %a : memref<64x64xf16> -> tensor<64x64xf16>
  %1 = iree_codegen.load_from_buffer %b : memref<64x64xf16> -> tensor<64x64xf16>
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, promote_operands = [0, 1], reduction = [0, 0, 2], subgroup = [1, 2, 0], workgroup = [32, 32, 0]}>} ins(%0, %1 : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  iree_codegen.store_to_buffer %r, %c : tensor<64x64xf32> into memref<64x64xf32>
  return
}
