//===- PcfOwners.cpp - Code of one worker ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// pcf.generic and pcf.loop. At #pcf.sequential the only worker is whoever gets
// there, so their bodies run in place.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"
#include "PcfRefs.h"

using namespace distaff;
using namespace distaff::simt;
using BlockId = Translator::BlockId;

static void bindAll(ValueRange values, ArrayRef<Reg> registers, Translator &t) {
  for (auto [value, reg] : llvm::zip_equal(values, registers))
    t.bind(value, reg);
}

/// Ends a block of a body whose workers leave to `after`.
static LogicalResult translateEnd(Operation *terminator, BlockId after,
                                  Translator &t) {
  if (isa<pcf::ReturnOp>(terminator)) {
    t.jump(terminator, after);
    return success();
  }
  auto leave = dyn_cast<pcf::CondReturnOp>(terminator);
  if (!leave)
    return t.translate(terminator);
  BlockId goOn = t.newBlock();
  t.branch(leave, t.reg(leave.getCondition()), after, goOn);
  t.startBlock(goOn);
  SmallVector<Reg> arguments = llvm::map_to_vector(
      leave.getDest()->getArguments(), [&](Value v) { return t.reg(v); });
  t.forward(leave->getOpOperands().drop_front(), arguments);
  t.jump(leave, t.blockOf(leave.getDest()));
  return success();
}

/// Runs the blocks of a body in place.
static LogicalResult translateBlocks(Region &body, Operation *op,
                                     Translator &t) {
  BlockId after = t.newBlock();
  t.jump(op, t.blockOf(&body.front()));
  for (Block &block : body) {
    t.startBlock(t.blockOf(&block));
    if (failed(t.translateBody(block)) ||
        failed(translateEnd(block.getTerminator(), after, t)))
      return failure();
  }
  t.startBlock(after);
  return success();
}

static LogicalResult translateGeneric(pcf::GenericOp op, Translator &t) {
  if (!isSequential(op.getScope()))
    return t.notModelled(op, "workers of this scope");
  FailureOr<WorkerRegs> workers =
      emitWorkers(op, op.getScope(), op.getNumIds(), t);
  if (failed(workers) || failed(emitInitializer(op, t)) ||
      failed(emitRefs(op, t)))
    return failure();
  bindAll(op.getIds(), workers->ids, t);
  bindAll(op.getCounts(), workers->counts, t);
  if (failed(translateBlocks(op.getExecute(), op, t)))
    return failure();
  emitResults(op, t);
  return success();
}

static LogicalResult translateLoop(pcf::LoopOp op, Translator &t) {
  if (!isSequential(op.getScope()))
    return t.notModelled(op, "workers of this scope");
  if (failed(emitRefs(op, t)))
    return failure();
  size_t rank = op.getCounts().size();
  SmallVector<Reg> lows(rank, t.indexConstant(0)),
      steps(rank, t.indexConstant(1));
  SmallVector<Reg> highs = llvm::map_to_vector(
      op.getCounts(), [&](Value count) { return t.reg(count); });
  if (failed(emitNest(op, op.getIds(), lows, highs, steps, t,
                      [&] { return t.translateBody(*op.getBody()); })))
    return failure();
  emitResults(op, t);
  return success();
}

void distaff::simt::registerPcfOwners(OpRegistry &registry) {
  registry.add(translateGeneric);
  registry.add(translateLoop);
}
