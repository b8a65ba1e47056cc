// RUN: distaff-opt %examples/flash_attention.mlir --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: distaff-opt %examples/flash_attention.mlir --distaff-form-launches=target=gfx942 --distaff-configure=target=gfx942 | FileCheck %s --check-prefix=GFX942

// 32 rows are two instructions high on both targets, so two subgroups share
// them; a third would have to split what the row reductions run along.
// SM80:   workgroup_size = [64, 1, 1] subgroup_size = 32
// GFX942: workgroup_size = [128, 1, 1] subgroup_size = 64

// In f32 sm_80 has no instruction that is exact enough: lanes take points of the
// result, and both operands along all of K. One point each would read most and
// not fit 64 registers, of eight subgroups each holds two rows and two columns.
// RUN: distaff-opt %examples/flash_attention_f32_64.mlir --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 | FileCheck %s --check-prefix=PLAIN
// RUN: distaff compile %examples/flash_attention_f32_64.mlir --target sm_80 --emit ptx 2>&1 | FileCheck %s --check-prefix=SILENT
// PLAIN: workgroup_size = [256, 1, 1] subgroup_size = 32
// SILENT-NOT: warning

// A lane holds 96 words of the 16x192 results so far and, since two lanes hold
// each operand of the instruction, 96 of the queries and 64 of keys and values:
// more than there are, so that the step is the shortest one.
// RUN: distaff-opt %s --distaff-form-launches=target=gfx1100 --distaff-configure=target=gfx1100 | FileCheck %s --check-prefix=KEYS
// KEYS: reduction = [0, 0, 16], {{.*}} workgroup = [32, 192, 0]
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @long_features(%q: tensor<32x192xf16>, %k: tensor<256x192xf16>, %v: tensor<256x192xf16>) -> tensor<32x192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x256xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %s = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%q, %k : tensor<32x192xf16>, tensor<256x192xf16>) outs(%i : tensor<32x256xf32>) -> tensor<32x256xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<32x256xf32>) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %h = arith.truncf %p : tensor<32x256xf32> to tensor<32x256xf16>
  %f = tensor.empty() : tensor<32x192xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<32x192xf32>) -> tensor<32x192xf32>
  %r = linalg.matmul ins(%h, %v : tensor<32x256xf16>, tensor<256x192xf16>) outs(%j : tensor<32x192xf32>) -> tensor<32x192xf32>
  return %r : tensor<32x192xf32>
}
