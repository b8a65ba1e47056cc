//===- FusedGroup.h - Common axes of the loops of fused ops -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linalg ops that become one launch form a group. A loop of one op and a loop
// of another are the same *axis* if a tensor dim that one op writes is the dim
// that the other one iterates over; a fill unifies no axes. In
//
//   %m = max over d1 of %x[d0, d1]         // loops: d0 parallel, d1 reduction
//   %y[e0, e1] = %x[e0, e1] - %m[e0]       // loops: e0, e1 parallel
//
// d0 and e0 are one axis, because %m connects them. So are d1 and e1, because
// both iterate over %x: an op may read any part of an argument, but the ops of
// a group should iterate over it together. They do not where that would put two
// loops of one op on one axis, as for the rows of %a in %a * %a^T.
//
// Workgroups can be distributed along an axis, then called a *grid axis*, if no
// op reduces over it, and if each result and each reduction of the group has
// it: every workgroup would recompute a reduction without the axis, and all of
// them would write a result without it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_FUSEDGROUP_H
#define DISTAFF_ANALYSIS_LINALG_FUSEDGROUP_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace distaff {

/// Returns the interface by which an op is tiled; null for null and for an op
/// without it. A tensor.pad is not tiled: upstream promises its tiling by an
/// external model that is not registered, and querying a promised interface is
/// fatal.
inline TilingInterface tilingOf(Operation *op) {
  return isa_and_nonnull<tensor::PadOp>(op)
             ? TilingInterface()
             : dyn_cast_or_null<TilingInterface>(op);
}

/// Describes one op of a group for the tiler.
struct GroupOp {
  Operation *op = nullptr;    // a TilingInterface
  SmallVector<unsigned> axes; // one per loop, an index into the group's axes
  SmallVector<utils::IteratorType> iterators;
  SmallVector<AffineMap> operandMaps; // per operand: loops -> operand dims
  SmallVector<AffineMap> resultMaps;
  bool contracts = false; // see ContractionBody.h

  bool isReduction() const {
    return llvm::is_contained(iterators, utils::IteratorType::reduction);
  }
  /// Returns the loop that runs along `axis`, or nullopt.
  std::optional<unsigned> loopOf(unsigned axis) const;
};

/// The extent that stands for a dynamic one: tiles are chosen and priced as if
/// it were this.
inline constexpr int64_t nominalExtent = 1024;

struct LoopAxis {
  int64_t extent = 1;       // nominal if dynamic
  bool isDynamic = false;   // in all ops that have it
  bool isEmpty = false;     // of extent 0, though it counts as 1 here
  bool isParallel = true;   // in all ops that have it
  bool isRegular = true;    // all ops use the same tile along it
  bool isEverywhere = true; // every result and every reduction has it
  /// Only fills that initialize ops of the group have it; the tensors that they
  /// fill are tiled as these ops are.
  bool isOfFillsOnly = true;
  /// Two loops of one op lie on it, so no op may be tiled along it.
  bool isDiagonal = false;

  bool mayBeGridAxis() const {
    return isParallel && isEverywhere && mayBeWalked();
  }
  /// Returns the tile that covers the axis: larger than any number if it is
  /// dynamic.
  int64_t whole() const {
    return isDynamic ? std::numeric_limits<int64_t>::max() : extent;
  }
  /// Returns whether one workgroup may iterate over it tile by tile.
  bool mayBeWalked() const { return isRegular && !isDiagonal; }
};

/// Returns the source of `value`, past reshapes, which only view the same
/// memory.
Value withoutReshapes(Value value);

/// Returns whether a tensor has no elements for any dynamic extents.
bool hasNoElements(Type type);

/// Returns the values that a kernel returns, past reshapes and without empty
/// tensors.
SmallVector<Value> computedResults(Block &body);

/// The tilable ops of a block, in program order, and their axes.
class FusedGroup {
public:
  /// Finds the group of `block` that computes `results`, reshaped or not.
  static FusedGroup get(Block &block, ValueRange results);

  /// Finds the group that computes what a kernel of one block returns.
  static FusedGroup of(func::FuncOp kernel);

  ArrayRef<GroupOp> ops() const { return groupOps; }
  ArrayRef<LoopAxis> axes() const { return groupAxes; }
  /// Sets the extent of the ops along an axis.
  void setExtent(unsigned axis, int64_t extent) {
    assert(axis < groupAxes.size() && extent > 0 &&
           "an axis of the group has points");
    groupAxes[axis].extent = extent;
    groupAxes[axis].isDynamic = groupAxes[axis].isEmpty = false;
  }
  const GroupOp *find(Operation *op) const;

  /// Returns the op that decides tile sizes: the one with a `lowering_config`,
  /// else the costliest: the op that ends an attention, else a contraction,
  /// else the one with the largest iteration space, of equal ones a reduction.
  const GroupOp *root() const;

  /// Returns the axes along which workgroups may be distributed, outermost
  /// first, in the order of the root's loops.
  SmallVector<unsigned> gridAxes() const;

private:
  SmallVector<GroupOp, 0> groupOps;
  SmallVector<LoopAxis> groupAxes;
  size_t costliest = 0; // the number of an op
};

/// Returns the op by whose tiles a prepared kernel is tiled; null if it has
/// none.
Operation *findRoot(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_FUSEDGROUP_H
