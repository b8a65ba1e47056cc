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

// -----

func.func @kernel(%x: i32) -> i32 {
  // expected-error @+1 {{'func.call' op calls @public, which is public, so a kernel itself; make it private, then it is inlined}}
  %0 = call @public(%x) : (i32) -> i32
  return %0 : i32
}
func.func @public(%x: i32) -> i32 {
  return %x : i32
}

// -----

func.func @kernel(%x: i32) -> i32 {
  %0 = call @f9(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @f0(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %0, %x : i32
  %2 = arith.addi %1, %x : i32
  return %2 : i32
}
func.func private @f1(%x: i32) -> i32 {
  %0 = call @f0(%x) : (i32) -> i32
  %1 = call @f0(%0) : (i32) -> i32
  %2 = call @f0(%1) : (i32) -> i32
  %3 = call @f0(%2) : (i32) -> i32
  return %3 : i32
}
func.func private @f2(%x: i32) -> i32 {
  %0 = call @f1(%x) : (i32) -> i32
  %1 = call @f1(%0) : (i32) -> i32
  %2 = call @f1(%1) : (i32) -> i32
  %3 = call @f1(%2) : (i32) -> i32
  return %3 : i32
}
func.func private @f3(%x: i32) -> i32 {
  %0 = call @f2(%x) : (i32) -> i32
  %1 = call @f2(%0) : (i32) -> i32
  %2 = call @f2(%1) : (i32) -> i32
  %3 = call @f2(%2) : (i32) -> i32
  return %3 : i32
}
func.func private @f4(%x: i32) -> i32 {
  %0 = call @f3(%x) : (i32) -> i32
  %1 = call @f3(%0) : (i32) -> i32
  %2 = call @f3(%1) : (i32) -> i32
  %3 = call @f3(%2) : (i32) -> i32
  return %3 : i32
}
func.func private @f5(%x: i32) -> i32 {
  %0 = call @f4(%x) : (i32) -> i32
  %1 = call @f4(%0) : (i32) -> i32
  %2 = call @f4(%1) : (i32) -> i32
  %3 = call @f4(%2) : (i32) -> i32
  return %3 : i32
}
func.func private @f6(%x: i32) -> i32 {
  %0 = call @f5(%x) : (i32) -> i32
  %1 = call @f5(%0) : (i32) -> i32
  %2 = call @f5(%1) : (i32) -> i32
  %3 = call @f5(%2) : (i32) -> i32
  return %3 : i32
}
func.func private @f7(%x: i32) -> i32 {
  %0 = call @f6(%x) : (i32) -> i32
  %1 = call @f6(%0) : (i32) -> i32
  %2 = call @f6(%1) : (i32) -> i32
  %3 = call @f6(%2) : (i32) -> i32
  return %3 : i32
}
func.func private @f8(%x: i32) -> i32 {
  %0 = call @f7(%x) : (i32) -> i32
  %1 = call @f7(%0) : (i32) -> i32
  %2 = call @f7(%1) : (i32) -> i32
  %3 = call @f7(%2) : (i32) -> i32
  return %3 : i32
}
func.func private @f9(%x: i32) -> i32 {
  %0 = call @f8(%x) : (i32) -> i32
  %1 = call @f8(%0) : (i32) -> i32
  %2 = call @f8(%1) : (i32) -> i32
  // expected-error @+1 {{'func.call' op calls @f8, and with it more than 1048576 ops would be inlined; call less often, or in a loop}}
  %3 = call @f8(%2) : (i32) -> i32
  return %3 : i32
}
