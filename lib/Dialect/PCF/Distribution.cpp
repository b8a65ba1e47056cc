//===- Distribution.cpp - Distribution of phases --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/Distribution.h"

#include "distaff/CheckedSize.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::pcf;

#include "distaff/Dialect/PCF/PCFDistribution.cpp.inc"

std::optional<int64_t> WorkerGrid::getNumMembers() const {
  SmallVector<int64_t> extents;
  for (OpFoldResult count : counts) {
    std::optional<int64_t> known =
        count ? getConstantIntValue(count) : std::nullopt;
    if (!known)
      return std::nullopt;
    extents.push_back(*known);
  }
  return checkedElements(extents);
}
