// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize producer-consumer --input arg0=random:3:1:2 --input arg1=5 --check --every-stage | FileCheck %s
// RUN: distaff run %s --target gfx942 --pipeline run-cluster --specialize producer-consumer --input arg0=random:3:1:2 --input arg1=0 --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize producer-consumer --input arg0=random:3:1:2 --input arg1=1 --check --device ptx | FileCheck %s --check-prefix=PTX

// PCF-194: how often a loop that asks runs is counted before it, by each cluster for itself;
// the clusters' barriers are as many all the same.
// CHECK: specialize {{.*}} ok
// CHECK: lower {{.*}} ok
// CHECK: convert {{.*}} ok
// LOWER: lower {{.*}} ok
// PTX: ptx {{.*}} ok

// Square roots by Newton's method.
func.func @roots(%x: tensor<130x7xf32>, %n: index) -> tensor<130x7xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<130x7xf32>
  %r:2 = scf.while (%i = %c0, %v = %x) : (index, tensor<130x7xf32>) -> (index, tensor<130x7xf32>) {
    %goes = arith.cmpi ult, %i, %n : index
    scf.condition(%goes) %i, %v : index, tensor<130x7xf32>
  } do {
  ^bb0(%i: index, %v: tensor<130x7xf32>):
    %j = arith.addi %i, %c1 : index
    %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %v : tensor<130x7xf32>, tensor<130x7xf32>) outs(%e : tensor<130x7xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %q = arith.divf %a, %b : f32
      %s = arith.addf %q, %b : f32
      %t = arith.mulf %s, %half : f32
      linalg.yield %t : f32
    } -> tensor<130x7xf32>
    scf.yield %j, %w : index, tensor<130x7xf32>
  }
  return %r#1 : tensor<130x7xf32>
}
