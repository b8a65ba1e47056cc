// vector.shuffle needs all rows in every lane, and of each row its part only (VX-72).
// RUN: distaff run %s --target sm_80 --func rows --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --func rows --check --device ptx
// RUN: distaff run %s --target gfx942 --func rows_of_64_lanes --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --func three_dims --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --func laid_out_by_rows --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --func one_column --check --every-stage | FileCheck %s
// RUN: distaff explain %s --target sm_80 --func rows | FileCheck %s --check-prefix=PART
// CHECK: assign-layouts {{.*}} bound 0.00e+00  ok
// CHECK: convert {{.*}} bound 0.00e+00  ok

// Two sources of unlike numbers of rows; one row twice, poison, the other order.
// PART: vector.shuffle vector<6x64xf32>: {{.*}}, {{6|12}} registers/lane
func.func @rows(%x: memref<4x64xf32>, %y: memref<3x64xf32>, %o: memref<6x64xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x64xf32>, vector<4x64xf32>
  %b = vector.transfer_read %y[%c0, %c0], %z {in_bounds = [true, true]} : memref<3x64xf32>, vector<3x64xf32>
  %s = vector.shuffle %a, %b [6, 0, 5, 5, 3, 4] : vector<4x64xf32>, vector<3x64xf32>
  vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true, true]} : vector<6x64xf32>, memref<6x64xf32>
  return
}

func.func @rows_of_64_lanes(%x: memref<5x96xi16>, %o: memref<3x96xi16>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 64>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i16
  %a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<5x96xi16>, vector<5x96xi16>
  %s = vector.shuffle %a, %a [4, 0, 7] : vector<5x96xi16>, vector<5x96xi16>
  vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true, true]} : vector<3x96xi16>, memref<3x96xi16>
  return
}

func.func @three_dims(%x: memref<2x3x40xf16>, %o: memref<4x3x40xf16>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<2x3x40xf16>, vector<2x3x40xf16>
  %s = vector.shuffle %a, %a [1, 0, 2, 1] : vector<2x3x40xf16>, vector<2x3x40xf16>
  vector.transfer_write %s, %o[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<4x3x40xf16>, memref<4x3x40xf16>
  return
}

// The user has split the rows: the value moves first, and back.
#split = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 8], subgroup_strides = [0, 0], thread_strides = [4, 1]>
func.func @laid_out_by_rows(%x: memref<8x32xf32>, %o: memref<8x32xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x32xf32>, vector<8x32xf32>
  %l = iree_vector_ext.to_layout %a to layout(#split) : vector<8x32xf32>
  %s = vector.shuffle %l, %l [7, 6, 5, 4, 3, 2, 9, 8] : vector<8x32xf32>, vector<8x32xf32>
  %k = iree_vector_ext.to_layout %s to layout(#split) : vector<8x32xf32>
  vector.transfer_write %k, %o[%c0, %c0] {in_bounds = [true, true]} : vector<8x32xf32>, memref<8x32xf32>
  return
}

func.func @one_column(%x: memref<5x1xi32>, %o: memref<2x1xi32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<5x1xi32>, vector<5x1xi32>
  %s = vector.shuffle %a, %a [9, 3] : vector<5x1xi32>, vector<5x1xi32>
  vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true, true]} : vector<2x1xi32>, memref<2x1xi32>
  return
}
