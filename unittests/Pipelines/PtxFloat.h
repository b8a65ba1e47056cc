//===- PtxFloat.h - IEEE formats narrower than double -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_PTXFLOAT_H
#define DISTAFF_UNITTESTS_PIPELINES_PTXFLOAT_H

#include <cstdint>

namespace distaff::ptx {

/// The IEEE formats: 1 sign bit, then these.
struct FloatFormat {
  unsigned exponentBits, mantissaBits;
};
constexpr FloatFormat half = {5, 10}, bfloat = {8, 7}, single = {8, 23};

enum class Rounding { Nearest, Zero, Down, Up };

double decodeFloat(uint64_t bits, FloatFormat format);
/// A NaN becomes the canonical one, all bits set but the sign.
uint64_t encodeFloat(double value, FloatFormat format,
                     Rounding rounding = Rounding::Nearest);

} // namespace distaff::ptx

#endif // DISTAFF_UNITTESTS_PIPELINES_PTXFLOAT_H
