// What a kernel of a CPU cannot pass to a function of C (VX-152).
// RUN: distaff-opt %s --distaff-form-launches=target=host --distaff-configure=target=host --split-input-file --verify-diagnostics

func.func private @"no name of C"(f32) -> f32
func.func @named(%x: f32) -> f32 {
  // expected-error @+1 {{'func.call' op calls @no name of C, which has no body here, and no function of C has that name}}
  %0 = call @"no name of C"(%x) : (f32) -> f32
  return %0 : f32
}

// -----

func.func private @memory(memref<4xf32>)
func.func @views(%x: memref<4xf32>) {
  // expected-error @+1 {{'func.call' op calls @memory, which has no body here, with 'memref<4xf32>', which is neither a vector nor a scalar of C}}
  call @memory(%x) : (memref<4xf32>) -> ()
  return
}

// -----

func.func private @half(f16) -> f32
func.func @halves(%x: f16) -> f32 {
  // expected-error @+1 {{calls @half, which has no body here, with 'f16', which is a float that C does not pass by value; pass a vector of one element}}
  %0 = call @half(%x) : (f16) -> f32
  return %0 : f32
}

// -----

func.func private @nibbles(vector<8xi4>)
func.func @packed(%x: vector<8xi4>) {
  // expected-error @+1 {{with 'vector<8xi4>', which has elements that share bytes, or that C has no type of; pass integers of 8, 16, 32 or 64 bits}}
  call @nibbles(%x) : (vector<8xi4>) -> ()
  return
}
