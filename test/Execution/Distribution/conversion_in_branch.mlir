// Conversions through shuffles and through shared memory, in a branch that all threads
// take or none; where only some would take it, each is refused (VX-51, DG8).
// RUN: distaff run %s --target sm_80 --check --every-stage --input arg2=3
// RUN: distaff run %s --target sm_80 --check --every-stage --input arg2=9
// RUN: distaff run %s --target sm_80 --device ptx --check --input arg2=3
// RUN: distaff compile %s --target sm_80 --stop-after=distribute | FileCheck %s
// RUN: sed 's/%%some = arith.cmpi ult, %%n/%%t = gpu.thread_id x %%some = arith.cmpi ult, %%t/' %s > %t.mlir
// RUN: not distaff-opt %t.mlir --distaff-distribute=target=sm_80 2>&1 | FileCheck %s --check-prefix=SHUFFLES
// RUN: sed 's/layout(#stripes)/layout(#line)/' %t.mlir > %t.shared.mlir
// RUN: not distaff-opt %t.shared.mlir --distaff-distribute=target=sm_80 2>&1 | FileCheck %s --check-prefix=SHARED
// CHECK: scf.if
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// SHUFFLES: 'iree_vector_ext.to_layout' op {{.*}} to ⟨S[2]:[1] B[2] T[32]:[1]⟩, but {{.*}}'scf.if' around it depends on a thread id (DG8)
// SHARED: 'iree_vector_ext.to_layout' op {{.*}} to ⟨B[2] T[32]:[1] E[2]⟩, but {{.*}}'scf.if' around it depends on a thread id (DG8)

#line = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [1], thread_strides = [1]>
#stripes = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
#swapped = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @branch(%m: memref<128xf32>, %o: memref<128xf32>, %n: index) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<128xf32>
  %some = arith.cmpi ult, %n, %c7 : index
  %r = scf.if %some -> (vector<128xf32>) {
    %y = iree_vector_ext.to_layout %x to layout(#stripes) : vector<128xf32>
    %d = arith.addf %y, %y : vector<128xf32>
    %s = iree_vector_ext.to_layout %d to layout(#swapped) : vector<128xf32>
    %p = arith.mulf %s, %s : vector<128xf32>
    %q = iree_vector_ext.to_layout %p to layout(#line) : vector<128xf32>
    scf.yield %q : vector<128xf32>
  } else {
    scf.yield %x : vector<128xf32>
  }
  vector.transfer_write %r, %o[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  return
}
