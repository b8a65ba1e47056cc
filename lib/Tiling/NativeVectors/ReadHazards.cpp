//===- ReadHazards.cpp - Memory hazards of moved reads --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ReadHazards.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vectortiles;

static Value viewedMemory(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

bool Hazards::mayAlias(Value lhs, Value rhs) {
  Value left = viewedMemory(lhs), right = viewedMemory(rhs);
  if (isFunctionArgument(left) && isFunctionArgument(right))
    return left == right;
  return !aliases.alias(lhs, rhs).isNo();
}

template <typename Effect>
static bool mayAffect(Hazards &hazards, Operation *op, Value memory) {
  if (isa<gpu::BarrierOp>(op))
    return true; // writes of other lanes become visible
  auto effects = getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](const auto &effect) {
    return isa<Effect>(effect.getEffect()) &&
           (!effect.getValue() || hazards.mayAlias(effect.getValue(), memory));
  });
}

bool Hazards::mayWrite(Operation *op, Value memory) {
  return mayAffect<MemoryEffects::Write>(*this, op, memory);
}

bool Hazards::mayRead(Operation *op, Value memory) {
  return mayAffect<MemoryEffects::Read>(*this, op, memory);
}

bool Hazards::isWrittenBetween(Operation *read, Operation *use, Value memory) {
  Operation *end = read->getBlock()->findAncestorOpInBlock(*use);
  assert(end && "a use is behind what it uses");
  if (end == read || isConstantMemory(memory)) // a read that is kept, a table
    return false;
  for (Operation *op = read->getNextNode(); op != end; op = op->getNextNode())
    if (mayWrite(op, memory))
      return true;
  // In a loop around the use, a later op reaches the use again.
  return end != use && mayWrite(end, memory);
}

Value vectortiles::memoryOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<vector::TransferReadOp, vector::TransferWriteOp, vector::LoadOp,
            vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp,
            vector::GatherOp, vector::ScatterOp, vector_ext::TransferGatherOp>(
          [](auto access) { return access.getBase(); })
      .Default(Value());
}
