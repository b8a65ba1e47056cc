// RUN: distaff-opt %s --distaff-raise-lane-code | FileCheck %s

// A lane's code as that of the whole (VX-200, VX-201).

#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>

// CHECK-LABEL: func.func @of_the_whole
// CHECK-SAME: %[[V:.*]]: vector<64xf32>
func.func @of_the_whole(%v: vector<64xf32>) -> vector<64xf32> {
  // CHECK: %[[X:.*]] = iree_vector_ext.to_layout %[[V]]
  %x = iree_vector_ext.to_layout %v to layout(#L) : vector<64xf32>
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  // CHECK-NEXT: %[[M:.*]] = arith.mulf %[[X]], %[[X]] : vector<64xf32>
  %m = arith.mulf %p, %p : vector<1x1x2xf32>
  // CHECK-NEXT: %[[Y:.*]] = iree_vector_ext.to_layout %[[M]]
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  // CHECK-NEXT: return %[[Y]]
  return %y : vector<64xf32>
}

// One worker has all elements, and needs no layout to say so.
// CHECK-LABEL: func.func @of_one_worker
// CHECK-SAME: %[[V:.*]]: vector<4x2xf32>
func.func @of_one_worker(%v: vector<4x2xf32>) -> vector<4x2xf32> {
  // CHECK-NEXT: %[[M:.*]] = arith.mulf %[[V]], %[[V]] : vector<4x2xf32>
  %p = iree_vector_ext.to_simt %v : vector<4x2xf32> -> vector<8xf32>
  %m = arith.mulf %p, %p : vector<8xf32>
  %y = iree_vector_ext.to_simd %m : vector<8xf32> -> vector<4x2xf32>
  // CHECK-NEXT: return %[[M]]
  return %y : vector<4x2xf32>
}

// CHECK-LABEL: func.func @nothing_between
// CHECK-SAME: %[[V:.*]]: vector<64xf32>
func.func @nothing_between(%v: vector<64xf32>) -> vector<64xf32> {
  %p = iree_vector_ext.to_simt %v : vector<64xf32> -> vector<2xf32>
  %y = iree_vector_ext.to_simd %p : vector<2xf32> -> vector<64xf32>
  // CHECK-NEXT: return %[[V]]
  return %y : vector<64xf32>
}
