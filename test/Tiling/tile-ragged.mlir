// RUN: distaff-opt %s --distaff-tile=target=sm_80 --split-input-file | FileCheck %s

#config = #iree_gpu.lowering_config<{workgroup = [64, 32, 0], reduction = [0, 0, 16]}>

// Slices are as long as what is left; padding makes them tiles. The steps along
// k are split in two: whole ones of a workgroup whose tile is whole, and what is
// left, which in other workgroups are all. Only along x a grid has room for any
// number of tiles.
// CHECK-DAG:   #[[$ROWS:.*]] = affine_map<()[s0] -> (s0 ceildiv 64)>
// CHECK-DAG:   #[[$COLUMNS:.*]] = affine_map<()[s0] -> (s0 ceildiv 32)>
// CHECK-DAG:   #[[$TILES:.*]] = affine_map<()[s0, s1] -> ((s0 ceildiv 64) * (s1 ceildiv 32))>
// CHECK-DAG:   #[[$LEFT_M:.*]] = affine_map<(d0)[s0] -> (64, d0 * -64 + s0)>
// CHECK-DAG:   #[[$LEFT_N:.*]] = affine_map<(d0)[s0] -> (32, d0 * -32 + s0)>
// CHECK-DAG:   #[[$WHOLE_K:.*]] = affine_map<()[s0] -> ((s0 floordiv 16) * 16)>
// CHECK-DAG:   #[[$LEFT_K:.*]] = affine_map<(d0)[s0] -> (16, -d0 + s0)>
// CHECK-LABEL: func.func @every_extent_is_dynamic(
// CHECK-DAG:     %[[M:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG:     %[[N:.*]] = tensor.dim %arg1, %c1
// CHECK-DAG:     %[[K:.*]] = tensor.dim %arg0, %c1
// CHECK-DAG:     %[[GRID_M:.*]] = affine.apply #[[$ROWS]]()[%[[M]]]
// CHECK-DAG:     %[[GRID_N:.*]] = affine.apply #[[$COLUMNS]]()[%[[N]]]
// CHECK:         %[[GRID:.*]] = affine.apply #[[$TILES]]()[%[[M]], %[[N]]]
// CHECK:         scf.forall (%[[X:.*]]) in (%[[GRID]])
// CHECK:           %[[ID:.*]]:2 = affine.delinearize_index %[[X]] into (%[[GRID_M]], %[[GRID_N]])
// CHECK-DAG:       %[[SIZE_M:.*]] = affine.min #[[$LEFT_M]](%[[ID]]#0)[%[[M]]]
// CHECK-DAG:       %[[SIZE_N:.*]] = affine.min #[[$LEFT_N]](%[[ID]]#1)[%[[N]]]
// CHECK-DAG:       %[[ALL_M:.*]] = arith.cmpi eq, %[[SIZE_M]], %c64
// CHECK-DAG:       %[[ALL_N:.*]] = arith.cmpi eq, %[[SIZE_N]], %c32
// CHECK:           %[[ALL:.*]] = arith.andi %[[ALL_M]], %[[ALL_N]]
// CHECK:           %[[REACHED:.*]] = arith.select %[[ALL]], %[[K]], %c0
// CHECK:           %[[SPLIT:.*]] = affine.apply #[[$WHOLE_K]]()[%[[REACHED]]]
// CHECK:           %[[SUM:.*]] = scf.for %[[AT:.*]] = %c0 to %[[SPLIT]] step %c16
// CHECK:             tensor.extract_slice %arg0[%{{.*}}, %[[AT]]] [64, 16]
// CHECK-NOT:         tensor.pad
// CHECK:             linalg.matmul
// CHECK:           scf.for %[[AT:.*]] = %[[SPLIT]] to %[[K]] step %c16 iter_args(%{{.*}} = %[[SUM]])
// CHECK:             %[[SIZE_K:.*]] = affine.min #[[$LEFT_K]](%[[AT]])[%[[K]]]
// CHECK:             tensor.extract_slice %arg0[%{{.*}}, %[[AT]]] [%[[SIZE_M]], %[[SIZE_K]]]
// CHECK:             tensor.pad {{.*}} low[0, 0]
// CHECK:             : tensor<?x?xf16> to tensor<64x16xf16>
// CHECK:             linalg.matmul {{.*}} outs(%{{.*}} : tensor<64x32xf32>)
// CHECK:           scf.if %[[ALL]] -> (tensor<?x?xf32>)
// CHECK:             tensor.insert_slice {{.*}} [64, 32]
// CHECK:           } else {
// CHECK:             tensor.insert_slice {{.*}} [%[[SIZE_M]], %[[SIZE_N]]]
// CHECK:           tensor.parallel_insert_slice {{.*}} [%[[SIZE_M]], %[[SIZE_N]]]
// CHECK:         mapping = [#gpu.block<x>]
// CHECK-LABEL: func.func @every_extent_is_dynamic__grid(
// CHECK-SAME:      %[[S0:[^:]*]]: index, %[[S1:[^:]*]]: index, %[[S2:[^:]*]]: index, %[[S3:[^:]*]]: index)
// CHECK:         %[[SAME:.*]] = arith.cmpi eq, %[[S1]], %[[S2]]
// CHECK:         cf.assert %[[SAME]], "dimension 1 of arg0 and dimension 0 of arg1 are one loop
// CHECK:         %[[X:.*]] = affine.apply #[[$TILES]]()[%[[S0]], %[[S3]]]
// CHECK:         return %[[X]], %c1, %c1
func.func @every_extent_is_dynamic(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [32, 32, 0], reduction = [0, 0, 16]}>

// What is static and divided by its tile is neither clamped nor padded, and an
// argument that the sums start from is read like the others.
// CHECK-DAG:   #[[$TILES:.*]] = affine_map<()[s0] -> ((s0 ceildiv 32) * 3)>
// CHECK-LABEL: func.func @static_loops_are_not_padded(
// CHECK:         tensor.extract_slice %arg2[%{{.*}}, %{{.*}}] [%{{.*}}, 32]
// CHECK:         tensor.pad
// CHECK:         : tensor<?x32xf32> to tensor<32x32xf32>
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c64 step %c16
// CHECK:           tensor.extract_slice %arg0{{.*}} : tensor<?x64xf32> to tensor<?x16xf32>
// CHECK:           tensor.pad
// CHECK:           %[[RHS:.*]] = tensor.extract_slice %arg1{{.*}} : tensor<64x96xf32> to tensor<16x32xf32>
// CHECK-NOT:       tensor.pad
// CHECK:           linalg.matmul {{.*}} ins(%{{.*}}, %[[RHS]] :
// CHECK-LABEL: func.func @static_loops_are_not_padded__grid(
// CHECK-SAME:      %[[M:[^:]*]]: index, %[[START:[^:]*]]: index)
// CHECK:         arith.cmpi eq, %[[M]], %[[START]]
// CHECK:         %[[X:.*]] = affine.apply #[[$TILES]]()[%[[M]]]
// CHECK:         return %[[X]], %{{.*}}, %{{.*}}
func.func @static_loops_are_not_padded(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %d : tensor<?x96xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [1, 1, 32, 32, 0], reduction = [0, 0, 0, 0, 16]}>
#lhs = affine_map<(b, c, m, n, k) -> (b, c, m, k)>
#rhs = affine_map<(b, c, m, n, k) -> (b, c, k, n)>
#out = affine_map<(b, c, m, n, k) -> (b, c, m, n)>

// CHECK-DAG:   #[[$PRODUCT:.*]] = affine_map<()[s0, s1, s2, s3] -> (((s0 * s1) * (s2 ceildiv 32)) * (s3 ceildiv 32))>
// CHECK-LABEL: func.func @four_loops_share_one_dimension(
// CHECK:         %[[ALL:.*]] = affine.apply #[[$PRODUCT]]()[%[[B:.*]], %[[C:.*]], %{{.*}}, %{{.*}}]
// CHECK:         scf.forall (%[[I:.*]]) in (%[[ALL]])
// CHECK:           affine.delinearize_index %[[I]] into (%[[B]], %[[C]], %{{.*}}, %{{.*}})
// CHECK-LABEL: func.func @four_loops_share_one_dimension__grid(
// CHECK:         affine.apply #[[$PRODUCT]]()
func.func @four_loops_share_one_dimension(%a: tensor<?x?x?x?xf32>, %b: tensor<?x?x?x?xf32>, %s: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"], lowering_config = #config}
      ins(%a, %b : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%s : tensor<?x?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %z, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [48, 0, 0], reduction = [0, 0, 24]}>

// Static extents are cut where the author's tiles leave a rest of them.
// CHECK-DAG:   #[[$LEFT_M:.*]] = affine_map<(d0) -> (48, d0 * -48 + 100)>
// CHECK-LABEL: func.func @static_rests(
// CHECK:         scf.forall (%[[I:.*]]) in (3)
// CHECK:           %[[LEFT:.*]] = affine.min #[[$LEFT_M]](%[[I]])
// CHECK:           scf.for {{.*}} = %c0 to %[[SPLIT:.*]] step %c24
// CHECK:             tensor.extract_slice %arg0{{.*}} [48, 24]
// CHECK:             linalg.matmul {{.*}} ins(%{{.*}}, %{{.*}} : tensor<48x24xf32>, tensor<24x32xf32>)
// CHECK:           scf.for {{.*}} = %[[SPLIT]] to %c64 step %c24
// CHECK:             tensor.extract_slice %arg0[%{{.*}}, %{{.*}}] [%[[LEFT]], %{{.*}}]
// CHECK:             tensor.pad
// CHECK:             : tensor<?x?xf32> to tensor<48x24xf32>
func.func @static_rests(%a: tensor<100x64xf32>, %b: tensor<64x32xf32>, %c: tensor<100x32xf32>) -> tensor<100x32xf32> {
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<100x64xf32>, tensor<64x32xf32>) outs(%c : tensor<100x32xf32>) -> tensor<100x32xf32>
  return %d : tensor<100x32xf32>
}

// -----

// A loop over workgroups that the author wrote has a grid, too; of the extents
// below its lower bound there is no workgroup.
// CHECK-DAG:   #[[$TILES:.*]] = affine_map<()[s0] -> ((s0 - 3) ceildiv 8)>
// CHECK-LABEL: func.func @bounds_of_a_written_loop__grid(
// CHECK-SAME:      %[[EXTENT:[^:]*]]: index)
// CHECK:         %[[TILES:.*]] = affine.apply #[[$TILES]]()[%[[EXTENT]]]
// CHECK:         %[[X:.*]] = arith.maxsi %[[TILES]], %c0
// CHECK:         return %[[X]],
func.func @bounds_of_a_written_loop(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.forall (%i) = (3) to (%n) step (8) {
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

#id = affine_map<(i) -> (i)>
#config = #iree_gpu.lowering_config<{workgroup = [64]}>

// Behind the end a divisor that is read is 1; a constant one is never what is
// read there.
// CHECK-LABEL: func.func @divisors_behind_the_end(
// CHECK:         ^bb0(%[[X:.*]]: i32, %[[Y:.*]]: i32, %{{.*}}: i32):
// CHECK:           %[[INSIDE:.*]] = arith.cmpi slt
// CHECK:           %[[P:.*]] = arith.divsi %[[X]], %c7_i32 : i32
// CHECK:           %[[DIVISOR:.*]] = arith.select %[[INSIDE]], %[[Y]], %c1_i32 : i32
// CHECK:           arith.remui %[[P]], %[[DIVISOR]] : i32
func.func @divisors_behind_the_end(%x: tensor<100xi32>, %y: tensor<100xi32>) -> tensor<100xi32> {
  %seven = arith.constant 7 : i32
  %e = tensor.empty() : tensor<100xi32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"], lowering_config = #config}
      ins(%x, %y : tensor<100xi32>, tensor<100xi32>) outs(%e : tensor<100xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %p = arith.divsi %a, %seven : i32
    %q = arith.remui %p, %b : i32
    linalg.yield %q : i32
  } -> tensor<100xi32>
  return %r : tensor<100xi32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [4, 48, 0], reduction = [0, 0, 1]}>

// Rows that two loops read together end where their own tensor does.
// CHECK-DAG:   #[[$ROWS_LEFT:.*]] = affine_map<(d0)[s0, s1] -> (4, d0 * -4 + s0 - s1)>
// CHECK-DAG:   #[[$ROW:.*]] = affine_map<(d0)[s0, s1] -> (d0 * 4 + s0, s1)>
// CHECK-DAG:   #[[$SOME:.*]] = affine_map<(d0) -> (0, d0)>
// CHECK-LABEL: func.func @window(
// CHECK:         scf.forall (%[[X:.*]]) in
// CHECK:           %[[ID:.*]]:2 = affine.delinearize_index %[[X]]
// CHECK:           scf.for %[[K:.*]] = %c0 to %c3 step %c1
// CHECK:             %[[ROWS:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG:         %[[LEFT:.*]] = affine.min #[[$ROWS_LEFT]](%[[ID]]#0)[%[[ROWS]], %[[K]]]
// CHECK-DAG:         %[[ROW:.*]] = affine.min #[[$ROW]](%[[ID]]#0)[%[[K]], %[[ROWS]]]
// CHECK:             %[[SIZE:.*]] = affine.max #[[$SOME]](%[[LEFT]])
// CHECK:             tensor.extract_slice %arg0[%[[ROW]], %{{.*}}] [%[[SIZE]], %{{.*}}]
func.func @window(%a: tensor<?x?xf32>, %weights: tensor<3xf32>, %start: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i + k, j)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"], lowering_config = #config} ins(%a, %weights : tensor<?x?xf32>, tensor<3xf32>) outs(%start : tensor<?x?xf32>) {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [0, 12], reduction = [8, 0]}>

// The end of the loop is a formula of the extent; all steps but the last one are
// whole nevertheless.
// CHECK-DAG:   #[[$LEFT:.*]] = affine_map<()[s0] -> (s0 mod 64)>
// CHECK-LABEL: func.func @steps_to_a_formula(
// CHECK:         %[[ROWS:.*]] = affine.apply #[[$LEFT]]
// CHECK:         scf.for %{{.*}} = %c0 to %[[WHOLE:.*]] step %c8
// CHECK-NOT:       affine.min
// CHECK:           tensor.extract_slice {{.*}} [8, 12]
// CHECK-NOT:       tensor.pad
// CHECK:         scf.for %{{.*}} = %[[WHOLE]] to %{{.*}} step %c8
// CHECK-NOT:       affine.min
// CHECK:           tensor.pad
func.func @steps_to_a_formula(%x: tensor<?x12xf32>) -> tensor<12xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x12xf32>
  %left = affine.apply affine_map<()[s0] -> (s0 mod 64)>()[%n]
  %t = tensor.extract_slice %x[0, 0] [%left, 12] [1, 1] : tensor<?x12xf32> to tensor<?x12xf32>
  %e = tensor.empty() : tensor<12xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"], lowering_config = #config}
      ins(%t : tensor<?x12xf32>) outs(%f : tensor<12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.addf %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [1, 1, 64]}>

// Each workgroup that there is has a row of its own, and all of it.
// CHECK-LABEL: func.func @rows_of_their_own(
// CHECK:         %[[ID:.*]]:2 = affine.delinearize_index
// CHECK-NOT:     affine.min
// CHECK:         tensor.extract_slice %arg0[%[[ID]]#0, %[[ID]]#1, 0] [1, 1, 64]
// CHECK-NOT:     tensor.pad
func.func @rows_of_their_own(%x: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"], lowering_config = #config}
      ins(%x : tensor<?x?x64xf32>) outs(%e : tensor<?x?x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}
