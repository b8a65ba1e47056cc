//===- ThreadUniformity.cpp - Uniformity across threads -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagates divergence forward from the ids to a fixpoint: through results,
// through region arguments, and from a divergent condition to all results of
// its op.
//
//===----------------------------------------------------------------------===//
#include "ThreadUniformity.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

/// Returns whether equal operands may have other results on other threads. An
/// op of a target's own dialect may read an id, whatever its name: of those,
/// and of the gpu dialect, only the listed ops are uniform.
static bool dependsOnThread(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == gpu::GPUDialect::getDialectNamespace())
    return !isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp,
                gpu::ClusterIdOp, gpu::ClusterDimOp, gpu::ClusterDimBlocksOp,
                gpu::ClusterBlockIdOp, gpu::NumSubgroupsOp, gpu::SubgroupSizeOp,
                gpu::AllReduceOp>(op);
  return llvm::is_contained({"llvm", "nvvm", "rocdl", "nvgpu", "amdgpu"},
                            dialect);
}

/// Returns whether the number of times `op`'s regions run depends on a
/// divergent value.
static bool branchesOn(Operation *op, const llvm::DenseSet<Value> &divergent) {
  auto is = [&](Value value) { return divergent.contains(value); };
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return is(loop.getLowerBound()) || is(loop.getUpperBound()) ||
           is(loop.getStep());
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return is(branch.getCondition());
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return is(loop.getConditionOp().getCondition());
  return op->getNumRegions() > 0 && llvm::any_of(op->getOperands(), is);
}

Uniformity::Uniformity(Region &region, ValueRange ids) : region(region) {
  divergent.insert(ids.begin(), ids.end());
  bool changed = true;
  auto mark = [&](Value value) { changed |= divergent.insert(value).second; };
  auto isDivergent = [&](Value value) { return divergent.contains(value); };
  while (changed) {
    changed = false;
    region.walk([&](Operation *op) {
      if (branchesOn(op, divergent))
        divergentOps.insert(op);
      if (dependsOnThread(op) || divergentOps.contains(op) ||
          llvm::any_of(op->getOperands(), isDivergent)) {
        llvm::for_each(op->getResults(), mark);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            llvm::for_each(block.getArguments(), mark);
      }
      // Operands of a terminator reach the results and, in a loop, the region's
      // arguments.
      if (op->hasTrait<OpTrait::IsTerminator>() &&
          llvm::any_of(op->getOperands(), isDivergent)) {
        Operation *parent = op->getParentOp();
        if (parent == region.getParentOp())
          return;
        llvm::for_each(parent->getResults(), mark);
        if (isa<LoopLikeOpInterface>(parent))
          for (Region &region : parent->getRegions())
            for (Block &block : region)
              llvm::for_each(block.getArguments(), mark);
      }
    });
  }
}

Operation *Uniformity::divergentParent(Operation *op) const {
  for (Operation *parent = op->getParentOp(); parent != region.getParentOp();
       parent = parent->getParentOp())
    if (divergentOps.contains(parent))
      return parent;
  return nullptr;
}
