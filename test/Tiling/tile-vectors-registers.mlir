// RUN: distaff-opt %s --distaff-tile-vectors=target=sm_80 --canonicalize --cse | FileCheck %s

// An element of 64 bits is two registers of a lane (VX-207): of 24 elements per
// lane, rows of 32 bits are held, and those of 64 bits computed in a loop.

#workgroup = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>

// CHECK-LABEL: func.func @words
// CHECK-NOT: scf.for
// CHECK: vector.multi_reduction <add>, %{{.*}} : vector<24x128xf32> to vector<24xf32>
func.func @words(%a: memref<24x128xf32>, %b: memref<24xf32>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<24xf32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<24x128xf32>, vector<24x128xf32>
  %r = vector.multi_reduction <add>, %x, %zeros [1] : vector<24x128xf32> to vector<24xf32>
  vector.transfer_write %r, %b[%c0] {in_bounds = [true]} : vector<24xf32>, memref<24xf32>
  return
}

// CHECK-LABEL: func.func @pairs_of_words
// CHECK: scf.for
// CHECK: vector.multi_reduction <add>
// CHECK-NOT: vector<24x128xf64>
func.func @pairs_of_words(%a: memref<24x128xf64>, %b: memref<24xf64>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  %zeros = arith.constant dense<0.0> : vector<24xf64>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<24x128xf64>, vector<24x128xf64>
  %r = vector.multi_reduction <add>, %x, %zeros [1] : vector<24x128xf64> to vector<24xf64>
  vector.transfer_write %r, %b[%c0] {in_bounds = [true]} : vector<24xf64>, memref<24xf64>
  return
}
