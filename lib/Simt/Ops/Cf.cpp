//===- Cf.cpp - cf operations and func.return -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "Lanes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

/// Passes block arguments and jumps.
static void passTo(Operation *op, Block *block,
                   MutableArrayRef<OpOperand> values, Translator &t) {
  SmallVector<Reg> arguments;
  for (BlockArgument argument : block->getArguments())
    arguments.push_back(t.reg(argument));
  t.forward(values, arguments);
  t.jump(op, t.blockOf(block));
}

static LogicalResult translateBranch(cf::BranchOp op, Translator &t) {
  passTo(op, op.getDest(), op->getOpOperands(), t);
  return success();
}

/// Returns a block that passes the arguments of an edge, or the target without
/// any.
static Translator::BlockId edge(Operation *op, Block *block,
                                MutableArrayRef<OpOperand> values,
                                Translator &t) {
  if (values.empty())
    return t.blockOf(block);
  Translator::BlockId between = t.newBlock();
  t.startBlock(between);
  passTo(op, block, values, t);
  return between;
}

static MutableArrayRef<OpOperand> operandsOf(MutableOperandRange range) {
  if (range.size() == 0)
    return {};
  return MutableArrayRef<OpOperand>(&*range.begin(), range.size());
}

static LogicalResult translateCondBranch(cf::CondBranchOp op, Translator &t) {
  Translator::BlockId here = t.currentBlock();
  Translator::BlockId ifTrue = edge(
      op, op.getTrueDest(), operandsOf(op.getTrueDestOperandsMutable()), t);
  Translator::BlockId ifFalse = edge(
      op, op.getFalseDest(), operandsOf(op.getFalseDestOperandsMutable()), t);
  t.startBlock(here);
  t.branch(op, t.reg(op.getCondition()), ifTrue, ifFalse);
  return success();
}

static LogicalResult translateSwitch(cf::SwitchOp op, Translator &t) {
  Translator::BlockId here = t.currentBlock();
  SmallVector<int64_t> cases;
  SmallVector<Translator::BlockId> targets;
  if (auto values = op.getCaseValues())
    for (const APInt &value : values->getValues<APInt>())
      cases.push_back(value.getSExtValue());
  for (auto [i, block] : llvm::enumerate(op.getCaseDestinations()))
    targets.push_back(
        edge(op, block, operandsOf(op.getCaseOperandsMutable(i)), t));
  targets.push_back(edge(op, op.getDefaultDestination(),
                         operandsOf(op.getDefaultOperandsMutable()), t));
  t.startBlock(here);
  t.switchOn(op, t.reg(op.getFlag()), cases, targets);
  return success();
}

static LogicalResult translateAssert(cf::AssertOp op, Translator &t) {
  Reg condition = t.reg(op.getArg());
  std::string message = op.getMsg().str();
  t.emit(op, [=](Agent &agent) {
    forEachLane(agent.mask(), [&](int64_t lane) {
      if (agent.integer(condition, lane))
        return;
      int64_t named = namedLane(op, lane);
      agent.fault(op, FaultKind::Assertion,
                  agent.describe(named) + ": " + message, agent.placeOf(named));
    });
  });
  return success();
}

template <typename Return>
static LogicalResult translateReturn(Return op, Translator &t) {
  t.forward(op->getOpOperands(), t.resultRegisters());
  t.returnFrom(op);
  return success();
}

void distaff::simt::registerCf(OpRegistry &registry) {
  registry.add<cf::BranchOp>(translateBranch);
  registry.add<cf::CondBranchOp>(translateCondBranch);
  registry.add<cf::SwitchOp>(translateSwitch);
  registry.add<cf::AssertOp>(translateAssert);
  registry.add(translateReturn<func::ReturnOp>);
  registry.add(translateReturn<gpu::ReturnOp>);
}
