// Matrices of LLVM, one column after the other, are n-D vectors: products and
// transposes have code on every target, and so have columns in memory that a
// stride keeps apart, whose pointer is a memref's (VX-150).

// RUN: distaff run %s --func product --target host --device host --check --input arg0=iota --input arg1=iota --output arg2=%t.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/../Inputs'); import npy, pathlib; print(npy.read(pathlib.Path('%t.npy'), 'f32'))" | FileCheck %s
// 3x4 by 4x2: element (i, j) is the sum over k of (3k + i) * (4j + k).
// CHECK: [42.0, 48.0, 54.0, 114.0, 136.0, 158.0]

// RUN: distaff run %s --func product --target host:avx2 --check %host_stages
// RUN: distaff run %s --func product --target sm_80 --check %stages
// RUN: distaff run %s --func product --target sm_80 --device ptx --check
// RUN: distaff run %s --func product --target gfx942 --check %stages
// RUN: distaff run %s --func integers --target host --device host --check --input arg0=random:3
// RUN: distaff run %s --func integers --target gfx942 --check %stages --input arg0=random:3
// RUN: distaff run %s --func columns --target host --device host --check
// RUN: distaff run %s --func columns --target sm_80 --device ptx --check

func.func @product(%a: memref<12xf32>, %b: memref<8xf32>, %o: memref<6xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<12xf32>, vector<12xf32>
  %y = vector.load %b[%c0] : memref<8xf32>, vector<8xf32>
  %z = llvm.intr.matrix.multiply %x, %y {lhs_rows = 3 : i32, lhs_columns = 4 : i32, rhs_columns = 2 : i32} : (vector<12xf32>, vector<8xf32>) -> vector<6xf32>
  vector.store %z, %o[%c0] : memref<6xf32>, vector<6xf32>
  return
}

func.func @integers(%a: memref<5x7xi32>, %o: memref<49xi32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<5x7xi32>, vector<5x7xi32>
  %flat = vector.shape_cast %x : vector<5x7xi32> to vector<35xi32>
  %t = llvm.intr.matrix.transpose %flat {rows = 7 : i32, columns = 5 : i32} : vector<35xi32> into vector<35xi32>
  %z = llvm.intr.matrix.multiply %flat, %t {lhs_rows = 7 : i32, lhs_columns = 5 : i32, rhs_columns = 7 : i32} : (vector<35xi32>, vector<35xi32>) -> vector<49xi32>
  vector.store %z, %o[%c0] : memref<49xi32>, vector<49xi32>
  return
}

// Two columns of three, five elements apart, to columns of two rows, seven apart.
func.func @columns(%a: memref<2x6xf32>, %o: memref<3x7xf32>) {
  %five = arith.constant 5 : i64
  %seven = arith.constant 7 : i64
  %from = memref.extract_aligned_pointer_as_index %a : memref<2x6xf32> -> index
  %i = arith.index_cast %from : index to i64
  %p = llvm.inttoptr %i : i64 to !llvm.ptr
  %x = llvm.intr.matrix.column.major.load %p, <stride = %five> {isVolatile = false, rows = 3 : i32, columns = 2 : i32} : vector<6xf32> from !llvm.ptr stride i64
  %t = llvm.intr.matrix.transpose %x {rows = 3 : i32, columns = 2 : i32} : vector<6xf32> into vector<6xf32>
  %to = memref.extract_aligned_pointer_as_index %o : memref<3x7xf32> -> index
  %j = arith.index_cast %to : index to i64
  %q = llvm.inttoptr %j : i64 to !llvm.ptr
  llvm.intr.matrix.column.major.store %t, %q, <stride = %seven> {isVolatile = false, rows = 2 : i32, columns = 3 : i32} : vector<6xf32> to !llvm.ptr stride i64
  return
}
