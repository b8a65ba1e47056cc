#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), vector.transfer_read.
#
# Documented: without in_bounds an access may be out of bounds, "including the
# starting point"; elements that are out of bounds are the padding.
#
# Seen: only the upper bound is checked. A read that starts at -2 returns the memory
# before the memref, here that of the buffer that it is a view of, instead of the
# padding. If -2 is a constant, canonicalize even adds in_bounds = [true].
#
# Why it matters: convolutions with padding and stencils read from below 0, and a
# compiler that forms such reads gets values of a neighbour and not zeros.
#
# Distaff: lib/Dialect/VectorExt/AccessFolds.cpp (startsInside) makes transfers only
# of accesses of which it can prove that they start at 0 or above.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

cat >"$work/read.mlir" <<'MLIR'
func.func @first(%m: memref<4xi32, strided<[1], offset: 4>>, %i: index) -> i32 {
  %pad = arith.constant -1 : i32
  %v = vector.transfer_read %m[%i], %pad : memref<4xi32, strided<[1], offset: 4>>, vector<4xi32>
  %r = vector.extract %v[0] : i32 from vector<4xi32>
  return %r : i32
}
func.func @main() -> i32 {
  %m = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    %value = arith.index_cast %i : index to i32
    affine.store %value, %m[%i] : memref<8xi32>
  }
  %upper = memref.subview %m[4] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1], offset: 4>>
  %i = arith.constant -2 : index
  %r = func.call @first(%upper, %i) : (memref<4xi32, strided<[1], offset: 4>>, index) -> i32
  return %r : i32
}
MLIR
cat >"$work/constant.mlir" <<'MLIR'
func.func @first(%m: memref<8xi32>) -> vector<4xi32> {
  %pad = arith.constant -1 : i32
  %i = arith.constant -2 : index
  %v = vector.transfer_read %m[%i], %pad : memref<8xi32>, vector<4xi32>
  return %v : vector<4xi32>
}
MLIR
expect "element -2 of the upper half (the padding is -1)" "$(valueOf "$work/read.mlir" i32)" 2
expect "attribute that canonicalize adds to a read at -2" \
  "$(mlir-opt --canonicalize "$work/constant.mlir" | grep -o 'in_bounds = [^}]*')" \
  "in_bounds = [true]"
