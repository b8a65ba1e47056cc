//===- PhaseLayouts.h - Layouts of the vectors of a phase -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value at the boundary of a phase's body has up to two layouts: that of its
// class, which all phases share, and the one that the body requires. If these
// differ only in the numbers of registers, the body renames them at its
// boundary:
//
//   class        B[4] O[1] T[8]        argument %x, a member's vector<4x1x1>
//   body         B[1] O[4] T[8]        %y = to_layout %x, its vector<1x4x1>
//
// Any other difference is a conflict of two phases.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_PHASES_PHASELAYOUTS_H
#define DISTAFF_LIB_DISTRIBUTION_PHASES_PHASELAYOUTS_H

#include "PhaseBody.h"
#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"

namespace distaff {

/// The layouts of one argument or yielded operand of a body. Null: not known,
/// or no vector.
struct CrossingLayout {
  unsigned cls;
  vector_ext::VectorLayoutInterface ofClass;
  vector_ext::VectorLayoutInterface inside;

  bool isRenamed() const { return ofClass && inside && ofClass != inside; }
};

/// Collects the layouts at a phase's boundary when some classes are fixed.
class PhaseLayouts {
public:
  /// \pre  `body` is a copy of the one of `op`
  PhaseLayouts(pcf::RunClusterOp op, const PhaseBody &body,
               vector_ext::VectorLayoutInterface fallback,
               const PhaseMembers &members, const pcf::PayloadClasses &classes,
               const pcf::FixedClasses &fixed);

  /// Proposes the layouts that the phase requires or prefers. Fails, with the
  /// reason, where the members cannot hold them.
  LogicalResult propose(SmallVectorImpl<pcf::ClassProposal> &proposals,
                        std::string &why);

  /// Payload arguments and yielded operands, in order.
  SmallVector<CrossingLayout> arguments, yields;
  /// Returns whether a class has no distribution yet.
  bool hasOpenClass() const;

private:
  using Found = llvm::MapVector<unsigned, vector_ext::VectorLayoutInterface>;

  RegionBoundary getBoundary(bool withYields) const;
  void findDemands();
  void findWishes();
  void findDefaults();
  bool isOpen(unsigned cls, Value value) const;
  /// Records that the body has `layout` where the class has `crossing.ofClass`.
  void meet(CrossingLayout &crossing, vector_ext::VectorLayoutInterface layout);

  const PhaseBody &body;
  vector_ext::VectorLayoutInterface fallback;
  const PhaseMembers &members;
  const pcf::PayloadClasses &classes;
  const pcf::FixedClasses &fixed;
  Found demands, wishes, defaults;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_PHASES_PHASELAYOUTS_H
