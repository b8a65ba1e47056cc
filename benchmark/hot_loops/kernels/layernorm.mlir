// Row normalisation with a scale and a shift per column, mean and variance in two passes.
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>
#c = affine_map<(r, c) -> (c)>
#r1 = affine_map<(r) -> (r)>
func.func @layernorm(%x: tensor<1024x768xf32>, %g: tensor<768xf32>, %b: tensor<768xf32>) -> tensor<1024x768xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 768.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %er = tensor.empty() : tensor<1024xf32>
  %e = tensor.empty() : tensor<1024x768xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1024x768xf32>) outs(%z : tensor<1024xf32>) {
  ^bb0(%i: f32, %o: f32):
    %a = arith.addf %o, %i : f32
    linalg.yield %a : f32
  } -> tensor<1024xf32>
  %mean = linalg.generic {indexing_maps = [#r1, #r1], iterator_types = ["parallel"]} ins(%s : tensor<1024xf32>) outs(%er : tensor<1024xf32>) {
  ^bb0(%i: f32, %o: f32):
    %d = arith.divf %i, %n : f32
    linalg.yield %d : f32
  } -> tensor<1024xf32>
  %v = linalg.generic {indexing_maps = [#rc, #r, #r], iterator_types = ["parallel", "reduction"]} ins(%x, %mean : tensor<1024x768xf32>, tensor<1024xf32>) outs(%z : tensor<1024xf32>) {
  ^bb0(%i: f32, %m: f32, %o: f32):
    %d = arith.subf %i, %m : f32
    %q = arith.mulf %d, %d : f32
    %a = arith.addf %o, %q : f32
    linalg.yield %a : f32
  } -> tensor<1024xf32>
  %y = linalg.generic {indexing_maps = [#rc, #r, #r, #c, #c, #rc], iterator_types = ["parallel", "parallel"]} ins(%x, %mean, %v, %g, %b : tensor<1024x768xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<1024x768xf32>) {
  ^bb0(%i: f32, %m: f32, %var: f32, %gg: f32, %bb: f32, %o: f32):
    %d = arith.subf %i, %m : f32
    %vv = arith.divf %var, %n : f32
    %ve = arith.addf %vv, %eps : f32
    %rs = math.rsqrt %ve : f32
    %t = arith.mulf %d, %rs : f32
    %u = arith.mulf %t, %gg : f32
    %w = arith.addf %u, %bb : f32
    linalg.yield %w : f32
  } -> tensor<1024x768xf32>
  return %y : tensor<1024x768xf32>
}
