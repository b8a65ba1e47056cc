//===- LayoutCosts.h - Cost model of vector layouts -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model of layout choice, in issue slots of one subgroup: every
// subgroup runs the same code at the same time, so work that is distributed
// over more subgroups or lanes is cheaper for each, and work on replicas is
// not. The weights are the target's; they only rank alternatives. The model
// ignores latency and other workgroups on the same unit.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_LAYOUT_LAYOUTCOSTS_H
#define DISTAFF_LIB_ANALYSIS_LAYOUT_LAYOUTCOSTS_H

#include "LayoutGraph.h"
#include "distaff/Layout/Conversion.h"
#include <memory>

namespace distaff {

/// Returns the issue slots of one elementwise op on one register.
int64_t slotsPerRegister(Operation *op, const IssueModel &issue);

class LayoutCosts {
public:
  /// Conversions may use `sharedBytes` of workgroup memory, one at a time.
  LayoutCosts(const Target &target, HardwareShape hardware, int64_t sharedBytes)
      : target(target), hardware(hardware), sharedBytes(sharedBytes) {}

  /// Exceeds the cost of any kernel, and sums of it do not overflow.
  static constexpr int64_t impossible = int64_t(1) << 24;

  /// Returns the cost of one execution of the node's op in `candidate`.
  int64_t costOf(const LayoutNode &node, const LayoutCandidate &candidate);

  struct Conversion {
    int64_t cost = 0;
    bool shared = false; // goes through shared memory
    int64_t words = 0;   // 32-bit registers per lane that change
    /// Whether `cost` is a lower bound: planning the conversion would take
    /// long.
    bool isBound = false;
    /// The instruction that converts it, if that costs less than the plan.
    const TargetOp *targetOp = nullptr;
  };

  /// Returns the cost of one conversion of `value`; the cost of its plan if
  /// `exact`, else possibly a lower bound. Plans are cached.
  Conversion conversionOf(Value value, VectorLayoutInterface source,
                          VectorLayoutInterface destination, bool exact);

  /// Returns the full plan, with the reasons against other tiers if it
  /// `explains`.
  std::shared_ptr<const ConversionPlan> plan(Value value,
                                             VectorLayoutInterface source,
                                             VectorLayoutInterface target,
                                             bool forceShared, bool explains);

  int64_t registersOf(VectorLayoutInterface layout);

  /// Returns the bits of an element that is converted: before extensions.
  static int64_t movedBitsOf(Value value);

private:
  /// Returns the layout as the hardware executes it (2.1.4).
  const Layout &placed(VectorLayoutInterface layout);
  struct Move {
    VectorLayoutInterface source, destination;
    int64_t bits;  // of an element
    bool computed; // not just read from memory
    Type element;  // null if it is not the value's type
  };
  /// Returns `planned`, or the instruction of the target that costs less.
  Conversion cheapest(const Move &move, Conversion planned);
  Conversion bound(const Move &move);
  Conversion priced(const Move &move);
  std::shared_ptr<const ConversionPlan>
  planOf(VectorLayoutInterface source, VectorLayoutInterface destination,
         int64_t bits, bool forceShared = false, bool explains = false);
  /// Returns the cost of needing workgroup memory where none is left.
  int64_t costOfRoom() const {
    return sharedBytes < target.workgroupAlignment() ? impossible : 0;
  }
  /// Returns the registers of a lane in a workgroup of this size.
  int64_t availableRegisters() const;
  /// Returns the cost of registers beyond those.
  int64_t costOfSpills(int64_t words) const;
  /// Returns the words that a conversion has in registers at once, on both
  /// sides.
  int64_t wordsOf(const Move &move);
  /// Returns whether a conversion is planned at once, or bounded first.
  bool isQuickToPlan(Tier tier, const Move &move);
  /// Returns the cost of a conversion through shared memory without the moves.
  int64_t costBesidesMoving(const Move &move, int64_t barriers);
  /// Returns the cost of combining the lanes and subgroups that `source` puts
  /// on the dims `reduced`, for `kept` results per lane.
  int64_t costOfExchange(VectorLayoutInterface source,
                         const llvm::SmallBitVector &reduced, int64_t kept,
                         Type element);
  int64_t costOfReduction(Operation *op, VectorLayoutInterface source);
  /// Returns the cost of scanning along `dim` across lanes and subgroups.
  int64_t costOfScan(VectorLayoutInterface source, int64_t dim, Type element);
  int64_t costOfArgCompare(VectorLayoutInterface source,
                           vector_ext::ArgCompareOp op);
  const std::optional<VectorAccess> &accessAt(Operation *op);
  int64_t costOfAccess(Operation *op, VectorLayoutInterface layout);
  /// Returns the bank passes of one subgroup's accesses of workgroup memory.
  int64_t wavefrontsOf(Operation *op, const VectorAccess &access,
                       VectorLayoutInterface layout);
  int64_t costOfContraction(const LayoutNode &node,
                            const LayoutCandidate &candidate);
  int64_t costOfRegisters(VectorLayoutInterface layout, Type element);

  const Target &target;
  HardwareShape hardware;
  int64_t sharedBytes;
  using Pair = std::pair<VectorLayoutInterface, VectorLayoutInterface>;
  llvm::DenseMap<VectorLayoutInterface, std::unique_ptr<Layout>> layouts;
  llvm::DenseMap<Operation *, std::optional<VectorAccess>> accesses;
  llvm::DenseMap<Pair,
                 llvm::SmallDenseMap<std::pair<Type, int64_t>, Conversion, 4>>
      conversions;
  llvm::DenseMap<std::pair<Pair, int64_t>,
                 std::shared_ptr<const ConversionPlan>>
      plans;
};

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_LAYOUT_LAYOUTCOSTS_H
