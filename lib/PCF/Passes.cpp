//===- Passes.cpp - Registration of the passes on pcf ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file registers every pass of Passes.td under its flag.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"

namespace distaff {
#define GEN_PASS_REGISTRATION
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

void distaff::registerDistaffPCF() { registerDistaffPCFPasses(); }
