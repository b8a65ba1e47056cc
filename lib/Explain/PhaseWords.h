//===- PhaseWords.h - Text of phase records ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_EXPLAIN_PHASEWORDS_H
#define DISTAFF_LIB_EXPLAIN_PHASEWORDS_H

#include "distaff/Analysis/Phases/PhaseProgram.h"

namespace distaff {

/// Returns `16384 B` or `size not known`.
std::string sayBytes(std::optional<int64_t> bytes);

/// Returns for example `2x256x32xf16, shared, 32768 B, 2 slots of 16384 B`.
std::string sayMemory(const PhaseMemory &memory);

/// Returns for example `barrier of all subgroups, orders la, lb`.
std::string sayBarrier(const PhaseProgram &program,
                       const PhaseBarrier &barrier);

/// Returns `64x64xf32` for a tensor or a vector, other types as they are.
std::string sayShape(StringRef type);

} // namespace distaff

#endif // DISTAFF_LIB_EXPLAIN_PHASEWORDS_H
