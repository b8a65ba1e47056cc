//===- CpAsync.h - Copy sizes of cp.async -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 8.x, section "cp.async": sizes are 4, 8 and 16 bytes, of which both
// addresses are multiples; from compute capability 8.0 on.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_CPASYNC_H
#define DISTAFF_LIB_TARGET_CPASYNC_H

#include <cstdint>

namespace distaff {

inline constexpr int64_t cpAsyncBytes[] = {4, 8, 16};

} // namespace distaff

#endif // DISTAFF_LIB_TARGET_CPASYNC_H
