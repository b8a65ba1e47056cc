//===- RefAccess.cpp - Ops that may access a ref's memory -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RefAccess.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// The origin of a ref's memory.
enum class Origin {
  fresh,  ///< It has no alias.
  memref, ///< It is a memref of the code around the ref's owner.
  unknown ///< It may alias any other ref.
};

struct Memory {
  Origin origin;
  /// The memory, if it is known to differ from other memory: an argument of a
  /// function, no two of which alias, or an allocation.
  Value root;
};
} // namespace

static bool isArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
         isa_and_nonnull<FunctionOpInterface>(
             argument.getOwner()->getParentOp());
}

AllocOp pcf::getAllocation(BlockArgument ref) {
  auto owner =
      dyn_cast_or_null<RefOwnerOpInterface>(ref.getOwner()->getParentOp());
  Region *initializer = owner ? owner.getInitializerOrNull() : nullptr;
  if (!initializer || initializer->empty() ||
      !llvm::is_contained(owner.getLeadingArgs(), ref))
    return AllocOp();
  Value yielded =
      initializer->front().getTerminator()->getOperand(ref.getArgNumber());
  auto alloc = yielded.getDefiningOp<AllocOp>();
  return alloc && yielded.hasOneUse() ? alloc : AllocOp();
}

memref::AllocOp pcf::getGroupAllocation(Value memref,
                                        SharedExecutorOp executor) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto alloc = memref.getDefiningOp<memref::AllocOp>();
  return alloc && alloc->getBlock() == executor.getBody() ? alloc
                                                          : memref::AllocOp();
}

bool pcf::isGroupAllocation(Operation *op, SharedExecutorOp executor) {
  auto alloc = dyn_cast<memref::AllocOp>(op);
  return alloc && alloc->getNumOperands() == 0 &&
         getGroupAllocation(alloc, executor);
}

static Memory getMemory(TypedValue<MemRefType> memref) {
  Value base = memref;
  while (auto view = base.getDefiningOp<ViewLikeOpInterface>()) {
    if (!isa<BaseMemRefType>(view.getViewSource().getType()))
      return {Origin::unknown, {}};
    base = view.getViewSource();
  }
  if (base.getDefiningOp<GetMemrefOp>())
    return {Origin::unknown, {}};
  bool isRoot =
      isArgument(base) ||
      isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(base.getDefiningOp());
  return {Origin::memref, isRoot ? base : Value()};
}

/// Returns the memory of a memref, or of a ref that is no view.
static Memory getMemory(Value ref) {
  if (auto memref = dyn_cast<TypedValue<MemRefType>>(ref))
    return getMemory(memref);
  Memory fresh{Origin::fresh, ref}, unknown{Origin::unknown, {}};
  if (ref.getDefiningOp<AllocOp>())
    return fresh;
  if (isArgument(ref))
    return {Origin::unknown, ref};
  auto argument = dyn_cast<BlockArgument>(ref);
  auto owner = argument ? dyn_cast_or_null<RefOwnerOpInterface>(
                              argument.getOwner()->getParentOp())
                        : nullptr;
  if (owner && llvm::is_contained(owner.getLeadingArgs(), argument))
    return getAllocation(argument) ? fresh : unknown;
  if (!owner || !llvm::is_contained(owner.getRefArgs(), argument))
    return unknown;
  unsigned index = argument.getArgNumber() - owner.getNumLeadingArgs();
  OpOperand *source = owner.getSourceOfRef(index);
  auto memref = source ? dyn_cast<TypedValue<MemRefType>>(source->get())
                       : TypedValue<MemRefType>();
  return memref ? getMemory(memref) : fresh;
}

bool pcf::mayAlias(Value a, Value b) {
  a = getViewedRef(a);
  b = getViewedRef(b);
  Memory of = getMemory(a), other = getMemory(b);
  if (a == b || (of.root && of.root == other.root))
    return true;
  if (of.root && other.root)
    return false;
  if (of.origin == Origin::unknown || other.origin == Origin::unknown)
    return true;
  return of.origin == Origin::memref && other.origin == Origin::memref;
}

/// Returns whether a memref may alias a ref that is no view.
static bool mayBeMemref(Value ref) {
  if (getMemory(ref).origin != Origin::fresh)
    return true;
  SmallVector<Value> views{ref};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<SubviewOp, ExpandShapeOp>(user))
        views.push_back(user->getResult(0));
      else if (!isa<ReadSliceOp, WriteSliceOp, BarrierOp, FenceOp>(user))
        return true;
    }
  return false;
}

/// Returns whether an op's only effects on memory are reads.
static bool onlyReads(Operation *op) {
  if (isa<ReadSliceOp>(op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && effects.onlyHasEffect<MemoryEffects::Read>();
}

/// Returns whether `op`, or an op in it, accesses the memory of `ref`; only
/// writes count if `onlyWrites`.
static bool mayTouch(Operation *op, Value ref, bool onlyWrites) {
  bool isMemref = isa<BaseMemRefType>(ref.getType());
  bool memrefs = isMemref || mayBeMemref(getViewedRef(ref));
  auto isAccess = [&](Operation *nested) {
    if (isa<BarrierOp, FenceOp>(nested))
      return !onlyWrites;
    if (isMemoryEffectFree(nested) || (onlyWrites && onlyReads(nested)))
      return false;
    return llvm::any_of(nested->getOperands(), [&](Value operand) {
      if (isa<SRefType>(operand.getType()) ||
          (memrefs && isa<MemRefType>(operand.getType())))
        return mayAlias(operand, ref);
      return memrefs && isa<BaseMemRefType>(operand.getType());
    });
  };
  return op
      ->walk([&](Operation *nested) {
        return isAccess(nested) ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

bool pcf::mayAccess(Operation *op, Value ref) {
  return mayTouch(op, ref, /*onlyWrites=*/false);
}

bool pcf::mayWrite(Operation *op, Value ref) {
  return !isReadonlyRef(ref) && mayTouch(op, ref, /*onlyWrites=*/true);
}
