// Transfers through views of every second row, of every third column, of both, of less
// dims, and of a view of a view (VX-75, VX-76, VX-94): wide where rows are contiguous,
// cut off at the view's edge, and in order with accesses of the memory behind them.
// RUN: distaff run %s --target sm_80 --func rows_and_columns --check --every-stage --input arg1=3 | FileCheck %s
// RUN: distaff run %s --target sm_80 --func rows_and_columns --device ptx --check --input arg1=5
// RUN: distaff run %s --target sm_80 --func written --check --every-stage --input arg1=1 | FileCheck %s
// RUN: distaff run %s --target sm_80 --func written --device ptx --check --input arg1=0
// RUN: sed 's/size = .64, 1, 1. subgroup_size = 32/size = [128, 1, 1] subgroup_size = 64/' %s > %t.mlir
// RUN: distaff run %t.mlir --target gfx942 --func rows_and_columns --check --every-stage --input arg1=7 | FileCheck %s
// RUN: distaff run %t.mlir --target gfx942 --func written --check --every-stage --input arg1=1 | FileCheck %s
// CHECK: distribute {{.*}} ok
// CHECK: lower {{.*}} ok
// CHECK: convert {{.*}} ok
// RUN: distaff compile %s --target sm_80 --func rows_and_columns --emit=ptx -o - | FileCheck %s --check-prefix=WIDE
// WIDE-LABEL: .entry rows_and_columns
// WIDE: ld.global{{.*}}.v4
// Rows may be as far apart as only a launch knows.
// RUN: distaff run %s --target sm_80 --func unknown_stride --check --every-stage --input arg1=3 | FileCheck %s
// RUN: distaff run %s --target sm_80 --func unknown_stride --device ptx --check --input arg1=4
// RUN: distaff run %t.mlir --target gfx942 --func unknown_stride --check --every-stage --input arg1=1 | FileCheck %s

// A lane has several rows and columns of the view.
#blocks = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [2, 4], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @rows_and_columns(%a: memref<64x96xf32>, %i: index, %o: memref<16x32xf32>, %p: memref<16x16xf32>, %q: memref<32xf32>, %r: memref<8x8xf32>, %s: memref<16x64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant -1.0 : f32
  %rows = memref.subview %a[%i, 16] [16, 32] [2, 1] : memref<64x96xf32> to memref<16x32xf32, strided<[192, 1], offset: ?>>
  %0 = vector.transfer_read %rows[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x32xf32, strided<[192, 1], offset: ?>>, vector<16x32xf32>
  vector.transfer_write %0, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<16x32xf32>
  %columns = memref.subview %a[1, %i] [16, 16] [3, 3] : memref<64x96xf32> to memref<16x16xf32, strided<[288, 3], offset: ?>>
  %1 = vector.transfer_read %columns[%c1, %c1], %z {in_bounds = [false, false]} : memref<16x16xf32, strided<[288, 3], offset: ?>>, vector<16x16xf32>
  %blocked = iree_vector_ext.to_layout %1 to layout(#blocks) : vector<16x16xf32>
  vector.transfer_write %blocked, %p[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  %one = memref.subview %a[%i, 2] [1, 32] [1, 2] : memref<64x96xf32> to memref<32xf32, strided<[2], offset: ?>>
  %2 = vector.transfer_read %one[%c0], %z {in_bounds = [true]} : memref<32xf32, strided<[2], offset: ?>>, vector<32xf32>
  vector.transfer_write %2, %q[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  %twice = memref.subview %columns[1, 0] [8, 8] [2, 2] : memref<16x16xf32, strided<[288, 3], offset: ?>> to memref<8x8xf32, strided<[576, 6], offset: ?>>
  %3 = vector.transfer_read %twice[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<8x8xf32, strided<[576, 6], offset: ?>>, vector<8x8xf32>
  vector.transfer_write %3, %r[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32>
  %any = memref.cast %rows : memref<16x32xf32, strided<[192, 1], offset: ?>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  %4 = vector.transfer_read %any[%c0, %c1], %z {in_bounds = [true, false]} : memref<?x?xf32, strided<[?, ?], offset: ?>>, vector<16x64xf32>
  vector.transfer_write %4, %s[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
  return
}

// Rows of one parity are doubled, then what lies in between is added to them.
func.func @written(%a: memref<32x64xf32>, %i: index, %o: memref<16x64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : vector<16x64xf32>
  %rows = memref.subview %a[%i, 0] [16, 64] [2, 1] : memref<32x64xf32> to memref<16x64xf32, strided<[128, 1], offset: ?>>
  %0 = vector.transfer_read %rows[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x64xf32, strided<[128, 1], offset: ?>>, vector<16x64xf32>
  %1 = arith.mulf %0, %two : vector<16x64xf32>
  vector.transfer_write %1, %rows[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32, strided<[128, 1], offset: ?>>
  %2 = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<32x64xf32>, vector<64x32xf32>
  %zero = arith.constant dense<0.0> : vector<64xf32>
  %3 = vector.multi_reduction <add>, %2, %zero [1] : vector<64x32xf32> to vector<64xf32>
  %4 = vector.broadcast %3 : vector<64xf32> to vector<16x64xf32>
  %5 = arith.addf %4, %1 : vector<16x64xf32>
  vector.transfer_write %5, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32>
  return
}

func.func @unknown_stride(%a: memref<64x96xf32>, %s: index, %o: memref<16x32xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant -1.0 : f32
  %rows = memref.subview %a[0, 0] [16, 32] [%s, 1] : memref<64x96xf32> to memref<16x32xf32, strided<[?, 1]>>
  %0 = vector.transfer_read %rows[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x32xf32, strided<[?, 1]>>, vector<16x32xf32>
  vector.transfer_write %0, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<16x32xf32>
  return
}
