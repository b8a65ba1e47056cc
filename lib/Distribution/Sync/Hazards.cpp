//===- Hazards.cpp - Hazards between threads ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis is a forward walk with the set of accesses since the last sync.
// The set of syncs only grows, so walking until none is added is a fixpoint; a
// loop body is entered with the accesses that its own end leaves pending.
//
//===----------------------------------------------------------------------===//
#include "Hazards.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace distaff;

/// Returns whether two values are one allocation, argument or global.
static bool isOneRoot(Value a, Value b) {
  auto globalA = a.getDefiningOp<memref::GetGlobalOp>();
  auto globalB = b.getDefiningOp<memref::GetGlobalOp>();
  return a == b ||
         (globalA && globalB && globalA.getNameAttr() == globalB.getNameAttr());
}

/// Returns whether `memref` is the same memory in all iterations of `loop`. A
/// view created inside may be of another part each time.
static bool staysInPlace(Value memref, Operation *loop) {
  auto isInside = [&](Value value) {
    return loop->isAncestor(value.getParentBlock()->getParentOp());
  };
  while (isInside(memref)) {
    auto view = memref.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return isRoot(memref);
    memref = view.getViewSource();
    for (Value operand : view->getOperands())
      if (operand != memref && isInside(operand) &&
          !getConstantIntValue(operand))
        return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Motion of boxes
//===----------------------------------------------------------------------===//

void MemoryBox::add(Value first, int64_t count, const LoopMotions &motions) {
  start.push_back(getConstantIntValue(first));
  motion.push_back(motions.of(first));
  extent.push_back(count);
}

/// Returns the iterations of a loop, where they are known.
static std::optional<int64_t> tripsOf(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
  return trips && trips->getActiveBits() < 63
             ? std::optional<int64_t>(trips->getZExtValue())
             : std::nullopt;
}

/// Returns how far an index moves in the loops inside `loop`; nothing where
/// that is not known.
static std::optional<int64_t> reachInside(const LoopMotion &motion,
                                          Operation *loop) {
  int64_t reach = 0;
  for (auto [inner, step] : motion.steps) {
    if (!loop->isProperAncestor(inner))
      continue;
    std::optional<int64_t> trips = tripsOf(inner);
    int64_t span;
    if (!trips ||
        llvm::MulOverflow(std::abs(step), std::max<int64_t>(*trips, 1) - 1,
                          span) ||
        llvm::AddOverflow(reach, span, reach))
      return std::nullopt;
  }
  return reach;
}

bool MemoryBox::staysApart(Operation *op, Operation *outermost) const {
  // The outermost loop whose iterations differ may be this one or one inside.
  for (Operation *loop = op->getParentOp();; loop = loop->getParentOp()) {
    bool isMoved = false, isApart = false;
    for (auto [moved, count] : llvm::zip_equal(motion, extent)) {
      isMoved |= !moved || moved->along(loop) != 0;
      if (!moved)
        continue;
      std::optional<int64_t> reach = reachInside(*moved, loop);
      isApart |= reach && std::abs(moved->along(loop)) - *reach >= count;
    }
    bool repeats =
        isa<LoopLikeOpInterface>(loop) && tripsOf(loop).value_or(2) > 1;
    if (repeats && isMoved && !isApart)
      return false;
    if (loop == outermost)
      return true;
  }
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

/// Returns whether the boxes cannot overlap: in one dim both start at constants
/// and are disjoint. Boxes are of one memref value.
static bool disjoint(const MemoryBox &a, const MemoryBox &b) {
  for (size_t d = 0; d < std::min(a.start.size(), b.start.size()); ++d) {
    std::optional<int64_t> x = a.start[d], y = b.start[d];
    if (x && y && (*x + a.extent[d] <= *y || *y + b.extent[d] <= *x))
      return true;
  }
  return false;
}

bool Hazards::conflict(Earlier earlier, const MemoryAccess &b,
                       Operation *op) const {
  const auto &[a, loop] = earlier;
  if (!a->writes && !b.writes)
    return false;
  if (a->holders && a->holders == b.holders && !loop)
    return false;
  // A pending access of an earlier iteration is of the last one: older ones
  // were synchronized since.
  if (loop && a->memref == b.memref && alternating.lookup(b.memref) == loop)
    return false;
  if (a->group == b.group) {
    // Outside of the loop it is the same execution of the undistributed op.
    if (!loop || !loop->isProperAncestor(op) || b.isOrdered)
      return false;
    bool isAll = b.box.extent.empty() &&
                 cast<ShapedType>(b.memref.getType()).getRank() != 0;
    return isAll || !staysInPlace(b.memref, loop) ||
           !b.box.staysApart(op, loop);
  }
  return mayOverlap(*a, b, loop);
}

bool Hazards::mayOverlap(const MemoryAccess &a, const MemoryAccess &b,
                         Operation *loop) const {
  Value rootA = rootOf(a.memref), rootB = rootOf(b.memref);
  if (!isOneRoot(rootA, rootB)) {
    auto placeA = places->find(rootA), placeB = places->find(rootB);
    if (placeA != places->end() && placeB != places->end())
      return placeA->second.overlaps(placeB->second);
    return !isRoot(rootA) || !isRoot(rootB);
  }
  bool isOneView =
      a.memref == b.memref && (!loop || staysInPlace(b.memref, loop));
  return !isOneView || !disjoint(a.box, b.box);
}

StringRef distaff::describe(SyncReason reason) {
  switch (reason) {
  case SyncReason::ReadsWritten:
    return "reads what other threads write before it";
  case SyncReason::WritesRead:
    return "writes where other threads read before it";
  case SyncReason::WritesWritten:
    return "writes where other threads write before it";
  }
  llvm_unreachable("all reasons are listed");
}

std::optional<SyncReason>
Hazards::findHazard(Operation *op, ArrayRef<MemoryAccess> accesses,
                    const PendingAccesses &pending) const {
  for (const MemoryAccess &access : accesses)
    if (const Earlier *before = pending.find(access, [&](const Earlier &other) {
          return conflict(other, access, op);
        }))
      return !access.writes           ? SyncReason::ReadsWritten
             : before->access->writes ? SyncReason::WritesWritten
                                      : SyncReason::WritesRead;
  return std::nullopt;
}

LogicalResult Hazards::requireSyncBefore(Operation *op, SyncReason reason,
                                         PendingAccesses &pending) {
  // A sync must be in uniform control flow: before the outermost divergent op.
  Operation *at = op;
  while (Operation *parent = uniformity->divergentParent(at))
    at = parent;
  if (syncBefore.contains(at) && at != op)
    return op->emitOpError(
                 "accesses memory that other threads accessed before it, in "
                 "control flow that not all threads share, where they cannot "
                 "wait for each other; move one of the accesses out of it, or "
                 "let all threads take the same way")
               .attachNote(at->getLoc())
           << "threads part here";
  changed |= syncBefore.insert({at, reason}).second;
  pending.clear();
  return success();
}

LogicalResult Hazards::visit(Operation *op, PendingAccesses &pending) {
  if (syncBefore.contains(op) || sync.isWait(op))
    pending.clear();
  auto found = accesses.find(op);
  if (found != accesses.end()) {
    std::optional<SyncReason> hazard = findHazard(op, found->second, pending);
    if (hazard && failed(requireSyncBefore(op, *hazard, pending)))
      return failure();
    for (const MemoryAccess &access : found->second)
      pending.insert({&access, nullptr});
    return success();
  }
  return op->getNumRegions() == 0 ? success() : visitRegions(op, pending);
}

LogicalResult Hazards::visitRegions(Operation *op, PendingAccesses &pending) {
  bool repeats = isLoopInWorkgroup(op);
  // The regions leave accesses in addition to those pending before; a loop is
  // also entered with them, as accesses of its earlier iterations.
  PendingAccesses entered(*places, &pending);
  SmallVector<Earlier> behind;
  auto enterAfter = [&](ArrayRef<Earlier> left) {
    llvm::append_range(behind, left);
    if (!repeats)
      return entered.insert(left);
    for (const Earlier &entry : left)
      entered.insert({entry.access, op});
  };
  // Inner loops are walked again in each round of outer ones, when their
  // pending accesses are known: two rounds each time would be 2^depth.
  auto known = leftBy.find(op);
  bool isKnown = known != leftBy.end();
  if (isKnown)
    enterAfter(known->second);
  for (int round = 0; round < (repeats && !isKnown ? 2 : 1); ++round) {
    SmallVector<Earlier> left;
    for (Region &region : op->getRegions()) {
      PendingAccesses inside(*places, &entered);
      if (failed(walk(region, inside)))
        return failure();
      llvm::append_range(left, inside.own());
    }
    enterAfter(left);
    if (repeats)
      leftBy[op] = std::move(left);
  }
  pending.insert(entered.own());
  pending.insert(behind);
  return success();
}

LogicalResult Hazards::walk(Region &region, PendingAccesses &pending) {
  for (Block &block : region)
    for (Operation &op : block)
      if (failed(visit(&op, pending)))
        return failure();
  return success();
}

/// Walks a region once, and, if it is in loops, again with what it left
/// pending.
LogicalResult Hazards::walkInTurns(Region &region) {
  SmallVector<Operation *> around;
  for (Operation *op = region.getParentOp(); op; op = op->getParentOp())
    if (isLoopInWorkgroup(op))
      around.push_back(op);
  SmallVector<Earlier> entered;
  for (int round = 0; round < (around.empty() ? 1 : 2); ++round) {
    PendingAccesses pending(*places);
    pending.insert(entered);
    if (failed(walk(region, pending)))
      return failure();
    for (const Earlier &entry : pending.own())
      for (Operation *loop : around)
        entered.push_back({entry.access, loop});
  }
  return success();
}

FailureOr<Hazards::Syncs> Hazards::findSyncs(Region &region,
                                             const Uniformity &uniform,
                                             const BufferPlaces &buffers) {
  uniformity = &uniform;
  places = &buffers;
  syncBefore.clear();
  do {
    changed = false;
    leftBy.clear();
    if (failed(walkInTurns(region)))
      return failure();
  } while (changed);
  return syncBefore;
}
