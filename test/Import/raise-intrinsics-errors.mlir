// What has no meaning beside the code of a CPU is told, and which level has it
// (VX-151).
// RUN: distaff-opt %s --distaff-raise-intrinsics=target=sm_80 --split-input-file --verify-diagnostics

func.func @named(%a: vector<8xf32>) -> vector<8xf32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.x86.avx.rsqrt.ps.256") is for the code of a CPU alone, and sm_80 is a GPU; take ops of arith, math and vector, or an intrinsic of LLVM with the meaning of one}}
  %0 = llvm.call_intrinsic "llvm.x86.avx.rsqrt.ps.256"(%a) : (vector<8xf32>) -> vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

func.func @of_a_dialect(%a: vector<8xf32>) -> vector<8xf32> {
  // expected-error @+1 {{'x86vector.avx.rsqrt' op is for the code of a CPU alone, and sm_80 is a GPU}}
  %0 = x86vector.avx.rsqrt %a : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

func.func @no_form(%a: vector<8xf32>) -> vector<8xi1> {
  // expected-error @+1 {{'llvm.intr.is.fpclass' op is for the code of a CPU alone, and sm_80 is a GPU}}
  %0 = "llvm.intr.is.fpclass"(%a) <{bit = 3 : i32}> : (vector<8xf32>) -> vector<8xi1>
  return %0 : vector<8xi1>
}
