//===- Synchronization.cpp - Barriers of subgroups ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"

using namespace distaff;
using namespace distaff::iree;

LogicalResult GlobalSubgroupBarrierOp::verify() {
  if (getId().has_value() != (getThreads() != nullptr))
    return emitOpError() << "'id' and 'threads' go together";
  // Barrier 0 is that of all threads; there are 16.
  if (getId() && (*getId() < 1 || *getId() > 15))
    return emitOpError() << "id must be in 1..15, got " << *getId();
  return success();
}
