// A kernel that chooses which memory it reads and writes (VX-75, VX-76, VX-94): one of two
// arguments, and in turns one of two buffers of the workgroup.
// RUN: distaff run %s --target sm_80 --func arguments --check --every-stage --input arg2=0 | FileCheck %s
// RUN: distaff run %s --target sm_80 --func arguments --device ptx --check --input arg2=1
// RUN: distaff run %s --target sm_80 --func in_turns --check --every-stage --input arg1=5 | FileCheck %s
// RUN: distaff run %s --target sm_80 --func in_turns --device ptx --check --input arg1=6
// RUN: sed 's/size = .64, 1, 1. subgroup_size = 32/size = [128, 1, 1] subgroup_size = 64/' %s > %t.mlir
// RUN: distaff run %t.mlir --target gfx942 --func arguments --check --every-stage --input arg2=1 | FileCheck %s
// RUN: distaff run %t.mlir --target gfx942 --func in_turns --check --every-stage --input arg1=4 | FileCheck %s
// CHECK: distribute {{.*}} ok
// CHECK: lower {{.*}} ok
// CHECK: convert {{.*}} ok

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @arguments(%a: memref<256xf32>, %b: memref<256xf32>, %n: index) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %c = arith.cmpi eq, %n, %c0 : index
  %from = arith.select %c, %a, %b : memref<256xf32>
  %to = arith.select %c, %b, %a : memref<256xf32>
  %0 = vector.transfer_read %from[%c0], %z {in_bounds = [true]} : memref<256xf32>, vector<256xf32>
  %1 = arith.mulf %0, %0 : vector<256xf32>
  vector.transfer_write %1, %to[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  return
}

func.func @in_turns(%a: memref<16x32xf32>, %n: index, %o: memref<32x16xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<32x16xf32>
  %s = memref.alloc() : memref<16x32xf32, #gpu.address_space<workgroup>>
  %t = memref.alloc() : memref<16x32xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x32xf32>, vector<16x32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %0, %sum = %none) -> (vector<16x32xf32>, vector<32x16xf32>) {
    %odd = arith.remui %i, %c2 : index
    %c = arith.cmpi eq, %odd, %c0 : index
    %m = arith.select %c, %s, %t : memref<16x32xf32, #gpu.address_space<workgroup>>
    vector.transfer_write %v, %m[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<16x32xf32, #gpu.address_space<workgroup>>
    %x = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<16x32xf32, #gpu.address_space<workgroup>>, vector<32x16xf32>
    %next = arith.addf %sum, %x : vector<32x16xf32>
    %w = arith.addf %v, %0 : vector<16x32xf32>
    scf.yield %w, %next : vector<16x32xf32>, vector<32x16xf32>
  }
  vector.transfer_write %r#1, %o[%c0, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<32x16xf32>
  return
}
