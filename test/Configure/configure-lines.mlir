// What lanes read straight from global memory touches a line for each row of a fragment (VX-293). Where barriers hold loads back, two promoted operands are two trips to memory (VX-292).
// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 | FileCheck %s --check-prefixes=CHECK,NVIDIA
// RUN: distaff-opt %s --distaff-form-launches=target=gfx942 --distaff-configure=target=gfx942 | FileCheck %s --check-prefixes=CHECK,AMD

// Rows of 512 bytes: four words of each would be read at a time.
// NVIDIA: promote_operands = [0, 1]
// AMD: promote_operands = [1]
// CHECK-LABEL: func.func @long_rows
func.func @long_rows(%a: tensor<512x256xf16>, %b: tensor<256x384xf16>) -> tensor<512x384xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x384xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<512x384xf32>) -> tensor<512x384xf32>
  %d = linalg.matmul ins(%a, %b : tensor<512x256xf16>, tensor<256x384xf16>) outs(%c : tensor<512x384xf32>) -> tensor<512x384xf32>
  return %d : tensor<512x384xf32>
}
