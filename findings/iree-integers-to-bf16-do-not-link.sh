#!/bin/bash
# IREE 3.13.0 (PyPI iree-base-compiler), backend llvm-cpu.
#
# Expected: bf16 is a type that this backend supports on every CPU. On one without bf16
# instructions it compiles arith.truncf from f32 to bf16 into integer operations.
#
# Seen: arith.sitofp from i32 to bf16 does not compile for the same CPU. The linker ends
# with the undefined symbol __truncsfbf2, a function of compiler-rt and libgcc that
# rounds f32 to bf16, the very conversion that does compile.
#
# Why it matters: position ids, masks and quantized values are integers that models
# convert to bf16. The error names a linker and no operation of the program.
#
# Distaff: lib/Cpu/Convert/HostKernels.cpp (computeInF32) makes the conversion to f32
# explicit before it expands the one to bf16.
source "$(dirname "$0")/packages.sh"
pypi iree-base-compiler==3.13.0

# What becomes of a conversion $1 from $2 to bf16 on a CPU without bf16 instructions.
compiled() {
  cat >"$work/convert.mlir" <<MLIR
func.func @convert(%x: tensor<8x$2>) -> tensor<8xbf16> {
  %r = arith.$1 %x : tensor<8x$2> to tensor<8xbf16>
  return %r : tensor<8xbf16>
}
MLIR
  if PYTHONPATH=$pypi python3 "$pypi/bin/iree-compile" \
    --iree-hal-target-backends=llvm-cpu --iree-llvmcpu-target-cpu=x86-64-v3 \
    "$work/convert.mlir" -o "$work/convert.vmfb" 2>"$work/errors"; then
    echo compiled
  else
    grep -o 'undefined symbol: .*' "$work/errors"
  fi
}
expect "f32 to bf16" "$(compiled truncf f32)" compiled
expect "i32 to bf16" "$(compiled sitofp i32)" "undefined symbol: __truncsfbf2"
