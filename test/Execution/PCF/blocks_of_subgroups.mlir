// Phases at subgroup scope leave each subgroup a block that its lanes share out: its own argmax, whose results the subgroups
// compare, and what lanes exchange by an instruction of the target. Ties take the first place (PCF-138).
// RUN: distaff run %s --func argmax --target sm_80 --pipeline run-cluster --shape arg0=7x5001 --input arg0=whole:1:0:3 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func argmax --target gfx942 --pipeline run-cluster --shape arg0=3x2500 --input arg0=whole:2:0:2 --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff run %s --func argmax --target sm_80 --pipeline run-cluster --shape arg0=2x3000 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff explain %s --func argmax --target sm_80 --pipeline run-cluster | FileCheck %s --check-prefix=SPILLS
// RUN: distaff run %s --func vecmat --target gfx950 --pipeline run-cluster --shape arg0=70 --shape arg1=70x33 --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff compile %s --func vecmat --target gfx950 --pipeline run-cluster --emit gcn | FileCheck %s --check-prefix=GCN
// CHECK: distribute-subgroups {{.*}} ok
// CHECK: convert {{.*}} ok
// LOWER: lower {{.*}} ok
// PTX: ptx {{.*}} ok
// SPILLS: spills: none predicted
// GCN: v_permlane32_swap

func.func @argmax(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %ev = tensor.empty(%m) : tensor<?xf32>
  %ei = tensor.empty(%m) : tensor<?xi32>
  %fv = linalg.fill ins(%least : f32) outs(%ev : tensor<?xf32>) -> tensor<?xf32>
  %fi = linalg.fill ins(%none : i32) outs(%ei : tensor<?xi32>) -> tensor<?xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%fv, %fi : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%v: f32, %best: f32, %place: i32):
    %n = linalg.index 1 : index
    %i = arith.index_cast %n : index to i32
    %wins = arith.cmpf ogt, %v, %best : f32
    %b = arith.select %wins, %v, %best : f32
    %p = arith.select %wins, %i, %place : i32
    linalg.yield %b, %p : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
}

func.func @vecmat(%x: tensor<?xf32>, %a: tensor<?x?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.vecmat ins(%x, %a : tensor<?xf32>, tensor<?x?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
