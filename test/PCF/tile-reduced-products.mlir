// RUN: distaff-opt %s -pcf-tile-reduced-products | FileCheck %s

// Products that memory does not hold are reduced some rows at a time (PCF-180). Values are in
// test/Execution/PCF/reduced_products.test.

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<1024x32xf16, #sg>
!B = !pcf.sref<32x128xf16, #sg>
!O = !pcf.sref<1024xf32, #sg>
!TG = !pcf.threadgroup<#sg>

// 1024 rows of 128 floats are 512 KB, and 3/4 of 166,912 bytes hold 240 rows: 128 divide 1024.
// CHECK-LABEL: @row_max
// CHECK: %[[STEP:.*]] = arith.constant 128 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEP]] iter_args
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<128x32xf16>, tensor<32x128xf16>)
// CHECK: linalg.reduce { arith.maximumf } ins(%{{.*}} : tensor<128x128xf32>)
func.func @row_max(%x: !A, %y: !B, %out: !O, %zero: f32, %low: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.read_slice %x[0, 0] [1024, 32] [1, 1] : !A to tensor<1024x32xf16>
    %b = pcf.read_slice %y[0, 0] [32, 128] [1, 1] : !B to tensor<32x128xf16>
    %e = tensor.empty() : tensor<1024x128xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x128xf32>) -> tensor<1024x128xf32>
    %p = linalg.matmul ins(%a, %b : tensor<1024x32xf16>, tensor<32x128xf16>) outs(%z : tensor<1024x128xf32>) -> tensor<1024x128xf32>
    %er = tensor.empty() : tensor<1024xf32>
    %l = linalg.fill ins(%low : f32) outs(%er : tensor<1024xf32>) -> tensor<1024xf32>
    %m = linalg.reduce { arith.maximumf } ins(%p : tensor<1024x128xf32>) outs(%l : tensor<1024xf32>) dimensions = [1]
    pcf.write_slice %m into %out[0] [1024] [1] : tensor<1024xf32> into !O
    pcf.return
  }
  return
}

// What fits stays.
// CHECK-LABEL: @fits
// CHECK-NOT: scf.for
// CHECK: return
func.func @fits(%x: !A, %y: !B, %out: !O, %zero: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.read_slice %x[0, 0] [64, 32] [1, 1] : !A to tensor<64x32xf16>
    %b = pcf.read_slice %y[0, 0] [32, 128] [1, 1] : !B to tensor<32x128xf16>
    %e = tensor.empty() : tensor<64x128xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
    %p = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x128xf16>) outs(%z : tensor<64x128xf32>) -> tensor<64x128xf32>
    %er = tensor.empty() : tensor<128xf32>
    %l = linalg.fill ins(%zero : f32) outs(%er : tensor<128xf32>) -> tensor<128xf32>
    %m = linalg.reduce { arith.addf } ins(%p : tensor<64x128xf32>) outs(%l : tensor<128xf32>) dimensions = [0]
    pcf.write_slice %m into %out[0] [128] [1] : tensor<128xf32> into !O
    pcf.return
  }
  return
}
