//===- LayoutPropagation.h - Which layout each vector has -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recomputes the layout of every vector of a region from its `to_layout` ops
// and from what crosses its boundary. It never chooses: assign-layouts has
// inserted enough of them. A function is its body, which nothing crosses.
//
//   %r = vector.transfer_read ...        L, weakly: nothing else says
//   %x = to_layout %r to layout(L)       L
//   %e = math.exp2 %x                    L
//   %s = multi_reduction %e, %z [1]      project(L, {1})
//   %t = vector.broadcast %c             layout-free
//   %u = arith.addf %s, %t               project(L, {1}), both uses
//
// Two phases. *Strong*: layouts spread from the results of to_layout ops and
// from the boundary, forward and backward through every op by the table of
// LayoutTransfer.h, and around loops and branches, to a fixpoint. *Weak*: in
// program order, the operand of a to_layout that is still without a layout
// takes the to_layout's, and spreads it again. A vector of rank 0 has the one
// layout of rank 0.
//
// *Layout-free* values (constants, vector.step, constant and created masks,
// poison, a broadcast scalar) have no layout of their own: each use may demand
// another, and distribution builds the value once per demanded layout.
//
// The boundary is what a part of a kernel shares with the code around it: the
// vectors that it takes from outside or as region arguments, and those that its
// terminator hands on. Around the part nothing is looked at:
//
//   %x, laid out as L, is an input; output 0 is laid out as M
//   scf.execute_region {
//     %e = math.exp2 %x                  L
//     %y = to_layout %e to layout(M)     M
//     scf.yield %y                       M, as it must be
//   }
//
// Afterwards, for every op but to_layout, `getUse` of its operands and `get` of
// its results satisfy the op's row of the table. Only a to_layout may have an
// operand whose layout differs from its result's: that is a conversion.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_LAYOUTPROPAGATION_H
#define DISTAFF_ANALYSIS_LAYOUT_LAYOUTPROPAGATION_H

#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff {

/// The layout of every vector value and of every use of a layout-free one.
class LayoutMap {
public:
  /// The layout that `value` has; null for a layout-free value and for
  /// everything that is not a vector.
  vector_ext::VectorLayoutInterface get(Value value) const {
    return values.lookup(value).layout;
  }

  /// The to_layout that `get(value)` comes from, or the terminator; null where
  /// it was given or nobody says.
  Operation *originOf(Value value) const { return values.lookup(value).origin; }

  /// The layout that the user of `use` sees. Equals `get(use.get())` unless the
  /// value is layout-free; null where the operand is not a vector.
  vector_ext::VectorLayoutInterface getUse(OpOperand &use) const {
    if (auto layout = uses.lookup(&use))
      return layout;
    return get(use.get());
  }

  /// True if `value` takes the layout that each of its uses demands.
  static bool isLayoutFree(Value value);

  void set(Value value, vector_ext::VectorLayoutInterface layout,
           Operation *origin = nullptr) {
    values[value] = {layout, origin};
  }
  void setUse(OpOperand &use, vector_ext::VectorLayoutInterface layout) {
    uses[&use] = layout;
  }

private:
  struct Known {
    vector_ext::VectorLayoutInterface layout;
    Operation *origin = nullptr;
  };
  llvm::DenseMap<Value, Known> values;
  llvm::DenseMap<OpOperand *, vector_ext::VectorLayoutInterface> uses;
};

/// The layouts of the vectors that cross the boundary of a region.
struct RegionBoundary {
  /// Values from outside and region arguments.
  SmallVector<std::pair<Value, vector_ext::VectorLayoutInterface>> inputs;
  /// What the terminator hands on: one per operand, null where that is no
  /// vector or its layout is not given. None at all: no layout is given.
  SmallVector<vector_ext::VectorLayoutInterface> outputs;
};

/// Propagates from the to_layout ops of `region` and from its boundary. Fails
/// with a diagnostic per culprit: two layouts meeting without a to_layout
/// between them (DG1, DG3), an algebra result that does not exist (DG2), a
/// value that no to_layout reaches (DG4), an op without a rule (DG5).
/// \pre  outputs of a region with several blocks are not given
FailureOr<LayoutMap> propagateLayouts(Region &region,
                                      const RegionBoundary &boundary);

/// As `propagateLayouts`, but silent and partial: values that nothing
/// determines are absent, conflicts keep the layout that came first.
LayoutMap propagateWhatIsKnown(Region &region, const RegionBoundary &boundary);

/// As `propagateWhatIsKnown`, without the weak phase: the layouts that `region`
/// and what is given cannot do without.
LayoutMap propagateDemands(Region &region, const RegionBoundary &boundary);

/// Of a whole function.
FailureOr<LayoutMap> propagateLayouts(FunctionOpInterface function);
LayoutMap propagateWhatIsKnown(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_LAYOUTPROPAGATION_H
