// VX-259: batches are tiled like other extents. An instruction that several
// matrices would fill only in part is compared by price with none.
// RUN: distaff explain %s --func quarter --target gfx942 | FileCheck %s --check-prefix=TILES
// RUN: distaff explain %s --func quarter --target sm_80 | FileCheck %s --check-prefix=TILES
// RUN: distaff explain %s --func halves --target gfx942 | FileCheck %s --check-prefix=TILES
// TILES: tile sizes {{.*}}: tile {{[0-9][0-9]+}}x4x4x

// RUN: distaff run %s --func quarter --target gfx942 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func quarter --target gfx1100 --check | FileCheck %s
// RUN: distaff run %s --func quarter --target sm_80 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func quarter --target host --check | FileCheck %s --check-prefix=HOST
// RUN: distaff run %s --func halves --target gfx942 --check | FileCheck %s
// RUN: distaff run %s --func halves --target sm_80 --check | FileCheck %s
// RUN: distaff run %s --func eights --target gfx942 --check | FileCheck %s
// RUN: distaff run %s --func eights --target sm_80 --check | FileCheck %s
// RUN: distaff run %s --func odd --target gfx942 --check | FileCheck %s
// RUN: distaff run %s --func odd --target gfx1100 --check | FileCheck %s
// RUN: distaff run %s --func twice --target sm_80 --check | FileCheck %s
// RUN: distaff run %s --func twice --target gfx942 --check | FileCheck %s
// RUN: distaff run %s --func any_number --target gfx942 --shape arg0=37x4x4 --shape arg1=37x4x4 --check | FileCheck %s
// RUN: distaff run %s --func any_number --target sm_80 --shape arg0=1x4x4 --shape arg1=1x4x4 --check | FileCheck %s
// RUN: distaff run %s --func any_number --target gfx1100 --shape arg0=0x4x4 --shape arg1=0x4x4 --check | FileCheck %s
// CHECK: lower {{.*}} ok
// PTX: ptx {{.*}} ok
// HOST: {{lower|convert}} {{.*}} ok

func.func @quarter(%a: tensor<1027x4x4xf32>, %b: tensor<1027x4x4xf32>) -> tensor<1027x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1027x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1027x4x4xf32>) -> tensor<1027x4x4xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<1027x4x4xf32>, tensor<1027x4x4xf32>) outs(%f : tensor<1027x4x4xf32>) -> tensor<1027x4x4xf32>
  return %r : tensor<1027x4x4xf32>
}

func.func @halves(%a: tensor<1027x4x4xf16>, %b: tensor<1027x4x4xf16>) -> tensor<1027x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1027x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1027x4x4xf32>) -> tensor<1027x4x4xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<1027x4x4xf16>, tensor<1027x4x4xf16>) outs(%f : tensor<1027x4x4xf32>) -> tensor<1027x4x4xf32>
  return %r : tensor<1027x4x4xf32>
}

func.func @eights(%a: tensor<333x8x8xf16>, %b: tensor<333x8x8xf16>) -> tensor<333x8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<333x8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<333x8x8xf32>) -> tensor<333x8x8xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<333x8x8xf16>, tensor<333x8x8xf16>) outs(%f : tensor<333x8x8xf32>) -> tensor<333x8x8xf32>
  return %r : tensor<333x8x8xf32>
}

func.func @odd(%a: tensor<201x3x7xf16>, %b: tensor<201x7x5xf16>) -> tensor<201x3x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<201x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<201x3x5xf32>) -> tensor<201x3x5xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<201x3x7xf16>, tensor<201x7x5xf16>) outs(%f : tensor<201x3x5xf32>) -> tensor<201x3x5xf32>
  return %r : tensor<201x3x5xf32>
}

#mk = affine_map<(g, h, m, n, k) -> (g, h, m, k)>
#kn = affine_map<(g, h, m, n, k) -> (g, h, k, n)>
#mn = affine_map<(g, h, m, n, k) -> (g, h, m, n)>
func.func @twice(%a: tensor<7x33x16x16xf16>, %b: tensor<7x33x16x16xf16>) -> tensor<7x33x16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x33x16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<7x33x16x16xf32>) -> tensor<7x33x16x16xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x33x16x16xf16>, tensor<7x33x16x16xf16>) outs(%f : tensor<7x33x16x16xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x33x16x16xf32>
  return %r : tensor<7x33x16x16xf32>
}

func.func @any_number(%a: tensor<?x4x4xf16>, %b: tensor<?x4x4xf16>) -> tensor<?x4x4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x4x4xf16>
  %e = tensor.empty(%n) : tensor<?x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<?x4x4xf16>, tensor<?x4x4xf16>) outs(%f : tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  return %r : tensor<?x4x4xf32>
}
