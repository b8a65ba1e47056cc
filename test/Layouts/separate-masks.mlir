// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 | FileCheck %s

// VX-88: a mask of bounds becomes one of each operand and one of the result, which
// has no dim in common with K (W8). Where all of a dim is there, nothing is asked.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>

// CHECK-LABEL: func.func @bounds
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[K:[a-z0-9]+]]: index)
// CHECK-NOT: vector.mask
// CHECK: %[[OF_A:.*]] = vector.create_mask %{{.*}}, %[[K]] : vector<16x16xi1>
// CHECK: arith.select %[[OF_A]], %{{.*}}, %{{.*}} : vector<16x16xi1>, vector<16x16xf16>
// CHECK: %[[OF_B:.*]] = vector.create_mask %[[K]], %{{.*}} : vector<16x8xi1>
// CHECK: arith.select %[[OF_B]]
// CHECK: to_layout {{.*}}mma_kind
// CHECK: %[[SUM:.*]] = vector.contract
// CHECK: %[[OF_R:.*]] = vector.create_mask %{{.*}}, %[[N]] : vector<16x8xi1>
// CHECK: arith.select %[[OF_R]], %[[SUM]]
func.func @bounds(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>, %n: index, %k: index) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f16
  %z32 = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %y = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %s = vector.transfer_read %c[%c0, %c0], %z32 {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %in = vector.create_mask %c16, %n, %k : vector<16x8x16xi1>
  %p = vector.mask %in { vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %s : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32> } : vector<16x8x16xi1> -> vector<16x8xf32>
  vector.transfer_write %p, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// A float that the mask leaves out for some columns only may be a NaN.
// CHECK-LABEL: func.func @rows_of_k
// CHECK-NOT: mma_kind
// CHECK: vector.mask
func.func @rows_of_k(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>, %m: memref<16x16xi8>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %z32 = arith.constant 0.0 : f32
  %z8 = arith.constant 0 : i8
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %y = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %s = vector.transfer_read %c[%c0, %c0], %z32 {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %bytes = vector.transfer_read %m[%c0, %c0], %z8 {in_bounds = [true, true]} : memref<16x16xi8>, vector<16x16xi8>
  %bits = arith.trunci %bytes : vector<16x16xi8> to vector<16x16xi1>
  %all = vector.broadcast %bits : vector<16x16xi1> to vector<8x16x16xi1>
  %in = vector.transpose %all, [1, 0, 2] : vector<8x16x16xi1> to vector<16x8x16xi1>
  %p = vector.mask %in { vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %s : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32> } : vector<16x8x16xi1> -> vector<16x8xf32>
  vector.transfer_write %p, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}
