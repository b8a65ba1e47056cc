// RUN: distaff-opt %s --distaff-inline-resources | FileCheck %s

// CHECK-LABEL: func.func @weight(
// CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK-NOT: dialect_resources
func.func @weight() -> tensor<4xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4xf32>
  return %w : tensor<4xf32>
}

// CHECK-LABEL: func.func @splat(
// CHECK: arith.constant dense<-3> : tensor<2x3xi16>
func.func @splat() -> tensor<2x3xi16> {
  %w = arith.constant dense_resource<splat> : tensor<2x3xi16>
  return %w : tensor<2x3xi16>
}

// A byte for each, or a bit for each from the lowest on.
// CHECK-LABEL: func.func @bits(
// CHECK: arith.constant dense<[true, false, true, true, false]> : tensor<5xi1>
// CHECK: arith.constant dense<[true, false, true, true, false]> : tensor<5xi1>
func.func @bits() -> (tensor<5xi1>, tensor<5xi1>) {
  %bytes = arith.constant dense_resource<bits_in_bytes> : tensor<5xi1>
  %packed = arith.constant dense_resource<packed_bits> : tensor<5xi1>
  return %bytes, %packed : tensor<5xi1>, tensor<5xi1>
}

// CHECK-LABEL: func.func @nibbles(
// CHECK: arith.constant dense<[1, -8, 7]> : tensor<3xi4>
// CHECK: arith.constant dense<[1, -8, 7]> : tensor<3xi4>
func.func @nibbles() -> (tensor<3xi4>, tensor<3xi4>) {
  %bytes = arith.constant dense_resource<nibbles_in_bytes> : tensor<3xi4>
  %packed = arith.constant dense_resource<packed_nibbles> : tensor<3xi4>
  return %bytes, %packed : tensor<3xi4>, tensor<3xi4>
}

// CHECK-LABEL: func.func @nothing(
// CHECK: arith.constant dense<> : tensor<0x4xf32>
func.func @nothing() -> tensor<0x4xf32> {
  %w = arith.constant dense_resource<nothing> : tensor<0x4xf32>
  return %w : tensor<0x4xf32>
}

// CHECK: memref.global "private" constant @table : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
memref.global "private" constant @table : memref<2xf32> = dense_resource<table>

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F000000400000404000008040",
      splat: "0x02000000FDFFFDFFFDFFFDFFFDFFFDFF",
      bits_in_bytes: "0x010000000100FF0100",
      packed_bits: "0x01000000ED",
      nibbles_in_bytes: "0x0100000001F807",
      packed_nibbles: "0x0100000081F7",
      nothing: "0x04000000",
      table: "0x040000000000803F00000040"
    }
  }
#-}
