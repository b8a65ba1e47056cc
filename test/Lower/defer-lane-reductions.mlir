// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-defer-lane-reductions)))' | FileCheck %s

// VX-264
gpu.module @kernels {
  // CHECK-LABEL: func @sum_of_online_softmax
  // CHECK: %[[LOOP:.*]]:2 = scf.for
  // CHECK: gpu.subgroup_reduce maxnumf
  // CHECK-NOT: gpu.subgroup_reduce add
  // CHECK: scf.yield
  // CHECK: %[[CAST:.*]] = vector.shape_cast %[[LOOP]]#1 : vector<1x2xf32> to vector<2xf32>
  // CHECK: %[[SUM:.*]] = gpu.subgroup_reduce add %[[CAST]] cluster(size = 4)
  // CHECK: %[[BACK:.*]] = vector.shape_cast %[[SUM]] : vector<2xf32> to vector<1x2xf32>
  // CHECK: gpu.return %[[BACK]]
  gpu.func @sum_of_online_softmax(%m: memref<64x2xf32>) -> vector<1x2xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : vector<1x2xf32>
    %least = arith.constant dense<-1.0e30> : vector<1x2xf32>
    %r:2 = scf.for %i = %c0 to %c64 step %c1 iter_args(%top = %least, %l = %zero)
        -> (vector<1x2xf32>, vector<1x2xf32>) {
      %x = vector.load %m[%i, %c0] : memref<64x2xf32>, vector<2xf32>
      %t = gpu.subgroup_reduce maxnumf %x cluster(size = 4) : (vector<2xf32>) -> vector<2xf32>
      %t2 = vector.shape_cast %t : vector<2xf32> to vector<1x2xf32>
      %next = arith.maxnumf %t2, %top : vector<1x2xf32>
      %d = arith.subf %top, %next : vector<1x2xf32>
      %u = math.exp2 %d : vector<1x2xf32>
      %s = gpu.subgroup_reduce add %x cluster(size = 4) : (vector<2xf32>) -> vector<2xf32>
      %s2 = vector.shape_cast %s : vector<2xf32> to vector<1x2xf32>
      %scaled = arith.mulf %l, %u : vector<1x2xf32>
      %l2 = arith.addf %s2, %scaled : vector<1x2xf32>
      scf.yield %next, %l2 : vector<1x2xf32>, vector<1x2xf32>
    }
    gpu.return %r#1 : vector<1x2xf32>
  }

  // CHECK-LABEL: func @plain_sum_of_integers
  // CHECK: %[[LOOP:.*]] = scf.for
  // CHECK-NOT: gpu.subgroup_reduce
  // CHECK: scf.yield
  // CHECK: gpu.subgroup_reduce add %[[LOOP]] cluster(size = 8, stride = 4)
  gpu.func @plain_sum_of_integers(%m: memref<64xi32>) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%l = %zero) -> i32 {
      %x = memref.load %m[%i] : memref<64xi32>
      %s = gpu.subgroup_reduce add %x cluster(size = 8, stride = 4) : (i32) -> i32
      %l2 = arith.addi %l, %s : i32
      scf.yield %l2 : i32
    }
    gpu.return %r : i32
  }

  // A factor that differs between lanes scales each lane's part otherwise.
  // CHECK-LABEL: func @factor_of_each_lane
  // CHECK: gpu.subgroup_reduce add
  // CHECK: scf.yield
  // CHECK-NOT: gpu.subgroup_reduce
  gpu.func @factor_of_each_lane(%m: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%l = %zero) -> f32 {
      %x = memref.load %m[%i] : memref<64xf32>
      %s = gpu.subgroup_reduce add %x cluster(size = 8) : (f32) -> f32
      %scaled = arith.mulf %l, %x : f32
      %l2 = arith.addf %scaled, %s : f32
      scf.yield %l2 : f32
    }
    gpu.return %r : f32
  }

  // A factor that is the same in other clusters need not be in these.
  // CHECK-LABEL: func @factor_of_other_clusters
  // CHECK: gpu.subgroup_reduce add
  // CHECK: scf.yield
  // CHECK-NOT: gpu.subgroup_reduce
  gpu.func @factor_of_other_clusters(%m: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%l = %zero) -> f32 {
      %x = memref.load %m[%i] : memref<64xf32>
      %u = gpu.subgroup_reduce maxnumf %x cluster(size = 4) : (f32) -> f32
      %s = gpu.subgroup_reduce add %x cluster(size = 8) : (f32) -> f32
      %scaled = arith.mulf %l, %u : f32
      %l2 = arith.addf %scaled, %s : f32
      scf.yield %l2 : f32
    }
    gpu.return %r : f32
  }

  // CHECK-LABEL: func @starts_from_one
  // CHECK: gpu.subgroup_reduce add
  // CHECK: scf.yield
  // CHECK-NOT: gpu.subgroup_reduce
  gpu.func @starts_from_one(%m: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%l = %one) -> f32 {
      %x = memref.load %m[%i] : memref<64xf32>
      %s = gpu.subgroup_reduce add %x cluster(size = 8) : (f32) -> f32
      %l2 = arith.addf %l, %s : f32
      scf.yield %l2 : f32
    }
    gpu.return %r : f32
  }

  // CHECK-LABEL: func @read_in_the_loop
  // CHECK: gpu.subgroup_reduce add
  // CHECK: scf.yield
  // CHECK-NOT: gpu.subgroup_reduce
  gpu.func @read_in_the_loop(%m: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%l = %zero) -> f32 {
      %x = memref.load %m[%i] : memref<64xf32>
      %s = gpu.subgroup_reduce add %x cluster(size = 8) : (f32) -> f32
      %l2 = arith.addf %l, %s : f32
      memref.store %l2, %m[%i] : memref<64xf32>
      scf.yield %l2 : f32
    }
    gpu.return %r : f32
  }
}
