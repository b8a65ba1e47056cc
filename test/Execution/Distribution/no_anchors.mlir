// What no to_layout reaches is laid out by default, op by op (W30, VX-62): a kernel
// without one, ops beside the one that has one, values that memory does not reach.
// RUN: distaff run %s --target sm_80 --func nothing_is_anchored --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --func something_else_is --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --func nothing_is_anchored --device ptx --check
// CHECK: distribute {{.*}} ok
// CHECK: lower {{.*}} ok
// CHECK: convert {{.*}} ok
// To the stages behind, which choose nothing, it is an error of whoever wrote it.
// RUN: not distaff-opt %s --distaff-distribute=target=sm_80 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: 'arith.muli' op result has no layout: no 'iree_vector_ext.to_layout' reaches it (DG4); lay it out by one, or run distaff-assign-layouts, which chooses
// NAMED: error: 'vector.transfer_read' op result has no layout

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
func.func @nothing_is_anchored(%o: memref<i64>, %p: memref<48xindex>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %i = vector.step : vector<48xindex>
  %j = arith.muli %i, %i : vector<48xindex>
  %l = arith.index_cast %j : vector<48xindex> to vector<48xi64>
  %s = vector.multi_reduction <xor>, %l, %zero [0] : vector<48xi64> to i64
  memref.store %s, %o[] : memref<i64>
  vector.transfer_write %j, %p[%c0] {in_bounds = [true]} : vector<48xindex>, memref<48xindex>
  return
}

func.func @something_else_is(%a: memref<64xf32>, %b: memref<7x5xi16>, %o: memref<i16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zero = arith.constant 0 : i16
  %x0 = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %x0 to layout(#line) : vector<64xf32>
  vector.transfer_write %x, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  %y = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true]} : memref<7x5xi16>, vector<7x5xi16>
  %s = vector.multi_reduction <maxsi>, %y, %zero [0, 1] : vector<7x5xi16> to i16
  memref.store %s, %o[] : memref<i16>
  return
}
