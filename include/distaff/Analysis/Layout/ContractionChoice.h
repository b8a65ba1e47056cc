//===- ContractionChoice.h - MMA kind and subgroup split --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction can run on each MMA instruction of the target whose element
// types and shape fit, with its result split over the subgroups in several
// ways. Each such choice fixes three layouts at once: S from the split, B =
// extent / (S * instruction), and O, T, E from the instruction's fragment; an
// operand's dims follow its indexing map, so (k, n) and (n, k) are the same
// case (spec 9.1 P4). Instructions of several blocks also run over the
// innermost dim of lhs, rhs and acc.
//
// The order of k does not matter as long as lhs and rhs agree (spec 8.1): a
// choice may divide K so that the acc of such an instruction is an operand of
// the next one without a conversion.
//
//   32x128x64 f16, two subgroups, m16n8k16, split 2x1, rhs read as (n, k):
//     lhs  S[2,1]:[1,0] B[1,4]  O[2,2] T[8,4]:[4,1] E[1,2]
//     rhs               B[16,4] O[1,2] T[8,4]:[4,1] E[1,2]
//     acc  S[2,1]:[1,0] B[1,16] O[2,1] T[8,4]:[4,1] E[1,2]
//
// assign-layouts enumerates for a vector.contract; configure describes a linalg
// op itself and enumerates for several numbers of subgroups.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_CONTRACTIONCHOICE_H
#define DISTAFF_ANALYSIS_LAYOUT_CONTRACTIONCHOICE_H

#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/LLVM.h"
#include "distaff/Layout/NestedLayout.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>
#include <string>
#include <vector>

namespace distaff {

/// Describes the contraction of one workgroup, as far as the choice depends on
/// it.
struct ContractionProblem {
  SmallVector<int64_t> extents;      // per iteration dim
  SmallVector<bool> reduced;         // per iteration dim: a K dim
  AffineMap lhs, rhs, acc;           // projected permutations
  Multiplicand lhsFactor, rhsFactor; // before exact extensions
  Type accElement;
  bool adds = true;          // combining kind is add
  bool mayDropBits = false;  // the operands' low bits do not matter
  bool mayRenumberK = false; // by other divisions of K than the table's

  /// \post exact extensions of the operands are removed
  static ContractionProblem get(vector::ContractionOp op);

  /// The lowering_config on the op; null if there is none.
  iree::LoweringConfigAttr config;
  /// The only instruction to choose, if the user's to_layout ops name one.
  iree::MmaLayoutAttr kind;

  /// Returns `kind`, or the instruction of the lowering_config; null for any.
  iree::MmaLayoutAttr demandedKind() const {
    return kind ? kind : config ? config.getMmaKind() : kind;
  }
};

struct ContractionCandidate {
  const MmaRow *row = nullptr;
  /// The operands swap roles: the instruction computes the transposed product.
  bool transposed = false;
  SmallVector<int64_t> subgroups; // per iteration dim; empty if not nested
  NestedLayout lhs, rhs, acc;
  /// Adjacent values of K that stay together; nullopt for those of the table.
  std::optional<int64_t> elementsOfK;
  int64_t instructions = 0; // per subgroup
  int64_t operandWords = 0; // 32-bit registers per lane of lhs and rhs
  /// Issue slots per subgroup of the instructions.
  int64_t cost = 0;

  /// Returns the `mma_kind` of the to_layout ops.
  iree::MmaLayoutAttr getKind(MLIRContext *context) const;
  /// Returns `m16n8k16 f16, subgroups 2x1`, for reports.
  std::string describe() const;
};

/// Returns whether the instruction multiplies and adds the problem's types; if
/// transposed, its A is the problem's rhs.
bool typesFit(const ContractionProblem &problem, const MmaRow &row,
              bool transposed = false);

/// Returns whether it does so once the operands have been extended exactly.
bool typesFitExtended(const ContractionProblem &problem, const MmaRow &row,
                      bool transposed);

/// Returns the problem with operands that instructions of the target accept:
/// extended beforehand if none accepts the original types.
ContractionProblem withFactorsOf(const ContractionProblem &problem,
                                 const Target &target);

/// The `issueCost` of a row that a target lists but that must not be selected,
/// even by a user (spec 10.4).
constexpr int64_t infiniteCost = std::numeric_limits<int64_t>::max();

/// Returns all choices that fit, cheapest first; among equals the one whose
/// operands take fewer registers, then the one that is split further out. Empty
/// if no instruction fits. A lowering_config restricts instruction and split.
std::vector<ContractionCandidate>
enumerateMma(const ContractionProblem &problem, const Target &target,
             int64_t subgroups);

/// The instructions of a target that multiply a problem's types, looked up once
/// for tiles of many extents.
struct MmaOffer {
  /// The problem with operands that the instructions accept (withFactorsOf).
  ContractionProblem problem;
  /// The rows in the order of the target's table, which outlives them.
  SmallVector<const MmaRow *> rows;

  static MmaOffer get(const ContractionProblem &problem, const Target &target);

  /// Returns the result of enumerateMma for the problem with these extents, one
  /// per iteration dim.
  std::vector<ContractionCandidate> enumerate(ArrayRef<int64_t> extents,
                                              int64_t subgroups) const;
};

/// Returns the choice that a user has made by both operands' to_layout ops, of
/// any layouts, for a row of the target that the kernel is compiled for; the
/// acc's layout follows from nested ones.
/// \post acc is of rank 0 if it does not follow
ContractionCandidate anchoredMma(const ContractionProblem &problem,
                                 const MmaRow &row, bool transposed,
                                 const std::optional<NestedLayout> &lhs,
                                 const std::optional<NestedLayout> &rhs,
                                 int64_t subgroups);

/// Returns in one sentence why enumerateMma returned no choice.
std::string whyNoMma(const ContractionProblem &problem, const Target &target);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_CONTRACTIONCHOICE_H
