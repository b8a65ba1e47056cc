//===- Notation.cpp - Layouts in one line ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Notation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;
using namespace distaff::vector_ext;

static void printInts(llvm::raw_ostream &os, ArrayRef<int64_t> values) {
  os << '[';
  llvm::interleave(values, os, ",");
  os << ']';
}

std::string distaff::shortNotation(VectorLayoutInterface layout) {
  if (!layout)
    return "none";
  std::string text;
  llvm::raw_string_ostream os(text);
  auto nested = dyn_cast<NestedLayoutAttr>(layout);
  if (!nested) {
    os << layout;
    return text;
  }
  os << "⟨";
  StringRef separator;
  auto group = [&](char name, ArrayRef<int64_t> tiles,
                   ArrayRef<int64_t> strides = {}) {
    if (llvm::all_of(tiles, [](int64_t tile) { return tile == 1; }))
      return;
    os << separator << name;
    printInts(os, tiles);
    if (!strides.empty()) {
      os << ':';
      printInts(os, strides);
    }
    separator = " ";
  };
  group('S', nested.getSubgroupTile(), nested.getSubgroupStrides());
  group('B', nested.getBatchTile());
  group('O', nested.getOuterTile());
  group('T', nested.getThreadTile(), nested.getThreadStrides());
  group('E', nested.getElementTile());
  os << "⟩";
  return text;
}
