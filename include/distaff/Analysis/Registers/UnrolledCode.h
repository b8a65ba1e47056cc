//===- UnrolledCode.h - Limit on fully unrolled code ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After lower each register has an operation of its own, so a lane's code for
// one step of a tile is fully unrolled.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_REGISTERS_UNROLLEDCODE_H
#define DISTAFF_ANALYSIS_REGISTERS_UNROLLEDCODE_H

#include <cstdint>

namespace distaff {

/// The number of operations of one lane that compile in seconds.
constexpr int64_t mostUnrolled = 16384;

} // namespace distaff

#endif // DISTAFF_ANALYSIS_REGISTERS_UNROLLEDCODE_H
