// What two anchors say of the reduced dim of a contraction differs: one of the
// operands is converted (VX-59, W14), here and where a subgroup has 64 lanes.
// RUN: distaff run %s --target sm_80 --check --every-stage | FileCheck %s --check-prefix=RIGHT
// RUN: distaff run %s --target sm_80 --device ptx --check
// RUN: sed 's/workgroup_size = .32, 1, 1. subgroup_size = 32/workgroup_size = [64, 1, 1] subgroup_size = 64/' %s > %t.mlir
// RUN: distaff run %t.mlir --target gfx942 --check --every-stage | FileCheck %s --check-prefix=RIGHT
// RIGHT: distribute {{.*}} ok
// RIGHT: lower {{.*}} ok
// RIGHT: convert {{.*}} ok
// RUN: distaff explain %s --target sm_80 | FileCheck %s --check-prefix=WHY
// WHY: ⟨B[1,4] T[8,4]:[4,1] E[1,2]⟩ ->
// WHY-NEXT: T{{[23]}}

#k_on_lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 4], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#k_on_registers = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [1, 0]>
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @product(%a: memref<8x32xf32>, %b: memref<16x32xf32>, %out: memref<8x16xf32>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<8x16xf32>
  %0 = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x32xf32>, vector<8x32xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#k_on_lanes) : vector<8x32xf32>
  %2 = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x32xf32>, vector<16x32xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#k_on_registers) : vector<16x32xf32>
  %4 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %1, %3, %none : vector<8x32xf32>, vector<16x32xf32> into vector<8x16xf32>
  vector.transfer_write %4, %out[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xf32>, memref<8x16xf32>
  return
}
