//===- LayoutPropagation.h - Propagate vector layouts -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recomputes the layout of every vector of a region from its `to_layout` ops
// and from the values that cross its boundary. It never chooses: assign-layouts
// has inserted enough to_layout ops. A function's region is its body, whose
// boundary no value crosses.
//
//   %r = vector.transfer_read ...        L, weakly: no other op fixes it
//   %x = to_layout %r to layout(L)       L
//   %e = math.exp2 %x                    L
//   %s = multi_reduction %e, %z [1]      project(L, {1})
//   %t = vector.broadcast %c             layout-free
//   %u = arith.addf %s, %t               project(L, {1}), both uses
//
// Propagation has two phases. *Strong*: layouts propagate from the results of
// to_layout ops and from the boundary, forward and backward through every op by
// the table of LayoutTransfer.h, and around loops and branches, to a fixpoint.
// *Weak*: in program order, the operand of a to_layout that is still without a
// layout takes the to_layout's, and propagates it again. A vector of rank 0 has
// the one layout of rank 0.
//
// *Layout-free* values (constants, vector.step, constant and created masks,
// poison, a broadcast scalar) have no layout of their own: each use may require
// a different one, and distribution builds the value once per required layout.
//
// The boundary consists of the vectors that a part of a kernel shares with the
// code around it: those that it takes from outside or as region arguments, and
// the operands of its terminator. Code outside of the part is not analysed:
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

/// Maps every vector value, and every use of a layout-free one, to its layout.
class LayoutMap {
public:
  /// Returns the layout that `value` has; null for a layout-free value and for
  /// everything that is not a vector.
  vector_ext::VectorLayoutInterface get(Value value) const {
    return values.lookup(value).layout;
  }

  /// Returns the to_layout that `get(value)` comes from, or the terminator;
  /// null if the layout was given or no op fixes it.
  Operation *originOf(Value value) const { return values.lookup(value).origin; }

  /// Returns the layout in which the user of `use` reads it. Equals
  /// `get(use.get())` unless the value is layout-free; null if the operand is
  /// not a vector.
  vector_ext::VectorLayoutInterface getUse(OpOperand &use) const {
    if (auto layout = uses.lookup(&use))
      return layout;
    return get(use.get());
  }

  /// Returns whether `value` takes the layout that each of its uses requires.
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
  /// Layouts of the terminator's operands, null if the operand is no vector or
  /// its layout is not given. Empty: no layout is given.
  SmallVector<vector_ext::VectorLayoutInterface> outputs;
};

/// Propagates from the to_layout ops of `region` and from its boundary. Fails
/// with a diagnostic per culprit: two different layouts without a to_layout
/// between them (DG1, DG3), an algebra result that does not exist (DG2), a
/// value that no to_layout reaches (DG4), an op without a rule (DG5).
/// \pre  outputs of a region with several blocks are not given
FailureOr<LayoutMap> propagateLayouts(Region &region,
                                      const RegionBoundary &boundary);

/// Propagates like `propagateLayouts`, but is silent and partial: values of
/// undetermined layout are absent, conflicts keep the layout that came first.
LayoutMap propagateWhatIsKnown(Region &region, const RegionBoundary &boundary);

/// Propagates like `propagateWhatIsKnown`, without the weak phase: only the
/// layouts that `region` and the given ones imply.
LayoutMap propagateDemands(Region &region, const RegionBoundary &boundary);

/// Propagates in a whole function.
FailureOr<LayoutMap> propagateLayouts(FunctionOpInterface function);
LayoutMap propagateWhatIsKnown(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_LAYOUTPROPAGATION_H
