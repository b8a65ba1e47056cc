//===- AmdTargets.h - Differences between AMD's targets ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_AMDTARGETS_H
#define DISTAFF_LIB_SIMT_OPS_AMDTARGETS_H

#include "llvm/ADT/StringRef.h"

namespace distaff::simt {

/// Returns whether 8-bit floats have no negative zero (FNUZ, CDNA3 ISA); later
/// targets have OCP's formats.
inline bool hasOwnFloatFormats(llvm::StringRef target) {
  return target == "gfx940" || target == "gfx941" || target == "gfx942";
}

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_AMDTARGETS_H
