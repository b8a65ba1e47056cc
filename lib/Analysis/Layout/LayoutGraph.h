//===- LayoutGraph.h - Ops and their candidate layouts ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph on which layout choice selects. An op is a node, and so is a group
// of tied values (a loop variable, the results of a branch). A candidate of a
// node gives every vector operand and result of the node its layout, so that it
// satisfies the op's row of the transfer table. Layout-free values have no
// node; to_layout has one with a single candidate.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_LAYOUT_LAYOUTGRAPH_H
#define DISTAFF_LIB_ANALYSIS_LAYOUT_LAYOUTGRAPH_H

#include "ContractionFeeds.h"
#include "MemoryLayouts.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "distaff/Analysis/Legality/TargetOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>
#include <optional>
#include <vector>

namespace distaff {

struct LayoutCandidate {
  SmallVector<VectorLayoutInterface> operands, results;
  /// The MMA choice of the candidate: an index into the node's contractions.
  std::optional<unsigned> contraction = std::nullopt;
  /// The instruction of the candidate, if it is none of the node's
  /// contractions; if null, every lane computes the op by itself.
  const TargetOp *targetOp = nullptr;

  bool isLike(const LayoutCandidate &other) const {
    return operands == other.operands && results == other.results &&
           targetOp == other.targetOp;
  }
};

struct LayoutNode {
  Operation *op = nullptr;
  /// Whether all operands and results have one layout because a region ties
  /// them.
  bool tied = false;
  SmallVector<OpOperand *> operands;
  SmallVector<Value> results;
  std::vector<LayoutCandidate> candidates;
  /// The MMA choices of a contraction, cheapest first.
  std::vector<ContractionCandidate> contractions;
  /// The instructions that implement another op, cheapest first.
  std::vector<TargetOpCandidate> targetOps;
  /// The instruction that the user has chosen, or null.
  const TargetOp *demandedOp = nullptr;
  /// The user annotation that fixed a contraction's instruction and the layouts
  /// of its operands, or why it has none. Empty if not fixed yet.
  std::string anchoredBy, whyPlain;
};

class LayoutGraph {
public:
  static constexpr unsigned maxCandidates = 8;

  /// Fails with a diagnostic if an op has no rule or a user's layout does not
  /// fit the hardware.
  static FailureOr<LayoutGraph> build(FunctionOpInterface function,
                                      const Target &target,
                                      HardwareShape hardware,
                                      bool stagesOperands = true);

  /// Fails with a diagnostic (DG4) at each op that no anchor of the user
  /// reaches, with the layout that it would take.
  static LogicalResult checkAnchored(FunctionOpInterface function,
                                     const Target &target,
                                     HardwareShape hardware);

  struct Definition {
    unsigned node, result;
  };

  std::vector<LayoutNode> nodes; // in program order
  /// Read values, and values computed from them, that reach a contraction on an
  /// MMA without passing through shared memory.
  llvm::DenseSet<Value> direct;
  llvm::DenseMap<Value, Definition> definitions;

private:
  LayoutGraph(FunctionOpInterface function, const Target &target,
              HardwareShape hardware)
      : target(target), hardware(hardware), feeds(function) {}

  LogicalResult addNodes(FunctionOpInterface function);
  void addTiedNodes(Operation *op);
  void addNode(LayoutNode node);

  LogicalResult seedAnchors();
  void seedContractions();
  void seedContraction(LayoutNode &node);
  bool seedAnchoredContraction(LayoutNode &node, iree::MmaLayoutAttr &demanded);
  void anchorContraction(LayoutNode &node, ContractionCandidate choice,
                         const OpLayouts &slots);
  void seedChosenContraction(LayoutNode &node,
                             const ContractionProblem &problem);
  /// Seeds reads and writes; with `stagesOperands`, a contraction's operand may
  /// be read in another layout.
  void seedAccesses(bool stagesOperands);
  bool feedsMma(ArrayRef<OpOperand *> fed);
  void markDirect(Value value);
  void keepPromoted(ArrayRef<std::vector<NestedLayout>> seeds);
  void seedFixed();
  void seedTheRest();
  LogicalResult reportUnanchored();
  void addTargetOps();

  /// Runs inferLayouts on the node's op, computed by the instruction or each
  /// lane.
  static LogicalResult infer(const LayoutNode &node, const TargetOp *targetOp,
                             OpLayouts &slots, std::string &why);
  bool addCandidate(unsigned node, LayoutCandidate candidate);
  /// Adds the candidate of `node` that follows from one known slot, if there is
  /// one.
  void addFrom(unsigned node, OpOperand *operand, Value result,
               VectorLayoutInterface layout, bool complete = false);
  /// Does the same for the op computed by the instruction or by each lane.
  void addFrom(unsigned node, const TargetOp *targetOp, OpLayouts slots,
               bool complete);
  /// Adds the candidate if every slot has a layout.
  void addComplete(unsigned node, const OpLayouts &slots,
                   const TargetOp *targetOp = nullptr);
  /// Propagates new candidates to adjacent nodes until a fixpoint.
  void spread();
  bool fits(const LayoutCandidate &candidate);

  const Target &target;
  HardwareShape hardware;
  ContractionFeeds feeds;
  bool movesByTargetOps = false; // all, not only demanded ones
  llvm::DenseMap<Operation *, SmallVector<unsigned>> nodesOf;
  std::deque<std::pair<unsigned, unsigned>> fresh;
  llvm::DenseMap<VectorLayoutInterface, bool> fitsCache;
};

/// Returns the memory access of an op; nullopt for other ops.
std::optional<VectorAccess> accessOf(Operation *op, const Target &target);

/// Returns the nested layout with the same places as `layout`, if there is one.
std::optional<NestedLayout> nestedOf(VectorLayoutInterface layout);

/// Returns the access of a vector of this type in row-major memory.
VectorAccess rowMajorAccess(VectorType type);

/// Returns whether the memory that `op` accesses is the workgroup's.
bool accessesWorkgroupMemory(Operation *op);

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_LAYOUT_LAYOUTGRAPH_H
