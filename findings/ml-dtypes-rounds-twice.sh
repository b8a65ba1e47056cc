#!/bin/bash
# ml_dtypes 0.6.0 with NumPy 2.4.6.
#
# Expected: astype rounds to the nearest number, and to the even one of two, as it does
# from float64 to the float16 of NumPy itself.
#
# Seen: float64 and int32 are rounded to float32 first. What lies just above the middle
# of two numbers becomes the middle and is then rounded down: 1 + 2^-8 + 2^-40 becomes
# 1 in bfloat16, where the next number, 1 + 2^-7, is nearer; int32 16842753 becomes
# 16777216 in place of 16908288. The 8-bit types do the same.
#
# Why it matters: astype is the reference for every compiler's conversions. One that
# rounds correctly is reported as wrong, and one with the same mistake as right.
#
# Distaff: the conversions of its machine are exact (docs/PtxMachine.md); tests that
# need the reference for f64 and integers compute it with whole numbers.
source "$(dirname "$0")/packages.sh"
pypi numpy==2.4.6 ml_dtypes==0.6.0

# $2 of the NumPy type $1 as $3.
converted() {
  PYTHONPATH=$pypi python3 -c "import ml_dtypes, numpy
print(float(numpy.array($2, numpy.$1).astype(getattr(ml_dtypes, '$3', '$3'))))"
}
expect "float64 1 + 2^-11 + 2^-40 as float16 (nearest: 1.0009765625)" \
  "$(converted float64 '1 + 2.0**-11 + 2.0**-40' float16)" 1.0009765625
expect "float64 1 + 2^-8 + 2^-40 as bfloat16 (nearest: 1.0078125)" \
  "$(converted float64 '1 + 2.0**-8 + 2.0**-40' bfloat16)" 1.0
expect "float64 1 + 2^-4 + 2^-40 as float8_e4m3fn (nearest: 1.125)" \
  "$(converted float64 '1 + 2.0**-4 + 2.0**-40' float8_e4m3fn)" 1.0
expect "float64 1 + 2^-3 + 2^-40 as float8_e5m2 (nearest: 1.25)" \
  "$(converted float64 '1 + 2.0**-3 + 2.0**-40' float8_e5m2)" 1.0
expect "int32 16842753 as bfloat16 (nearest: 16908288)" \
  "$(converted int32 16842753 bfloat16)" 16777216.0
