//===- Notation.cpp - Layouts in one line ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Layout/Notation.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;
using namespace distaff::vector_ext;

std::string distaff::shortNotation(VectorLayoutInterface layout) {
  if (!layout)
    return "none";
  if (auto nested = dyn_cast<NestedLayoutAttr>(layout))
    return toString(nested.getNested());
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  return text;
}
