// Rows of 24 words, read by columns, lie 28 apart: the padding meets fewer bank
// conflicts than rows next to each other do, which here are none (VX-47). The twin goes
// through rows without padding by hand.
// RUN: distaff run %s --target sm_80 --func padded --counters --output arg1=%t.padded.npy | FileCheck %s --check-prefix=PADDED
// RUN: distaff run %s --target sm_80 --func plain --counters --output arg1=%t.plain.npy | FileCheck %s --check-prefix=PLAIN
// RUN: cmp %t.padded.npy %t.plain.npy
// RUN: distaff compile %s --target sm_80 --stop-after=distribute | FileCheck %s
// PADDED: bank conflicts        0
// PLAIN: bank conflicts        {{[1-9][0-9]+}}
// CHECK-LABEL: gpu.func @padded
// CHECK: memref.alloc() : memref<668xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: gpu.func @plain

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [12, 1], outer_tile = [1, 1], thread_tile = [1, 24], element_tile = [1, 1], subgroup_strides = [1, 0], thread_strides = [0, 1]>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 12], outer_tile = [1, 1], thread_tile = [24, 1], element_tile = [1, 1], subgroup_strides = [0, 1], thread_strides = [1, 0]>
func.func @padded(%m: memref<24x24xf32>, %o: memref<24x24xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<24x24xf32>, vector<24x24xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#columns) : vector<24x24xf32>
  %y = iree_vector_ext.to_layout %x to layout(#rows) : vector<24x24xf32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<24x24xf32>, memref<24x24xf32>
  return
}

func.func @plain(%m: memref<24x24xf32>, %o: memref<24x24xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<24x24xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<24x24xf32>, vector<24x24xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#columns) : vector<24x24xf32>
  vector.transfer_write %x, %t[%c0, %c0] {in_bounds = [true, true]} : vector<24x24xf32>, memref<24x24xf32, #gpu.address_space<workgroup>>
  %1 = vector.transfer_read %t[%c0, %c0], %z {in_bounds = [true, true]} : memref<24x24xf32, #gpu.address_space<workgroup>>, vector<24x24xf32>
  %y = iree_vector_ext.to_layout %1 to layout(#rows) : vector<24x24xf32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<24x24xf32>, memref<24x24xf32>
  return
}
