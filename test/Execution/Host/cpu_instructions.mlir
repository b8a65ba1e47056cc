// A CPU's own instructions, by ops of x86vector and by LLVM's names, on vectors
// that shape_cast flattened, with values by hand; the machine says who runs them
// (VX-151).
// REQUIRES: host-avx512bf16

// RUN: distaff run %s --func dots --target host:avx512bf16 --device host --input arg0=iota --input arg1=iota --output arg2=%t.dots.npy
// RUN: distaff run %s --func halves --target host:avx2 --device host --input arg0=iota --output arg1=%t.halves.npy
// RUN: distaff run %s --func chosen --target host:avx512 --device host --input arg0=iota --output arg1=%t.chosen.npy
// RUN: distaff run %s --func roots --target host:avx2 --device host --input arg0=16 --output arg1=%t.roots.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/../Inputs'); import npy, pathlib; [print(name, npy.read(pathlib.Path(f'%t.{name}.npy'), 'f32')) for name in ('dots', 'halves', 'chosen', 'roots')]" | FileCheck %s

// RUN: not distaff run %s --func roots --target host --input arg0=16 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: 'x86vector.avx.rsqrt' op not modelled: it is an instruction of a CPU, which --device host runs, without --check
// RUN: not distaff run %s --func halves --target host 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: 'llvm.call_intrinsic' op not modelled: "llvm.x86.avx.dp.ps.256" has no meaning here; if it is a CPU's, --device host runs it, without --check

// A word of bf16 is two elements: 2j * 2j + (2j + 1) * (2j + 1), and j before it.
// CHECK: dots [1.0, 14.0, 43.0, 88.0, 149.0, 226.0, 319.0, 428.0, 553.0, 694.0, 851.0, 1024.0, 1213.0, 1418.0, 1639.0, 1876.0]
func.func @dots(%s: memref<2x8xf32>, %a: memref<4x8xbf16>, %o: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %s[%c0, %c0] : memref<2x8xf32>, vector<2x8xf32>
  %y = vector.load %a[%c0, %c0] : memref<4x8xbf16>, vector<4x8xbf16>
  %xf = vector.shape_cast %x : vector<2x8xf32> to vector<16xf32>
  %yf = vector.shape_cast %y : vector<4x8xbf16> to vector<32xbf16>
  %d = x86vector.avx512.dot %xf, %yf, %yf : vector<32xbf16> -> vector<16xf32>
  %r = vector.shape_cast %d : vector<16xf32> to vector<2x8xf32>
  vector.store %r, %o[%c0, %c0] : memref<2x8xf32>, vector<2x8xf32>
  return
}

// Each half of the vector times itself, in all of its elements.
// CHECK: halves [14.0, 14.0, 14.0, 14.0, 126.0, 126.0, 126.0, 126.0]
func.func @halves(%a: memref<2x4xf32>, %o: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<2x4xf32>, vector<2x4xf32>
  %xf = vector.shape_cast %x : vector<2x4xf32> to vector<8xf32>
  %all = llvm.mlir.constant(-1 : i8) : i8
  %d = llvm.call_intrinsic "llvm.x86.avx.dp.ps.256"(%xf, %xf, %all) : (vector<8xf32>, vector<8xf32>, i8) -> vector<8xf32>
  %r = vector.shape_cast %d : vector<8xf32> to vector<2x4xf32>
  vector.store %r, %o[%c0, %c0] : memref<2x4xf32>, vector<2x4xf32>
  return
}

// Those above 9 come first.
// CHECK: chosen [10.0, 11.0, 12.0, 13.0, 14.0, 15.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]
func.func @chosen(%a: memref<4x4xf32>, %o: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  %xf = vector.shape_cast %x : vector<4x4xf32> to vector<16xf32>
  %nine = arith.constant dense<9.0> : vector<16xf32>
  %rest = arith.constant dense<-1.0> : vector<16xf32>
  %above = arith.cmpf ogt, %xf, %nine : vector<16xf32>
  %d = x86vector.avx512.mask.compress %above, %xf, %rest : vector<16xf32>, vector<16xf32>
  %r = vector.shape_cast %d : vector<16xf32> to vector<4x4xf32>
  vector.store %r, %o[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  return
}

// An estimate, with an error of 1.5 * 2^-12 at most, squared and rounded.
// CHECK: roots [0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625]
func.func @roots(%s: f32, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.broadcast %s : f32 to vector<8xf32>
  %d = x86vector.avx.rsqrt %x : vector<8xf32>
  %two = arith.constant dense<1024.0> : vector<8xf32>
  %sq = arith.mulf %d, %d : vector<8xf32>
  %up = arith.mulf %sq, %two : vector<8xf32>
  %near = math.roundeven %up : vector<8xf32>
  %r = arith.divf %near, %two : vector<8xf32>
  vector.store %r, %o[%c0] : memref<8xf32>, vector<8xf32>
  return
}
