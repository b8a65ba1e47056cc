// RUN: distaff run %s --func long_rows_are_walked --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func long_rows_are_walked --target gfx942 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func prologue_and_epilogue --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func prologue_and_epilogue --target gfx942 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func results_in_two_orders --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func two_products_from_one_fill --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func all_dims_are_reduced --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func extents_that_nothing_divides --target sm_80 --check --every-stage | FileCheck %s

// Every stage computes what the input computes, and is compared with it.
//      CHECK: input {{.*}} bound {{.*}} ok
// CHECK-NEXT: form-launches {{.*}} bound {{.*}} ok
// CHECK-NEXT: configure {{.*}} bound {{.*}} ok
// CHECK-NEXT: tile {{.*}} bound {{.*}} ok
// CHECK-NEXT: vectorize {{.*}} bound {{.*}} ok
// CHECK-NEXT: assign-layouts {{.*}} bound {{.*}} ok
// CHECK-NEXT: distribute {{.*}} bound {{.*}} ok
// CHECK-NEXT: lower {{.*}} bound {{.*}} ok

#rows = #iree_gpu.lowering_config<{workgroup = [1, 0], reduction = [0, 256]}>
#wave = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>
#mm = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

func.func @long_rows_are_walked(%x: tensor<4x2048xf32>) -> tensor<4x2048xf32> attributes {translation_info = #wave} {
  %e = tensor.empty() : tensor<4x2048xf32>
  %y = linalg.softmax {lowering_config = #rows} dimension(1) ins(%x : tensor<4x2048xf32>) outs(%e : tensor<4x2048xf32>) -> tensor<4x2048xf32>
  return %y : tensor<4x2048xf32>
}

func.func @prologue_and_epilogue(%a: tensor<64x128xf32>, %b: tensor<128x48xf16>, %bias: tensor<48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %ah = arith.truncf %a : tensor<64x128xf32> to tensor<64x128xf16>
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %d = linalg.matmul ins(%ah, %b : tensor<64x128xf16>, tensor<128x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %bias : tensor<64x48xf32>, tensor<48xf32>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// The first result is an argument, the second the first one transposed.
func.func @results_in_two_orders(%a: tensor<96x40xf32>) -> (tensor<96x40xf32>, tensor<40x96xf32>) {
  %e = tensor.empty() : tensor<40x96xf32>
  %t = linalg.transpose ins(%a : tensor<96x40xf32>) outs(%e : tensor<40x96xf32>) permutation = [1, 0]
  return %a, %t : tensor<96x40xf32>, tensor<40x96xf32>
}

// The second product reads the first as its rows; both start from %c.
func.func @two_products_from_one_fill(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %d = linalg.matmul indexing_maps = [#mm, #nk, #mn] ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  %h = arith.truncf %d : tensor<32x32xf32> to tensor<32x32xf16>
  %r = linalg.matmul ins(%h, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

func.func @all_dims_are_reduced(%x: tensor<33x65xi32>) -> tensor<i32> {
  %z = arith.constant 2147483647 : i32
  %e = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %r = linalg.reduce { arith.minsi } ins(%x : tensor<33x65xi32>) outs(%f : tensor<i32>) dimensions = [0, 1]
  return %r : tensor<i32>
}

func.func @extents_that_nothing_divides(%a: tensor<7x13xf32>, %b: tensor<13x11xf32>, %s: tensor<7xf32>) -> tensor<7x11xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x11xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %d = linalg.matmul ins(%a, %b : tensor<7x13xf32>, tensor<13x11xf32>) outs(%c : tensor<7x11xf32>) -> tensor<7x11xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %s : tensor<7x11xf32>, tensor<7xf32>) outs(%e : tensor<7x11xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<7x11xf32>
  return %r : tensor<7x11xf32>
}
