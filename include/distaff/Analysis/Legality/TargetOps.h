//===- TargetOps.h - Ops that an instruction of the target does -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target may have an instruction that does an op on a tile of its vectors and
// leaves the result in other places (TargetOp in Target.h). What that does to
// layouts is the instruction's map of places M (PlaceMap.h) before the op's own
// row of the transfer table:
//
//   math.exp2 by an instruction that swaps lane digits
//   known   operand = lane(8, 1)        fills  result  = M(operand)
//   known   result  = lane(8, 1)        fills  operand = M^-1(result)
//
// so that ops in a row pass the moved layout on, and where their maps cancel
// nothing has to move back. The op as every lane does it by itself, for equal
// layouts, is a candidate too; layout choice takes what is cheapest as a whole.
//
// In the IR an op is done by an instruction if the to_layout ops that all its
// vector operands come from name it: {mma_kind = #distaff.target_op<NAME>}.
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

/// An instruction that could do an op.
struct TargetOpCandidate {
  const TargetOp *row;
  /// Of one subgroup for the whole op, if its elements are spread over all:
  /// dims / shape, rounded up.
  int64_t issues;
  int64_t cost;

  /// `MADE_UP_EXP2 32, 4 issues`, for reports.
  std::string describe() const;
};

/// The instructions of the target that do `op` on its types, cheapest first; of
/// equals in the order of the table. None that costs infinity. Contractions
/// have enumerateMma.
std::vector<TargetOpCandidate> getTargetOps(Operation *op, const Target &target,
                                            HardwareShape hardware);

/// Why the instruction, which the target has, does not do `op`: a clause about
/// it; nothing if it does.
std::optional<std::string> whyNotTargetOp(Operation *op, const TargetOp &row);

/// The instruction that the op's operands name, or null.
const TargetOp *targetOpOf(Operation *op);

/// Where the instruction moves what it reads from a vector operand.
PlaceMap placeMapOf(const TargetOp &row, unsigned operand);

/// How often an op that has `layout`, as the hardware executes it, on its first
/// operand issues the instruction.
int64_t issuesOf(const TargetOp &row, const Layout &layout);

/// A conversion by one instruction, around which registers are renamed in whole
/// words.
struct OpConversion {
  /// Register that the instruction takes -> register of the source; and
  /// register of the destination -> register that the instruction leaves.
  SmallVector<int64_t> takes, sourceOf;
  Layout moved; // what the instruction leaves
};

/// How the instruction converts, or nothing if it does not. Of several words
/// that it takes, any that differ in one bit of their number may be the first.
std::optional<OpConversion> planConversionBy(const TargetOp &row,
                                             const Layout &from,
                                             const Layout &to,
                                             HardwareShape hardware);

/// Issue slots per subgroup of a conversion by the instruction, with registers
/// renamed at most, in whole words; nothing if it does none, or not this one.
std::optional<int64_t> costOfConversion(const TargetOp &row, Type element,
                                        const Layout &from, const Layout &to,
                                        HardwareShape hardware);

/// inferLayouts of an op done by `row`, or by each lane where that is null,
/// whatever its operands name so far.
LogicalResult inferLayoutsBy(const TargetOp *row, Operation *op,
                             OpLayouts &slots, std::string &why);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_TARGETOPS_H
