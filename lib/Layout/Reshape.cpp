//===- Reshape.cpp - Reshapes that keep the owners of elements ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reshape keeps every element's row-major position, so the digits of all dims
// in one row are the same for old and new value; only the split of that row
// into dims changes (spec 3.3):
//
//     ⟨T[1,2]:[0,1] E[2,1]⟩, 2x2:   reg(2) | lane(2)
//     as 4:                         reg(2)   lane(2)     = ⟨B[2] T[2]:[1]⟩
//
// A digit that a boundary of dims goes through must split there; a digit of
// size 3 does not split at 2, and then no layout of the new shape has these
// owners.
//
// Ownership ignores register numbers: neighbouring register digits count as
// one, and registers are renumbered.
//
//===----------------------------------------------------------------------===//

#include "LayoutBuilder.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Returns all digits in one row, outermost first, neighbours merged.
static SmallVector<Digit> flatten(const Layout &layout) {
  SmallVector<Digit> row;
  for (int64_t dim = 0; dim < layout.rank(); ++dim)
    for (const Digit &digit : layout.digits(dim))
      appendMerged(row, digit, /*anyRegisters=*/true);
  return row;
}

/// Removes the innermost digits that make up `extent` from the row; returns
/// nothing if `extent` ends in a digit that does not split there.
static std::optional<SmallVector<Digit>> takeExtent(SmallVector<Digit> &row,
                                                    int64_t extent) {
  SmallVector<Digit> taken;
  while (extent > 1) {
    assert(!row.empty() && "the row has as many elements as the new shape");
    Digit &innermost = row.back();
    if (extent % innermost.size == 0) {
      extent /= innermost.size;
      taken.push_back(row.pop_back_val());
    } else if (innermost.size % extent == 0) {
      taken.push_back({innermost.axis, extent, innermost.stride});
      innermost.size /= extent;
      innermost.stride *= extent;
      extent = 1;
    } else {
      return std::nullopt;
    }
  }
  std::reverse(taken.begin(), taken.end());
  return taken;
}

std::optional<Layout> Layout::reshape(ArrayRef<int64_t> newShape) const {
  if (ArrayRef(shape()) == newShape)
    return *this;
  int64_t elements = 1;
  for (int64_t extent : newShape) {
    if (extent < 1 || numElements() % extent != 0)
      return std::nullopt;
    elements *= extent;
    if (elements > numElements())
      return std::nullopt;
  }
  if (elements != numElements())
    return std::nullopt;

  SmallVector<Digit> row = flatten(*this);
  DimDigits cut(newShape.size());
  for (int64_t dim = newShape.size() - 1; dim >= 0; --dim) {
    std::optional<SmallVector<Digit>> taken = takeExtent(row, newShape[dim]);
    if (!taken)
      return std::nullopt;
    cut[dim] = std::move(*taken);
  }
  assert(row.empty() && "each digit is in a dim of the new shape");
  numberRegisters(cut);
  Layout reshaped = LayoutBuilder::build(std::move(cut));
  assert(ArrayRef(reshaped.shape()) == newShape &&
         "a reshaped layout has the new shape");
  return reshaped;
}
