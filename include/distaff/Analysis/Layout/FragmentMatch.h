//===- FragmentMatch.h - Layouts as repeated MMA fragments ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches the layouts of a contraction's operands with an instruction: each has
// to be the instruction's fragment repeated over batches (spec 8.4), whether
// the user or the compiler chose it.
//
// A fragment's register is identified by the element that it holds. Along a
// dim, the indices that lane 0 holds, in order, fill batch after batch of the
// indices that it holds in a fragment:
//
//   acc 32x16 for m16n8k16   registers at rows 0 8 16 24, columns 0 1 8 9
//   batches 2x2              fragment 2x2: rows 0 8, columns 0 1
//
// The product does not depend on the order of rows, columns or k as long as all
// operands agree (VX-101): a dim is described by a table, (batch, index of the
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

/// An operand as a grid of fragments.
struct FragmentView {
  AffineMap map;
  SmallVector<int64_t> shape;     // batches, then the fragment's shape
  SmallVector<int64_t> registers; // of the layout, in that order
  /// Table by dim of the operand: the index in subgroup 0 that corresponds to
  /// the fragment's index i in batch b, at b * (the fragment's extent) + i.
  SmallVector<SmallVector<int64_t>> names;
};

/// The operands of a contraction as the instruction's operands: A is rhs if it
/// computes the transposed product.
struct MmaOperands {
  FragmentView a, b, c;
};

/// Describes why there is no such view, and whether lhs, rhs, acc or all cause
/// it.
struct MmaMisfit {
  std::string why;
  std::optional<unsigned> operand;
};

/// Returns lhs, rhs and acc, with these maps and layouts, as operands of `row`;
/// nullopt if they do not match.
/// \pre the layouts fit the hardware, and maps are projected permutations
std::optional<MmaOperands> fitToMma(const MmaRow &row, bool transposed,
                                    ArrayRef<AffineMap> maps,
                                    const std::array<Layout, 3> &layouts,
                                    int64_t subgroups, MmaMisfit &misfit);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_FRAGMENTMATCH_H
