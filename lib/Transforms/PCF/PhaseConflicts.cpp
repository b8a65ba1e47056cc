//===- PhaseConflicts.cpp - Barriers where phases conflict ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseConflicts.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Memory that a phase reads or writes; null if it may be any.
struct Access {
  Value memory;
  bool isWrite;

  bool operator==(const Access &) const = default;
};
using Accesses = SmallVector<Access>;

/// Walks an executor in program order, with what no barrier has ended.
class PhaseOrderer {
public:
  PhaseOrderer(SharedExecutorOp executor, RewriterBase &rewriter)
      : executor(executor), rewriter(rewriter) {}
  void run(Block &block);

private:
  void visitPhase(RunClusterOp phase);

  SharedExecutorOp executor;
  RewriterBase &rewriter;
  Accesses open;
};
} // namespace

/// The memory that a ref or a memref is a view of.
static Value rootOf(Value memory) {
  while (memory) {
    if (isa<SRefType>(memory.getType()))
      return getViewedRef(memory);
    auto view = memory.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      break;
    memory = view.getViewSource();
  }
  return memory;
}

/// Whether it is known which other memory a root is not.
static bool isKnown(Value root) {
  if (!root)
    return false;
  if (isa<SRefType>(root.getType()))
    return true;
  auto argument = dyn_cast<BlockArgument>(root);
  bool isOfKernel =
      argument && argument.getOwner()->isEntryBlock() &&
      isa_and_nonnull<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return isOfKernel || isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(
                           root.getDefiningOp());
}

static void add(Accesses &accesses, const Access &access) {
  if (!llvm::is_contained(accesses, access))
    accesses.push_back(access);
}

static Accesses accessesOf(Operation *within) {
  Accesses accesses;
  within->walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    // A phase does what the ops in it do.
    if (!effects || isa<RunClusterOp, BarrierOp>(op))
      return;
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances)
      if (isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()))
        add(accesses, {rootOf(effect.getValue()),
                       isa<MemoryEffects::Write>(effect.getEffect())});
  });
  return accesses;
}

static bool conflict(const Access &a, const Access &b) {
  if (!a.isWrite && !b.isWrite)
    return false;
  return a.memory == b.memory || !isKnown(a.memory) || !isKnown(b.memory);
}

void PhaseOrderer::visitPhase(RunClusterOp phase) {
  Accesses own = accessesOf(phase);
  llvm::SetVector<Value> fenced;
  for (const Access &before : open)
    for (const Access &now : own)
      if (conflict(before, now))
        for (Value memory : {before.memory, now.memory})
          if (memory)
            fenced.insert(memory);
  if (!fenced.empty()) {
    rewriter.setInsertionPoint(phase);
    BarrierOp::create(rewriter, phase.getLoc(), executor.getScope(),
                      /*clusters=*/ValueRange(), /*ranges=*/ValueRange(),
                      fenced.getArrayRef());
    llvm::erase_if(open, [&](const Access &access) {
      return !access.memory || fenced.contains(access.memory);
    });
  }
  for (const Access &access : own)
    add(open, access);
}

void PhaseOrderer::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto phase = dyn_cast<RunClusterOp>(op)) {
      visitPhase(phase);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      // An iteration comes behind the ones before it.
      Accesses before = open;
      for (const Access &access : accessesOf(loop))
        add(open, access);
      run(*loop.getBody());
      for (const Access &access : before)
        add(open, access);
    }
  }
}

void pcf::orderPhases(SharedExecutorOp executor, RewriterBase &rewriter) {
  PhaseOrderer(executor, rewriter).run(*executor.getBody());
}
