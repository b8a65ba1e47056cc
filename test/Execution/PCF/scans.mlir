// Scans in phases: each subgroup scans its block and takes in what the ones before it have, and lanes share the block out
// (PCF-195). Both results, inclusive and exclusive, of a row alone and of several, along an outer dim.
// RUN: distaff run %s --func prefix_sums --target sm_80 --pipeline run-cluster --check --every-stage | FileCheck %s
// RUN: distaff run %s --func prefix_sums --target gfx942 --pipeline run-cluster --specialize producer-consumer --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff run %s --func row --target sm_80 --pipeline run-cluster --config workgroup_size=128 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func row --target gfx942 --pipeline run-cluster --config workgroup_size=256 --schedule 5 --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff run %s --func columns --target sm_80 --pipeline run-cluster --config workgroup_size=256 --input arg0=whole:1:-2:2 --input arg1=whole:2:1:3 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func halves --target gfx1100 --pipeline run-cluster --config workgroup_size=64 --input arg0=whole:1:-2:2 --input arg1=whole:2:1:3 --check --every-stage | FileCheck %s
// CHECK: distribute-subgroups {{.*}} ok
// CHECK: distribute-lanes {{.*}} ok
// CHECK: convert {{.*}} ok
// LOWER: lower {{.*}} ok
// PTX: ptx {{.*}} ok

func.func @prefix_sums(%x: tensor<5x500xf32>) -> tensor<5x500xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 500 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x500xf32>
  %column = tensor.empty() : tensor<5x1xf32>
  %none = linalg.fill ins(%z : f32) outs(%column : tensor<5x1xf32>) -> tensor<5x1xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none, %all = %e) -> (tensor<5x1xf32>, tensor<5x500xf32>) {
    %v = tensor.extract_slice %x[0, %i] [5, 1] [1, 1] : tensor<5x500xf32> to tensor<5x1xf32>
    %s = linalg.add ins(%sum, %v : tensor<5x1xf32>, tensor<5x1xf32>) outs(%column : tensor<5x1xf32>) -> tensor<5x1xf32>
    %next = tensor.insert_slice %s into %all[0, %i] [5, 1] [1, 1] : tensor<5x1xf32> into tensor<5x500xf32>
    scf.yield %s, %next : tensor<5x1xf32>, tensor<5x500xf32>
  }
  return %r#1 : tensor<5x500xf32>
}

// The last value of an exclusive scan leaves the last element out.
func.func @row(%a: memref<3000xi32>, %i: memref<i32>, %r: memref<3000xi32>, %l: memref<i32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<3000xi32>, vector<3000xi32>
  %s = vector.transfer_read %i[], %z : memref<i32>, vector<i32>
  %y:2 = vector.scan <xor>, %x, %s {inclusive = false, reduction_dim = 0 : i64} : vector<3000xi32>, vector<i32>
  vector.transfer_write %y#0, %r[%c0] {in_bounds = [true]} : vector<3000xi32>, memref<3000xi32>
  vector.transfer_write %y#1, %l[] : vector<i32>, memref<i32>
  return
}

func.func @columns(%a: memref<1000x5xi32>, %i: memref<5xi32>, %r: memref<1000x5xi32>, %l: memref<5xi32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<1000x5xi32>, vector<1000x5xi32>
  %s = vector.transfer_read %i[%c0], %z {in_bounds = [true]} : memref<5xi32>, vector<5xi32>
  %y:2 = vector.scan <add>, %x, %s {inclusive = true, reduction_dim = 0 : i64} : vector<1000x5xi32>, vector<5xi32>
  vector.transfer_write %y#0, %r[%c0, %c0] {in_bounds = [true, true]} : vector<1000x5xi32>, memref<1000x5xi32>
  vector.transfer_write %y#1, %l[%c0] {in_bounds = [true]} : vector<5xi32>, memref<5xi32>
  return
}

func.func @halves(%a: memref<2x2048xf16>, %i: memref<2xf16>, %r: memref<2x2048xf16>, %l: memref<2xf16>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<2x2048xf16>, vector<2x2048xf16>
  %s = vector.transfer_read %i[%c0], %z {in_bounds = [true]} : memref<2xf16>, vector<2xf16>
  %y:2 = vector.scan <add>, %x, %s {inclusive = false, reduction_dim = 1 : i64} : vector<2x2048xf16>, vector<2xf16>
  vector.transfer_write %y#0, %r[%c0, %c0] {in_bounds = [true, true]} : vector<2x2048xf16>, memref<2x2048xf16>
  vector.transfer_write %y#1, %l[%c0] {in_bounds = [true]} : vector<2xf16>, memref<2xf16>
  return
}
