// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --split-input-file | FileCheck %s

// Two products in a row are two launches, and a function of the host names them
// in order. Each has the attributes of the function that it comes from.
// CHECK-DAG: #[[INFO:.*]] = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
// CHECK-LABEL: func.func @products_in_a_row__0(
// CHECK-SAME: attributes {translation_info = #[[INFO]]}
// CHECK: linalg.matmul
// CHECK-NOT: linalg.matmul
// CHECK-LABEL: func.func @products_in_a_row__1(
// CHECK-SAME: attributes {translation_info = #[[INFO]]}
// CHECK: linalg.matmul
// CHECK-NOT: linalg.matmul
// CHECK-LABEL: func.func private @products_in_a_row(
// CHECK-SAME: host
#info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
func.func @products_in_a_row(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %c: tensor<512x512xf16>, %x: tensor<512x512xf16>, %y: tensor<512x512xf16>) -> tensor<512x512xf16> attributes {translation_info = #info} {
  %0 = linalg.matmul ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%x : tensor<512x512xf16>) -> tensor<512x512xf16>
  %1 = linalg.matmul ins(%0, %c : tensor<512x512xf16>, tensor<512x512xf16>) outs(%y : tensor<512x512xf16>) -> tensor<512x512xf16>
  return %1 : tensor<512x512xf16>
}

// -----

// Ops on elements fuse into one launch, and are linalg. Nothing about tiles is
// chosen.
// CHECK-NOT: lowering_config
// CHECK-LABEL: func.func @ops_on_elements(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: func.func
func.func @ops_on_elements(%a: tensor<1009x13xf32>, %b: tensor<1009x13xf32>) -> tensor<1009x13xf32> {
  %0 = arith.addf %a, %b : tensor<1009x13xf32>
  %1 = math.absf %0 : tensor<1009x13xf32>
  return %1 : tensor<1009x13xf32>
}

// -----

// A reduction that leaves the machine idle is split; the second launch combines
// the parts.
// CHECK-LABEL: func.func @a_long_sum__0(
// CHECK: tensor.expand_shape
// CHECK-LABEL: func.func @a_long_sum__1(
func.func @a_long_sum(%a: tensor<4194304xf32>, %start: tensor<f32>) -> tensor<f32> {
  %0 = linalg.reduce {arith.addf} ins(%a : tensor<4194304xf32>) outs(%start : tensor<f32>) dimensions = [0]
  return %0 : tensor<f32>
}

// -----

// What a user fixed for the function is the root's.
// CHECK: #[[CONFIG:.*]] = #iree_gpu.lowering_config<{workgroup = [32, 32, 0]}>
// CHECK-LABEL: func.func @tiles_of_the_function(
// CHECK-NOT: lowering_config
// CHECK: linalg.matmul {lowering_config = #[[CONFIG]]}
func.func @tiles_of_the_function(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {lowering_config = #iree_gpu.lowering_config<{workgroup = [32, 32, 0]}>} {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// Vectors and scalar results cross the border in memory.
// CHECK-LABEL: func.func @vectors_in_memory(
// CHECK-SAME: memref<16xf32>, %{{.*}}: memref<f32>
// CHECK: vector.multi_reduction
func.func @vectors_in_memory(%v: vector<16xf32>) -> f32 {
  %z = arith.constant 0.0 : f32
  %0 = vector.multi_reduction <add>, %v, %z [0] : vector<16xf32> to f32
  return %0 : f32
}
