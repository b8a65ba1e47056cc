// RUN: distaff compile %s --func product --target gfx942 --stop-after=configure | FileCheck %s --check-prefix=SUMS
// RUN: distaff compile %s --func bytes --target gfx942 --stop-after=configure | FileCheck %s --check-prefix=BYTES
// RUN: distaff compile %s --func product --target sm_80 --stop-after=configure | FileCheck %s --check-prefix=STEP
// RUN: distaff compile %s --func ragged --target sm_80 --stop-after=configure | FileCheck %s --check-prefix=RAGGED
// RUN: distaff compile %s --func attention --target sm_80 --stop-after=configure | FileCheck %s --check-prefix=KEYS

// VX-255: 256x256 sums are 256 for each lane of four subgroups, as many as there
// are registers that all instructions compute with, and 128 of eight.
// SUMS: workgroup = [256, 256, 0]
// SUMS: workgroup_size = [512, 1, 1]
// BYTES: workgroup = [256, 256, 0]
// BYTES: workgroup_size = [512, 1, 1]

// VX-256: beside 128 sums a lane has the fragments of two steps of the
// instruction, which is all of a step of 32, and what it copies. What is added
// for tiles that end behind an extent is estimated, and leaves a quarter free.
// STEP: reduction = [0, 0, 32]{{.*}} workgroup = [128, 256, 0]
// RAGGED: reduction = [0, 0, 16]{{.*}} workgroup = [128, 256, 0]

// VX-257: 64 rows by 64 keys are 128 instructions for each of two subgroups, and
// not 16,384 operations of a lane.
// KEYS: reduction = [0, 0, 0, 64]

func.func @product(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %d = linalg.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %d : tensor<4096x4096xf32>
}

func.func @ragged(%a: tensor<4090x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4090x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4090x4096xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<4090x4096xf32>) -> tensor<4090x4096xf32>
  %d = linalg.matmul ins(%a, %b : tensor<4090x4096xf16>, tensor<4096x4096xf16>) outs(%c : tensor<4090x4096xf32>) -> tensor<4090x4096xf32>
  return %d : tensor<4090x4096xf32>
}

func.func @bytes(%a: tensor<4096x4096xi8>, %b: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4096x4096xi32>
  %c = linalg.fill ins(%z : i32) outs(%e : tensor<4096x4096xi32>) -> tensor<4096x4096xi32>
  %d = linalg.matmul ins(%a, %b : tensor<4096x4096xi8>, tensor<4096x4096xi8>) outs(%c : tensor<4096x4096xi32>) -> tensor<4096x4096xi32>
  return %d : tensor<4096x4096xi32>
}

#mk = affine_map<(h, m, n, k) -> (h, m, k)>
#nk = affine_map<(h, m, n, k) -> (h, n, k)>
#kn = affine_map<(h, m, n, k) -> (h, k, n)>
#mn = affine_map<(h, m, n, k) -> (h, m, n)>
func.func @attention(%q: tensor<16x1024x64xf16>, %k: tensor<16x1024x64xf16>, %v: tensor<16x1024x64xf16>) -> tensor<16x1024x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x1024x1024xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<16x1024x1024xf32>) -> tensor<16x1024x1024xf32>
  %s = linalg.batch_matmul indexing_maps = [#mk, #nk, #mn] ins(%q, %k : tensor<16x1024x64xf16>, tensor<16x1024x64xf16>) outs(%i : tensor<16x1024x1024xf32>) -> tensor<16x1024x1024xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<16x1024x1024xf32>) outs(%e : tensor<16x1024x1024xf32>) -> tensor<16x1024x1024xf32>
  %h = arith.truncf %p : tensor<16x1024x1024xf32> to tensor<16x1024x1024xf16>
  %f = tensor.empty() : tensor<16x1024x64xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<16x1024x64xf32>) -> tensor<16x1024x64xf32>
  %r = linalg.batch_matmul ins(%h, %v : tensor<16x1024x1024xf16>, tensor<16x1024x64xf16>) outs(%j : tensor<16x1024x64xf32>) -> tensor<16x1024x64xf32>
  return %r : tensor<16x1024x64xf32>
}
