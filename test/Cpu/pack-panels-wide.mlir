// RUN: distaff compile %s --target host:avx512 --config workgroup=1x400x0 --emit asm -o - | FileCheck %s

// One step of a panel is more than a block may hold, and only a launch knows how
// many there are: the tiles are no group.
// CHECK: k:
func.func @k(%a: tensor<?x64xf32>, %b: tensor<?x4096xf32>, %c: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x64xf32>, tensor<?x4096xf32>) outs(%c : tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %r : tensor<64x4096xf32>
}
