//===- CvtPkF8.h - v_cvt_pk of 8-bit floats ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct MI300, CDNA4 and RDNA4 Instruction Set Architecture: v_cvt_pk_*
// between f32 and fp8 with 4 exponent bits or bf8 with 5, of the FNUZ forms in
// CDNA3 and of the OCP forms in later ones. With MODE.FP16_OVFL clear, as
// kernels are launched, a value that is too large becomes NaN, or infinity
// where the format has one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_CVTPKF8_H
#define DISTAFF_LIB_TARGET_CVTPKF8_H

#include "distaff/Target/Target.h"
#include <array>

namespace distaff::cvt_pk {
using enum ScalarKind;

constexpr std::array<NarrowConversion, 4> conversions(const NarrowFloat *fp8,
                                                      const NarrowFloat *bf8) {
  return {{
      {fp8, F32, /*widens=*/true, /*saturates=*/false, "rocdl.cvt.pk.f32.fp8"},
      {fp8, F32, /*widens=*/false, /*saturates=*/false, "rocdl.cvt.pk.fp8.f32"},
      {bf8, F32, /*widens=*/true, /*saturates=*/false, "rocdl.cvt.pk.f32.bf8"},
      {bf8, F32, /*widens=*/false, /*saturates=*/false, "rocdl.cvt.pk.bf8.f32"},
  }};
}

inline constexpr auto fnuz = conversions(&f8E4M3FNUZ, &f8E5M2FNUZ);
inline constexpr auto ocp = conversions(&f8E4M3FN, &f8E5M2);

} // namespace distaff::cvt_pk

#endif // DISTAFF_LIB_TARGET_CVTPKF8_H
