// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file | FileCheck %s

// An MMA: each operand gets its fragment's layout and the instruction's kind.
// No conversion: the reads have these layouts.

// CHECK-DAG: #[[A:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
// CHECK-DAG: #[[B:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
// CHECK-DAG: #[[C:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
// CHECK-LABEL: @mma_operands_are_anchored
func.func @mma_operands_are_anchored(%a: memref<16x16xf16>, %b: memref<8x16xf16>, %d: memref<16x8xf32>)
    attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
  %zero = arith.constant dense<0.0> : vector<16x8xf32>
  // CHECK: %[[A0:.*]] = vector.transfer_read
  // CHECK: %[[B0:.*]] = vector.transfer_read
  %0 = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<8x16xf16>, vector<8x16xf16>
  %af = arith.extf %0 : vector<16x16xf16> to vector<16x16xf32>
  %bf = arith.extf %1 : vector<8x16xf16> to vector<8x16xf32>
  // CHECK: %[[L:.*]] = iree_vector_ext.to_layout %{{.*}} to layout(#[[A]]) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<16x16xf32>
  // CHECK: %[[R:.*]] = iree_vector_ext.to_layout %{{.*}} to layout(#[[B]]) {mma_kind
  // CHECK: %[[I:.*]] = iree_vector_ext.to_layout %[[ZERO]] to layout(#[[C]]) {mma_kind
  // CHECK: vector.contract {{.*}} %[[L]], %[[R]], %[[I]]
  // CHECK-NOT: to_layout
  %3 = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %af, %bf, %zero : vector<16x16xf32>, vector<8x16xf32> into vector<16x8xf32>
  vector.transfer_write %3, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// -----

// A tiled product: operands are read coalesced and go through shared memory.

// CHECK-DAG: #[[READ:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [4, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 8], subgroup_strides = [1, 0], thread_strides = [4, 1]>
// CHECK-DAG: #[[LHS:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [4, 2], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [2, 0], thread_strides = [4, 1]>
#translation = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#config = #iree_gpu.lowering_config<{subgroup_basis = [[2, 2, 1], [0, 1, 2]], promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
// CHECK-LABEL: @promotion
func.func @promotion(%a: memref<512x256xf16>, %b: memref<256x384xf16>, %d: memref<512x384xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %h = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<128x128xf32>
  scf.forall (%i, %j) = (0, 0) to (512, 384) step (128, 128) {
    %r = scf.for %k = %c0 to %c256 step %c32 iter_args(%acc = %z) -> (vector<128x128xf32>) {
      // CHECK: %[[A:.*]] = vector.transfer_read
      // CHECK: %[[AR:.*]] = iree_vector_ext.to_layout %[[A]] to layout(#[[READ]]) : vector<128x32xf16>
      // CHECK: %[[B:.*]] = vector.transfer_read
      // CHECK: %[[BR:.*]] = iree_vector_ext.to_layout %[[B]]
      // CHECK: iree_vector_ext.to_layout %[[AR]] to layout(#[[LHS]]) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, shared_memory_conversion} : vector<128x32xf16>
      // CHECK: iree_vector_ext.to_layout %[[BR]] {{.*}}shared_memory_conversion
      %0 = vector.transfer_read %a[%i, %k], %h {in_bounds = [true, true]} : memref<512x256xf16>, vector<128x32xf16>
      %1 = vector.transfer_read %b[%k, %j], %h {in_bounds = [true, true]} : memref<256x384xf16>, vector<32x128xf16>
      // CHECK-NOT: lowering_config
      %2 = vector.contract {lowering_config = #config,
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %0, %1, %acc : vector<128x32xf16>, vector<32x128xf16> into vector<128x128xf32>
      scf.yield %2 : vector<128x128xf32>
    }
    // CHECK: scf.yield
    // CHECK-NOT: to_layout
    vector.transfer_write %r, %d[%i, %j] {in_bounds = [true, true]} : vector<128x128xf32>, memref<512x384xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}

// -----

// One row per subgroup: reductions need no other subgroup.

// CHECK: #[[X:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [0, 1]>
#translation = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
// CHECK-LABEL: @rows_go_to_subgroups
func.func @rows_go_to_subgroups(%x: memref<4x1024xf32>, %y: memref<4xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %init = arith.constant dense<0.0> : vector<4xf32>
  // CHECK: to_layout %{{.*}} to layout(#[[X]]) : vector<4x1024xf32>
  // CHECK-NOT: to_layout
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x1024xf32>, vector<4x1024xf32>
  %s = vector.multi_reduction <add>, %0, %init [1] : vector<4x1024xf32> to vector<4xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  return
}

// -----

// VX-55: two anchors of one value meet at exactly one conversion, the user's.

#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
// CHECK-DAG: #[[A:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [2], {{.*}} element_tile = [1]
// CHECK-DAG: #[[B:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1], {{.*}} element_tile = [2]
#a = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: @anchors_meet_at_one_conversion
func.func @anchors_meet_at_one_conversion(%x: memref<64xf32>, %y: memref<64xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // CHECK: to_layout %{{.*}} to layout(#[[A]]) :
  // CHECK: to_layout %{{.*}} to layout(#[[B]]) {shared_memory_conversion}
  // CHECK-NOT: to_layout
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#a) : vector<64xf32>
  %2 = math.exp2 %1 : vector<64xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#b) : vector<64xf32>
  %4 = arith.addf %3, %3 : vector<64xf32>
  vector.transfer_write %4, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// VX-56: a cheap chain is computed again for its second layout. VX-284: what the copy begins with is laid out, so that
// the copy has other operands than the original.
// CHECK-LABEL: @cheap_chains_are_cloned
func.func @cheap_chains_are_cloned(%s: f32, %x: memref<64xf32>, %y: memref<64xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // CHECK: %[[S:.*]] = vector.broadcast
  // CHECK: %[[FIRST:.*]] = arith.addf %[[S]], %[[S]]
  %b = vector.broadcast %s : f32 to vector<64xf32>
  %e = arith.addf %b, %b : vector<64xf32>
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#a) : vector<64xf32>
  // CHECK: arith.mulf %{{.*}}, %[[FIRST]]
  %2 = arith.mulf %1, %e : vector<64xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#b) : vector<64xf32>
  // CHECK: %[[T:.*]] = iree_vector_ext.to_layout %[[S]] to layout(#[[B]])
  // CHECK: %[[SECOND:.*]] = arith.addf %[[T]], %[[T]]
  // CHECK: arith.addf %{{.*}}, %[[SECOND]]
  %4 = arith.addf %3, %e : vector<64xf32>
  vector.transfer_write %4, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// VX-64: what a loop does not change is converted outside of it.
// CHECK-LABEL: @invariant_conversions_are_hoisted
func.func @invariant_conversions_are_hoisted(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %init = arith.constant dense<0.0> : vector<64xf32>
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#a) : vector<64xf32>
  %2 = math.exp2 %1 : vector<64xf32>
  // CHECK: shared_memory_conversion
  // CHECK: scf.for
  // CHECK-NOT: shared_memory_conversion
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (vector<64xf32>) {
    %3 = iree_vector_ext.to_layout %acc to layout(#b) : vector<64xf32>
    %4 = arith.addf %3, %2 : vector<64xf32>
    scf.yield %4 : vector<64xf32>
  }
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// A stored constant has no other anchor than its use.
// CHECK-LABEL: @stored_constants_are_anchored
func.func @stored_constants_are_anchored(%y: memref<64xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %k = arith.constant dense<1.0> : vector<64xf32>
  // CHECK: %[[K:.*]] = iree_vector_ext.to_layout %cst
  // CHECK: vector.transfer_write %[[K]]
  vector.transfer_write %k, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// Extents that no power of two divides, and rank 0.
// CHECK-LABEL: @odd_extents
func.func @odd_extents(%x: memref<7x9xf32>, %y: memref<9x7xf32>, %w: memref<63xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // CHECK: to_layout {{.*}} : vector<7x9xf32>
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<7x9xf32>, vector<7x9xf32>
  %1 = vector.transpose %0, [1, 0] : vector<7x9xf32> to vector<9x7xf32>
  vector.transfer_write %1, %y[%c0, %c0] {in_bounds = [true, true]} : vector<9x7xf32>, memref<9x7xf32>
  %2 = vector.shape_cast %0 : vector<7x9xf32> to vector<63xf32>
  vector.transfer_write %2, %w[%c0] {in_bounds = [true]} : vector<63xf32>, memref<63xf32>
  return
}
// CHECK-LABEL: @rank_zero
func.func @rank_zero(%x: memref<f32>, %y: memref<f32>) attributes {translation_info = #translation} {
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[], %z : memref<f32>, vector<f32>
  // CHECK: math.exp2
  // CHECK-NOT: to_layout
  %1 = math.exp2 %0 : vector<f32>
  vector.transfer_write %1, %y[] : vector<f32>, memref<f32>
  return
}

// Rank 0 has one layout, in either notation.
// CHECK-LABEL: @rank_zero_has_one_layout
func.func @rank_zero_has_one_layout(%x: memref<f32>, %y: memref<f32>, %n: index) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[], %f : memref<f32>, vector<f32>
  %1 = iree_vector_ext.to_layout %0 to layout(#iree_vector_ext.digit_layout<[]>) : vector<f32>
  // CHECK: scf.for
  // CHECK-NOT: to_layout
  // CHECK: return
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %1) -> (vector<f32>) {
    %2 = arith.addf %v, %0 : vector<f32>
    scf.yield %2 : vector<f32>
  }
  vector.transfer_write %r, %y[] : vector<f32>, memref<f32>
  return
}

// -----

// VX-56: a conversion of 5 address operations and a shuffle costs 14 slots; a
// division, seven sums and the broadcast that they end in would cost 16.

#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
// CHECK-DAG: #[[COLUMNS:.*]] = #iree_vector_ext.nested_layout<{{.*}} thread_tile = [8, 4], {{.*}} thread_strides = [1, 8]>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [1, 8]>
// CHECK-LABEL: @chains_dearer_than_a_shuffle_are_converted
func.func @chains_dearer_than_a_shuffle_are_converted(%s: f32, %x: memref<8x4xf32>, %y: memref<8x4xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %b = vector.broadcast %s : f32 to vector<8x4xf32>
  %e0 = arith.divf %b, %b : vector<8x4xf32>
  %e1 = arith.addf %e0, %b : vector<8x4xf32>
  %e2 = arith.addf %e1, %b : vector<8x4xf32>
  %e3 = arith.addf %e2, %b : vector<8x4xf32>
  %e4 = arith.addf %e3, %b : vector<8x4xf32>
  %e5 = arith.addf %e4, %b : vector<8x4xf32>
  %e6 = arith.addf %e5, %b : vector<8x4xf32>
  %e7 = arith.addf %e6, %b : vector<8x4xf32>
  // CHECK: arith.mulf %{{.*}}, %[[E:.*]] :
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x4xf32>, vector<8x4xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<8x4xf32>
  %2 = arith.mulf %1, %e7 : vector<8x4xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#rows) : vector<8x4xf32>
  vector.transfer_write %3, %x[%c0, %c0] {in_bounds = [true, true]} : vector<8x4xf32>, memref<8x4xf32>
  // CHECK: %[[MOVED:.*]] = iree_vector_ext.to_layout %[[E]] to layout(#[[COLUMNS]])
  // CHECK: arith.mulf %{{.*}}, %[[MOVED]] :
  %4 = vector.transfer_read %y[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x4xf32>, vector<8x4xf32>
  %5 = iree_vector_ext.to_layout %4 to layout(#columns) : vector<8x4xf32>
  %6 = arith.mulf %5, %e7 : vector<8x4xf32>
  %7 = iree_vector_ext.to_layout %6 to layout(#columns) : vector<8x4xf32>
  vector.transfer_write %7, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x4xf32>, memref<8x4xf32>
  return
}
