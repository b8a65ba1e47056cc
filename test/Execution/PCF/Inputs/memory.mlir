// Kernels whose panels and exchanges take more of a workgroup's memory than a
// target has, unless the choice of panels counts them (memory.py).
func.func @attention(%q: tensor<?x64xf16>, %kk: tensor<?x64xf16>, %v: tensor<?x64xf16>) -> tensor<?x64xf32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %q, %c0 : tensor<?x64xf16>
  %n = tensor.dim %kk, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, k)->(m, k)>, affine_map<(m, n, k)->(n, k)>, affine_map<(m, n, k)->(m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %kk : tensor<?x64xf16>, tensor<?x64xf16>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %xe = arith.extf %x : f16 to f32
    %ye = arith.extf %y : f16 to f32
    %p = arith.mulf %xe, %ye : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %sm = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e3 = tensor.empty(%m, %n) : tensor<?x?xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(m, n)->(m, n)>, affine_map<(m, n)->(m, n)>], iterator_types = ["parallel", "parallel"]} ins(%sm : tensor<?x?xf32>) outs(%e3 : tensor<?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?xf16>
  %e4 = tensor.empty(%m) : tensor<?x64xf32>
  %f4 = linalg.fill ins(%z : f32) outs(%e4 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul ins(%h, %v : tensor<?x?xf16>, tensor<?x64xf16>) outs(%f4 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

func.func @matmul_row_sum(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e1 = tensor.empty(%m) : tensor<?xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce ins(%p : tensor<?x?xf32>) outs(%f1 : tensor<?xf32>) dimensions = [1] (%i: f32, %o: f32) {
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  }
  return %p, %s : tensor<?x?xf32>, tensor<?xf32>
}

// Subgroups turn columns into rows of 64 KiB: in rounds.
func.func @row_sum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1] (%i: f32, %o: f32) {
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  }
  return %s : tensor<?xf32>
}
