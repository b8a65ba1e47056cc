// A level of the instruction set is what code is made of: fused products of its
// vectors, tiles of as many of them as it has, and masks where it has them.

// RUN: distaff compile %s --target host:avx2 --emit asm -o - | FileCheck %s --check-prefix=AVX2 --implicit-check-not=zmm
// RUN: distaff compile %s --target host:avx512 --emit asm -o - | FileCheck %s --check-prefix=AVX512

// AVX2: vfmadd231ps %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, %ymm{{[0-9]+}}
// AVX512: vmovups {{.*}}, %zmm{{[0-9]+}} {%k{{[0-9]}}} {z}
// AVX512: vfmadd{{[0-9]+}}ps {{.*}}%zmm
func.func @product(%a: tensor<64x100xf32>, %b: tensor<100x75xf32>, %c: tensor<64x75xf32>) -> tensor<64x75xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x100xf32>, tensor<100x75xf32>) outs(%c : tensor<64x75xf32>) -> tensor<64x75xf32>
  return %r : tensor<64x75xf32>
}
