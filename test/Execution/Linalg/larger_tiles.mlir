// The tiles of VX-255 to VX-257 where extents end inside of them.
// RUN: distaff run %s --func product --target sm_80 --config workgroup=128x256x0 --config reduction=0x0x32 --config workgroup_size=256 --check | FileCheck %s
// RUN: distaff run %s --func product --target gfx942 --config workgroup=256x256x0 --config reduction=0x0x32 --config workgroup_size=512 --check | FileCheck %s
// RUN: distaff run %s --func bytes --target gfx942 --config workgroup=256x256x0 --config reduction=0x0x64 --config workgroup_size=512 --check | FileCheck %s
// RUN: distaff run %s --func attention --target sm_80 --config workgroup=1x64x64x0 --config reduction=0x0x0x64 --config workgroup_size=64 --check | FileCheck %s
// RUN: distaff run %s --func attention --target sm_80 --config workgroup=1x64x64x0 --config reduction=0x0x0x64 --config workgroup_size=64 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func attention --target gfx1100 --config workgroup=1x64x64x0 --config reduction=0x0x0x64 --config workgroup_size=64 --check | FileCheck %s
// CHECK: lower {{.*}} ok
// PTX: ptx {{.*}} ok

func.func @product(%a: tensor<133x65xf16>, %b: tensor<65x261xf16>) -> tensor<133x261xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<133x261xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<133x261xf32>) -> tensor<133x261xf32>
  %d = linalg.matmul ins(%a, %b : tensor<133x65xf16>, tensor<65x261xf16>) outs(%c : tensor<133x261xf32>) -> tensor<133x261xf32>
  return %d : tensor<133x261xf32>
}

func.func @bytes(%a: tensor<257x130xi8>, %b: tensor<130x31xi8>) -> tensor<257x31xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<257x31xi32>
  %c = linalg.fill ins(%z : i32) outs(%e : tensor<257x31xi32>) -> tensor<257x31xi32>
  %d = linalg.matmul ins(%a, %b : tensor<257x130xi8>, tensor<130x31xi8>) outs(%c : tensor<257x31xi32>) -> tensor<257x31xi32>
  return %d : tensor<257x31xi32>
}

#mk = affine_map<(h, m, n, k) -> (h, m, k)>
#nk = affine_map<(h, m, n, k) -> (h, n, k)>
#mn = affine_map<(h, m, n, k) -> (h, m, n)>
func.func @attention(%q: tensor<2x67x64xf16>, %k: tensor<2x131x64xf16>, %v: tensor<2x131x64xf16>) -> tensor<2x67x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x67x131xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x67x131xf32>) -> tensor<2x67x131xf32>
  %s = linalg.batch_matmul indexing_maps = [#mk, #nk, #mn] ins(%q, %k : tensor<2x67x64xf16>, tensor<2x131x64xf16>) outs(%i : tensor<2x67x131xf32>) -> tensor<2x67x131xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x67x131xf32>) outs(%e : tensor<2x67x131xf32>) -> tensor<2x67x131xf32>
  %h = arith.truncf %p : tensor<2x67x131xf32> to tensor<2x67x131xf16>
  %f = tensor.empty() : tensor<2x67x64xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<2x67x64xf32>) -> tensor<2x67x64xf32>
  %r = linalg.batch_matmul ins(%h, %v : tensor<2x67x131xf16>, tensor<2x131x64xf16>) outs(%j : tensor<2x67x64xf32>) -> tensor<2x67x64xf32>
  return %r : tensor<2x67x64xf32>
}
