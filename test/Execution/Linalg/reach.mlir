// Indexing maps that leave their operand, downwards or in the middle of the loops, are faults of the kernel; those that come back in are not.
//
// RUN: not distaff run %s --func below --target sm_80 --stop-after input 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not distaff run %s --func middle --target sm_80 --stop-after input 2>&1 | FileCheck %s --check-prefix=MIDDLE
// RUN: distaff run %s --func inside --target sm_80 --stop-after input 2>&1 | FileCheck %s --check-prefix=INSIDE --allow-empty
// BELOW: error: 'linalg.generic' op out of bounds: the loops reach index -3 along dimension 0 of extent 4
// MIDDLE: error: 'linalg.generic' op out of bounds: the loops reach index 3 along dimension 0 of extent 3
// INSIDE-NOT: error

func.func @below(%x: tensor<4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 - d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4xf32>) outs(%z : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// The last point, 8, is at 0.
func.func @middle(%x: tensor<3xf32>, %z: tensor<9xf32>) -> tensor<9xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 mod 4)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%z : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<9xf32>
  return %r : tensor<9xf32>
}

func.func @inside(%x: tensor<7xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 - d1 + 3)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<7xf32>) outs(%z : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
