// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 --canonicalize --split-input-file | FileCheck %s

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // An element of an odd row is a byte, shifted by its half.
  // CHECK-LABEL: llvm.func @one(
  // CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr<1>
  // CHECK: %[[ROW:.*]] = llvm.mul %{{.*}}, %{{.*}} : i64
  // CHECK: %[[K:.*]] = llvm.add %[[ROW]], %{{.*}} : i64
  // CHECK: llvm.lshr %[[K]], %{{.*}} : i64
  // CHECK: %[[BYTE:.*]] = llvm.load {{.*}} -> i8
  // CHECK: llvm.lshr %[[BYTE]], %{{.*}} : i8
  // CHECK: llvm.trunc {{.*}} : i8 to i4
  gpu.func @one(%a: memref<?x33xi4>, %r: memref<i8>, %i: index, %j: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %x = memref.load %a[%i, %j] : memref<?x33xi4>
    %y = arith.extsi %x : i4 to i8
    memref.store %y, %r[] : memref<i8>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // Eight elements from a multiple of eight on are a word.
  // CHECK-LABEL: llvm.func @eight(
  // CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xi8>
  // CHECK: llvm.bitcast {{.*}} : vector<4xi8> to vector<1xi32>
  // CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<4xi8>
  gpu.func @eight(%a: memref<64xi4>, %r: memref<64xi4>) kernel attributes {known_block_size = array<i32: 8, 1, 1>, translation_info = #t} {
    %c8 = arith.constant 8 : index
    %id = gpu.thread_id x
    %i = arith.muli %id, %c8 : index
    %x = vector.load %a[%i] {alignment = 4 : i64} : memref<64xi4>, vector<8xi4>
    %e:8 = vector.to_elements %x : vector<8xi4>
    %y = vector.from_elements %e#7, %e#6, %e#5, %e#4, %e#3, %e#2, %e#1, %e#0 : vector<8xi4>
    vector.store %y, %r[%i] {alignment = 4 : i64} : memref<64xi4>, vector<8xi4>
    gpu.return
  }
}
