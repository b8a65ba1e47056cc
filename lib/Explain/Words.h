//===- Words.h - Numbers in sentences ---------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_EXPLAIN_WORDS_H
#define DISTAFF_LIB_EXPLAIN_WORDS_H

#include "distaff/Analysis/Decisions.h"

namespace distaff {

/// "1 lane", "4 lanes"
std::string counted(int64_t count, StringRef noun);

/// "0, 1"
std::string joined(ArrayRef<int64_t> numbers, StringRef separator);

/// " (loop x8)"
std::string loopsOf(const Trips &trips);

} // namespace distaff

#endif // DISTAFF_LIB_EXPLAIN_WORDS_H
