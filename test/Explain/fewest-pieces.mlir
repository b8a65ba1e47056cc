// Each piece of a value that goes through workgroup memory takes two barriers, of
// 40 issue slots each, and an access takes 4. Of 7 registers by 32 lanes, 896 bytes,
// 448 bytes hold what half of the lanes have, or else (7 is prime) one register of all:
//     2 pieces along lanes:      2 * 2 * 40 + 2 * (7 + 7) * 4 = 272
//     7 pieces along registers:  7 * 2 * 40 + (7 + 7) * 4     = 616
// so fewer pieces win, although a lane then stores and loads in two rounds.
//
// RUN: distaff explain %s --target sm_80 | FileCheck %s
// RUN: distaff run %s --target sm_80 --check

#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1, 1], batch_tile = [7, 1, 1], outer_tile = [1, 1, 1], thread_tile = [1, 4, 8], element_tile = [1, 1, 1], subgroup_strides = [0, 0, 0], thread_strides = [0, 8, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1, 1], batch_tile = [7, 1, 1], outer_tile = [1, 1, 1], thread_tile = [1, 4, 8], element_tile = [1, 1, 1], subgroup_strides = [0, 0, 0], thread_strides = [0, 1, 4]>

// CHECK: T3 shared memory
// CHECK-NEXT: 448 B, in 2 pieces since all at once is more than the workgroup has, 14 stores of 4 B: 14 wavefronts (ideal 14), 14 loads of 4 B: 14 wavefronts (ideal 14)
func.func @fewer_pieces(%x: memref<7x4x8xf32>, %y: memref<7x4x8xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %own = memref.alloc() : memref<41616xf32, #gpu.address_space<workgroup>>
  memref.store %z, %own[%c0] : memref<41616xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %x[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<7x4x8xf32>, vector<7x4x8xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<7x4x8xf32>
  %2 = iree_vector_ext.to_layout %1 to layout(#columns) {shared_memory_conversion} : vector<7x4x8xf32>
  vector.transfer_write %2, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<7x4x8xf32>, memref<7x4x8xf32>
  return
}
