// RUN: distaff compile %s --target sm_80 --emit ptx | FileCheck %s
// RUN: distaff run %s --target sm_80 --check --every-stage | FileCheck %s --check-prefix=STAGES
// RUN: distaff run %s --target sm_80 --check --device ptx | FileCheck %s --check-prefix=PTX

// VX-82: all lanes of a subgroup reduce integers by one instruction.

// CHECK: redux.sync.max.s32
// CHECK-NOT: shfl.sync
// STAGES: lower {{.*}} ok
// PTX: ptx {{.*}} ok

#row = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [1], thread_strides = [1]>

func.func @largest(%m: memref<128xi8>, %r: memref<i8>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %low = arith.constant -128 : i8
  %x = vector.transfer_read %m[%c0], %zero {in_bounds = [true]} : memref<128xi8>, vector<128xi8>
  %l = iree_vector_ext.to_layout %x to layout(#row) : vector<128xi8>
  %s = vector.multi_reduction <maxsi>, %l, %low [0] : vector<128xi8> to i8
  %v = vector.broadcast %s : i8 to vector<i8>
  vector.transfer_write %v, %r[] : vector<i8>, memref<i8>
  return
}
