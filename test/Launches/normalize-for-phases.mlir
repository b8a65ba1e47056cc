// RUN: distaff-opt %s --distaff-normalize-for-phases=target=sm_80 --split-input-file | FileCheck %s
// RUN: distaff-opt %s --distaff-normalize-for-phases=target=sm_80 --distaff-configure-clusters=target=sm_80 --split-input-file | FileCheck %s --check-prefix=CHOSEN

// CHOSEN-NOT: one_product

// Ops on elements become linalg, and the kernel is marked for configure.
// CHECK-LABEL: func.func @product_and_bias(
// CHECK-SAME: attributes {distaff.one_product}
// CHECK: linalg.matmul
// CHECK: linalg.generic
// CHECK-NOT: arith.addf {{.*}} : tensor
func.func @product_and_bias(%a: tensor<512x96xf16>, %b: tensor<96x512xf16>, %c: tensor<512x512xf32>, %bias: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<512x96xf16>, tensor<96x512xf16>) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = arith.addf %0, %bias : tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
}

// -----

// What a user fixed for the function is the contraction's.
// CHECK: #[[CONFIG:.*]] = #iree_gpu.lowering_config<{workgroup = [64, 64, 0]}>
// CHECK-LABEL: func.func @tiles_of_the_function(
// CHECK: linalg.matmul {lowering_config = #[[CONFIG]]}
func.func @tiles_of_the_function(%a: tensor<?x96xf16>, %b: tensor<96x512xf16>, %c: tensor<?x512xf32>) -> tensor<?x512xf32> attributes {lowering_config = #iree_gpu.lowering_config<{workgroup = [64, 64, 0]}>} {
  %0 = linalg.matmul ins(%a, %b : tensor<?x96xf16>, tensor<96x512xf16>) outs(%c : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %0 : tensor<?x512xf32>
}
