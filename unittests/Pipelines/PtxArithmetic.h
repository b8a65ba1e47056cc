//===- PtxArithmetic.h - What PTX's arithmetic computes ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions that map registers of one lane to a register of that lane,
// as functions of bits: "add.rn.f32" of 0x3F800000 and 0x3F800000 is
// 0x40000000. Written from the PTX ISA manual, chapters "Integer Arithmetic" to
// "Data Movement and Conversion".
//
// Floats narrower than f64 are computed in double and rounded once. For +, -,
// *, / and sqrt that is exact rounding, as 53 >= 2 * 24 + 2 bits; the sum of
// fma is rounded to odd first. An `approx` is the correctly rounded value: how
// far hardware may be from it is for the comparison to allow.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_PTXARITHMETIC_H
#define DISTAFF_UNITTESTS_PIPELINES_PTXARITHMETIC_H

#include "PtxFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace distaff::ptx {

/// Operand bits beyond the instruction's type are ignored; the result is to be
/// cut to the width of the destination, to which it is extended as its type
/// says.
using Compute = std::function<uint64_t(uint64_t a, uint64_t b, uint64_t c)>;

struct Arithmetic {
  Compute compute;
  unsigned operands; ///< sources
};

/// None for an opcode that is no arithmetic, or has a modifier that is not
/// known.
std::optional<Arithmetic> decodeArithmetic(llvm::ArrayRef<std::string> opcode);

} // namespace distaff::ptx

#endif // DISTAFF_UNITTESTS_PIPELINES_PTXARITHMETIC_H
