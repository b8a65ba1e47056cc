//===- WorkgroupMappingAttr.cpp - Loops over workgroups -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text of #iree_codegen.workgroup_mapping, and its place in a grid.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"

using namespace distaff;
using namespace distaff::iree;

// workgroup-mapping ::= `<` (`x` | `y` | `z` (`:` int)?) `>`
Attribute WorkgroupMappingAttr::parse(AsmParser &parser, Type) {
  StringRef id;
  int64_t part = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalKeyword(&id, {"x", "y", "z"}))) {
    parser.emitError(loc) << "expected x, y or z";
    return {};
  }
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseInteger(part))
      return {};
    if (id != "z" || part < 0) {
      parser.emitError(loc) << "only z has parts, numbered from 0";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), id, part);
}

void WorkgroupMappingAttr::print(AsmPrinter &printer) const {
  printer << '<' << getId();
  if (getPart())
    printer << ':' << getPart();
  printer << '>';
}

int64_t WorkgroupMappingAttr::getMappingId() const {
  return getId() == "x" ? 0 : getId() == "y" ? 1 : 2 + getPart();
}

bool WorkgroupMappingAttr::isLinearMapping() const { return false; }

int64_t WorkgroupMappingAttr::getRelativeIndex() const {
  return getMappingId();
}
