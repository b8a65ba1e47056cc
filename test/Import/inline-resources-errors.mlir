// RUN: distaff-opt %s --distaff-inline-resources --split-input-file --verify-diagnostics

func.func @missing() -> tensor<4xf32> {
  // expected-error @+1 {{'arith.constant' op resource 'elided' has no data: its entry under dialect_resources is missing, so print the module with its resources (an exporter may elide large ones)}}
  %w = arith.constant dense_resource<elided> : tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

func.func @cut() -> tensor<4xf32> {
  // expected-error @+1 {{'arith.constant' op resource 'cut' has 12 bytes of data, tensor<4xf32> takes 16; the file is damaged or cut, so export it again}}
  %w = arith.constant dense_resource<cut> : tensor<4xf32>
  return %w : tensor<4xf32>
}

{-# dialect_resources: { builtin: { cut: "0x040000000000803F0000004000004040" } } #-}

// -----

func.func @long() -> tensor<5xi1> {
  // expected-error @+1 {{'arith.constant' op resource 'long' has 2 bytes of data, tensor<5xi1> takes 5, or packed 1; the file is damaged or cut, so export it again}}
  %w = arith.constant dense_resource<long> : tensor<5xi1>
  return %w : tensor<5xi1>
}

{-# dialect_resources: { builtin: { long: "0x010000000101" } } #-}

// -----

func.func @no_numbers() -> tensor<1xvector<2xf32>> {
  // expected-error @+1 {{'arith.constant' op resource 'vectors' is of type tensor<1xvector<2xf32>>; constants are arrays of integers and floats that fit in memory}}
  %w = arith.constant dense_resource<vectors> : tensor<1xvector<2xf32>>
  return %w : tensor<1xvector<2xf32>>
}

{-# dialect_resources: { builtin: { vectors: "0x040000000000000000000000" } } #-}
