// Clusters that exchange data, and the whole group before and behind them: with barriers of a cluster alone each has bytes of its own,
// with barriers of all one buffer does (PCF-160).
//
// RUN: distaff run %s --func reductions --target sm_80 --check --every-stage
// RUN: distaff run %s --func reductions --target sm_80 --check --device ptx
// RUN: distaff run %s --func whole_and_clusters --target sm_80 --check --every-stage --schedule 3
// RUN: distaff run %s --func whole_and_clusters --target sm_80 --check --device ptx
// RUN: distaff run %s --func wide --target gfx942 --check --every-stage
// RUN: distaff run %s --func wide --target gfx942 --check --schedule 2 --stop-after=lower
// RUN: distaff run %s --func two_tiles --target sm_80 --pipeline run-cluster --specialize=ping-pong --check
// RUN: distaff run %s --func two_tiles --target sm_80 --pipeline run-cluster --specialize=ping-pong --check --device ptx
// RUN: distaff run %s --func two_tiles --target gfx942 --pipeline run-cluster --specialize=ping-pong --check
// RUN: distaff compile %s --func reductions --target sm_80 --stop-after=distribute-subgroups | FileCheck %s --check-prefix=TWO
// RUN: distaff compile %s --func whole_and_clusters --target sm_80 --stop-after=distribute-subgroups | FileCheck %s --check-prefix=THREE
// RUN: distaff compile %s --func wide --target gfx942 --stop-after=distribute-subgroups | FileCheck %s --check-prefix=ONE

// TWO-COUNT-2: memref.alloc() {{.*}}#gpu.address_space<workgroup>
// TWO-NOT: memref.alloc() {{.*}}#gpu.address_space<workgroup>
// THREE-COUNT-3: memref.alloc() {{.*}}#gpu.address_space<workgroup>
// THREE-NOT: memref.alloc() {{.*}}#gpu.address_space<workgroup>
// ONE-COUNT-1: memref.alloc() {{.*}}#gpu.address_space<workgroup>
// ONE-NOT: memref.alloc() {{.*}}#gpu.address_space<workgroup>

#sg = #iree_gpu.subgroup_scope
#narrow_launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
#wide_launch = #iree_codegen.translation_info<workgroup_size = [512, 1, 1] subgroup_size = 64>
#of_four = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [4, 4], subgroup_strides = [1, 0], thread_strides = [8, 1]>
#of_eight = #iree_vector_ext.nested_layout<subgroup_tile = [8, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [2, 4], subgroup_strides = [1, 0], thread_strides = [8, 1]>
#of_four_wide = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 8], element_tile = [2, 4], subgroup_strides = [1, 0], thread_strides = [8, 1]>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
!A = !pcf.cluster<#sg, (0 -> d0), ws.a>
!B = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!G = !pcf.threadgroup<#sg>

func.func @reductions(%in: memref<64x32xf32>, %sums: memref<32xf32>, %squares: memref<32xf32>) attributes {translation_info = #narrow_launch} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%all: !G] {
    pcf.shared_executor.tile_group %all ns(ws) split [[%c4]] (%a: !A, %b: !B) {
      pcf.shared_executor.run_cluster(%a)[%c4] () {
        %v = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
        %l = iree_vector_ext.to_layout %v to layout(#of_four) : vector<64x32xf32>
        %zeros = arith.constant dense<0.0> : vector<32xf32>
        %s = vector.multi_reduction <add>, %l, %zeros [0] : vector<64x32xf32> to vector<32xf32>
        vector.transfer_write %s, %sums[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
        pcf.cluster_yield
      } : (!A)
      pcf.shared_executor.run_cluster(%b)[%c4] () {
        %v = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
        %w = arith.mulf %v, %v : vector<64x32xf32>
        %l = iree_vector_ext.to_layout %w to layout(#of_four) : vector<64x32xf32>
        %zeros = arith.constant dense<0.0> : vector<32xf32>
        %s = vector.multi_reduction <add>, %l, %zeros [0] : vector<64x32xf32> to vector<32xf32>
        vector.transfer_write %s, %squares[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
        pcf.cluster_yield
      } : (!B)
      pcf.return
    } : !G
    pcf.return
  }
  return
}

// Members of a cluster go on while those of the other are still in the phase of all.
func.func @whole_and_clusters(%in: memref<64x32xf32>, %sums: memref<3x32xf32>, %squares: memref<3x32xf32>, %first: memref<32xf32>, %last: memref<32xf32>)
    attributes {translation_info = #narrow_launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%all: !G] {
    pcf.shared_executor.run_cluster(%all)[] () {
      %v = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
      %l = iree_vector_ext.to_layout %v to layout(#of_eight) : vector<64x32xf32>
      %zeros = arith.constant dense<0.0> : vector<32xf32>
      %s = vector.multi_reduction <add>, %l, %zeros [0] : vector<64x32xf32> to vector<32xf32>
      vector.transfer_write %s, %first[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
      pcf.cluster_yield
    } : (!G)
    pcf.shared_executor.tile_group %all ns(ws) split [[%c4]] (%a: !A, %b: !B) {
      scf.for %i = %c0 to %c3 step %c1 {
        pcf.shared_executor.run_cluster(%a)[%c4] () {
          %v = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
          %l = iree_vector_ext.to_layout %v to layout(#of_four) : vector<64x32xf32>
          %zeros = arith.constant dense<0.0> : vector<32xf32>
          %s = vector.multi_reduction <add>, %l, %zeros [0] : vector<64x32xf32> to vector<32xf32>
          vector.transfer_write %s, %sums[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<3x32xf32>
          pcf.cluster_yield
        } : (!A)
        pcf.shared_executor.run_cluster(%b)[%c4] () {
          %v = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
          %w = arith.mulf %v, %v : vector<64x32xf32>
          %l = iree_vector_ext.to_layout %w to layout(#of_four) : vector<64x32xf32>
          %zeros = arith.constant dense<0.0> : vector<32xf32>
          %s = vector.multi_reduction <add>, %l, %zeros [0] : vector<64x32xf32> to vector<32xf32>
          vector.transfer_write %s, %squares[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<3x32xf32>
          pcf.cluster_yield
        } : (!B)
      }
      pcf.return
    } : !G
    pcf.shared_executor.run_cluster(%all)[] () {
      %v = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
      %w = arith.mulf %v, %v : vector<64x32xf32>
      %l = iree_vector_ext.to_layout %w to layout(#of_eight) : vector<64x32xf32>
      %zeros = arith.constant dense<0.0> : vector<32xf32>
      %s = vector.multi_reduction <add>, %l, %zeros [0] : vector<64x32xf32> to vector<32xf32>
      vector.transfer_write %s, %last[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
      pcf.cluster_yield
    } : (!G)
    pcf.return
  }
  return
}

func.func @wide(%in: memref<64x32xf32>, %sums: memref<3x32xf32>, %squares: memref<3x32xf32>) attributes {translation_info = #wide_launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%all: !G] {
    pcf.shared_executor.tile_group %all ns(ws) split [[%c4]] (%a: !A, %b: !B) {
      scf.for %i = %c0 to %c3 step %c1 {
        pcf.shared_executor.run_cluster(%a)[%c4] () {
          %v = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
          %l = iree_vector_ext.to_layout %v to layout(#of_four_wide) : vector<64x32xf32>
          %zeros = arith.constant dense<0.0> : vector<32xf32>
          %s = vector.multi_reduction <add>, %l, %zeros [0] : vector<64x32xf32> to vector<32xf32>
          vector.transfer_write %s, %sums[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<3x32xf32>
          pcf.cluster_yield
        } : (!A)
        pcf.shared_executor.run_cluster(%b)[%c4] () {
          %v = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
          %w = arith.mulf %v, %v : vector<64x32xf32>
          %l = iree_vector_ext.to_layout %w to layout(#of_four_wide) : vector<64x32xf32>
          %zeros = arith.constant dense<0.0> : vector<32xf32>
          %s = vector.multi_reduction <add>, %l, %zeros [0] : vector<64x32xf32> to vector<32xf32>
          vector.transfer_write %s, %squares[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<3x32xf32>
          pcf.cluster_yield
        } : (!B)
      }
      pcf.return
    } : !G
    pcf.return
  }
  return
}

// The row sums are of columns that other subgroups of the cluster hold.
func.func @two_tiles(%a: memref<96x96xf16>, %b: memref<96x16xf16>, %o: memref<96x16xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %h = arith.constant 0.0 : f16
  %zeros = arith.constant dense<0.0> : vector<32x16xf32>
  %none = arith.constant dense<0.0> : vector<32xf32>
  scf.forall (%tile) in (3) {
    %row = arith.muli %tile, %c32 : index
    %product = scf.for %j = %c0 to %c96 step %c32 iter_args(%acc = %zeros) -> (vector<32x16xf32>) {
      %l = vector.transfer_read %a[%row, %j], %h {in_bounds = [true, true]} : memref<96x96xf16>, vector<32x32xf16>
      %r = vector.transfer_read %b[%j, %c0], %h {in_bounds = [true, true]} : memref<96x16xf16>, vector<32x16xf16>
      %lf = arith.extf %l : vector<32x32xf16> to vector<32x32xf32>
      %rf = arith.extf %r : vector<32x16xf16> to vector<32x16xf32>
      %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %lf, %rf, %acc : vector<32x32xf32>, vector<32x16xf32> into vector<32x16xf32>
      scf.yield %next : vector<32x16xf32>
    }
    %sums = vector.multi_reduction <add>, %product, %none [1] : vector<32x16xf32> to vector<32xf32>
    %rows = vector.broadcast %sums : vector<32xf32> to vector<16x32xf32>
    %columns = vector.transpose %rows, [1, 0] : vector<16x32xf32> to vector<32x16xf32>
    %both = arith.addf %product, %columns : vector<32x16xf32>
    vector.transfer_write %both, %o[%row, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<96x16xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
