// RUN: distaff compile %s --target sm_80 --emit ptx | FileCheck %s
// RUN: distaff run %s --target sm_80 --check --every-stage | FileCheck %s --check-prefix=STAGES
// RUN: distaff run %s --target sm_80 --check --device ptx | FileCheck %s --check-prefix=PTX

// VX-82: all lanes of a subgroup reduce integers by one instruction, in the
// unsigned order too.

// CHECK-DAG: redux.sync.min.u32
// CHECK-DAG: redux.sync.max.u32
// CHECK-NOT: shfl.sync
// STAGES: convert {{.*}} ok
// PTX: ptx {{.*}} ok

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>

func.func @ends(%m: memref<64xi32>, %r: memref<2xi32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %most = arith.constant -1 : i32
  %half = arith.constant dense<-2147483648> : vector<64xi32>
  %x = vector.transfer_read %m[%c0], %zero {in_bounds = [true]} : memref<64xi32>, vector<64xi32>
  %l = iree_vector_ext.to_layout %x to layout(#row) : vector<64xi32>
  %y = arith.xori %l, %half : vector<64xi32>
  %low = vector.multi_reduction <minui>, %y, %most [0] : vector<64xi32> to i32
  %high = vector.multi_reduction <maxui>, %l, %zero [0] : vector<64xi32> to i32
  memref.store %low, %r[%c0] : memref<2xi32>
  memref.store %high, %r[%c1] : memref<2xi32>
  return
}
