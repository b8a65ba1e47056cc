// RUN: distaff-opt %s --distaff-raise-intrinsics=target=sm_80 --split-input-file | FileCheck %s
// RUN: distaff-opt %s --distaff-raise-intrinsics=target=host --split-input-file | FileCheck %s

// CHECK-LABEL: func @elements
// CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} fastmath<contract> : vector<32xf32>
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : vector<32xi32>
// CHECK: vector.reduction <maxsi>, %{{.*}} : vector<32xi32> into i32
// CHECK: vector.reduction <add>, %{{.*}}, %{{.*}} : vector<32xf32> into f32
// CHECK-NOT: llvm.
func.func @elements(%a: vector<4x8xf32>, %n: vector<32xi32>, %s: f32) -> (vector<32xf32>, i32, f32) {
  %flat = vector.shape_cast %a : vector<4x8xf32> to vector<32xf32>
  %0 = llvm.intr.fma(%flat, %flat, %flat) {fastmathFlags = #llvm.fastmath<contract>} : (vector<32xf32>, vector<32xf32>, vector<32xf32>) -> vector<32xf32>
  %1 = llvm.call_intrinsic "llvm.smax.v32i32"(%n, %n) : (vector<32xi32>, vector<32xi32>) -> vector<32xi32>
  %2 = "llvm.intr.vector.reduce.smax"(%1) : (vector<32xi32>) -> i32
  %3 = "llvm.intr.vector.reduce.fadd"(%s, %0) : (f32, vector<32xf32>) -> f32
  return %0, %2, %3 : vector<32xf32>, i32, f32
}

// -----

// Instructions have forms too; what they promise besides is dropped.
// CHECK-LABEL: func @instructions
// CHECK: arith.constant dense<3> : vector<8xi32>
// CHECK: arith.addi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK: arith.cmpf ule, %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: arith.select %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [7, 0, 8, -1] : vector<8xf32>, vector<8xf32>
// CHECK: vector.extract %{{.*}}[%{{.*}}] : f32 from vector<8xf32>
// CHECK: vector.insert %{{.*}}, %{{.*}} [%{{.*}}] : f32 into vector<8xf32>
// CHECK: vector.bitcast %{{.*}} : vector<8xi32> to vector<16xi16>
// CHECK: ub.poison : vector<8xf32>
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [4], sizes = [4], strides = [1]}
// CHECK: vector.insert_strided_slice %{{.*}}, %{{.*}} {offsets = [0], strides = [1]}
// CHECK: vector.interleave
// CHECK-NOT: llvm.
func.func @instructions(%a: vector<8xf32>, %n: vector<8xi32>, %at: i64) -> (vector<4xf32>, vector<8xf32>, vector<16xi16>, vector<8xf32>, vector<16xf32>, vector<8xf32>) {
  %three = llvm.mlir.constant(dense<3> : vector<8xi32>) : vector<8xi32>
  %0 = llvm.add %n, %three overflow<nsw> : vector<8xi32>
  %1 = llvm.fcmp "ule" %a, %a : vector<8xf32>
  %2 = llvm.select %1, %a, %a : vector<8xi1>, vector<8xf32>
  %3 = llvm.shufflevector %2, %a [7, 0, 8, -1] : vector<8xf32>
  %4 = llvm.extractelement %a[%at : i64] : vector<8xf32>
  %5 = llvm.insertelement %4, %a[%at : i64] : vector<8xf32>
  %6 = llvm.bitcast %0 : vector<8xi32> to vector<16xi16>
  %7 = llvm.mlir.poison : vector<8xf32>
  %8 = llvm.intr.vector.extract %a[4] : vector<4xf32> from vector<8xf32>
  %9 = llvm.intr.vector.insert %8, %7[0] : vector<4xf32> into vector<8xf32>
  %10 = "llvm.intr.vector.interleave2"(%a, %5) : (vector<8xf32>, vector<8xf32>) -> vector<16xf32>
  return %3, %5, %6, %9, %10, %2 : vector<4xf32>, vector<8xf32>, vector<16xi16>, vector<8xf32>, vector<16xf32>, vector<8xf32>
}

// -----

// Lane code is of its target, which has intrinsics of its own.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @lane
  // CHECK: llvm.intr.fma
  gpu.func @lane(%a: vector<2xf32>, %m: memref<2xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = llvm.intr.fma(%a, %a, %a) : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>
    vector.store %0, %m[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// VX-171: a mask stays where it decides more than what is undefined.
// CHECK-LABEL: func @predicated
// CHECK-SAME: %[[A:.*]]: vector<8xi32>, %[[B:.*]]: vector<8xi32>, %[[M:.*]]: vector<8xi1>, %[[N:.*]]: i32
// CHECK: %[[SUM:.*]] = arith.addi %[[A]], %[[B]] : vector<8xi32>
// CHECK: %[[END:.*]] = arith.index_castui %[[N]]
// CHECK: %[[BELOW:.*]] = vector.create_mask %[[END]] : vector<8xi1>
// CHECK: %[[ACTIVE:.*]] = arith.andi %[[M]], %[[BELOW]]
// CHECK: %[[BY:.*]] = arith.select %[[ACTIVE]], %[[B]], %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK: arith.divsi %[[SUM]], %[[BY]]
// CHECK: vector.reduction <minsi>
// CHECK-NOT: llvm.
func.func @predicated(%a: vector<8xi32>, %b: vector<8xi32>, %m: vector<8xi1>, %n: i32) -> i32 {
  %0 = "llvm.intr.vp.add"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  %1 = llvm.call_intrinsic "llvm.vp.sdiv.v8i32"(%0, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  %2 = "llvm.intr.vp.reduce.smin"(%n, %1, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  return %2 : i32
}
