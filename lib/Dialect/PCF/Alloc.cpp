//===- Alloc.cpp - pcf.alloc ----------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

using namespace distaff;
using namespace distaff::pcf;

LogicalResult AllocOp::verify() {
  SRefType type = getResult().getType();
  if (getDynamicSizes().size() != type.getNumDynamicDims())
    return emitOpError() << "expected " << type.getNumDynamicDims()
                         << " dynamic sizes, got " << getDynamicSizes().size();
  auto owner = getOperation()->getParentOfType<RefOwnerOpInterface>();
  if (!owner)
    return success();
  // One allocation per instance of the scope, never one per worker.
  Region *initializer = owner.getInitializerOrNull();
  if (!initializer ||
      !initializer->isAncestor(getOperation()->getParentRegion()) ||
      owner.getScope() != type.getScope())
    return emitOpError() << "must be in the 'initialize' region of an op with "
                            "scope "
                         << type.getScope();
  return success();
}
