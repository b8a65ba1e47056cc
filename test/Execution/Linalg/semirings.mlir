// RUN: distaff run %s --func min_plus --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func min_plus --target sm_80 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func min_plus --target gfx942 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func reaches --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func reaches --target sm_80 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func l1_distances --target sm_80 --check --every-stage --input arg0=whole:0:-9:9 --input arg1=whole:1:-9:9 | FileCheck %s
// RUN: distaff run %s --func sum_of_one_number --target sm_80 --check --stop-after vectorize | FileCheck %s --check-prefix=VECTORS

// VX-124: contractions over other semirings, from linalg on tensors.

// CHECK: vectorize {{.*}} ok
// CHECK: distribute {{.*}} ok
// CHECK: lower {{.*}} ok
// PTX: ptx {{.*}} ok
// VECTORS: vectorize {{.*}} ok

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @min_plus(%a: tensor<24x33xf32>, %b: tensor<33x48xf32>, %c: tensor<24x48xf32>) -> tensor<24x48xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<24x33xf32>, tensor<33x48xf32>) outs(%c : tensor<24x48xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.minimumf %z, %s : f32
    linalg.yield %m : f32
  } -> tensor<24x48xf32>
  return %r : tensor<24x48xf32>
}

func.func @reaches(%a: tensor<16x40xi8>, %b: tensor<40x24xi8>, %c: tensor<16x24xi8>) -> tensor<16x24xi8> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<16x40xi8>, tensor<40x24xi8>) outs(%c : tensor<16x24xi8>) {
  ^bb0(%x: i8, %y: i8, %z: i8):
    %s = arith.andi %x, %y : i8
    %m = arith.ori %z, %s : i8
    linalg.yield %m : i8
  } -> tensor<16x24xi8>
  return %r : tensor<16x24xi8>
}

func.func @l1_distances(%a: tensor<16x40xf32>, %b: tensor<24x40xf32>, %c: tensor<16x24xf32>) -> tensor<16x24xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<16x40xf32>, tensor<24x40xf32>) outs(%c : tensor<16x24xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %d = arith.subf %x, %y : f32
    %p = math.absf %d : f32
    %m = arith.addf %z, %p : f32
    linalg.yield %m : f32
  } -> tensor<16x24xf32>
  return %r : tensor<16x24xf32>
}

// What is summed up comes from outside, once for each of the 16 steps.
func.func @sum_of_one_number(%term: f32, %a: tensor<8x16xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<8x16xf32>) outs(%c : tensor<8xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.addf %z, %term : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
