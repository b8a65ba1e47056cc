//===- WorkerUniformity.cpp - Uniformity among workers of a scope ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WorkerUniformity.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

static std::optional<LevelBarrier> getSubgroupBarrier(Operation *op) {
  auto barrier = dyn_cast<iree::GlobalSubgroupBarrierOp>(op);
  if (!barrier)
    return std::nullopt;
  if (!barrier.getId())
    return LevelBarrier{"barrier", std::nullopt};
  return LevelBarrier{"barrier " + std::to_string(*barrier.getId()),
                      static_cast<int64_t>(*barrier.getId())};
}

static std::optional<LevelBarrier> getLaneBarrier(Operation *op) {
  if (!isa<iree::LaneBarrierOp>(op))
    return std::nullopt;
  return LevelBarrier{"lane barrier", std::nullopt};
}

/// Returns a level of workers of one scope instance, at which barriers are
/// those of pcf.
static WorkerLevel getScopeLevel(GenericOp op) {
  Attribute scope = op.getScope();
  int64_t nesting = cast<ScopeAttrInterface>(scope).getNestingLevel();
  bool isSubgroups = isa<iree::SubgroupScopeAttr>(scope);
  auto getBarrier = [=](Operation *op) -> std::optional<LevelBarrier> {
    if (isSubgroups)
      if (std::optional<LevelBarrier> lowered = getSubgroupBarrier(op))
        return lowered;
    auto barrier = dyn_cast<BarrierOp>(op);
    if (!barrier || barrier.getScope() != scope)
      return std::nullopt;
    return LevelBarrier{"barrier", std::nullopt};
  };
  // Ids of finer scopes differ between workers, too.
  auto tellsWorkers = [nesting](Operation *op) {
    if (auto owner = dyn_cast<RefOwnerOpInterface>(op))
      return cast<ScopeAttrInterface>(owner.getScope()).getNestingLevel() >=
             nesting;
    return isa<gpu::ThreadIdOp, gpu::GlobalIdOp, gpu::LaneIdOp>(op) ||
           (nesting <= 1 && isa<gpu::SubgroupIdOp>(op));
  };
  return {&op.getExecute(), getBarrier, tellsWorkers};
}

/// Returns the levels of lowered code: subgroups of a workgroup, and lanes of a
/// subgroup.
static SmallVector<WorkerLevel> getLoweredLevels(Region &body) {
  auto tellsLanes = [](Operation *op) {
    return isa<gpu::ThreadIdOp, gpu::GlobalIdOp, gpu::LaneIdOp>(op);
  };
  auto tellsSubgroups = [](Operation *op) {
    return isa<gpu::ThreadIdOp, gpu::GlobalIdOp, gpu::LaneIdOp,
               gpu::SubgroupIdOp>(op);
  };
  return {{&body, getSubgroupBarrier, tellsSubgroups},
          {&body, getLaneBarrier, tellsLanes}};
}

SmallVector<WorkerLevel> pcf::getWorkerLevels(Operation *op) {
  if (auto generic = dyn_cast<GenericOp>(op))
    return {getScopeLevel(generic)};
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && !function.isExternal())
    return getLoweredLevels(function.getFunctionBody());
  return {};
}

//===----------------------------------------------------------------------===//
// Uniformity
//===----------------------------------------------------------------------===//

/// Adds all inputs of an op with regions: operands, and yielded values.
static void appendInputs(Operation *op, SmallVectorImpl<Value> &from) {
  llvm::append_range(from, op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!block.empty())
        llvm::append_range(from, block.back().getOperands());
}

/// Adds the inputs of one result of such an op, or of one argument of its
/// regions: the forwarded values, and those that control the branches, such as
/// the bounds of a loop. Other values that a loop carries are no inputs.
static void appendInputs(RegionBranchOpInterface op, Value value,
                         SmallVectorImpl<Value> &from) {
  RegionBranchSuccessorMapping handedOn;
  op.getSuccessorOperandInputMapping(handedOn);
  auto append = [&](OpOperand &operand) {
    auto it = handedOn.find(&operand);
    if (it == handedOn.end() || llvm::is_contained(it->second, value))
      from.push_back(operand.get());
  };
  llvm::for_each(op->getOpOperands(), append);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!block.empty())
        llvm::for_each(block.back().getOpOperands(), append);
}

/// Adds the inputs of a value of an op with regions, or of any other op.
static void appendInputsOf(Operation *op, Value value,
                           SmallVectorImpl<Value> &from) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (branch && !isa<RefOwnerOpInterface>(op))
    appendInputs(branch, value, from);
  else
    appendInputs(op, from);
}

bool Uniformity::trace(Value value, SmallVectorImpl<Value> &from) {
  if (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    if (level.tellsWorkers(op) && !isa<RefOwnerOpInterface>(op))
      return false;
    readsMemory |= op->getNumRegions() == 0 && !isMemoryEffectFree(op);
    appendInputsOf(op, value, from);
    return true;
  }
  auto argument = cast<BlockArgument>(value);
  Operation *parent = argument.getOwner()->getParentOp();
  Block::BlockArgListType ids;
  if (auto generic = dyn_cast<GenericOp>(parent))
    ids = generic.getIds();
  if (auto loop = dyn_cast<LoopOp>(parent))
    ids = loop.getIds();
  if (llvm::is_contained(ids, argument))
    return !level.tellsWorkers(parent);
  // An argument of a block that is a branch target may be any value that enters
  // the op or is carried in it.
  if (!argument.getOwner()->isEntryBlock())
    appendInputs(parent, from);
  else if (!isa<FunctionOpInterface, RefOwnerOpInterface>(parent))
    appendInputsOf(parent, value, from);
  return true;
}

bool Uniformity::isUniform(Operation *user, Value value) {
  readsMemory = false;
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    SmallVector<Value> from;
    if (!trace(reached[i], from))
      return false;
    reached.insert_range(from);
  }
  if (readsMemory && remark)
    remark(user, value);
  return true;
}
