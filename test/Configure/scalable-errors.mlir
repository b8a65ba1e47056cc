// Scalable vectors and their scale are refused in words of the target (VX-151).
// RUN: split-file %s %t
// RUN: not distaff-opt %t/vectors.mlir --distaff-form-launches=target=gfx942 --distaff-configure=target=gfx942 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: 'vector.load' op 'vector<[4]xf32>' is scalable, and a lane of gfx942 has a fixed number of registers; take one such as 'vector<4xf32>'
// RUN: not distaff-opt %t/vectors.mlir --distaff-form-launches=target=host --distaff-configure=target=host 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: 'vector.load' op 'vector<[4]xf32>' is scalable, and {{vectors of x86-64 have a fixed size|code for AArch64 is of NEON, whose vectors have a fixed size, and not of SVE}}; take one such as 'vector<4xf32>'
// RUN: not distaff compile %t/scale.mlir --target sm_80 --func of_vector 2>&1 | FileCheck %s --check-prefix=SCALE -DOP=vector.vscale
// RUN: not distaff compile %t/scale.mlir --target sm_80 --func of_llvm 2>&1 | FileCheck %s --check-prefix=SCALE -DOP=llvm.intr.vscale
// RUN: not distaff compile %t/scale.mlir --target sm_80 --func by_name 2>&1 | FileCheck %s --check-prefix=SCALE -DOP=llvm.call_intrinsic
// SCALE: '[[OP]]' op is the scale of scalable vectors, and a lane of sm_80 has a fixed number of registers; take sizes without it

//--- vectors.mlir
func.func @k(%a: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<8xf32>, vector<[4]xf32>
  vector.store %x, %o[%c0] : memref<8xf32>, vector<[4]xf32>
  return
}

//--- scale.mlir
func.func @of_vector(%o: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %x = vector.vscale
  memref.store %x, %o[%c0] : memref<8xindex>
  return
}
func.func @of_llvm(%o: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %x = "llvm.intr.vscale"() : () -> i64
  memref.store %x, %o[%c0] : memref<8xi64>
  return
}
func.func @by_name(%o: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %x = llvm.call_intrinsic "llvm.vscale.i64"() : () -> i64
  memref.store %x, %o[%c0] : memref<8xi64>
  return
}
