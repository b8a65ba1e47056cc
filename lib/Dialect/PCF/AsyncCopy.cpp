//===- AsyncCopy.cpp - Asynchronous copies --------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

using namespace distaff;
using namespace distaff::pcf;

LogicalResult AsyncCopyOp::verify() {
  auto source = cast<SRefType>(getSource().getType());
  auto dest = cast<SRefType>(getDest().getType());
  if (source.getElementType() != dest.getElementType())
    return emitOpError() << "source element type " << source.getElementType()
                         << " does not match destination element type "
                         << dest.getElementType();
  if (failed(verifyCompatibleShape(source.getShape(), dest.getShape())))
    return emitOpError() << "source " << source
                         << " does not match the shape of destination " << dest
                         << "; copy a slice through 'pcf.subview'";
  if (isReadonlyRef(getDest()))
    return emitOpError() << "cannot write to a readonly ref";
  return success();
}
