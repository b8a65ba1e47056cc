#!/bin/bash
# ml_dtypes 0.6.0 with NumPy 2.4.6; the .npy format.
#
# Documented: ml_dtypes makes bfloat16 and the 8-bit floats NumPy types; numpy.save
# writes an array, numpy.load reads what it wrote.
#
# Seen: numpy.save writes float8_e5m2 as '<f1', a type that numpy.load does not know:
# it refuses the file. bfloat16 is written as the raw bytes '<V2' and loads as void; so
# do eleven types of 1 byte, int4 among them, which all have the header '<V1'. Nothing
# is said when saving.
#
# Why it matters: .npy is how kernels get inputs and references. The file does not say
# which of the formats it holds, and one of them cannot be read back at all.
#
# Distaff: takes the element type from the kernel, not from the file; bf16 is saved as
# float32 or as <u2 (docs/RunPtx.md). lib/Runtime/Npy.cpp does not yet take '<V1', '<V2'
# and '<f1'.
source "$(dirname "$0")/packages.sh"
pypi numpy==2.4.6 ml_dtypes==0.6.0

written() {
  PYTHONPATH=$pypi python3 - "$1" <<'PYTHON'
import io, re, sys
import ml_dtypes, numpy

file = io.BytesIO()
numpy.save(file, numpy.array([1, 2, 3], numpy.float32).astype(getattr(ml_dtypes, sys.argv[1])))
descr = re.search(rb"'descr': '([^']*)'", file.getvalue()).group(1).decode()
file.seek(0)
try:
    loaded = numpy.load(file).dtype.str
except ValueError as error:
    loaded = f"ValueError ({error})"
print(descr, "loads as", loaded)
PYTHON
}
expect float8_e5m2 "$(written float8_e5m2)" \
  "<f1 loads as ValueError (descr is not a valid dtype descriptor: '<f1')"
expect bfloat16 "$(written bfloat16)" "<V2 loads as |V2"
for type in float8_e4m3 float8_e4m3fn float8_e4m3fnuz float8_e3m4 float8_e5m2fnuz \
  float8_e8m0fnu float6_e2m3fn float4_e2m1fn int4 uint4 int2; do
  expect $type "$(written $type)" "<V1 loads as |V1"
done
