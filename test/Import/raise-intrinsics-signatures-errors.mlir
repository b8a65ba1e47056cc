// A call by name is compared with LLVM's own table of intrinsics (VX-170).
// RUN: distaff-opt %s --distaff-raise-intrinsics=target=host --split-input-file --verify-diagnostics

func.func @unknown(%a: vector<8xf32>) -> vector<8xf32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.fmaa.v8f32") is no intrinsic of LLVM 22}}
  %0 = llvm.call_intrinsic "llvm.fmaa.v8f32"(%a) : (vector<8xf32>) -> vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

func.func @too_few(%a: vector<8xf32>) -> vector<8xf32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.fma.v8f32") has the signature '(vector<8xf32>) -> vector<8xf32>', and no form of llvm.fma takes such operands}}
  %0 = llvm.call_intrinsic "llvm.fma.v8f32"(%a) : (vector<8xf32>) -> vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

func.func @too_many(%a: vector<8xf32>) -> vector<8xf32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.fabs.v8f32") has the signature '(vector<8xf32>, vector<8xf32>) -> vector<8xf32>', and no form of llvm.fabs takes such operands}}
  %0 = llvm.call_intrinsic "llvm.fabs.v8f32"(%a, %a) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

func.func @another_result(%a: vector<8xf32>) -> vector<8xi32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.fabs.v8f32") has the signature '(vector<8xf32>) -> vector<8xi32>', and no form of llvm.fabs returns that}}
  %0 = llvm.call_intrinsic "llvm.fabs.v8f32"(%a) : (vector<8xf32>) -> vector<8xi32>
  return %0 : vector<8xi32>
}

// -----

func.func @mixed(%a: vector<8xi32>, %b: vector<4xi32>) -> vector<8xi32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.smax.v8i32") has the signature '(vector<8xi32>, vector<4xi32>) -> vector<8xi32>', and no form of llvm.smax takes such operands}}
  %0 = llvm.call_intrinsic "llvm.smax.v8i32"(%a, %b) : (vector<8xi32>, vector<4xi32>) -> vector<8xi32>
  return %0 : vector<8xi32>
}

// -----

func.func @integers_for_floats(%a: vector<8xi32>) -> vector<8xi32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.sqrt.v8i32") has the signature '(vector<8xi32>) -> vector<8xi32>', and no form of llvm.sqrt returns that}}
  %0 = llvm.call_intrinsic "llvm.sqrt.v8i32"(%a) : (vector<8xi32>) -> vector<8xi32>
  return %0 : vector<8xi32>
}

// -----

func.func @named_for_others(%a: vector<8xf32>) -> vector<8xf32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.fabs.v4f32") is named for other types than it is given, of which it is llvm.fabs.v8f32}}
  %0 = llvm.call_intrinsic "llvm.fabs.v4f32"(%a) : (vector<8xf32>) -> vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

func.func @of_one_signature(%a: vector<16xf32>) -> vector<16xf32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.x86.avx.rsqrt.ps.256") has the signature '(vector<16xf32>) -> vector<16xf32>', and LLVM's is '(vector<8xf32>) -> vector<8xf32>'}}
  %0 = llvm.call_intrinsic "llvm.x86.avx.rsqrt.ps.256"(%a) : (vector<16xf32>) -> vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

func.func @no_result(%a: vector<8xf32>) {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.x86.avx.rsqrt.ps.256") has the signature '(vector<8xf32>) -> ()', and LLVM's is '(vector<8xf32>) -> vector<8xf32>'}}
  llvm.call_intrinsic "llvm.x86.avx.rsqrt.ps.256"(%a) : (vector<8xf32>) -> ()
  return
}

// -----

func.func @no_constant(%a: vector<8xf32>, %all: i8) -> vector<8xf32> {
  // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.x86.avx.dp.ps.256") takes a constant as operand 2, which is part of the instruction}}
  %0 = llvm.call_intrinsic "llvm.x86.avx.dp.ps.256"(%a, %a, %all) : (vector<8xf32>, vector<8xf32>, i8) -> vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// A lane's program too.
gpu.module @kernels {
  gpu.func @lane(%a: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @+1 {{'llvm.call_intrinsic' op ("llvm.nvvm.rcp.approx.ftz.f") has the signature '(f32, f32) -> f32', and LLVM's is '(f32) -> f32'}}
    %0 = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%a, %a) : (f32, f32) -> f32
    gpu.return
  }
}
