//===- PhaseOrder.h - Order of phases by barriers ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters of one executor are ordered by nothing but its barriers, so a
// transform that moves phases past barriers, or gives a phase's parts to
// several clusters, needs two properties of every access: the box of elements,
// and its *time*, the number of barriers before it (7.3 of the pcf
// specification; "slots" there). Both are terms of the loop variables
// (IndexTerms.h): with two barriers per iteration the first phase of a loop is
// at time t + 2k, and a ring of two panels is written at [(k + 1) mod 2, (k +
// 1) mod 2 + 1).
//
// Only a barrier that fences a ref orders accesses to it. Two accesses of
// different clusters that may touch one element, one of them a write, at equal
// times are a race: `findUnordered`. Whether moving one access `s` barriers
// earlier makes it race is `mayMeet` with distances 0 to s.
//
// Example, odd's write of panel k + 1 and even's read of panel k' in V2 of the
// specification: the ring's slots are equal if k + 1 = k' (mod 2), at times 2k
// + 1 and 2k' + 1. At distance 1 or 0 they differ, so even may run one barrier
// earlier; at distance 2 they are equal, for k' = k + 1.
//
// Unknown facts are never assumed: offsets that are not terms are the whole
// extent, and an executor with an op that may access memory in another way is
// rejected.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_PHASEORDER_H
#define DISTAFF_LIB_PCF_ORDER_PHASEORDER_H

#include "IndexDomain.h"
#include "RefBox.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff::pcf {

/// Describes a slice that a phase reads or writes.
struct PhaseAccess {
  Operation *op;
  /// The `run_cluster` or `run_thread` around it.
  Operation *phase;
  /// The ref, with views and names of the initializer stripped.
  Value ref;
  bool isWrite;

  Type getGroup() const { return phase->getOperand(0).getType(); }
  bool isOfSameGroup(const PhaseAccess &other) const {
    return isSameGroup(getGroup(), other.getGroup());
  }
  /// Returns a text for messages, such as `read of pp.even`.
  std::string describe() const;
};

/// Describes the distance of two accesses in time, a parameter of `mayMeet`.
struct PhaseDistance {
  /// Inclusive bounds of time(a) - time(b).
  int64_t low = 0, high = 0;
  /// A loop around `a` that may run it once more, in the iteration after the
  /// last.
  scf::ForOp pastEnd = {};
};

class PhaseOrder {
public:
  /// Computes the order. Errors:
  /// `<op> is not known to leave shared memory alone`,
  /// `barriers under a condition have no fixed order`, and so on, at the op.
  static FailureOr<PhaseOrder> compute(SharedExecutorOp executor);

  ArrayRef<PhaseAccess> getAccesses() const { return accesses; }

  /// Returns whether `a` and `b` may touch one element, one of them writing it,
  /// at such a distance. If no barrier counts for their refs the distance is 0.
  bool mayMeet(const PhaseAccess &a, const PhaseAccess &b,
               const PhaseDistance &distance);

  /// Returns the first two accesses of different groups that no barrier orders.
  std::optional<std::pair<PhaseAccess, PhaseAccess>> findUnordered();

  /// Returns whether a slice or view lies in its ref's static extents in the
  /// iteration after the loop's last.
  bool isInBounds(const PhaseAccess &access, scf::ForOp pastEnd);
  bool isInBounds(SubviewOp view, scf::ForOp pastEnd);

  /// Returns the constraints that hold at ops of the executor.
  IndexDomain &getDomain() { return domain; }

private:
  explicit PhaseOrder(SharedExecutorOp executor)
      : executor(executor), domain(executor) {}

  LogicalResult collect(Block &block);
  LogicalResult collectPhase(Operation *phase);
  LogicalResult visitInPhase(Operation *op, Operation *phase);
  RefBox getBox(const PhaseAccess &access);
  bool isBoxInside(const RefBox &box, SRefType type, Operation *at,
                   scf::ForOp pastEnd);
  AffineExpr getTime(const PhaseAccess &access, const PhaseAccess &other);
  bool isPerIteration(unsigned variable);

  SharedExecutorOp executor;
  IndexDomain domain;
  SmallVector<PhaseAccess> accesses;
};

/// Returns the memory of a ref: of a view, the memory that it is a view of; of
/// an executor's leading argument, the allocation in its initializer.
Value getRefMemory(Value ref);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_PHASEORDER_H
