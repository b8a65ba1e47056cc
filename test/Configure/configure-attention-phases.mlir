// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 | FileCheck %s --check-prefix=VECTORS
// RUN: distaff-opt %s --distaff-form-launches="target=sm_80 clusters=1" --distaff-configure="target=sm_80 clusters=1" | FileCheck %s --check-prefix=PHASES
// RUN: distaff-opt %s --distaff-form-launches="target=sm_80 clusters=1 producers=4" --distaff-configure="target=sm_80 clusters=1 producers=4" | FileCheck %s --check-prefix=PHASES
// RUN: distaff-opt %s --distaff-form-launches="target=sm_80 clusters=2" --distaff-configure="target=sm_80 clusters=2" | FileCheck %s --check-prefix=PHASES

// PCF-210: in phases a lane has fewer registers for a step, whose panels have addresses, and
// in turns it holds all keys or all values of a step. With 64 keys, which a lane has room for
// without phases, sm_80 spilled 12 bytes, and 88 where two clusters took turns.
// VECTORS: reduction = [0, 0, 0, 64], {{.*}} workgroup = [1, 64, 64, 0]
// PHASES: reduction = [0, 0, 0, 32], {{.*}} workgroup = [1, 64, 64, 0]
#sd = affine_map<(h, s, t, d) -> (h, s, d)>
#td = affine_map<(h, s, t, d) -> (h, t, d)>
#st = affine_map<(h, s, t, d) -> (h, s, t)>
#by_t = affine_map<(h, s, d, t) -> (h, s, t)>
#of_t = affine_map<(h, s, d, t) -> (h, t, d)>
#out = affine_map<(h, s, d, t) -> (h, s, d)>
func.func @attention(%q: tensor<16x1024x64xf16>, %k: tensor<16x1024x64xf16>, %v: tensor<16x1024x64xf16>) -> tensor<16x1024x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x1024x1024xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<16x1024x1024xf32>) -> tensor<16x1024x1024xf32>
  %s = linalg.generic {indexing_maps = [#sd, #td, #st], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<16x1024x64xf16>, tensor<16x1024x64xf16>) outs(%i : tensor<16x1024x1024xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %xe = arith.extf %x : f16 to f32
    %ye = arith.extf %y : f16 to f32
    %m = arith.mulf %xe, %ye : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<16x1024x1024xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<16x1024x1024xf32>) outs(%e : tensor<16x1024x1024xf32>) -> tensor<16x1024x1024xf32>
  %h = arith.truncf %p : tensor<16x1024x1024xf32> to tensor<16x1024x1024xf16>
  %f = tensor.empty() : tensor<16x1024x64xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<16x1024x64xf32>) -> tensor<16x1024x64xf32>
  %r = linalg.generic {indexing_maps = [#by_t, #of_t, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %v : tensor<16x1024x1024xf16>, tensor<16x1024x64xf16>) outs(%j : tensor<16x1024x64xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %xe = arith.extf %x : f16 to f32
    %ye = arith.extf %y : f16 to f32
    %m = arith.mulf %xe, %ye : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<16x1024x64xf32>
  return %r : tensor<16x1024x64xf32>
}
