#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), fold-memref-alias-ops.
#
# Documented: the pass folds loads and stores of a memref.expand_shape into loads
# and stores of its source, which do the same.
#
# Seen: it does so for vector.transfer_read of more than one dimension too. Rows of
# the expanded memref are 3 elements apart; the folded read has the same vector type
# and takes the rows of the source, which are 9 elements apart.
#
# Why it matters: expand_shape is how a compiler splits a dimension into tiles before
# it reads vectors. The result is in bounds and has the right type.
#
# Distaff: lib/Rewrite/Guards.cpp applies the pattern to one row, all of it inside.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

cat >"$work/split.mlir" <<'MLIR'
func.func @element(%m: memref<8x9xi32>, %i: index, %j: index, %k: index) -> i32 {
  %pad = arith.constant -1 : i32
  %split = memref.expand_shape %m [[0], [1, 2]] output_shape [8, 3, 3]
      : memref<8x9xi32> into memref<8x3x3xi32>
  %v = vector.transfer_read %split[%i, %j, %k], %pad {in_bounds = [true, true]}
      : memref<8x3x3xi32>, vector<2x3xi32>
  %r = vector.extract %v[1, 0] : i32 from vector<2x3xi32>
  return %r : i32
}
func.func @main() -> i32 {
  %m = memref.alloc() : memref<8x9xi32>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 9 {
      %place = affine.apply affine_map<(d0, d1) -> (10 * d0 + d1)>(%i, %j)
      %value = arith.index_cast %place : index to i32
      affine.store %value, %m[%i, %j] : memref<8x9xi32>
    }
  }
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %r = func.call @element(%m, %two, %one, %zero)
      : (memref<8x9xi32>, index, index, index) -> i32
  return %r : i32
}
MLIR
expect "element [2, 1 + 1, 0] of the split memref, as written" \
  "$(valueOf "$work/split.mlir" i32)" 26
expect "after fold-memref-alias-ops" \
  "$(valueOf "$work/split.mlir" i32 --fold-memref-alias-ops)" 33
