//===- MmaLayoutAttr.cpp - An MMA instruction -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text of #iree_gpu.mma_layout. A name that no target has does not parse, so
// getRow() never returns null.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"

#include "distaff/Target/Target.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace distaff;
using namespace distaff::iree;

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
    // IREE 3.13 prints the value of the parameter.
    StringRef value;
    if (succeeded(parser.parseOptionalEqual())) {
      SMLoc place = parser.getCurrentLocation();
      if (parser.parseOptionalKeyword(&value, {"true", "false"}))
        return (parser.emitError(place, "expected true or false"), Attribute());
      colMajor = value == "true";
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MmaLayoutAttr>(loc, parser.getContext(), name,
                                          colMajor);
}

void MmaLayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName() << (getColMajor() ? ", col_major>" : ">");
}

/// Returns the names of instructions that are most similar to `name`: of its
/// own family (MFMA, NV, ...) or, if there is none, one of each family.
static std::string namesLike(StringRef name) {
  llvm::SetVector<StringRef> names;
  for (const Target *target : allTargets())
    for (const MmaRow &row : target->mma)
      names.insert(row.name);
  SmallVector<StringRef> nearest(names.getArrayRef());
  llvm::stable_sort(nearest, [&](StringRef a, StringRef b) {
    return name.edit_distance(a) < name.edit_distance(b);
  });
  auto familyOf = [](StringRef name) { return name.split('_').first; };
  bool isKnown = llvm::any_of(nearest, [&](StringRef other) {
    return familyOf(other) == familyOf(name);
  });
  llvm::StringMap<int> taken; // by family
  llvm::erase_if(nearest, [&](StringRef other) {
    StringRef family = familyOf(other);
    return (isKnown && family != familyOf(name)) ||
           ++taken[family] > (isKnown ? 4 : 1);
  });
  return llvm::join(nearest, ", ");
}

LogicalResult
MmaLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      StringRef name, bool) {
  if (!lookupMma(name))
    return emitError() << "unknown MMA instruction '" << name
                       << "'; those with the most similar names are "
                       << namesLike(name);
  return success();
}

const MmaRow *MmaLayoutAttr::getRow() const { return lookupMma(getName()); }
