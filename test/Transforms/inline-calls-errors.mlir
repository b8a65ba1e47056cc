// RUN: distaff-opt %s --distaff-inline-calls --split-input-file --verify-diagnostics

func.func @kernel(%x: i32) -> i32 {
  %0 = call @even(%x) : (i32) -> i32
  return %0 : i32
}
// expected-note @+1 {{the function}}
func.func private @even(%x: i32) -> i32 {
  %0 = call @odd(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @odd(%x: i32) -> i32 {
  // expected-error @+1 {{'func.call' op calls @even, which comes to call itself; a kernel repeats by loops of scf}}
  %0 = call @even(%x) : (i32) -> i32
  return %0 : i32
}

// -----

func.func @kernel(%x: i32) -> i32 {
  // expected-error @+1 {{'func.call' op calls @blocks, which has several blocks and cannot be inlined; branch by scf.if and return at the end}}
  %0 = call @blocks(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @blocks(%x: i32) -> i32 {
  cf.br ^end
^end:
  return %x : i32
}
