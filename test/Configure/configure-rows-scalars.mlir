// RUN: distaff-opt %s --distaff-form-launches=target=gfx942 --distaff-configure=target=gfx942 --split-input-file | FileCheck %s

// VX-283: a block that ends behind its rows has a condition for each access, which takes two
// of the 102 scalar registers of a subgroup of 64 lanes: of 13,312 elements for 256 lanes
// there would be 52 of them, for 512 lanes there are 26.
// CHECK: workgroup_size = [512, 1, 1]
// CHECK: @ragged
func.func @ragged(%x: tensor<769x12547xf32>) -> tensor<769xf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<769xf32>
  %i = linalg.fill ins(%least : f32) outs(%e : tensor<769xf32>) -> tensor<769xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<769x12547xf32>) outs(%i : tensor<769xf32>) dimensions = [1]
  return %r : tensor<769xf32>
}

// -----

// Rows that lanes fill have no conditions.
// CHECK: workgroup_size = [256, 1, 1]
// CHECK: @whole
func.func @whole(%x: tensor<768x13312xf32>) -> tensor<768xf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<768xf32>
  %i = linalg.fill ins(%least : f32) outs(%e : tensor<768xf32>) -> tensor<768xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<768x13312xf32>) outs(%i : tensor<768xf32>) dimensions = [1]
  return %r : tensor<768xf32>
}
