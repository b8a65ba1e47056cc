// A workgroup's tile that is walked by smaller ones: of those behind the end of
// the tensor nothing is written, whether the end is known or not.
// RUN: distaff run %s --func known_end --target sm_80 --check --stop-after tile | FileCheck %s
// RUN: distaff run %s --func unknown_end --target sm_80 --check --stop-after tile --shape arg0=2x130 | FileCheck %s
// CHECK: tile {{.*}} ok

#config = #iree_gpu.lowering_config<{workgroup = [1, 512], reduction = [0, 128]}>
#ij = affine_map<(i, j) -> (i, j)>

func.func @known_end(%x: tensor<2x530xf32>) -> tensor<2x530xf32> {
  %e = tensor.empty() : tensor<2x530xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"], lowering_config = #config}
      ins(%x : tensor<2x530xf32>) outs(%e : tensor<2x530xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<2x530xf32>
  return %r : tensor<2x530xf32>
}

func.func @unknown_end(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"], lowering_config = #config}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
