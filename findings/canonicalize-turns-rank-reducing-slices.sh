#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), canonicalize.
#
# Documented: tensor.extract_slice with the sizes [1, 2, 1] and the result type
# tensor<1x2> drops a dimension of extent 1, which can only be the last one. The
# elements stay those that offsets, sizes and strides select: a column.
#
# Seen: if an offset is an SSA value that is a constant, canonicalize rewrites the
# sizes to [1, 1, 2], which is a row. It drops the first dimension of extent 1 and
# takes the sizes from the result type. fold-memref-alias-ops makes the same choice
# for memref.subview if the strides are dynamic, which they are in every function
# that one-shot-bufferize has converted with its default options.
#
# Why it matters: the offset of a tile becomes a constant by unrolling. Row and
# column have the same type, so no verifier objects; only the values are wrong.
#
# Distaff: lib/Rewrite/ConstantSlices.cpp has a fold of its own in the pattern's place.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

cat >"$work/slice.mlir" <<'MLIR'
func.func @column(%s: tensor<2x2x2xi32>, %k: index) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = tensor.extract_slice %s[%one, 0, 0] [1, 2, 1] [1, 1, 1]
      : tensor<2x2x2xi32> to tensor<1x2xi32>
  %r = tensor.extract %c[%zero, %k] : tensor<1x2xi32>
  return %r : i32
}
func.func @main() -> i32 {
  %one = arith.constant 1 : index
  %s = tensor.generate {
  ^bb0(%i: index, %j: index, %k: index):
    %hundred = arith.constant 100 : index
    %ten = arith.constant 10 : index
    %hundreds = arith.muli %i, %hundred : index
    %tens = arith.muli %j, %ten : index
    %sum = arith.addi %hundreds, %tens : index
    %place = arith.addi %sum, %k : index
    %value = arith.index_cast %place : index to i32
    tensor.yield %value : i32
  } : tensor<2x2x2xi32>
  %r = func.call @column(%s, %one) : (tensor<2x2x2xi32>, index) -> i32
  return %r : i32
}
MLIR
options=bufferize-function-boundaries
static=(--one-shot-bufferize="$options function-boundary-type-conversion=identity-layout-map"
  --convert-linalg-to-loops --fold-memref-alias-ops)
dynamic=(--one-shot-bufferize="$options" --convert-linalg-to-loops --fold-memref-alias-ops)
expect "element 1 of the column, as written" \
  "$(valueOf "$work/slice.mlir" i32 "${static[@]}")" 110
expect "after canonicalize" \
  "$(valueOf "$work/slice.mlir" i32 --canonicalize "${static[@]}")" 101
expect "without canonicalize, folded with dynamic strides" \
  "$(valueOf "$work/slice.mlir" i32 "${dynamic[@]}")" 101
