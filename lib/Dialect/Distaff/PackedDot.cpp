//===- PackedDot.cpp - Dot products of packed operands --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;
using namespace distaff::core;

/// Returns the bits of a part; 0 if the type is none.
static unsigned bitsOfPart(Type part) {
  if (auto integer = dyn_cast<IntegerType>(part))
    return integer.isSignless() ? 0 : integer.getWidth();
  return part.isBF16() || part.isF16() ? part.getIntOrFloatBitWidth() : 0;
}

LogicalResult PackedDotOp::verify() {
  for (Type part : {getLhsPart(), getRhsPart()}) {
    unsigned bits = bitsOfPart(part);
    if (bits != 8 && bits != 16)
      return emitOpError("multiplies integers with a sign or without, or "
                         "floats, of 8 or 16 bits, got ")
             << part;
  }
  if (bitsOfPart(getLhsPart()) != bitsOfPart(getRhsPart()))
    return emitOpError("needs as many parts on both sides, got ")
           << getLhsPart() << " and " << getRhsPart();
  if ((isa<FloatType>(getLhsPart()) || isa<FloatType>(getRhsPart())) &&
      getLhsPart() != getRhsPart())
    return emitOpError("multiplies floats of one type, got ")
           << getLhsPart() << " and " << getRhsPart();
  Type result = getElementTypeOrSelf(getResult());
  if (isa<FloatType>(getLhsPart()) != isa<FloatType>(result))
    return emitOpError("of ") << getLhsPart() << " has no result of " << result;
  return success();
}
