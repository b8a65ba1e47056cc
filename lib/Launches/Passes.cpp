//===- Passes.cpp - Registration of the passes ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Launches/Passes.h"

void distaff::registerDistaffLaunches(RankerSource (*makeRankers)()) {
  registerPass(
      [=] { return createFormLaunches(FormLaunchesOptions(), makeRankers()); });
  registerPass([] { return createNormalizeForPhases(); });
}
