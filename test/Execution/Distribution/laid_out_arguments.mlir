// A user's layouts of what a kernel takes and returns, and of what a private function
// takes and returns, are anchors (5.1, VX-53): they are where the values are, whatever
// would be cheaper; the values are those of the source.
// RUN: distaff compile %s --target sm_80 --func kernel --stop-after=assign-layouts | FileCheck %s
// RUN: distaff run %s --target sm_80 --func kernel --check --every-stage --device ptx --input arg0=whole:1:-9:9
// RUN: distaff compile %s --target sm_80 --func same --stop-after=assign-layouts | FileCheck %s --check-prefix=SAME
// RUN: distaff run %s --target sm_80 --func same --check --every-stage --device ptx

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [8], element_tile = [8], subgroup_strides = [0], thread_strides = [4]>
#out = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#in = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4], element_tile = [16], subgroup_strides = [0], thread_strides = [8]>
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>

// CHECK-DAG: #[[ROW:.+]] = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [8], element_tile = [8], subgroup_strides = [0], thread_strides = [4]>
// CHECK-DAG: #[[OUT:.+]] = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32],
// CHECK-DAG: #[[IN:.+]] = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4], element_tile = [16],
// CHECK-LABEL: func.func @kernel
// CHECK: %[[READ:.+]] = vector.transfer_read
// CHECK: to_layout %[[READ]] to layout(#[[ROW]])
// CHECK: to_layout %{{.*}} to layout(#[[IN]])
// CHECK: %[[SUM:.+]] = arith.addf
// CHECK: to_layout %{{.*}} to layout(#[[OUT]])
func.func private @doubled(%x: vector<64xf32> {iree_vector_ext.layout = #in}) -> (vector<64xf32> {iree_vector_ext.layout = #row}) {
  %y = arith.addf %x, %x : vector<64xf32>
  return %y : vector<64xf32>
}

func.func @kernel(%v: vector<64xf32> {iree_vector_ext.layout = #row}) -> (vector<64xf32> {iree_vector_ext.layout = #out}) attributes {translation_info = #launch} {
  %n = arith.negf %v : vector<64xf32>
  %d = func.call @doubled(%n) : (vector<64xf32>) -> vector<64xf32>
  return %d : vector<64xf32>
}

// What is handed on is what was read.
// SAME-LABEL: func.func @same
// SAME: %[[READ:.+]] = vector.transfer_read
// SAME: %[[LAID:.+]] = iree_vector_ext.to_layout %[[READ]]
// SAME: vector.transfer_write %[[LAID]]
// SAME: memref.store %arg1
func.func @same(%v: vector<6xi32>, %a: i32) -> (vector<6xi32>, i32) attributes {translation_info = #launch} {
  return %v, %a : vector<6xi32>, i32
}
