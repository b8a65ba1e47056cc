//===- AsyncCopy.h - Asynchronous copy in flight ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy is in flight from the op that starts it until its thread has waited
// for its group. At some moment in between all its bytes arrive at once, read
// from the source at that moment. A read of the target in between returns old
// or new bytes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_ASYNCCOPY_H
#define DISTAFF_LIB_SIMT_MACHINE_ASYNCCOPY_H

#include "Memory.h"

namespace distaff::simt {

/// A copy of consecutive elements for one lane.
struct AsyncCopy {
  Kind kind;
  int64_t agent = 0, lane = 0;
  int64_t groups = 0; // the object of the table that counts it, and its group
  int64_t group = 0;
  int64_t source = 0, from = 0; // buffer, and its first element of that kind
  int64_t target = 0, to = 0;
  int64_t elements = 0;
  int64_t read = 0;      // elements read; the rest is filled with zeros
  uint32_t position = 0; // the instruction
  bool hasArrived = false;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_ASYNCCOPY_H
