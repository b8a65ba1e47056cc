#!/bin/bash
# ptxas and nvdisasm 13.5.37 (PyPI nvidia-cuda-nvcc, nvidia-cuda-nvdisasm).
#
# Documented: sin.approx.f32 is a fast approximation, with an error bound for operands
# near 0 only; it is the same instruction whether its operand is a register or known.
#
# Seen: with an operand that ptxas knows there is no instruction: the code has the
# correctly rounded sine, also of pi (-8.74e-8) and of 1e20 (0.6566). For a register it
# multiplies by 0.15915494, rounded towards zero, and takes MUFU.SIN of the result. Of
# pi that product is less than a half turn, so even an exact sine of it is positive; of
# 1e20 it has no fraction, so it is whole turns. ptxas -O0 keeps the instruction.
#
# Why it matters: a test of device functions with literals tests ptxas. Specializing a
# kernel for a constant, or unrolling, changes its values beyond the documented error.
#
# Distaff: docs/PtxMachine.md: functions marked .approx are rounded correctly on its
# machine, and a comparison with a device must allow for the difference.
source "$(dirname "$0")/packages.sh"
ptxas

# The machine code for sin.approx.f32 of what the PTX instruction $1 puts into %x.
machineCode() {
  cat >"$work/sine.ptx" <<PTX
.version 8.4
.target sm_80
.address_size 64
.visible .entry sine(.param .u64 out) {
  .reg .b64 %out;
  .reg .f32 %x, %y;
  ld.param.u64 %out, [out];
  $1
  sin.approx.f32 %y, %x;
  st.global.f32 [%out], %y;
  ret;
}
PTX
  shift
  ptxas -arch=sm_80 "$@" "$work/sine.ptx" -o "$work/sine.cubin"
  nvdisasm -c "$work/sine.cubin" |
    grep -o -E '(MUFU\.[A-Z0-9]*|FMUL\.RZ|-?0x[0-9a-f]{6,8} ;)' | xargs
}
floatOf() {
  python3 -c "import struct
print('%.8g' % struct.unpack('<f', struct.pack('<I', int('$1'.rstrip(' ;'), 16) & 0xFFFFFFFF)))"
}
expect "sine of a register" "$(machineCode 'ld.global.f32 %x, [%out];')" "FMUL.RZ MUFU.SIN"
expect "sine of 0f40490FDB, pi" \
  "$(floatOf "$(machineCode 'mov.f32 %x, 0f40490FDB;')")" -8.7422777e-08
expect "sine of 0f60AD78EC, 1e20" \
  "$(floatOf "$(machineCode 'mov.f32 %x, 0f60AD78EC;')")" 0.65657669
expect "sine of pi, -O0" \
  "$(machineCode 'mov.f32 %x, 0f40490FDB;' -O0 | grep -o MUFU.SIN)" MUFU.SIN
expect "0.15915493667 * pi in turns, and the sine of that" "$(python3 - <<'PYTHON'
import math
from fractions import Fraction

pi = Fraction(13176795, 2**22)  # 0f40490FDB
turns = Fraction(0.15915493667125701904) * pi
turns = Fraction(math.floor(turns * 2**25), 2**25)  # 24 bits, rounded towards zero
print("%.9g" % turns, "%.3g" % math.sin(2 * math.pi * turns))
PYTHON
)" "0.49999997 1.87e-07"
