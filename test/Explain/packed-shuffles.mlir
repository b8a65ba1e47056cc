// Two f16 share a word, so four rows take two shuffles in each of five rounds:
// what is in the code, not one for each row.
//
// RUN: distaff explain %s --target sm_80 | FileCheck %s
// RUN: distaff compile %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=PTX

#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [4, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>

// CHECK: maximumf dims [1]: 1 element/lane, 32 lanes per result (stride 1), 1 subgroup per result, 5 rounds, 10 shuffles;
// PTX-COUNT-10: shfl.sync
// PTX-NOT: shfl.sync
func.func @rows(%x: memref<4x32xf16>, %y: memref<4xf16>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %least = arith.constant dense<-1.0> : vector<4xf16>
  %0 = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<4x32xf16>, vector<4x32xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<4x32xf16>
  %2 = vector.multi_reduction <maximumf>, %1, %least [1] : vector<4x32xf16> to vector<4xf16>
  vector.transfer_write %2, %y[%c0] {in_bounds = [true]} : vector<4xf16>, memref<4xf16>
  return
}
