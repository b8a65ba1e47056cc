// RUN: distaff-opt %s --distaff-import-dispatches -split-input-file --mlir-print-local-scope | FileCheck %s

// VX-161: an attention is two contractions with a softmax between; the region and a mask are of its scores.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x16xf16>, %[[K:.*]]: tensor<6x16xf16>, %[[V:.*]]: tensor<6x8xf16>, %[[M:.*]]: tensor<4x6xi1>)
// CHECK:         %[[QK:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[Q]], %[[K]]
// CHECK:         %[[S:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], {{.*}} ins(%[[QK]], %[[M]]
// CHECK:           %[[SCALED:.*]] = arith.mulf
// CHECK:           %[[J:.*]] = linalg.index 1
// CHECK:           %[[JI:.*]] = arith.index_cast %[[J]]
// CHECK:           %[[JF:.*]] = arith.sitofp %[[JI]]
// CHECK:           %[[SHIFTED:.*]] = arith.addf %[[SCALED]], %[[JF]]
// CHECK:           arith.select %{{.*}}, %[[SHIFTED]], %{{.*}} : f32
// CHECK:         %[[P:.*]] = linalg.softmax dimension(1) ins(%[[S]] : tensor<4x6xf32>)
// CHECK:         %[[PV:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[V]] : tensor<4x6xf16>, tensor<6x8xf16>)
// CHECK:         arith.truncf
// CHECK:         return
func.func @attention() {
  %scale = arith.constant 0.25 : f16
  %o = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4x8xf16>
  %q = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<4x16xf16>
  %k = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(2) : memref<6x16xf16>
  %v = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(3) : memref<6x8xf16>
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(4) : memref<4x6xi1>
  %0 = iree_codegen.load_from_buffer %q : memref<4x16xf16> -> tensor<4x16xf16>
  %1 = iree_codegen.load_from_buffer %k : memref<6x16xf16> -> tensor<6x16xf16>
  %2 = iree_codegen.load_from_buffer %v : memref<6x8xf16> -> tensor<6x8xf16>
  %3 = iree_codegen.load_from_buffer %m : memref<4x6xi1> -> tensor<4x6xi1>
  %e = iree_codegen.load_from_buffer %o : memref<4x8xf16> -> tensor<4x8xf16>
  %r = iree_linalg_ext.attention <indexing_maps = [affine_map<(m, n, k1, k2) -> (m, k1)>, affine_map<(m, n, k1, k2) -> (k2, k1)>, affine_map<(m, n, k1, k2) -> (k2, n)>, affine_map<(m, n, k1, k2) -> ()>, affine_map<(m, n, k1, k2) -> (m, k2)>, affine_map<(m, n, k1, k2) -> (m, n)>]> ins(%0, %1, %2, %scale, %3 : tensor<4x16xf16>, tensor<6x16xf16>, tensor<6x8xf16>, f16, tensor<4x6xi1>) outs(%e : tensor<4x8xf16>) {
  ^bb0(%score: f32):
    %j = iree_linalg_ext.index 3 : index
    %i = arith.index_cast %j : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %score, %f : f32
    iree_linalg_ext.yield %s : f32
  } -> tensor<4x8xf16>
  iree_codegen.store_to_buffer %r, %o : tensor<4x8xf16> into memref<4x8xf16>
  return
}

// -----

// VX-161: an argmax is a reduction of pairs.
// CHECK-LABEL: func.func @best(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
// CHECK:           %[[C:.*]] = arith.cmpf oge, %[[X:.*]], %[[V:.*]] : f32
// CHECK:           %[[J:.*]] = linalg.index 1
// CHECK:           %[[JI:.*]] = arith.index_cast %[[J]] : index to i64
// CHECK:           arith.select %[[C]], %[[X]], %[[V]]
// CHECK:           arith.select %[[C]], %[[JI]], %{{.*}} : i64
func.func @best() {
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4x6xf32>
  %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<4xf32>
  %c = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(2) : memref<4xi64>
  %0 = iree_codegen.load_from_buffer %a : memref<4x6xf32> -> tensor<4x6xf32>
  %1 = iree_codegen.load_from_buffer %b : memref<4xf32> -> tensor<4xf32>
  %2 = iree_codegen.load_from_buffer %c : memref<4xi64> -> tensor<4xi64>
  %r:2 = iree_linalg_ext.arg_compare {lowering_config = #iree_gpu.lowering_config<{thread = [1, 0]}>} dimension(1) ins(%0 : tensor<4x6xf32>) outs(%1, %2 : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%x: f32, %y: f32):
    %w = arith.cmpf oge, %x, %y : f32
    iree_linalg_ext.yield %w : i1
  } -> tensor<4xf32>, tensor<4xi64>
  iree_codegen.store_to_buffer %r#0, %b : tensor<4xf32> into memref<4xf32>
  iree_codegen.store_to_buffer %r#1, %c : tensor<4xi64> into memref<4xi64>
  return
}

// -----

// VX-161: a gather reads its source at positions; those of several dimensions lie side by side.
// CHECK-LABEL: func.func @points(
// CHECK-SAME:    %[[A:.*]]: tensor<5x7x3xf32>, %[[I:.*]]: tensor<4x2xi32>) -> tensor<4x3xf32>
// CHECK:         linalg.generic
// CHECK:           %[[B:.*]] = linalg.index 0
// CHECK:           %[[S:.*]] = linalg.index 1
// CHECK:           %[[I0:.*]] = tensor.extract %[[I]][%[[B]], %c0
// CHECK:           %[[P0:.*]] = arith.index_cast %[[I0]]
// CHECK:           %[[I1:.*]] = tensor.extract %[[I]][%[[B]], %c1
// CHECK:           %[[P1:.*]] = arith.index_cast %[[I1]]
// CHECK:           tensor.extract %[[A]][%[[P1]], %[[P0]], %[[S]]]
func.func @points() {
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<5x7x3xf32>
  %i = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<4x2xi32>
  %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(2) : memref<4x3xf32>
  %0 = iree_codegen.load_from_buffer %a : memref<5x7x3xf32> -> tensor<5x7x3xf32>
  %1 = iree_codegen.load_from_buffer %i : memref<4x2xi32> -> tensor<4x2xi32>
  %e = tensor.empty() : tensor<4x3xf32>
  %r = iree_linalg_ext.gather dimension_map = [1, 0] ins(%0, %1 : tensor<5x7x3xf32>, tensor<4x2xi32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  iree_codegen.store_to_buffer %r, %b : tensor<4x3xf32> into memref<4x3xf32>
  return
}

// -----

// VX-223: a sort counts for each element those that stand before it, and a NaN stands behind numbers; one comparison of
// numbers is an order, so that the counts are ranks.
// CHECK-LABEL: func.func @sorted(
// CHECK-SAME:    %[[X:.*]]: tensor<4x6xf32>)
// CHECK:         %[[RANKS:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[X]]
// CHECK:           arith.cmpf uno
// CHECK:           arith.addi
// CHECK:         %[[PLACES:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[RANKS]]
// CHECK:         linalg.generic {{.*}} ins(%[[PLACES]]
// CHECK:           tensor.extract %[[X]]
// CHECK-NOT:     iree_linalg_ext
func.func @sorted(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = iree_linalg_ext.sort dimension(1) outs(%x : tensor<4x6xf32>) {
  ^bb0(%p: f32, %q: f32):
    %c = arith.cmpf olt, %p, %q : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// VX-222: a scan whose op has a neutral element begins with it, which configure computes in parallel.
// CHECK-LABEL: func.func @scanned(
// CHECK:         %[[START:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<4x1xf32>)
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SUM:.*]] = %[[START]], %[[ALL:.*]] =
// CHECK:           %[[PIECE:.*]] = tensor.extract_slice %{{.*}}[0, %[[I]]] [4, 1] [1, 1]
// CHECK:           %[[NEXT:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %[[PIECE]]
// CHECK:           %[[PUT:.*]] = tensor.insert_slice %[[NEXT]] into %[[ALL]][0, %[[I]]]
// CHECK:           scf.yield %[[NEXT]], %[[PUT]]
func.func @scanned(%x: tensor<4x6xf32>, %o: tensor<4x6xf32>, %a: tensor<4xf32>) -> tensor<4x6xf32> {
  %r:2 = iree_linalg_ext.scan dimension(1) inclusive(true) ins(%x : tensor<4x6xf32>) outs(%o, %a : tensor<4x6xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    iree_linalg_ext.yield %s : f32
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %r#0 : tensor<4x6xf32>
}
