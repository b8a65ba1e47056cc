// Functions of a CPU take and return vectors of any rank as all their elements
// (VX-120), and agree on them whatever cut each has for its own. Called for
// real: what @main counts are elements that differ from sums of scalars.

// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-vectors{target=host:avx2}))' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlir-opt %t.mlir --symbol-dce --convert-vector-to-scf --convert-scf-to-cf --convert-vector-to-llvm --finalize-memref-to-llvm --convert-arith-to-llvm --convert-math-to-llvm --convert-func-to-llvm --convert-cf-to-llvm --convert-ub-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main --entry-point-result=i32 --O3 | FileCheck %s --check-prefix=WRONG
// WRONG: {{^}}0{{$}}

// CHECK-LABEL: func private @mix
// CHECK-SAME: (%{{.*}}: vector<15xf32>, %{{.*}}: f32, %{{.*}}: vector<18xf32>, %{{.*}}: f32) -> (vector<18xf32>, vector<15xf32>)
func.func private @mix(%a: vector<3x5xf32>, %s: f32, %b: vector<2x9xf32>, %one: vector<1xf32>) -> (vector<2x9xf32>, vector<3x5xf32>) attributes {distaff.strategies = {vectors = "flattened"}} {
  %t = vector.broadcast %s : f32 to vector<3x5xf32>
  %p = arith.mulf %a, %t : vector<3x5xf32>
  %u = vector.broadcast %one : vector<1xf32> to vector<2x9xf32>
  %q = arith.subf %b, %u : vector<2x9xf32>
  return %q, %p : vector<2x9xf32>, vector<3x5xf32>
}

// CHECK-LABEL: func private @turn
// CHECK-SAME: (%{{.*}}: vector<15xf32>) -> vector<15xf32>
// CHECK-NOT: distaff.strategies
func.func private @turn(%a: vector<3x5xf32>) -> vector<5x3xf32> attributes {distaff.strategies = {pieces = "4"}} {
  %r = vector.transpose %a, [1, 0] : vector<3x5xf32> to vector<5x3xf32>
  return %r : vector<5x3xf32>
}

// What is elsewhere is called so, too.
// CHECK: func.func private @elsewhere(vector<6xf32>) -> vector<6xf32>
func.func private @elsewhere(vector<2x3xf32>) -> vector<2x3xf32>
// CHECK-LABEL: func private @never
// CHECK: call @elsewhere(%{{.*}}) {hint} : (vector<6xf32>) -> vector<6xf32>
func.func private @never(%a: vector<2x3xf32>) -> vector<2x3xf32> {
  %r = func.call @elsewhere(%a) {hint} : (vector<2x3xf32>) -> vector<2x3xf32>
  return %r : vector<2x3xf32>
}

memref.global "private" constant @three : memref<3x5xf32> = dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0], [11.0, 12.0, 13.0, 14.0, 15.0]]>
memref.global "private" constant @two : memref<2x9xf32> = dense<[[1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0, -8.0, 9.0], [10.0, -11.0, 12.0, -13.0, 14.0, -15.0, 16.0, -17.0, 18.0]]>

// CHECK-LABEL: func @main
// CHECK: call @mix(%{{.*}}) : (vector<15xf32>, f32, vector<18xf32>, f32) -> (vector<18xf32>, vector<15xf32>)
func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0 : i32
  %pad = arith.constant 0.0 : f32
  %scale = arith.constant 1.5 : f32
  %less = arith.constant 0.25 : f32
  %three = memref.get_global @three : memref<3x5xf32>
  %two = memref.get_global @two : memref<2x9xf32>
  %a = vector.transfer_read %three[%c0, %c0], %pad {in_bounds = [true, true]} : memref<3x5xf32>, vector<3x5xf32>
  %b = vector.transfer_read %two[%c0, %c0], %pad {in_bounds = [true, true]} : memref<2x9xf32>, vector<2x9xf32>
  %one = vector.broadcast %less : f32 to vector<1xf32>
  %r:2 = func.call @mix(%a, %scale, %b, %one) : (vector<3x5xf32>, f32, vector<2x9xf32>, vector<1xf32>) -> (vector<2x9xf32>, vector<3x5xf32>)
  %t = func.call @turn(%r#1) : (vector<3x5xf32>) -> vector<5x3xf32>
  %ofTwo = memref.alloca() : memref<2x9xf32>
  %ofThree = memref.alloca() : memref<5x3xf32>
  vector.transfer_write %r#0, %ofTwo[%c0, %c0] {in_bounds = [true, true]} : vector<2x9xf32>, memref<2x9xf32>
  vector.transfer_write %t, %ofThree[%c0, %c0] {in_bounds = [true, true]} : vector<5x3xf32>, memref<5x3xf32>
  %first = scf.for %i = %c0 to %c2 step %c1 iter_args(%n = %zero) -> (i32) {
    %row = scf.for %j = %c0 to %c9 step %c1 iter_args(%m = %n) -> (i32) {
      %x = memref.load %two[%i, %j] : memref<2x9xf32>
      %y = arith.subf %x, %less : f32
      %z = memref.load %ofTwo[%i, %j] : memref<2x9xf32>
      %differs = arith.cmpf une, %y, %z : f32
      %d = arith.extui %differs : i1 to i32
      %s = arith.addi %m, %d : i32
      scf.yield %s : i32
    }
    scf.yield %row : i32
  }
  %all = scf.for %i = %c0 to %c3 step %c1 iter_args(%n = %first) -> (i32) {
    %row = scf.for %j = %c0 to %c5 step %c1 iter_args(%m = %n) -> (i32) {
      %x = memref.load %three[%i, %j] : memref<3x5xf32>
      %y = arith.mulf %x, %scale : f32
      %z = memref.load %ofThree[%j, %i] : memref<5x3xf32>
      %differs = arith.cmpf une, %y, %z : f32
      %d = arith.extui %differs : i1 to i32
      %s = arith.addi %m, %d : i32
      scf.yield %s : i32
    }
    scf.yield %row : i32
  }
  return %all : i32
}
