//===- ControlFlow.cpp - Registers through loops and branches -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A carried vector becomes one carried value per register; bodies move
// unchanged and are lowered in place. A block argument likewise becomes one
// argument per register.
//
//===----------------------------------------------------------------------===//
#include "ScalarRegisters.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;
using namespace distaff::registers;

/// Distributes a flat list of new values over the values that they replace.
static void replaceFlat(Lowering &lowering, ValueRange oldValues,
                        ValueRange newValues) {
  for (Value value : oldValues) {
    int64_t count = lowering.flatTypes(value.getType()).size();
    lowering.setFlatPieces(value,
                           SmallVector<Value>(newValues.take_front(count)));
    newValues = newValues.drop_front(count);
  }
}

/// Moves the ops of `from` into the empty block `to`, whose arguments replace
/// those of `from`.
static void moveBody(Lowering &lowering, Block &from, Block &to) {
  replaceFlat(lowering, from.getArguments(), to.getArguments());
  to.getOperations().splice(to.end(), from.getOperations());
}

static LogicalResult lowerFor(scf::ForOp op, Lowering &lowering) {
  auto loop = scf::ForOp::create(
      lowering.builder, op.getLoc(), op.getLowerBound(), op.getUpperBound(),
      op.getStep(), lowering.flatPieces(op.getInitArgs()),
      /*bodyBuilder=*/nullptr, op.getUnsignedCmp());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  moveBody(lowering, *op.getBody(), *loop.getBody());
  if (failed(lowering.lowerRegion(loop.getRegion())))
    return failure();
  replaceFlat(lowering, op.getResults(), loop.getResults());
  return success();
}

static LogicalResult lowerIf(scf::IfOp op, Lowering &lowering) {
  auto branch = scf::IfOp::create(lowering.builder, op.getLoc(),
                                  lowering.flatTypes(op.getResultTypes()),
                                  op.getCondition(), /*addThenBlock=*/true,
                                  /*addElseBlock=*/!op.getElseRegion().empty());
  moveBody(lowering, *op.thenBlock(), *branch.thenBlock());
  if (op.elseBlock())
    moveBody(lowering, *op.elseBlock(), *branch.elseBlock());
  for (Region &region : branch->getRegions())
    if (failed(lowering.lowerRegion(region)))
      return failure();
  replaceFlat(lowering, op.getResults(), branch.getResults());
  return success();
}

static LogicalResult lowerWhile(scf::WhileOp op, Lowering &lowering) {
  auto loop = scf::WhileOp::create(lowering.builder, op.getLoc(),
                                   lowering.flatTypes(op.getResultTypes()),
                                   lowering.flatPieces(op.getInits()));
  auto addBlock = [&](Region &region, TypeRange types) -> Block & {
    Block &block = region.emplaceBlock();
    SmallVector<Type> flat = lowering.flatTypes(types);
    block.addArguments(flat, SmallVector<Location>(flat.size(), op.getLoc()));
    return block;
  };
  moveBody(lowering, *op.getBeforeBody(),
           addBlock(loop.getBefore(), op.getBeforeBody()->getArgumentTypes()));
  moveBody(lowering, *op.getAfterBody(),
           addBlock(loop.getAfter(), op.getAfterBody()->getArgumentTypes()));
  for (Region &region : loop->getRegions())
    if (failed(lowering.lowerRegion(region)))
      return failure();
  replaceFlat(lowering, op.getResults(), loop.getResults());
  return success();
}

/// Moves regions without arguments, one for one.
static LogicalResult moveRegions(Operation *from, Operation *to,
                                 Lowering &lowering) {
  for (auto [old, region] :
       llvm::zip_equal(from->getRegions(), to->getRegions())) {
    if (region.empty())
      region.emplaceBlock();
    moveBody(lowering, old.front(), region.front());
    if (failed(lowering.lowerRegion(region)))
      return failure();
  }
  replaceFlat(lowering, from->getResults(), to->getResults());
  return success();
}

static LogicalResult lowerSwitch(scf::IndexSwitchOp op, Lowering &lowering) {
  auto branch = scf::IndexSwitchOp::create(
      lowering.builder, op.getLoc(), lowering.flatTypes(op.getResultTypes()),
      op.getArg(), op.getCases(), op.getNumCases());
  return moveRegions(op, branch, lowering);
}

static LogicalResult lowerExecuteRegion(scf::ExecuteRegionOp op,
                                        Lowering &lowering) {
  auto region = scf::ExecuteRegionOp::create(
      lowering.builder, op.getLoc(), lowering.flatTypes(op.getResultTypes()));
  region.getRegion().takeBody(op.getRegion());
  if (failed(lowering.lowerRegion(region.getRegion())))
    return failure();
  replaceFlat(lowering, op.getResults(), region.getResults());
  return success();
}

static LogicalResult lowerYield(scf::YieldOp op, Lowering &lowering) {
  scf::YieldOp::create(lowering.builder, op.getLoc(),
                       lowering.flatPieces(op.getResults()));
  return success();
}

static LogicalResult lowerCondition(scf::ConditionOp op, Lowering &lowering) {
  scf::ConditionOp::create(lowering.builder, op.getLoc(), op.getCondition(),
                           lowering.flatPieces(op.getArgs()));
  return success();
}

void Lowering::lowerBranch(BranchOpInterface branch) {
  for (unsigned i : llvm::seq(branch->getNumSuccessors())) {
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    if (llvm::none_of(operands.getForwardedOperands().getTypes(),
                      llvm::IsaPred<VectorType>))
      continue;
    assert(operands.getProducedOperandCount() == 0 &&
           "branches of cf hand on nothing but their operands");
    SmallVector<Value> flat = flatPieces(operands.getForwardedOperands());
    operands.getMutableForwardedOperands().assign(flat);
  }
}

void Lowering::flattenArguments(Block &block) {
  if (llvm::none_of(block.getArgumentTypes(), llvm::IsaPred<VectorType>))
    return;
  SmallVector<BlockArgument> old(block.getArguments());
  for (BlockArgument argument : old) {
    SmallVector<Value> flat;
    for (Type type : flatTypes(argument.getType()))
      flat.push_back(block.addArgument(type, argument.getLoc()));
    if (isa<VectorType>(argument.getType()))
      setFlatPieces(argument, flat);
    else
      argument.replaceAllUsesWith(flat.front());
  }
  replacedArguments.push_back({&block, old.size()});
}

void registers::addControlFlowRules(RuleSet &rules) {
  rules.add(lowerFor);
  rules.add(lowerIf);
  rules.add(lowerWhile);
  rules.add(lowerSwitch);
  rules.add(lowerExecuteRegion);
  rules.add(lowerYield);
  rules.add(lowerCondition);
}
