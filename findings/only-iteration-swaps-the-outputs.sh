#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), canonicalize.
#
# Documented: tensor.parallel_insert_slice inserts into the shared output that it names;
# nothing is said of the order of insertions in scf.forall.in_parallel.
#
# Seen: an scf.forall of one iteration is replaced by its body, and the n-th insertion
# is taken for the n-th result. If the first insertion is into the second output, the
# results are swapped. With two iterations the loop stays and is right.
#
# Why it matters: the number of iterations becomes one by tiling a small problem, and
# the results have the same type.
#
# Distaff: lib/Rewrite/Guards.cpp leaves such loops alone.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

# The first element of the first output, into which 1 is inserted, of a loop of $1
# iterations.
first() {
  local count=$1
  shift
  cat >"$work/forall.mlir" <<MLIR
func.func @swap(%a: tensor<${count}xi32>, %b: tensor<${count}xi32>) -> (tensor<${count}xi32>, tensor<${count}xi32>) {
  %one = arith.constant dense<1> : tensor<1xi32>
  %two = arith.constant dense<2> : tensor<1xi32>
  %r:2 = scf.forall (%i) in ($count) shared_outs(%s = %a, %t = %b) -> (tensor<${count}xi32>, tensor<${count}xi32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %two into %t[%i] [1] [1] : tensor<1xi32> into tensor<${count}xi32>
      tensor.parallel_insert_slice %one into %s[%i] [1] [1] : tensor<1xi32> into tensor<${count}xi32>
    }
  }
  return %r#0, %r#1 : tensor<${count}xi32>, tensor<${count}xi32>
}
func.func @main() -> i32 {
  %zero = arith.constant 0 : index
  %a = tensor.generate {
  ^bb0(%i: index):
    %value = arith.constant 5 : i32
    tensor.yield %value : i32
  } : tensor<${count}xi32>
  %b = tensor.generate {
  ^bb0(%i: index):
    %value = arith.constant 6 : i32
    tensor.yield %value : i32
  } : tensor<${count}xi32>
  %r:2 = func.call @swap(%a, %b) : (tensor<${count}xi32>, tensor<${count}xi32>) -> (tensor<${count}xi32>, tensor<${count}xi32>)
  %e = tensor.extract %r#0[%zero] : tensor<${count}xi32>
  return %e : i32
}
MLIR
  valueOf "$work/forall.mlir" i32 "$@"
}
lower=(--one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map"
  --convert-linalg-to-loops --scf-forall-to-for)
expect "one iteration, as written" "$(first 1 "${lower[@]}")" 1
expect "two iterations, after canonicalize" "$(first 2 --canonicalize "${lower[@]}")" 1
expect "one iteration, after canonicalize" "$(first 1 --canonicalize "${lower[@]}")" 2
