// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file | FileCheck %s

// What a conversion costs includes the memory that it passes through and the
// registers of both sides: 4 MiB are read and written in the layout of the
// anchor instead.
#info = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
#anchor = #iree_vector_ext.nested_layout<
  subgroup_tile = [8, 1, 1], batch_tile = [16, 16, 32], outer_tile = [1, 1, 1], thread_tile = [1, 8, 4], element_tile = [1, 1, 1],
  subgroup_strides = [1, 0, 0], thread_strides = [0, 4, 1]>
// CHECK-LABEL: @elementwise
// CHECK-NOT: shared_memory_conversion
// CHECK: return
func.func @elementwise(%x: memref<128x128x128xf16>, %y: memref<128x128x128xf16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %0 = vector.transfer_read %x[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<128x128x128xf16>, vector<128x128x128xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#anchor) : vector<128x128x128xf16>
  %2 = arith.addf %1, %1 : vector<128x128x128xf16>
  vector.transfer_write %2, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<128x128x128xf16>, memref<128x128x128xf16>
  return
}
