//===- FusedGroup.h - Which loops of several ops are one axis ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linalg ops that become one launch form a group. A loop of one op and a loop
// of another are the same *axis* if a tensor dim that one makes is the dim that
// the other walks; a fill ties nobody. In
//
//   %m = max over d1 of %x[d0, d1]         // loops: d0 parallel, d1 reduction
//   %y[e0, e1] = %x[e0, e1] - %m[e0]       // loops: e0, e1 parallel
//
// d0 and e0 are one axis, because %m ties them. So are d1 and e1, because both
// walk %x: an op may read what it likes of an argument, but the ops of a group
// do well to walk it together. Where that would put two loops of one op on one
// axis, as for the rows of %a in %a * %a^T, they do not.
//
// Workgroups can be laid along an axis, then called a *grid axis*, if no op
// reduces over it, and if each result and each reduction of the group has it:
// a reduction without the axis would be computed again by every workgroup, a
// result without it would be written by all of them.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_FUSEDGROUP_H
#define DISTAFF_ANALYSIS_LINALG_FUSEDGROUP_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace distaff {

/// The interface by which an op is tiled; null for null and for an op without.
/// A tensor.pad stays whole: upstream promises its tiling by a model that is
/// not registered, and asking an op for a promised interface is fatal.
inline TilingInterface tilingOf(Operation *op) {
  return isa_and_nonnull<tensor::PadOp>(op)
             ? TilingInterface()
             : dyn_cast_or_null<TilingInterface>(op);
}

/// One op of a group, with what the tiler needs to know of it.
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
  /// The loop that runs along `axis`, or nullopt.
  std::optional<unsigned> loopOf(unsigned axis) const;
};

/// What an extent counts as where only the launch knows it: tiles are chosen
/// and priced as if it were this.
inline constexpr int64_t nominalExtent = 1024;

struct LoopAxis {
  int64_t extent = 1;       // nominal if dynamic
  bool isDynamic = false;   // in every op that has it
  bool isEmpty = false;     // of extent 0, though it counts as 1 here
  bool isParallel = true;   // in every op that has it
  bool isRegular = true;    // every use of a tile along it is that same tile
  bool isEverywhere = true; // in every result and every reduction
  /// Only fills that ops of the group start from have it; what they fill is cut
  /// as the ops are.
  bool isOfFillsOnly = true;
  /// Loops of one op lie on it twice, so no op may be tiled along it.
  bool isDiagonal = false;

  bool mayBeGridAxis() const {
    return isParallel && isEverywhere && mayBeWalked();
  }
  /// The tile that is all of it: no number is, of a dynamic extent.
  int64_t whole() const {
    return isDynamic ? std::numeric_limits<int64_t>::max() : extent;
  }
  /// Whether one workgroup may walk it tile by tile.
  bool mayBeWalked() const { return isRegular && !isDiagonal; }
};

/// What a value is a reshape of, which only says how the same memory is seen.
Value withoutReshapes(Value value);

/// Whether a tensor has no elements, whatever a launch passes.
bool hasNoElements(Type type);

/// What a kernel returns, without such, and without what has no elements.
SmallVector<Value> computedResults(Block &body);

/// The tilable ops of a block, in program order, and their axes.
class FusedGroup {
public:
  /// Finds the group of `block` that computes `results`, reshaped or not.
  static FusedGroup get(Block &block, ValueRange results);

  ArrayRef<GroupOp> ops() const { return groupOps; }
  ArrayRef<LoopAxis> axes() const { return groupAxes; }
  /// Says that the ops have been given another extent along an axis.
  void setExtent(unsigned axis, int64_t extent) {
    assert(axis < groupAxes.size() && extent > 0 &&
           "an axis of the group has points");
    groupAxes[axis].extent = extent;
    groupAxes[axis].isDynamic = groupAxes[axis].isEmpty = false;
  }
  const GroupOp *find(Operation *op) const;

  /// The op that decides tile sizes: the one with a `lowering_config`, else
  /// the costliest: that which ends an attention, else a contraction, else the
  /// largest iteration space, of equal ones a reduction.
  const GroupOp *root() const;

  /// Axes along which workgroups may be laid, outermost first, in the order of
  /// the root's loops.
  SmallVector<unsigned> gridAxes() const;

private:
  SmallVector<GroupOp, 0> groupOps;
  SmallVector<LoopAxis> groupAxes;
  size_t costliest = 0; // the number of an op
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_FUSEDGROUP_H
