#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), canonicalize.
#
# Documented: vector.mask predicates the op in its region; where the mask is false, a
# vector.transfer_write leaves the tensor as it was.
#
# Seen: canonicalize takes the write in the region for one that covers all elements and
# lets it start from what was there before the previous write. What that wrote under
# the false lanes of the mask is lost. With the mask as an operand of the write, which
# says the same, both writes stay.
#
# Why it matters: a fill and a masked tile over it is how the edge of a tensor is
# vectorized. The IR stays valid, and only the elements beyond the edge are wrong.
#
# Distaff: lib/Rewrite/MaskForms.cpp makes the mask an operand first.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

# Element 1 of [7, 7], written over with [9, 9] under the mask [true, false] that is
# written as $1.
written() {
  local over=$1
  shift
  cat >"$work/writes.mlir" <<MLIR
func.func @over(%t: tensor<2xi32>, %m: vector<2xi1>, %k: index) -> i32 {
  %zero = arith.constant 0 : index
  %seven = arith.constant dense<7> : vector<2xi32>
  %nine = arith.constant dense<9> : vector<2xi32>
  %u = vector.transfer_write %seven, %t[%zero] {in_bounds = [true]}
      : vector<2xi32>, tensor<2xi32>
  $over
  %r = tensor.extract %v[%k] : tensor<2xi32>
  return %r : i32
}
func.func @main() -> i32 {
  %one = arith.constant 1 : index
  %t = tensor.generate {
  ^bb0(%i: index):
    %value = arith.constant 5 : i32
    tensor.yield %value : i32
  } : tensor<2xi32>
  %m = vector.create_mask %one : vector<2xi1>
  %r = func.call @over(%t, %m, %one) : (tensor<2xi32>, vector<2xi1>, index) -> i32
  return %r : i32
}
MLIR
  valueOf "$work/writes.mlir" i32 "$@"
}
lower=(--lower-vector-mask
  --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map"
  --convert-linalg-to-loops)
region='%v = vector.mask %m { vector.transfer_write %nine, %u[%zero] {in_bounds = [true]}
      : vector<2xi32>, tensor<2xi32> } : vector<2xi1> -> tensor<2xi32>'
operand='%v = vector.transfer_write %nine, %u[%zero], %m {in_bounds = [true]}
      : vector<2xi32>, tensor<2xi32>'
expect "the element that the mask leaves, as written" "$(written "$region" "${lower[@]}")" 7
expect "after canonicalize, with the mask as an operand" \
  "$(written "$operand" --canonicalize "${lower[@]}")" 7
expect "after canonicalize, with vector.mask" \
  "$(written "$region" --canonicalize "${lower[@]}")" 5
