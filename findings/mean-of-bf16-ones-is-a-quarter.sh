#!/bin/bash
# ml_dtypes 0.6.0 with NumPy 2.4.6.
#
# Expected: the types of ml_dtypes are types of NumPy, and NumPy's sum of 1000 ones of
# float16 is 1000, their mean 1.
#
# Seen: a sum of bfloat16 adds one element after the other and rounds each time. It
# stops at 256, because 256 + 1 is 256 again; the mean of 1000 ones is 0.256. A sum of
# float8_e4m3fn stops at 16. numpy.dot of the same arrays accumulates in float32 and
# is 1000, so x.sum() and x @ ones differ by a factor of four. For float8_e4m3fn, whose
# largest number is 448, numpy.dot has NaN.
#
# Why it matters: NumPy is the oracle of most tests of reductions and normalizations.
# The oracle is wrong here, and a kernel that accumulates in f32 fails against it.
#
# Distaff: references for narrow floats are computed in float64 from the exact values of
# the elements (test/Execution), never in the narrow type.
source "$(dirname "$0")/packages.sh"
pypi numpy==2.4.6 ml_dtypes==0.6.0

ones() {
  PYTHONPATH=$pypi python3 - "$1" 2>&1 <<'PYTHON'
import sys
import ml_dtypes, numpy

x = numpy.ones(1000, getattr(ml_dtypes, sys.argv[1], sys.argv[1]))
print(*(f"{name} {float(f):.6g}" for name, f in (
    ("sum", x.sum()), ("mean", x.mean()), ("dot", numpy.dot(x, x)))))
PYTHON
}
expect "1000 ones of float16" "$(ones float16)" "sum 1000 mean 1 dot 1000"
expect "1000 ones of bfloat16" "$(ones bfloat16)" "sum 256 mean 0.255859 dot 1000"
expect "1000 ones of float8_e4m3fn" "$(ones float8_e4m3fn)" "sum 16 mean 0.015625 dot nan"
