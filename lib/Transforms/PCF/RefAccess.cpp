//===- RefAccess.cpp - Which ops may access a ref's memory ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RefAccess.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Where the memory of a ref comes from.
enum class Origin {
  fresh,  ///< Nothing else shows it.
  memref, ///< A memref of the code around the ref's owner.
  unknown ///< It may be that of any other ref.
};
} // namespace

/// Whether an argument of an owner's body is what its initializer allocates.
static bool isAllocated(RefOwnerOpInterface owner, unsigned number) {
  Region *initializer = owner.getInitializerOrNull();
  if (!initializer || initializer->empty() ||
      number >= owner.getNumLeadingArgs())
    return false;
  Value yielded = initializer->back().getTerminator()->getOperand(number);
  return yielded.getDefiningOp<AllocOp>() && yielded.hasOneUse();
}

/// The origin of a ref that is no view.
static Origin getOrigin(Value ref) {
  if (ref.getDefiningOp<AllocOp>())
    return Origin::fresh;
  auto argument = dyn_cast<BlockArgument>(ref);
  auto owner = argument ? dyn_cast_or_null<RefOwnerOpInterface>(
                              argument.getOwner()->getParentOp())
                        : nullptr;
  if (!owner)
    return Origin::unknown;
  if (!llvm::is_contained(owner.getRefArgs(), argument))
    return isAllocated(owner, argument.getArgNumber()) ? Origin::fresh
                                                       : Origin::unknown;
  unsigned index = argument.getArgNumber() - owner.getNumLeadingArgs();
  OpOperand *source = owner.getSourceOfRef(index);
  return source && isa<MemRefType>(source->get().getType()) ? Origin::memref
                                                            : Origin::fresh;
}

/// Whether two refs may show the same memory.
static bool mayAlias(Value a, Value b) {
  a = getViewedRef(a);
  b = getViewedRef(b);
  Origin originA = getOrigin(a), originB = getOrigin(b);
  if (a == b || originA == Origin::unknown || originB == Origin::unknown)
    return true;
  return originA == Origin::memref && originB == Origin::memref;
}

/// Whether a memref may show the memory of a ref that is no view.
static bool mayBeMemref(Value ref) {
  if (getOrigin(ref) != Origin::fresh)
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

bool pcf::mayAccess(Operation *op, Value ref) {
  bool memrefs = mayBeMemref(getViewedRef(ref));
  auto isAccess = [&](Operation *nested) {
    if (isa<BarrierOp, FenceOp>(nested))
      return true;
    if (isMemoryEffectFree(nested))
      return false;
    return llvm::any_of(nested->getOperands(), [&](Value operand) {
      if (isa<SRefType>(operand.getType()))
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
