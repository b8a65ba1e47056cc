// RUN: distaff-opt %s --distaff-vectorize | FileCheck %s

// VX-124: a linalg op that combines sums of two tensors is a contraction, not a
// vector of the whole iteration space.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @shortest_paths
// CHECK-NOT: vector<8x4x16xf32>
// CHECK: distaff.contract <minimumf, add> {{.*}} : vector<8x16xf32>, vector<16x4xf32> into vector<8x4xf32>
func.func @shortest_paths(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.minimumf %z, %s : f32
    linalg.yield %m : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @squared_distances
// CHECK: distaff.contract <add, region> {{.*}} : vector<8x16xf16>, vector<16x4xf16> into vector<8x4xf32> {
// CHECK: arith.extf
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK-NEXT: distaff.yield
func.func @squared_distances(%a: tensor<8x16xf16>, %b: tensor<16x4xf16>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x16xf16>, tensor<16x4xf16>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %wx = arith.extf %x : f16 to f32
    %wy = arith.extf %y : f16 to f32
    %d = arith.subf %wx, %wy : f32
    %p = arith.mulf %d, %d : f32
    %m = arith.addf %z, %p : f32
    linalg.yield %m : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// What takes a value from outside, or reads one vector only, is spread out.
// CHECK-LABEL: func.func @captures
// CHECK-NOT: distaff.contract
// CHECK: vector.multi_reduction <maximumf>
func.func @captures(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>, %scale: f32) -> tensor<8x4xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.mulf %x, %scale : f32
    %s = arith.addf %t, %y : f32
    %m = arith.maximumf %z, %s : f32
    linalg.yield %m : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @row_and_vector
// CHECK-NOT: distaff.contract
func.func @row_and_vector(%a: tensor<8x16xf32>, %b: tensor<16xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%c : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.minimumf %z, %s : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @log_sum_exp
// CHECK: distaff.contract <logsumexp, add>
func.func @log_sum_exp(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.addf %x, %y : f32
    %m = arith.maximumf %p, %z : f32
    %u = arith.subf %z, %m : f32
    %v = arith.subf %p, %m : f32
    %eu = math.exp %u : f32
    %ev = math.exp %v : f32
    %t = arith.addf %eu, %ev : f32
    %l = math.log %t : f32
    %s = arith.addf %m, %l : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
