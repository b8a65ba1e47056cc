// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-vectors{target=host:avx2}))' --split-input-file --verify-diagnostics

// expected-error@+1 {{'func.func' op has distaff.strategies for 'contraction', and there are vectors, pieces, transfers, remainders, contractions, reductions}}
func.func @subject() attributes {distaff.strategies = {contraction = "dot"}} {
  return
}

// -----

// expected-error@+1 {{'func.func' op has the strategy "dots" for contractions, and there are outer, parallel, dot, elements}}
func.func @name() attributes {distaff.strategies = {contractions = "dots"}} {
  return
}

// -----

// expected-error@+1 {{'func.func' op has the strategy 8 : i64 for pieces, and there are 4, 8, 16, 32}}
func.func @number() attributes {distaff.strategies = {pieces = 8}} {
  return
}

// -----

// expected-error@+1 {{'func.func' op has distaff.strategies = "dot", which has to be a dictionary, as {contractions = "dot"}}}
func.func @text() attributes {distaff.strategies = "dot"} {
  return
}

// -----

// expected-error@+1 {{'func.func' op takes or returns 'vector<512x256xi8>', and vectors are passed of at most 65536 elements; pass it through memory}}
func.func private @large(%v: vector<512x256xi8>) {
  return
}

// -----

// expected-error@+1 {{'func.func' op has vector arguments or results; a kernel takes and returns them through memory}}
func.func @public(%v: vector<4xf32>) {
  return
}
