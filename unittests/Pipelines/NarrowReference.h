//===- NarrowReference.h - Floats of 8 bits, by enumeration -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tests and the machines for PTX and AMD's IR hold against 8-bit
// floats: the value of every pattern, written down from the tables of the OCP
// 8-bit Floating Point Specification (E4M3, E5M2) and of "8-bit Numerical
// Formats for Deep Neural Networks" (the FNUZ forms), and rounding as a search
// among all of them. Shares no code with the compiler or the SIMT machine.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_NARROWREFERENCE_H
#define DISTAFF_UNITTESTS_PIPELINES_NARROWREFERENCE_H

#include <cstdint>
#include <string>

namespace distaff::narrow {

enum class Format { E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ };
constexpr Format formats[] = {Format::E4M3FN, Format::E5M2, Format::E4M3FNUZ,
                              Format::E5M2FNUZ};

/// As in IR: "f8E4M3FN".
std::string nameOf(Format format);

/// The number of a pattern, exactly; NaN and infinities as doubles have them.
double valueOf(Format format, uint8_t pattern);

/// What becomes of numbers that round to more than the largest.
enum class TooLarge { Special, Largest };

/// The pattern of the nearest number, of the even pattern if two are as near.
/// With TooLarge::Special it is infinity's, or NaN's in formats without one;
/// with Largest the largest number's, for infinity too. NaN is 0x7F, or 0x80
/// where that is none.
uint8_t nearest(Format format, double value,
                TooLarge tooLarge = TooLarge::Special);

/// The least magnitude that is too large if a tie is, and the tie itself.
double overflowTie(Format format);

} // namespace distaff::narrow

#endif // DISTAFF_UNITTESTS_PIPELINES_NARROWREFERENCE_H
