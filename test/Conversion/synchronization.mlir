// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 | FileCheck %s --check-prefix=NV
// RUN: sed 's/iree_gpu.global_subgroup_barrier id(3) threads(%n)//;s/block_size = array<i32: 64/block_size = array<i32: 128/;s/subgroup_size = 32/subgroup_size = 64/' %s | distaff-opt --distaff-convert-gpu-to-rocdl=target=gfx942 | FileCheck %s --check-prefix=GFX9
// RUN: sed 's/iree_gpu.global_subgroup_barrier id(3) threads(%n)//' %s | distaff-opt --distaff-convert-gpu-to-rocdl=target=gfx1201 | FileCheck %s --check-prefix=GFX12

#t = #iree_codegen.translation_info<subgroup_size = 32>

gpu.module @kernels {
  // PCF-80: two barriers in a row stay two.
  // PCF-81: on NVIDIA a barrier orders memory, and fences beside it go.
  // NV-LABEL: llvm.func @full
  // NV-NOT: fence
  // NV: nvvm.barrier{{$}}
  // NV-NEXT: nvvm.barrier{{$}}
  // NV-NOT: fence
  // NV: llvm.return
  // PCF-82: on AMD fence, barrier, fence, whatever stands beside it.
  // GFX9-LABEL: llvm.func @full
  // GFX9: llvm.fence syncscope("workgroup") release
  // GFX9-NEXT: rocdl.s.barrier
  // GFX9-NEXT: rocdl.s.barrier
  // GFX9-NEXT: llvm.fence syncscope("workgroup") acquire
  // GFX12-LABEL: llvm.func @full
  // GFX12: llvm.fence syncscope("workgroup") release
  // GFX12-NEXT: rocdl.s.barrier.signal id = -1
  // GFX12-NEXT: rocdl.s.barrier.wait id = -1
  // GFX12-NEXT: rocdl.s.barrier.signal id = -1
  // GFX12-NEXT: rocdl.s.barrier.wait id = -1
  // GFX12-NEXT: llvm.fence syncscope("workgroup") acquire
  gpu.func @full() kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    iree_gpu.fence release workgroup
    iree_gpu.global_subgroup_barrier
    iree_gpu.global_subgroup_barrier
    iree_gpu.fence acquire workgroup
    gpu.return
  }

  // Some of the subgroups: number and threads are operands, and order too.
  // NV-LABEL: llvm.func @some
  // NV: %[[ID:.*]] = llvm.mlir.constant(3 : i32)
  // NV: %[[N:.*]] = llvm.trunc %{{.*}} : i64 to i32
  // NV-NOT: fence
  // NV: nvvm.barrier id = %[[ID]] number_of_threads = %[[N]]
  // NV-NOT: fence
  // NV: llvm.return
  gpu.func @some(%n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    iree_gpu.fence release workgroup
    iree_gpu.global_subgroup_barrier id(3) threads(%n)
    iree_gpu.fence acquire workgroup
    gpu.return
  }

  // NV-LABEL: llvm.func @lanes
  // NV: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
  // NV-NOT: fence
  // NV: nvvm.bar.warp.sync %[[ALL]]
  // NV-NOT: fence
  // NV: llvm.return
  // GFX9-LABEL: llvm.func @lanes
  // GFX9: llvm.fence syncscope("wavefront") release
  // GFX9-NEXT: llvm.fence syncscope("wavefront") acquire
  // GFX12-LABEL: llvm.func @lanes
  // GFX12-NOT: barrier
  // GFX12: llvm.return
  gpu.func @lanes() kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    iree_gpu.fence release subgroup
    iree_gpu.lane_barrier
    iree_gpu.fence acquire subgroup
    gpu.return
  }

  // A fence with something between it and the barrier, and one beside a barrier
  // of fewer threads than it is for, stay.
  // NV-LABEL: llvm.func @fences
  // NV: llvm.fence syncscope("block") release
  // NV: llvm.store
  // NV: nvvm.barrier
  // NV: llvm.store
  // NV: llvm.fence syncscope("device") acquire
  // NV: llvm.fence syncscope("block") release
  // NV: nvvm.bar.warp.sync
  // GFX9-LABEL: llvm.func @fences
  // GFX9: llvm.fence syncscope("workgroup") release
  // GFX9: rocdl.s.barrier
  // GFX9: llvm.fence syncscope("agent") acquire
  gpu.func @fences(%o: memref<2xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    iree_gpu.fence release workgroup
    memref.store %x, %o[%c0] : memref<2xf32>
    iree_gpu.global_subgroup_barrier
    memref.store %x, %o[%c1] : memref<2xf32>
    iree_gpu.fence acquire device
    iree_gpu.fence release workgroup
    iree_gpu.lane_barrier
    gpu.return
  }
}
