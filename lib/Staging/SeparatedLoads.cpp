//===- SeparatedLoads.cpp - Loads after a barrier -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk in program order collects which allocations were written, and which
// were loaded from where, since the last barrier. A region starts with the
// state before its op, and ends joined with it; its end state may come before
// it again, so it is walked until the state no longer changes.
//
// An asynchronous copy is complete for the lane that waits when the wait ends:
// the wait is the write. Between the copy and its wait no lane may load the
// copied elements, so a load there is of other elements, as of another slot.
//
//===----------------------------------------------------------------------===//
#include "SeparatedLoads.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace distaff;

namespace {

using Loads = llvm::DenseSet<Operation *>;

/// The accesses since the last barrier.
struct Pending {
  llvm::DenseSet<Value> written;
  llvm::DenseMap<Value, Loads> loaded;

  /// Returns whether the join changed anything.
  bool join(const Pending &other) {
    size_t before = size();
    written.insert(other.written.begin(), other.written.end());
    for (const auto &[memory, loads] : other.loaded)
      loaded[memory].insert(loads.begin(), loads.end());
    return size() != before;
  }

private:
  size_t size() const {
    size_t sum = written.size();
    for (const auto &[memory, loads] : loaded)
      sum += loads.size();
    return sum;
  }
};

class Walker {
public:
  explicit Walker(FunctionOpInterface function) {
    function->walk([&](nvgpu::DeviceAsyncCopyOp copy) {
      copied.insert(allocationOf(copy.getDst()));
    });
    Pending pending;
    walk(function.getFunctionBody(), pending);
    for (Operation *load : unsafe)
      loads.erase(load);
  }

  Loads loads; // that are separated

private:
  static Value allocationOf(Value memory) {
    while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
      memory = view.getViewSource();
    return memory;
  }

  void walk(Region &region, Pending &pending) {
    // Blocks that branch to each other come in any order, so they are walked
    // twice.
    for (int turn = 0, turns = region.hasOneBlock() ? 1 : 2; turn < turns;
         ++turn)
      for (Block &block : region)
        for (Operation &op : block)
          visit(op, pending);
  }

  void visit(Operation &op, Pending &pending) {
    if (isa<gpu::BarrierOp, iree::GlobalSubgroupBarrierOp, iree::LaneBarrierOp>(
            op)) {
      pending = Pending();
      return;
    }
    if (op.getNumRegions() != 0)
      return visitRegions(op, pending);
    if (isa<nvgpu::DeviceAsyncWaitOp>(op)) {
      pending.written.insert(copied.begin(), copied.end());
      return;
    }
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
      visitEffects(effects, pending);
  }

  void visitRegions(Operation &op, Pending &pending) {
    for (bool isNew = true; isNew;) {
      isNew = false;
      Pending before = pending;
      for (Region &region : op.getRegions()) {
        Pending inside = before;
        walk(region, inside);
        isNew |= pending.join(inside);
      }
    }
  }

  void visitEffects(MemoryEffectOpInterface op, Pending &pending) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value memory = effect.getValue();
      if (!memory || !isa<MemRefType>(memory.getType()))
        continue;
      memory = allocationOf(memory);
      if (isa<MemoryEffects::Read>(effect.getEffect())) {
        loads.insert(op);
        pending.loaded[memory].insert(op);
        if (pending.written.contains(memory))
          unsafe.insert(op);
      } else if (isa<MemoryEffects::Write>(effect.getEffect())) {
        if (!isa<nvgpu::DeviceAsyncCopyOp>(op))
          pending.written.insert(memory);
        const Loads &before = pending.loaded[memory];
        unsafe.insert(before.begin(), before.end());
      }
    }
  }

  llvm::DenseSet<Value> copied; // by asynchronous copies
  Loads unsafe;
};
} // namespace

SeparatedLoads::SeparatedLoads(FunctionOpInterface function)
    : separated(Walker(function).loads) {}
