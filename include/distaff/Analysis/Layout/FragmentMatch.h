//===- FragmentMatch.h - Layouts as repeated MMA fragments ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether operands of a contraction are laid out for an instruction: each is
// its fragment repeated over batches (spec 8.4), whoever wrote the layout.
//
// A fragment's register is found by what it holds. Along a dim, the indices
// that lane 0 holds, in order, fill batch after batch of what it holds in a
// fragment:
//
//   acc 32x16 for m16n8k16   registers at rows 0 8 16 24, columns 0 1 8 9
//   batches 2x2              fragment 2x2: rows 0 8, columns 0 1
//
// Which row, column or k is which does not matter to the product as long as all
// operands agree (VX-101): a dim is named by a table, (batch, index of the
// fragment) -> index, which has to be a bijection and the same in the operands
// that share the dim.
//
//   A and B of k32, K in pairs   lane 1 holds k = 2 3 10 11 18 19 26 27, which
//   an accumulator has of n      are the fragment's 4 5 6 7 20 21 22 23
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_FRAGMENTMATCH_H
#define DISTAFF_ANALYSIS_LAYOUT_FRAGMENTMATCH_H

#include "distaff/LLVM.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/AffineMap.h"
#include <array>
#include <optional>
#include <string>

namespace distaff {

/// One operand as fragments.
struct FragmentView {
  AffineMap map;
  SmallVector<int64_t> shape;     // batches, then the fragment's shape
  SmallVector<int64_t> registers; // of the layout, in that order
  /// By dim of the operand: the index in subgroup 0 that is the fragment's
  /// index i of batch b, at b * (the fragment's extent) + i.
  SmallVector<SmallVector<int64_t>> names;
};

/// A contraction as the instruction sees it: its A is rhs where it computes the
/// transposed product.
struct MmaOperands {
  FragmentView a, b, c;
};

/// Why there is no such view: of which of lhs, rhs and acc, or of them all.
struct MmaMisfit {
  std::string why;
  std::optional<unsigned> operand;
};

/// lhs, rhs and acc, of these maps and layouts, as operands of `row`; nothing
/// if it does not take them so.
/// \pre the layouts fit the hardware, and maps are projected permutations
std::optional<MmaOperands> fitToMma(const MmaRow &row, bool transposed,
                                    ArrayRef<AffineMap> maps,
                                    const std::array<Layout, 3> &layouts,
                                    int64_t subgroups, MmaMisfit &misfit);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_FRAGMENTMATCH_H
