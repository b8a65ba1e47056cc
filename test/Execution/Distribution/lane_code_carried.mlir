// A loop carries a lane's part of a value, and a branch yields it: what they hand on is the whole, taken apart where it is
// used (VX-212). A sum that begins with zeros, two nested loops, a part beside a whole and a number, a choice, and no step.
// RUN: distaff run %s --target sm_80 --func part --check --every-stage --input arg2=3 --output arg1=%t.part.npy | FileCheck %s --check-prefix=STAGES
// RUN: distaff run %s --target sm_80 --func whole --input arg2=3 --output arg1=%t.whole.npy
// RUN: cmp %t.part.npy %t.whole.npy
// RUN: distaff run %s --target sm_80 --func part --device ptx --input arg2=3 --output arg1=%t.part.npy
// RUN: cmp %t.part.npy %t.whole.npy
// RUN: distaff run %s --target host --func part --device host --check --input arg2=3 --output arg1=%t.part.npy
// RUN: cmp %t.part.npy %t.whole.npy
// RUN: distaff run %s --target host --func part --check --every-stage --input arg2=3
// RUN: distaff run %s --target gfx942 --func collapsed --check --every-stage --input arg2=0
// RUN: distaff run %s --target gfx942 --func collapsed --check --every-stage --input arg2=2
// STAGES: input {{.*}} ok
// STAGES: tile {{.*}} ok
// STAGES: convert {{.*}} ok
// RUN: distaff compile %s --target sm_80 --func part --stop-after=distribute | FileCheck %s --implicit-check-not=to_sim
// CHECK-LABEL: gpu.func @part
// CHECK: scf.for {{.*}} -> (vector<1x1x1x1x1x4xf32>, vector<1x1x1x1x1x4xf32>, index)

#L = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [4, 1]>
#T = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 2], outer_tile = [1, 1], thread_tile = [4, 16], element_tile = [2, 1], subgroup_strides = [0, 0], thread_strides = [16, 1]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#info64 = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!P = vector<1x1x1x1x1x4xf32>
!V = vector<16x16xf32>
func.func @part(%a: memref<16x16xf32>, %o: memref<16x16xf32>, %n: index) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : !P
  %half = arith.constant dense<0.5> : !P
  %x0 = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, !V
  %x = iree_vector_ext.to_layout %x0 to layout(#L) : !V
  %p = iree_vector_ext.to_simt %x : !V -> !P
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %w = %x, %count = %c0) -> (!P, !V, index) {
    %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%t = %sum) -> (!P) {
      %m = arith.mulf %t, %half : !P
      %u = arith.addf %m, %p : !P
      scf.yield %u : !P
    }
    %even = arith.remui %i, %c2 : index
    %first = arith.cmpi eq, %even, %c0 : index
    %b = scf.if %first -> (!P) {
      %m = arith.mulf %s, %s : !P
      scf.yield %m : !P
    } else {
      scf.yield %s : !P
    }
    %w2 = arith.negf %w : !V
    %more = arith.addi %count, %c1 : index
    scf.yield %b, %w2, %more : !P, !V, index
  }
  %y = iree_vector_ext.to_simd %r#0 : !P -> !V
  %q = arith.subf %y, %r#1 : !V
  vector.transfer_write %q, %o[%c0, %c0] {in_bounds = [true, true]} : !V, memref<16x16xf32>
  return
}

func.func @whole(%a: memref<16x16xf32>, %o: memref<16x16xf32>, %n: index) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : !V
  %half = arith.constant dense<0.5> : !V
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, !V
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %w = %x) -> (!V, !V) {
    %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%t = %sum) -> (!V) {
      %m = arith.mulf %t, %half : !V
      %u = arith.addf %m, %x : !V
      scf.yield %u : !V
    }
    %even = arith.remui %i, %c2 : index
    %first = arith.cmpi eq, %even, %c0 : index
    %b = scf.if %first -> (!V) {
      %m = arith.mulf %s, %s : !V
      scf.yield %m : !V
    } else {
      scf.yield %s : !V
    }
    %w2 = arith.negf %w : !V
    scf.yield %b, %w2 : !V, !V
  }
  %q = arith.subf %r#0, %r#1 : !V
  vector.transfer_write %q, %o[%c0, %c0] {in_bounds = [true, true]} : !V, memref<16x16xf32>
  return
}

// The same of a collapsed part, of another element type than what is carried, chosen by a switch.
func.func @collapsed(%a: memref<16x32xf32>, %o: memref<16x32xi32>, %n: index) attributes {translation_info = #info64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %zero = arith.constant dense<0> : vector<4x2xi32>
  %x0 = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x32xf32>, vector<16x32xf32>
  %x = iree_vector_ext.to_layout %x0 to layout(#T) : vector<16x32xf32>
  %p = iree_vector_ext.to_simt %x : vector<16x32xf32> -> vector<4x2xf32>
  %f = arith.constant dense<0.0> : vector<4x2xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%count = %zero) -> (vector<4x2xi32>) {
    %g = arith.cmpf ogt, %p, %f : vector<4x2xf32>
    %one = arith.extui %g : vector<4x2xi1> to vector<4x2xi32>
    %s = arith.addi %count, %one : vector<4x2xi32>
    %b = scf.index_switch %i -> vector<4x2xi32>
    case 1 {
      %m = arith.addi %s, %s : vector<4x2xi32>
      scf.yield %m : vector<4x2xi32>
    }
    default { scf.yield %s : vector<4x2xi32> }
    scf.yield %b : vector<4x2xi32>
  }
  %y = iree_vector_ext.to_simd %r : vector<4x2xi32> -> vector<16x32xi32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xi32>, memref<16x32xi32>
  return
}
