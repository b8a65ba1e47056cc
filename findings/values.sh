# shellcheck shell=bash
# Runs functions of MLIR on the CPU. To be sourced after packages.sh.
#
#   valueOf FILE TYPE PASS...   the result of @main, of type i32, i64 or f32, in
#                               FILE after mlir-opt has run the passes
#
# A function that @main calls is compiled by itself: the passes know nothing
# about its arguments.

toLLVM=(--convert-vector-to-scf --lower-affine --convert-scf-to-cf
  --expand-strided-metadata --lower-affine --finalize-memref-to-llvm
  --convert-vector-to-llvm --convert-math-to-llvm --convert-math-to-libm
  --convert-arith-to-llvm --convert-cf-to-llvm --convert-func-to-llvm
  --convert-index-to-llvm --reconcile-unrealized-casts)

valueOf() {
  local file=$1 type=$2
  shift 2
  mlir-opt "$file" "$@" | mlir-opt "${toLLVM[@]}" |
    mlir-runner --entry-point-result="$type"
}
