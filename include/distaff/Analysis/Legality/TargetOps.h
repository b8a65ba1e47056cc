//===- TargetOps.h - Ops that target instructions implement -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target may have an instruction that computes an op on a tile of its vectors
// and leaves the result in other places (TargetOp in Target.h). Its effect on
// layouts is the instruction's map of places M (PlaceMap.h), followed by the
// op's own row of the transfer table:
//
//   math.exp2 by an instruction that swaps lane digits
//   known   operand = lane(8, 1)        fills  result  = M(operand)
//   known   result  = lane(8, 1)        fills  operand = M^-1(result)
//
// so that consecutive ops pass the moved layout on, and need no conversion
// where their maps cancel. The op computed by every lane by itself, for equal
// layouts, is also a candidate; layout choice takes the cheapest combination.
//
// In the IR, an instruction computes an op if the to_layout ops that define all
// its vector operands name it: {mma_kind = #distaff.target_op<NAME>}.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_TARGETOPS_H
#define DISTAFF_ANALYSIS_LEGALITY_TARGETOPS_H

#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "distaff/Layout/Conversion.h"
#include "distaff/Layout/PlaceMap.h"
#include "distaff/Target/Target.h"
#include <vector>

namespace distaff {

/// Describes an instruction that could compute an op.
struct TargetOpCandidate {
  const TargetOp *row;
  /// Instructions of one subgroup for the whole op, if its elements are spread
  /// over all subgroups: dims / shape, rounded up.
  int64_t issues;
  int64_t cost;

  /// Returns `MADE_UP_EXP2 32, 4 issues`, for reports.
  std::string describe() const;
};

/// Returns the instructions of the target that compute `op` on its types,
/// cheapest first, equal ones in the order of the table; none of infinite cost.
/// For contractions see enumerateMma.
std::vector<TargetOpCandidate> getTargetOps(Operation *op, const Target &target,
                                            HardwareShape hardware);

/// Returns why the instruction, which the target has, cannot compute `op`, as a
/// clause about it; nullopt if it can.
std::optional<std::string> whyNotTargetOp(Operation *op, const TargetOp &row);

/// Returns the instruction that the op's operands name, or null.
const TargetOp *targetOpOf(Operation *op);

/// Returns the map from the places of a vector operand to those of the result.
PlaceMap placeMapOf(const TargetOp &row, unsigned operand);

/// Returns how often an op issues the instruction if its first operand has
/// `layout`, as the hardware executes it.
int64_t issuesOf(const TargetOp &row, const Layout &layout);

/// A conversion by one instruction, with registers renamed in whole words
/// before and after it.
struct OpConversion {
  /// Maps a register that the instruction reads to one of the source, and a
  /// register of the destination to one that the instruction writes.
  SmallVector<int64_t> takes, sourceOf;
  Layout moved; // of the instruction's result
};

/// Plans a conversion by the instruction, or returns nullopt if there is none.
/// Of several words that it reads, any that differ in one bit of their number
/// may be the first.
std::optional<OpConversion> planConversionBy(const TargetOp &row,
                                             const Layout &from,
                                             const Layout &to,
                                             HardwareShape hardware);

/// Returns the issue slots per subgroup of a conversion by the instruction,
/// with registers renamed at most, in whole words; nullopt if it cannot do this
/// conversion.
std::optional<int64_t> costOfConversion(const TargetOp &row, Type element,
                                        const Layout &from, const Layout &to,
                                        HardwareShape hardware);

/// Does the same as inferLayouts for an op computed by `row`, or by each lane
/// if `row` is null, whatever its operands name so far.
LogicalResult inferLayoutsBy(const TargetOp *row, Operation *op,
                             OpLayouts &slots, std::string &why);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_TARGETOPS_H
