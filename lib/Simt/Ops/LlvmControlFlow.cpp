//===- LlvmControlFlow.cpp - llvm branches and returns --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace distaff;
using namespace distaff::simt;

/// Passes the arguments of a successor and jumps.
static void passToLlvmBlock(BranchOpInterface op, unsigned successor,
                            Translator &t) {
  SmallVector<Reg> from, to;
  Block *block = op->getSuccessor(successor);
  for (auto [value, argument] : llvm::zip_equal(
           op.getSuccessorOperands(successor).getForwardedOperands(),
           block->getArguments())) {
    from.push_back(t.reg(value));
    to.push_back(t.reg(argument));
  }
  t.copyAll(op, from, to);
  t.jump(op, t.blockOf(block));
}

/// Returns a block that passes the arguments of an edge, or the target without
/// any.
static Translator::BlockId llvmEdge(BranchOpInterface op, unsigned successor,
                                    Translator &t) {
  Block *block = op->getSuccessor(successor);
  if (block->getNumArguments() == 0)
    return t.blockOf(block);
  Translator::BlockId between = t.newBlock();
  t.startBlock(between);
  passToLlvmBlock(op, successor, t);
  return between;
}

static bool takesNumbers(Operation *op, Translator &t) {
  return llvm::all_of(op->getSuccessors(), [&](Block *block) {
    return llvm::all_of(block->getArguments(), [&](BlockArgument argument) {
      return t.reg(argument).storage != Reg::Storage::None;
    });
  });
}

static LogicalResult translateLlvmBranch(LLVM::BrOp op, Translator &t) {
  if (!takesNumbers(op, t))
    return t.notModelled(op, "a value of this type");
  passToLlvmBlock(op, 0, t);
  return success();
}

static LogicalResult translateLlvmCondBranch(LLVM::CondBrOp op, Translator &t) {
  if (!takesNumbers(op, t))
    return t.notModelled(op, "a value of this type");
  Translator::BlockId here = t.currentBlock();
  Translator::BlockId ifTrue = llvmEdge(op, 0, t), ifFalse = llvmEdge(op, 1, t);
  t.startBlock(here);
  t.branch(op, t.reg(op.getCondition()), ifTrue, ifFalse);
  return success();
}

static LogicalResult translateLlvmSwitch(LLVM::SwitchOp op, Translator &t) {
  if (!takesNumbers(op, t))
    return t.notModelled(op, "a value of this type");
  Translator::BlockId here = t.currentBlock();
  SmallVector<int64_t> cases;
  SmallVector<Translator::BlockId> targets;
  if (auto values = op.getCaseValues())
    for (const APInt &value : values->getValues<APInt>())
      cases.push_back(value.getSExtValue());
  // The first successor is the default.
  for (unsigned i = 1; i < op->getNumSuccessors(); ++i)
    targets.push_back(llvmEdge(op, i, t));
  targets.push_back(llvmEdge(op, 0, t));
  t.startBlock(here);
  t.switchOn(op, t.reg(op.getValue()), cases, targets);
  return success();
}

static LogicalResult translateLlvmReturn(LLVM::ReturnOp op, Translator &t) {
  if (op->getNumOperands() != 0)
    return t.notModelled(op, "a kernel that returns a value");
  t.returnFrom(op);
  return success();
}

static LogicalResult translateUnreachable(LLVM::UnreachableOp op,
                                          Translator &t) {
  t.emit(op, [=](Agent &agent) {
    int64_t lane = llvm::countr_zero(agent.mask());
    agent.fault(op, FaultKind::Assertion,
                agent.describe(lane) + ": LLVM is told that this is never "
                                       "reached",
                agent.placeOf(lane));
  });
  t.returnFrom(op);
  return success();
}

static LogicalResult translateTrap(LLVM::Trap op, Translator &t) {
  auto assertion = op->getAttrOfType<StringAttr>(kAssertionAttrName);
  std::string message =
      assertion ? assertion.str() : "the program ends itself by a trap";
  t.emit(op, [=](Agent &agent) {
    if (!agent.mask())
      return;
    int64_t lane = llvm::countr_zero(agent.mask());
    agent.fault(op, FaultKind::Assertion, agent.describe(lane) + ": " + message,
                agent.placeOf(lane));
  });
  return success();
}

void distaff::simt::registerLlvmControlFlow(OpRegistry &registry) {
  registry.add<LLVM::BrOp>(translateLlvmBranch);
  registry.add<LLVM::CondBrOp>(translateLlvmCondBranch);
  registry.add<LLVM::SwitchOp>(translateLlvmSwitch);
  registry.add<LLVM::ReturnOp>(translateLlvmReturn);
  registry.add<LLVM::UnreachableOp>(translateUnreachable);
  registry.add<LLVM::Trap>(translateTrap);
}
