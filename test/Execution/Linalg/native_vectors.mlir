// A native vector of an op on tensors is its tiles: of a function those of the
// result, of an op those of its loops, which go before (VX-172, VX-128).

// RUN: distaff compile %s --func sum --target host:avx2 --config native_vector=2x8 --stop-after=vectorize | FileCheck %s --check-prefix=SUM
// RUN: distaff compile %s --func sum --target sm_80 --config native_vector=2x64 --stop-after=vectorize | FileCheck %s --check-prefix=LANES
// RUN: distaff compile %s --func product --target host:avx2 --config native_vector=2x8 --stop-after=vectorize | FileCheck %s --check-prefix=PRODUCT
// RUN: distaff compile %s --func own --target host:avx2 --config native_vector=2x8 --stop-after=vectorize | FileCheck %s --check-prefix=OWN
// RUN: distaff compile %s --func rows --target host:avx2 --stop-after=vectorize | FileCheck %s --check-prefix=ROWS

// RUN: distaff run %s --func sum --target host:avx2 --device host --config native_vector=2x8 --check | FileCheck %s
// RUN: distaff run %s --func sum --target sm_80 --config native_vector=2x64 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func product --target host:avx2 --config native_vector=3x8 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func own --target host:avx2 --config native_vector=2x8 --device host --check | FileCheck %s
// RUN: distaff run %s --func rows --target host:avx2 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func dynamic --target host:avx2 --config native_vector=3x8 --shape arg0=7x29 --check --every-stage | FileCheck %s
// CHECK-NOT: MISMATCH
// CHECK: ok

// SUM: arith.addf %{{.*}} : vector<2x8xf32>
// LANES: arith.addf %{{.*}} : vector<2x64xf32>
func.func @sum(%a: tensor<16x128xf32>, %b: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %e = tensor.empty() : tensor<16x128xf32>
  %r = linalg.add ins(%a, %b : tensor<16x128xf32>, tensor<16x128xf32>) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}

// PRODUCT: vector.contract {{.*}} : vector<2x1xf32>, vector<1x8xf32> into vector<2x8xf32>
func.func @product(%a: tensor<18x21xf32>, %b: tensor<21x64xf32>) -> tensor<18x64xf32> {
  %e = tensor.empty() : tensor<18x64xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<18x64xf32>) -> tensor<18x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<18x21xf32>, tensor<21x64xf32>) outs(%f : tensor<18x64xf32>) -> tensor<18x64xf32>
  return %r : tensor<18x64xf32>
}

// OWN: vector.contract {{.*}} : vector<6x3xf32>, vector<3x16xf32> into vector<6x16xf32>
func.func @own(%a: tensor<18x21xf32>, %b: tensor<21x64xf32>) -> tensor<18x64xf32> {
  %e = tensor.empty() : tensor<18x64xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<18x64xf32>) -> tensor<18x64xf32>
  %r = linalg.matmul {distaff.native_vector = array<i64: 6, 16, 3>} ins(%a, %b : tensor<18x21xf32>, tensor<21x64xf32>) outs(%f : tensor<18x64xf32>) -> tensor<18x64xf32>
  return %r : tensor<18x64xf32>
}

// ROWS: vector.multi_reduction <add>, %{{.*}} : vector<2x16xf32> to vector<2xf32>
func.func @rows(%a: tensor<6x64xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %r = linalg.reduce {arith.addf} ins(%a : tensor<6x64xf32>) outs(%f : tensor<6xf32>) dimensions = [1] {distaff.native_vector = array<i64: 2, 16>}
  return %r : tensor<6xf32>
}

func.func @dynamic(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.abs ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
