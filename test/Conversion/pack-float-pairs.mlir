// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 | FileCheck %s
// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx1201 | FileCheck %s --check-prefix=SCALAR

// VX-266
// SCALAR-NOT: llvm.f{{.*}} : vector<2xf32>
gpu.module @kernels {
  // The exponentials of a pair are one, too; %c and %d are scaled by different numbers.
  // CHECK-LABEL: llvm.func @neighbours
  // CHECK: %[[AB:.*]] = llvm.intr.fma({{.*}}) : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>
  // CHECK: llvm.fmul {{.*}} : f32
  // CHECK: llvm.fmul {{.*}} : f32
  // CHECK: %[[EF:.*]] = llvm.fmul %[[AB]], %{{.*}} : vector<2xf32>
  // CHECK-COUNT-2: rocdl.exp2
  // CHECK: llvm.fsub %{{.*}}, %[[EF]] : vector<2xf32>
  gpu.func @neighbours(%m: memref<64x4xf32>, %k: f32, %n: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %v = vector.load %m[%i, %c0] : memref<64x4xf32>, vector<4xf32>
    %x:4 = vector.to_elements %v : vector<4xf32>
    %a = math.fma %x#0, %k, %n : f32
    %b = math.fma %x#1, %k, %n : f32
    %c = arith.mulf %x#2, %k : f32
    %d = arith.mulf %x#3, %n : f32
    %e = arith.mulf %a, %n : f32
    %f = arith.mulf %b, %n : f32
    %g = math.exp2 %e fastmath<afn> : f32
    %h = math.exp2 %f fastmath<afn> : f32
    %r = arith.subf %g, %e : f32
    %s = arith.subf %h, %f : f32
    %w = vector.from_elements %r, %s, %c, %d : vector<4xf32>
    vector.store %w, %m[%i, %c0] : memref<64x4xf32>, vector<4xf32>
    gpu.return
  }

  // Elements 1 and 2 are neighbours of no pair; the order of a difference counts.
  // CHECK-LABEL: llvm.func @strangers
  // CHECK-NOT: vector<2xf32>
  // CHECK: llvm.return
  gpu.func @strangers(%m: memref<64x4xf32>, %k: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %v = vector.load %m[%i, %c0] : memref<64x4xf32>, vector<4xf32>
    %x:4 = vector.to_elements %v : vector<4xf32>
    %a = arith.mulf %x#1, %k : f32
    %b = arith.mulf %x#2, %k : f32
    %c = arith.subf %x#0, %k : f32
    %d = arith.subf %k, %x#1 : f32
    %w = vector.from_elements %a, %b, %c, %d : vector<4xf32>
    vector.store %w, %m[%i, %c0] : memref<64x4xf32>, vector<4xf32>
    gpu.return
  }

  // An op moves before what its partner is read by, not before what it reads.
  // CHECK-LABEL: llvm.func @order
  // CHECK: llvm.fmul {{.*}} : vector<2xf32>
  // CHECK: llvm.fadd {{.*}} : f32
  // CHECK: llvm.fadd {{.*}} : f32
  // CHECK: llvm.return
  gpu.func @order(%m: memref<64x2xf32>, %k: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %v = vector.load %m[%i, %c0] : memref<64x2xf32>, vector<2xf32>
    %x:2 = vector.to_elements %v : vector<2xf32>
    %a = arith.mulf %x#0, %k : f32
    %s = arith.addf %x#0, %a : f32
    %b = arith.mulf %x#1, %k : f32
    %t = arith.addf %x#1, %s : f32
    %w = vector.from_elements %t, %b : vector<2xf32>
    vector.store %w, %m[%i, %c0] : memref<64x2xf32>, vector<2xf32>
    gpu.return
  }
}
