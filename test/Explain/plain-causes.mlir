// RUN: distaff compile %s --target gfx942 --func no_block --remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: distaff compile %s --target sm_80 --func layouts_settle --remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SETTLED
// RUN: distaff compile %s --target sm_80 --func sums_nowhere --remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: distaff compile %s --target sm_80 --func dear --remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=DEAR
// Why a contraction stays plain (VX-105), and what settled one that does not.

#info32 = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#info64of32 = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#info64 = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// No shape fits; those that compute several matrices of a batch say of how many.
// BLOCKS: plain-causes.mlir:[[#@LINE+7]]:1: remark: contraction: plain multiply-adds, since 30x8x16 (m, n, k) is no multiple of {{.*}}16x16x1 in 4 blocks of a batch
func.func @no_block(%a: memref<30x16xf32>, %b: memref<16x8xf32>, %c: memref<30x8xf32>) attributes {translation_info = #info64} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f32
  %s = arith.constant dense<0.0> : vector<30x8xf32>
  %0 = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<30x16xf32>, vector<30x16xf32>
  %1 = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %4 = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %0, %1, %s : vector<30x16xf32>, vector<16x8xf32> into vector<30x8xf32>
  vector.transfer_write %4, %c[%c0, %c0] {in_bounds = [true, true]} : vector<30x8xf32>, memref<30x8xf32>
  return
}

// Both operands are laid out as fragments, and name no instruction.
// SETTLED: plain-causes.mlir:[[#@LINE+11]]:1: remark: contraction: m16n8k16 f16, subgroups 1x1x1, since its operands' layouts
#fragment_a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#fragment_b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [4, 8], element_tile = [2, 1], subgroup_strides = [0, 0], thread_strides = [1, 4]>
func.func @layouts_settle(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>) attributes {translation_info = #info32} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %s = arith.constant dense<0.0> : vector<16x8xf32>
  %0 = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %2 = iree_vector_ext.to_layout %0 to layout(#fragment_a) : vector<16x16xf16>
  %3 = iree_vector_ext.to_layout %1 to layout(#fragment_b) : vector<16x8xf16>
  %4 = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %2, %3, %s : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %4, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}

// The subgroups that split m are those that split n: no layout has the sums.
// NOWHERE: plain-causes.mlir:[[#@LINE+11]]:1: remark: contraction: plain multiply-adds, since the user's layouts are kept: has an acc whose layout does not follow from those of lhs and rhs, and no to_layout that says it
#meet_a = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [1, 0], thread_strides = [4, 1]>
#meet_b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [4, 8], element_tile = [2, 1], subgroup_strides = [0, 1], thread_strides = [1, 4]>
func.func @sums_nowhere(%a: memref<32x16xf16>, %b: memref<16x16xf16>, %c: memref<32x16xf32>) attributes {translation_info = #info64of32} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %s = arith.constant dense<0.0> : vector<32x16xf32>
  %0 = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<32x16xf16>, vector<32x16xf16>
  %1 = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %2 = iree_vector_ext.to_layout %0 to layout(#meet_a) : vector<32x16xf16>
  %3 = iree_vector_ext.to_layout %1 to layout(#meet_b) : vector<16x16xf16>
  %4 = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %2, %3, %s : vector<32x16xf16>, vector<16x16xf16> into vector<32x16xf32>
  vector.transfer_write %4, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<32x16xf32>
  return
}

// The layouts suit multiply-adds, and to move them costs more than they do.
// DEAR: plain-causes.mlir:[[#@LINE+14]]:1: remark: contraction: plain multiply-adds, since m8n8k4 f64, subgroups 1x1x1 would make the kernel cost {{[0-9]+}} instead of {{[0-9]+}}
#dear_a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 1], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [1, 0]>
#dear_b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 4], element_tile = [4, 2], subgroup_strides = [0, 0], thread_strides = [0, 8]>
#dear_c = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [1, 8]>
func.func @dear(%a: memref<8x4xf64>, %b: memref<4x8xf64>, %c: memref<8x8xf64>) attributes {translation_info = #info32} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f64
  %s = arith.constant dense<0.0> : vector<8x8xf64>
  %0 = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<8x4xf64>, vector<8x4xf64>
  %1 = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<4x8xf64>, vector<4x8xf64>
  %2 = iree_vector_ext.to_layout %0 to layout(#dear_a) : vector<8x4xf64>
  %3 = iree_vector_ext.to_layout %1 to layout(#dear_b) : vector<4x8xf64>
  %5 = arith.negf %2 : vector<8x4xf64>
  %6 = arith.negf %3 : vector<4x8xf64>
  %4 = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %5, %6, %s : vector<8x4xf64>, vector<4x8xf64> into vector<8x8xf64>
  %7 = iree_vector_ext.to_layout %4 to layout(#dear_c) : vector<8x8xf64>
  vector.transfer_write %7, %c[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf64>, memref<8x8xf64>
  return
}
