//===- CvtF8.h - cvt between 8-bit floats and wider ones --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section "Data Movement and Conversion Instructions: cvt", of
// capability 8.9 and later. f8E5M2 to f16 is a shift, which needs no
// instruction of its own.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_CVTF8_H
#define DISTAFF_LIB_TARGET_CVTF8_H

#include "distaff/Target/Target.h"

namespace distaff::cvt {
using enum ScalarKind;

inline constexpr NarrowConversion cvtF8[] = {
    {&f8E4M3FN, F16, /*widens=*/true, /*saturates=*/false,
     "cvt.rn.f16x2.e4m3x2"},
    {&f8E4M3FN, F16, /*widens=*/false, /*saturates=*/true,
     "cvt.rn.satfinite.e4m3x2.f16x2"},
    {&f8E4M3FN, F32, /*widens=*/false, /*saturates=*/true,
     "cvt.rn.satfinite.e4m3x2.f32"},
    {&f8E5M2, F16, /*widens=*/false, /*saturates=*/true,
     "cvt.rn.satfinite.e5m2x2.f16x2"},
    {&f8E5M2, F32, /*widens=*/false, /*saturates=*/true,
     "cvt.rn.satfinite.e5m2x2.f32"},
};

} // namespace distaff::cvt

#endif // DISTAFF_LIB_TARGET_CVTF8_H
