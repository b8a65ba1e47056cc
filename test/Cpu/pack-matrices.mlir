// RUN: distaff-opt %s --distaff-pack-panels=target=host:amx | FileCheck %s
// RUN: distaff-opt %s --distaff-pack-panels="target=host:amx strict-fp" | FileCheck %s --check-prefix=STRICT
// RUN: distaff-opt %s --distaff-pack-panels=target=host:avx512bf16 | FileCheck %s --check-prefix=NONE

// Sums of 32x32 are in four registers, which take 16 words at a time: the left
// side's from its rows, the panel's from row to row. Between blocks they wait in
// memory, where the first one has written what they start with, and the last one
// reads them. Behind the last word are zeros.
// CHECK-LABEL: func.func @halves(
// CHECK-DAG: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<2x112x1x32xi32>
// CHECK-DAG: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<2x32x112xi32>
// CHECK-DAG: %[[WAITING:.*]] = memref.alloca() {{.*}} : memref<2x2x32x32xf32>
// CHECK: arith.cmpi eq,
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[START:.*]] = vector.transfer_read %arg2
// CHECK-NEXT: vector.transfer_write %[[START]], %[[WAITING]]
// CHECK-COUNT-4: amx.tile_load %[[WAITING]][{{.*}} : memref<2x2x32x32xf32> into !amx.tile<16x16xf32>
// CHECK: scf.for %[[W:.*]] = %c0{{.*}} step %c16{{.*}} iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}, %[[S2:.*]] = %{{.*}}, %[[S3:.*]] = %
// CHECK: %[[L0:.*]] = amx.tile_load %[[ROWS]][%{{.*}}, %c0{{.*}}, %[[W]]] : memref<2x32x112xi32> into !amx.tile<16x32xbf16>
// CHECK: %[[L1:.*]] = amx.tile_load %[[ROWS]][{{.*}}, %[[W]]] : memref<2x32x112xi32> into !amx.tile<16x32xbf16>
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[PANEL]] {{\[\[}}0], [1, 2], [3]]
// CHECK: %[[R0:.*]] = amx.tile_load %[[FLAT]][%{{.*}}, %[[W]], %c0{{.*}}] : memref<2x112x32xi32> into !amx.tile<16x32xbf16>
// CHECK: %[[R1:.*]] = amx.tile_load %[[FLAT]][%{{.*}}, %[[W]], %{{.*}}] : memref<2x112x32xi32> into !amx.tile<16x32xbf16>
// CHECK: amx.tile_mulf %[[L0]], %[[R0]], %[[S0]]
// CHECK: amx.tile_mulf %[[L0]], %[[R1]], %[[S1]]
// CHECK: amx.tile_mulf %[[L1]], %[[R0]], %[[S2]]
// CHECK: amx.tile_mulf %[[L1]], %[[R1]], %[[S3]]
// CHECK-COUNT-4: amx.tile_store %[[WAITING]]
// CHECK: scf.if
// CHECK: %[[SUMS:.*]] = vector.transfer_read %[[WAITING]]
// CHECK: vector.transfer_write %[[SUMS]], %arg3
// STRICT-LABEL: func.func @halves(
// STRICT-NOT: amx.
// NONE-LABEL: func.func @halves(
// NONE-NOT: amx.
func.func @halves(%a: memref<96x401xbf16>, %b: memref<401x64xbf16>, %c: memref<96x64xf32>, %r: memref<96x64xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c401 = arith.constant 401 : index
  %p = arith.constant 0.0 : bf16
  %q = arith.constant 0.0 : f32
  scf.forall (%y, %x) in (3, 2) {
    %m = affine.apply affine_map<(d0) -> (d0 * 32)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 32)>(%x)
    %start = vector.transfer_read %c[%m, %n], %q {in_bounds = [true, true]} : memref<96x64xf32>, vector<32x32xf32>
    %s = scf.for %k = %c0 to %c401 step %c1 iter_args(%acc = %start) -> (vector<32x32xf32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<96x401xbf16>, vector<32x1xbf16>
      %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<401x64xbf16>, vector<1x32xbf16>
      %v = arith.extf %l : vector<32x1xbf16> to vector<32x1xf32>
      %w = arith.extf %o : vector<1x32xbf16> to vector<1x32xf32>
      %t = vector.contract {indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (l, j)>, affine_map<(i, j, l) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %w, %acc
          : vector<32x1xf32>, vector<1x32xf32> into vector<32x32xf32>
      scf.yield %t : vector<32x32xf32>
    }
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<32x32xf32>, memref<96x64xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @halves__grid() -> (index, index, index) attributes {host} {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  return %c2, %c3, %c1 : index, index, index
}
