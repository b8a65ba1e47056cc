// RUN: distaff compile %s --target host:avx2 --stop-after=tile | FileCheck %s
// RUN: distaff compile %s --target host:avx2 --stop-after=bufferize | FileCheck %s --check-prefix=MEMORY

// An attention takes 48 rows and walks 64 keys at a time. Keys are transposed,
// both products are done in tiles of 6 x 16, all else row by row; maxima and
// sums are carried where they are.
// CHECK-LABEL: func.func @attention
// CHECK: scf.for {{.*}} step %c64 iter_args(%[[M:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}, %[[O:[a-z0-9]+]] = %{{.*}})
// CHECK: linalg.transpose ins(%{{.*}} : tensor<8x8xf32>) outs(%{{.*}} : tensor<8x8xf32>)
// CHECK: scf.for {{.*}} step %c6
// CHECK: scf.for {{.*}} step %c16
// CHECK: linalg.fill {{.*}} tensor<6x16xf32>
// CHECK: scf.for {{.*}} step %c1 iter_args
// CHECK: linalg.generic {{.*}} tensor<6x1xf32>, tensor<1x16xf32>) outs(%{{.*}} : tensor<6x16xf32>)
// CHECK: scf.for {{.*}} step %c8
// CHECK: linalg.copy ins(%{{.*}} : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} tensor<1x64xf32>) outs(%{{.*}} : tensor<1xf32>)
// CHECK: math.exp
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[O]])
// CHECK: scf.for {{.*}} step %c6
// CHECK: linalg.generic {{.*}} tensor<6x1xf32>, tensor<1x16xf32>) outs(%{{.*}} : tensor<6x16xf32>)
// CHECK: linalg.copy
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}} : tensor<8xf32> into tensor<48xf32>

// Whole tiles and cut ones, and the last keys, have the same memory.
// MEMORY-COUNT-2: memref.alloca() {{.*}} : memref<64x64xf32>
// MEMORY-COUNT-6: memref.alloca() {{.*}} : memref<48xf32>
// MEMORY-COUNT-4: memref.alloca() {{.*}} : memref<48x64xf32>
// MEMORY-NOT: memref.alloca()
// MEMORY-NOT: vector<48x64xf32>
func.func @attention(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c0 : tensor<?x64xf32>
  %n = tensor.dim %k, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m) : tensor<?x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %o = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x64xf32>) outs(%f2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %o : tensor<?x64xf32>
}
