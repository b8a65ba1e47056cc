//===- Print.cpp - Layouts in short notation ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutBuilder.h"
#include "distaff/Layout/NestedLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;
using llvm::ArrayRef;

static void printList(llvm::raw_ostream &os, ArrayRef<int64_t> values) {
  os << '[';
  llvm::interleave(values, os, ",");
  os << ']';
}

llvm::raw_ostream &distaff::operator<<(llvm::raw_ostream &os,
                                       const NestedLayout &layout) {
  auto isOne = [](int64_t size) { return size == 1; };
  llvm::StringRef separator = "";
  os << "⟨";
  auto group = [&](char name, ArrayRef<int64_t> tile,
                   ArrayRef<int64_t> strides = {}) {
    if (llvm::all_of(tile, isOne))
      return;
    os << separator << name;
    separator = " ";
    printList(os, tile);
    if (strides.empty())
      return;
    os << ':';
    printList(os, strides);
  };
  using Dim = NestedDim;
  group('S', layout.list(&Dim::subgroupTile),
        layout.list(&Dim::subgroupStride));
  group('B', layout.list(&Dim::batchTile));
  group('O', layout.list(&Dim::outerTile));
  group('T', layout.list(&Dim::threadTile), layout.list(&Dim::threadStride));
  group('E', layout.list(&Dim::elementTile));
  // Prints the rank of a layout of ones, too.
  if (separator.empty() && layout.rank() > 0) {
    os << 'E';
    printList(os, layout.list(&Dim::elementTile));
  }
  return os << "⟩";
}

llvm::raw_ostream &distaff::operator<<(llvm::raw_ostream &os,
                                       const Layout &layout) {
  if (std::optional<NestedLayout> nested = NestedLayout::fromLayout(layout))
    return os << *nested;
  os << "⟨";
  llvm::interleave(
      LayoutBuilder::digits(layout), os,
      [&](ArrayRef<Digit> digits) {
        os << '[';
        llvm::interleave(
            digits, os,
            [&](const Digit &digit) {
              os << stringifyAxis(digit.axis) << '(' << digit.size << ','
                 << digit.stride << ')';
            },
            " ");
        os << ']';
      },
      " ");
  return os << "⟩";
}

template <typename T> static std::string print(const T &layout) {
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  return text;
}

std::string distaff::toString(const Layout &layout) { return print(layout); }
std::string distaff::toString(const NestedLayout &layout) {
  return print(layout);
}
