func.func @k(%a: tensor<1024x1024xi8>, %b: tensor<1024x1024xi8>) -> tensor<1024x1024xi32> {
  %z = arith.constant 0 : i32
  %t = tensor.empty() : tensor<1024x1024xi32>
  %c = linalg.fill ins(%z : i32) outs(%t : tensor<1024x1024xi32>) -> tensor<1024x1024xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1024x1024xi8>, tensor<1024x1024xi8>) outs(%c : tensor<1024x1024xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %v = arith.extsi %x : i8 to i32
    %w = arith.extsi %y : i8 to i32
    %p = arith.muli %v, %w : i32
    %u = arith.addi %s, %p : i32
    linalg.yield %u : i32
  } -> tensor<1024x1024xi32>
  return %r : tensor<1024x1024xi32>
}
