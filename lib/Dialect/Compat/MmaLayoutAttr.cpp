//===- MmaLayoutAttr.cpp - An MMA instruction -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text of #iree_gpu.mma_layout. A name that no target has does not parse, so
// that getRow() always has an answer.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Compat/Compat.h"

#include "distaff/Target/Target.h"

using namespace distaff;
using namespace distaff::compat;

Attribute MmaLayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  bool colMajor = false;
  if (parser.parseLess() || parser.parseKeyword(&name))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("col_major"))
      return {};
    colMajor = true;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MmaLayoutAttr>(loc, parser.getContext(), name,
                                          colMajor);
}

void MmaLayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName() << (getColMajor() ? ", col_major>" : ">");
}

LogicalResult
MmaLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      StringRef name, bool) {
  if (!lookupMma(name))
    return emitError() << "unknown MMA instruction '" << name << "'";
  return success();
}

const MmaRow *MmaLayoutAttr::getRow() const { return lookupMma(getName()); }
