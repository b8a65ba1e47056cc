// RUN: distaff run %s --target gfx942 --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --check --every-stage | FileCheck %s

// VX-230: 44,000 bytes of numbers fit into gfx942's workgroup memory, but not the 11,000 of
// their mask beside them. What is compressed stays in registers, then, and the memory is left
// to the rows and columns that are exchanged behind it. sm_80 has room for all three.

// CHECK: assign-layouts {{.*}} ok
// CHECK: distribute {{.*}} ok
// CHECK: lower {{.*}} ok
// CHECK: convert {{.*}} ok
func.func @compressed_beside_a_transposition(%a: memref<11000xf32>, %b: memref<11000xf32>, %c: memref<211x211xi8>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %i = arith.constant 0 : i8
  %least = arith.constant dense<0.3> : vector<11000xf32>
  %x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<11000xf32>, vector<11000xf32>
  %m = arith.cmpf ogt, %x, %least : vector<11000xf32>
  vector.compressstore %b[%c0], %m, %x : memref<11000xf32>, vector<11000xi1>, vector<11000xf32>
  %y = vector.transfer_read %c[%c0, %c0], %i {in_bounds = [true, true]} : memref<211x211xi8>, vector<211x211xi8>
  %t = vector.transpose %y, [1, 0] : vector<211x211xi8> to vector<211x211xi8>
  vector.transfer_write %t, %c[%c0, %c0] {in_bounds = [true, true]} : vector<211x211xi8>, memref<211x211xi8>
  return
}
