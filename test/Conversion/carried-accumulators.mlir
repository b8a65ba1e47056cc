// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 | FileCheck %s

#t = #iree_codegen.translation_info<subgroup_size = 64>

// VX-288
gpu.module @kernels {
  // All results of one vector.to_elements are one phi, after the counter and
  // what stays as it is, also if an iteration uses them one by one.
  // CHECK-LABEL: llvm.func @together
  // CHECK: llvm.br ^[[LOOP:.*]](%{{.*}}, %{{.*}}, %{{.*}} : i64, f32, vector<4xf32>)
  // CHECK: ^[[LOOP]]({{.*}}: i64, {{.*}}: f32, {{.*}}: vector<4xf32>):
  gpu.func @together(%o: memref<8xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %o[%c0] : memref<8xf32>
    %z = arith.constant 0.0 : f32
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%f = %x, %a = %z, %b = %z, %c = %z, %d = %z) -> (f32, f32, f32, f32, f32) {
      %s = arith.mulf %b, %f : f32
      %v = vector.from_elements %a, %s, %c, %d : vector<4xf32>
      %w = vector.load %o[%i] : memref<8xf32>, vector<4xf32>
      %u = arith.addf %v, %w : vector<4xf32>
      %e:4 = vector.to_elements %u : vector<4xf32>
      scf.yield %s, %e#0, %e#1, %e#2, %e#3 : f32, f32, f32, f32, f32
    }
    %p = vector.from_elements %r#1, %r#2, %r#3, %r#4 : vector<4xf32>
    vector.store %p, %o[%c0] : memref<8xf32>, vector<4xf32>
    memref.store %r#0, %o[%c1] : memref<8xf32>
    gpu.return
  }

  // Not where their order changes, or where one of them is missing.
  // CHECK-LABEL: llvm.func @apart
  // CHECK: llvm.br ^{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i64, f32, f32, f32, f32)
  gpu.func @apart(%o: memref<8xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z, %b = %z, %c = %z, %d = %z) -> (f32, f32, f32, f32) {
      %v = vector.from_elements %a, %b : vector<2xf32>
      %w = vector.from_elements %c, %d : vector<2xf32>
      %x = vector.load %o[%i] : memref<8xf32>, vector<2xf32>
      %s = arith.addf %v, %x : vector<2xf32>
      %t = arith.addf %w, %x : vector<2xf32>
      %e:2 = vector.to_elements %s : vector<2xf32>
      %f:2 = vector.to_elements %t : vector<2xf32>
      scf.yield %e#1, %e#0, %f#0, %c : f32, f32, f32, f32
    }
    memref.store %r#0, %o[%c0] : memref<8xf32>
    memref.store %r#1, %o[%c1] : memref<8xf32>
    %p = vector.from_elements %r#2, %r#3 : vector<2xf32>
    vector.store %p, %o[%c0] : memref<8xf32>, vector<2xf32>
    gpu.return
  }
}
