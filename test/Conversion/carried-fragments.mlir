// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 | FileCheck %s

#t = #iree_codegen.translation_info<subgroup_size = 32>

gpu.module @kernels {
  // Halves that are taken and given in pairs go round in pairs, the counter as
  // it is; the pairs come in the order of the halves.
  // CHECK-LABEL: llvm.func @in_pairs
  // CHECK: llvm.br ^[[LOOP:.*]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i64, f32, vector<2xf16>, vector<2xf16>)
  // CHECK: ^[[LOOP]]({{.*}}: i64, {{.*}}: f32, {{.*}}: vector<2xf16>, {{.*}}: vector<2xf16>):
  gpu.func @in_pairs(%o: memref<4xf16>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %x = memref.load %o[%c0] : memref<4xf16>
    %y = memref.load %o[%c1] : memref<4xf16>
    %z = arith.constant 0.0 : f32
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %f = %z, %c = %y, %d = %x) -> (f16, f16, f32, f16, f16) {
      %v = vector.from_elements %a, %b, %c, %d : vector<4xf16>
      %w = arith.addf %v, %v : vector<4xf16>
      %g = arith.addf %f, %f : f32
      %e:4 = vector.to_elements %w : vector<4xf16>
      scf.yield %e#0, %e#1, %g, %e#2, %e#3 : f16, f16, f32, f16, f16
    }
    memref.store %r#0, %o[%c0] : memref<4xf16>
    memref.store %r#1, %o[%c1] : memref<4xf16>
    memref.store %r#3, %o[%c2] : memref<4xf16>
    memref.store %r#4, %o[%c3] : memref<4xf16>
    gpu.return
  }

  // Not those that come back the other way round, or that are used apart.
  // CHECK-LABEL: llvm.func @apart
  // CHECK: llvm.br ^{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i64, f16, f16, f16, f16)
  gpu.func @apart(%o: memref<4xf16>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %x = memref.load %o[%c0] : memref<4xf16>
    %y = memref.load %o[%c1] : memref<4xf16>
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %y, %d = %x) -> (f16, f16, f16, f16) {
      %v = vector.from_elements %a, %b, %c, %d : vector<4xf16>
      %w = arith.addf %v, %v : vector<4xf16>
      %e:4 = vector.to_elements %w : vector<4xf16>
      %s = arith.addf %e#2, %c : f16
      scf.yield %e#1, %e#0, %s, %e#3 : f16, f16, f16, f16
    }
    memref.store %r#0, %o[%c0] : memref<4xf16>
    memref.store %r#1, %o[%c1] : memref<4xf16>
    memref.store %r#2, %o[%c2] : memref<4xf16>
    memref.store %r#3, %o[%c3] : memref<4xf16>
    gpu.return
  }

  // Halves of two pairs that come back crossed, and a pair whose second half is
  // used by itself.
  // CHECK-LABEL: llvm.func @crossed
  // CHECK: llvm.br ^{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i64, f16, f16, f16, f16)
  gpu.func @crossed(%o: memref<4xf16>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %x = memref.load %o[%c0] : memref<4xf16>
    %y = memref.load %o[%c1] : memref<4xf16>
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %y, %d = %x) -> (f16, f16, f16, f16) {
      %v = vector.from_elements %a, %b, %c, %d : vector<4xf16>
      %w = arith.addf %v, %v : vector<4xf16>
      %e:4 = vector.to_elements %w : vector<4xf16>
      scf.yield %e#0, %e#3, %e#2, %e#1 : f16, f16, f16, f16
    }
    memref.store %r#0, %o[%c0] : memref<4xf16>
    memref.store %r#1, %o[%c1] : memref<4xf16>
    memref.store %r#2, %o[%c2] : memref<4xf16>
    memref.store %r#3, %o[%c3] : memref<4xf16>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @used_apart
  // CHECK: llvm.br ^{{.*}}(%{{.*}}, %{{.*}}, %{{.*}} : i64, f16, f16)
  gpu.func @used_apart(%o: memref<4xf16>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %o[%c0] : memref<4xf16>
    %y = memref.load %o[%c1] : memref<4xf16>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f16, f16) {
      memref.store %b, %o[%c1] : memref<4xf16>
      %v = vector.from_elements %a, %b : vector<2xf16>
      %w = arith.addf %v, %v : vector<2xf16>
      %e:2 = vector.to_elements %w : vector<2xf16>
      scf.yield %e#0, %e#1 : f16, f16
    }
    memref.store %r#0, %o[%c0] : memref<4xf16>
    memref.store %r#1, %o[%c1] : memref<4xf16>
    gpu.return
  }
}
