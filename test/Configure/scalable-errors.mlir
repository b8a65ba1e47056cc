// Scalable vectors are refused in words of the target (VX-151).
// RUN: not distaff-opt %s --distaff-configure=target=gfx942 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: 'vector.load' op 'vector<[4]xf32>' is scalable, and a lane of gfx942 has a fixed number of registers; take one such as 'vector<4xf32>'
// RUN: not distaff-opt %s --distaff-configure=target=host 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: 'vector.load' op 'vector<[4]xf32>' is scalable, and {{vectors of x86-64 have a fixed size|code for AArch64 is of NEON, whose vectors have a fixed size, and not of SVE}}; take one such as 'vector<4xf32>'
func.func @k(%a: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<8xf32>, vector<[4]xf32>
  vector.store %x, %o[%c0] : memref<8xf32>, vector<[4]xf32>
  return
}
