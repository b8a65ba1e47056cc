//===- Passes.cpp - Registration of the passes ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Staging/Passes.h"

namespace distaff {
#define GEN_PASS_REGISTRATION
#include "distaff/Staging/Passes.h.inc"
} // namespace distaff

void distaff::registerDistaffStaging() { registerDistaffStagingPasses(); }
