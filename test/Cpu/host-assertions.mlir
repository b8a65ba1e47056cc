// RUN: distaff-opt %s --distaff-convert-to-host=target=host | FileCheck %s

// A message is written once for all assertions of a kernel that have it.
// CHECK-DAG: llvm.mlir.global internal constant @[[BELOW:distaff_assertion[_0-9]*]]("below\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[ABOVE:distaff_assertion[_0-9]*]]("above\00")
// CHECK-NOT: llvm.mlir.global internal constant @distaff_assertion
// CHECK:     llvm.func{{.*}} @k
// CHECK:     llvm.mlir.addressof @[[BELOW]]
// CHECK:     llvm.mlir.addressof @[[ABOVE]]
// CHECK:     llvm.mlir.addressof @[[BELOW]]
func.func @k(%m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %nine = arith.constant 9 : i32
  %a = memref.load %m[%c0] : memref<4xi32>
  %b = memref.load %m[%c1] : memref<4xi32>
  %p = arith.cmpi sge, %a, %zero : i32
  cf.assert %p, "below"
  %q = arith.cmpi slt, %a, %nine : i32
  cf.assert %q, "above"
  %r = arith.cmpi sge, %b, %zero : i32
  cf.assert %r, "below"
  return
}
