// RUN: distaff-opt %s --pass-pipeline="builtin.module(func.func(distaff-strict-fp))" | FileCheck %s --check-prefix=FLAGS
// RUN: distaff-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(distaff-lower-lane-exchange{target=sm_80 strict-fp},distaff-lower-vectors{target=sm_80 strict-fp})))" | FileCheck %s
// RUN: distaff compile %s --func fused_by_leave --target sm_80 --strict-fp --emit ptx | FileCheck %s --check-prefix=PTX --implicit-check-not=fma
// RUN: distaff compile %s --func fused_by_leave --target gfx942 --strict-fp --emit gcn | FileCheck %s --check-prefix=GCN --implicit-check-not=v_fma --implicit-check-not=v_pk_fma --implicit-check-not=v_fmac

#info = #iree_codegen.translation_info<subgroup_size = 32>

// What the author allows, strict-fp takes back.
// FLAGS-LABEL: func.func @fused_by_leave
// FLAGS-NOT: fastmath
// PTX: mul.rn.f32
// PTX: add.rn.f32
// GCN: v_mul_f32
// GCN: v_add_f32
func.func @fused_by_leave(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %p = arith.mulf %x, %y fastmath<fast> : tensor<64xf32>
  %s = arith.addf %p, %y fastmath<contract> : tensor<64xf32>
  return %s : tensor<64xf32>
}

gpu.module @kernels {
  // Written for one lane: from the accumulator on, one after the other.
  // CHECK-LABEL: gpu.func @one_lane
  gpu.func @one_lane(%m: memref<4xf32>, %o: memref<2xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #info} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %acc = arith.constant 3.0 : f32
    %v = vector.load %m[%c0] : memref<4xf32>, vector<4xf32>
    // CHECK: %[[E:.*]]:4 = vector.to_elements
    // CHECK: %[[A:.*]] = arith.addf %[[E]]#0, %cst :
    // CHECK: %[[B:.*]] = arith.addf %[[A]], %[[E]]#1
    // CHECK: %[[C:.*]] = arith.addf %[[B]], %[[E]]#2
    // CHECK: arith.addf %[[C]], %[[E]]#3
    %s = vector.reduction <add>, %v, %acc : vector<4xf32> into f32
    // CHECK-NOT: math.fma
    // CHECK: %[[P:.*]] = arith.mulf
    // CHECK: arith.addf %[[P]], %cst :
    %d = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
      iterator_types = ["reduction"]} %v, %v, %acc : vector<4xf32>, vector<4xf32> into f32
    memref.store %s, %o[%c0] : memref<2xf32>
    memref.store %d, %o[%c1] : memref<2xf32>
    gpu.return
  }

  // Lanes 2k and 2k + 1 in that order, where a butterfly would have them in both.
  // CHECK-LABEL: gpu.func @two_lanes
  gpu.func @two_lanes(%x: f32, %o: memref<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #info} {
    // CHECK: %[[LANE:.*]] = gpu.lane_id
    // CHECK: gpu.shuffle idx
    // CHECK: gpu.shuffle idx
    // CHECK: arith.mulf
    // CHECK-NOT: gpu.shuffle xor
    %s = gpu.subgroup_reduce mul %x cluster(size = 2) : (f32) -> f32
    memref.store %s, %o[] : memref<f32>
    gpu.return
  }
}
