// RUN: distaff-opt %s --distaff-tile=target=sm_80 | FileCheck %s

// y and z of a grid hold 65535, x nearly everything: axes beyond a limit are
// walked by the dimension inside them.

// CHECK-LABEL: func.func @at_the_limits(
// CHECK:         scf.forall {{.*}} in (65535, 4, 2)
// CHECK:         mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]
#map_at_the_limits = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @at_the_limits(%a: tensor<65535x4x4xf32>) -> tensor<65535x4x4xf32> {
  %e = tensor.empty() : tensor<65535x4x4xf32>
  %r = linalg.generic {indexing_maps = [#map_at_the_limits, #map_at_the_limits], iterator_types = ["parallel", "parallel", "parallel"], lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 1, 2]}>}
      ins(%a : tensor<65535x4x4xf32>) outs(%e : tensor<65535x4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<65535x4x4xf32>
  return %r : tensor<65535x4x4xf32>
}

// CHECK-LABEL: func.func @z_beyond(
// CHECK:         scf.forall {{.*}} in (524288)
// CHECK:         mapping = [#gpu.block<x>]
#map_z_beyond = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @z_beyond(%a: tensor<65536x4x4xf32>) -> tensor<65536x4x4xf32> {
  %e = tensor.empty() : tensor<65536x4x4xf32>
  %r = linalg.generic {indexing_maps = [#map_z_beyond, #map_z_beyond], iterator_types = ["parallel", "parallel", "parallel"], lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 1, 2]}>}
      ins(%a : tensor<65536x4x4xf32>) outs(%e : tensor<65536x4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<65536x4x4xf32>
  return %r : tensor<65536x4x4xf32>
}

// CHECK-LABEL: func.func @y_beyond(
// CHECK:         scf.forall {{.*}} in (393216)
// CHECK:         mapping = [#gpu.block<x>]
#map_y_beyond = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @y_beyond(%a: tensor<2x65536x6xf32>) -> tensor<2x65536x6xf32> {
  %e = tensor.empty() : tensor<2x65536x6xf32>
  %r = linalg.generic {indexing_maps = [#map_y_beyond, #map_y_beyond], iterator_types = ["parallel", "parallel", "parallel"], lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 1, 2]}>}
      ins(%a : tensor<2x65536x6xf32>) outs(%e : tensor<2x65536x6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<2x65536x6xf32>
  return %r : tensor<2x65536x6xf32>
}

// CHECK-LABEL: func.func @y_at_the_limit(
// CHECK:         scf.forall {{.*}} in (2, 65535, 3)
// CHECK:         mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]
#map_y_at_the_limit = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @y_at_the_limit(%a: tensor<2x65535x6xf32>) -> tensor<2x65535x6xf32> {
  %e = tensor.empty() : tensor<2x65535x6xf32>
  %r = linalg.generic {indexing_maps = [#map_y_at_the_limit, #map_y_at_the_limit], iterator_types = ["parallel", "parallel", "parallel"], lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 1, 2]}>}
      ins(%a : tensor<2x65535x6xf32>) outs(%e : tensor<2x65535x6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<2x65535x6xf32>
  return %r : tensor<2x65535x6xf32>
}

// CHECK-LABEL: func.func @merged_at_the_limit(
// CHECK:         scf.forall {{.*}} in (65535, 2, 2)
// CHECK:         mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]
#map_merged_at_the_limit = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @merged_at_the_limit(%a: tensor<3x21845x2x4xf32>) -> tensor<3x21845x2x4xf32> {
  %e = tensor.empty() : tensor<3x21845x2x4xf32>
  %r = linalg.generic {indexing_maps = [#map_merged_at_the_limit, #map_merged_at_the_limit], iterator_types = ["parallel", "parallel", "parallel", "parallel"], lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 1, 1, 2]}>}
      ins(%a : tensor<3x21845x2x4xf32>) outs(%e : tensor<3x21845x2x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<3x21845x2x4xf32>
  return %r : tensor<3x21845x2x4xf32>
}

// CHECK-LABEL: func.func @merged_beyond(
// CHECK:         scf.forall {{.*}} in (262152)
// CHECK:         mapping = [#gpu.block<x>]
#map_merged_beyond = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @merged_beyond(%a: tensor<3x21846x2x4xf32>) -> tensor<3x21846x2x4xf32> {
  %e = tensor.empty() : tensor<3x21846x2x4xf32>
  %r = linalg.generic {indexing_maps = [#map_merged_beyond, #map_merged_beyond], iterator_types = ["parallel", "parallel", "parallel", "parallel"], lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 1, 1, 2]}>}
      ins(%a : tensor<3x21846x2x4xf32>) outs(%e : tensor<3x21846x2x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<3x21846x2x4xf32>
  return %r : tensor<3x21846x2x4xf32>
}

// CHECK-LABEL: func.func @x_alone(
// CHECK:         scf.forall {{.*}} in (70000)
// CHECK:         mapping = [#gpu.block<x>]
#map_x_alone = affine_map<(d0) -> (d0)>
func.func @x_alone(%a: tensor<140000xf32>) -> tensor<140000xf32> {
  %e = tensor.empty() : tensor<140000xf32>
  %r = linalg.generic {indexing_maps = [#map_x_alone, #map_x_alone], iterator_types = ["parallel"], lowering_config = #iree_gpu.lowering_config<{workgroup = [2]}>}
      ins(%a : tensor<140000xf32>) outs(%e : tensor<140000xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<140000xf32>
  return %r : tensor<140000xf32>
}
