//===- Scf.cpp - scf operations -------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and conditionals become jumps. Their block arguments are written under
// the mask, so that a lane that leaves a loop early keeps its values while
// other lanes continue.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "Loops.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;
using namespace distaff::simt;
using BlockId = Translator::BlockId;

LogicalResult simt::emitLoop(Operation *op, Reg iv, Reg low, Reg high, Reg step,
                             bool isUnsigned, Translator &t,
                             llvm::function_ref<LogicalResult()> body) {
  using Predicate = arith::CmpIPredicate;
  Binary less = t.domain().compare(isUnsigned ? Predicate::ult : Predicate::slt,
                                   iv.kind.width);
  Binary add = t.domain().binary(IntegerBinary::Add, iv.kind.width);
  if (!less || !add)
    return t.notModelled(op, "a loop in this domain");
  Reg goesOn = t.scratch(Kind::integer(1)), next = t.scratchLike(iv);
  BlockId header = t.newBlock(), inside = t.newBlock(), after = t.newBlock();
  t.copy(op, low, iv);
  t.jump(op, header);

  t.startBlock(header);
  t.emit(op, [=](Agent &agent) {
    less(agent.lanes(), agent.cells(iv), agent.cells(high),
         agent.cells(goesOn));
  });
  t.branch(op, goesOn, inside, after);

  t.startBlock(inside);
  if (failed(body()))
    return failure();
  t.emit(op, [=](Agent &agent) {
    add(agent.lanes(), agent.cells(iv), agent.cells(step), agent.cells(next));
  });
  t.copy(op, next, iv);
  t.jump(op, header);

  t.startBlock(after);
  return success();
}

static LogicalResult translateFor(scf::ForOp op, Translator &t) {
  SmallVector<Reg> carried = t.regs(op.getRegionIterArgs());
  t.forward(op->getOpOperands().drop_front(op.getNumControlOperands()),
            carried);
  bindAll(op.getResults(), carried, t);
  return emitLoop(op, t.reg(op.getInductionVar()), t.reg(op.getLowerBound()),
                  t.reg(op.getUpperBound()), t.reg(op.getStep()),
                  op.getUnsignedCmp(), t, [&]() -> LogicalResult {
                    if (failed(t.translateBody(*op.getBody())))
                      return failure();
                    t.forward(op.getBody()->getTerminator()->getOpOperands(),
                              carried);
                    return success();
                  });
}

/// Translates the block of a region that yields to `results` and jumps to
/// `after`.
static LogicalResult translateYielding(Operation *op, Region &region,
                                       ArrayRef<Reg> results, BlockId start,
                                       BlockId after, Translator &t) {
  t.startBlock(start);
  if (!region.empty()) {
    if (failed(t.translateBody(region.front())))
      return failure();
    t.forward(region.front().getTerminator()->getOpOperands(), results);
  }
  t.jump(op, after);
  return success();
}

static LogicalResult translateIf(scf::IfOp op, Translator &t) {
  SmallVector<Reg> results = t.regs(op.getResults());
  BlockId yes = t.newBlock(), after = t.newBlock();
  BlockId no = op.getElseRegion().empty() ? after : t.newBlock();
  t.branch(op, t.reg(op.getCondition()), yes, no);
  if (failed(translateYielding(op, op.getThenRegion(), results, yes, after, t)))
    return failure();
  if (no != after &&
      failed(translateYielding(op, op.getElseRegion(), results, no, after, t)))
    return failure();
  t.startBlock(after);
  return success();
}

static LogicalResult translateIndexSwitch(scf::IndexSwitchOp op,
                                          Translator &t) {
  SmallVector<Reg> results = t.regs(op.getResults());
  BlockId after = t.newBlock();
  SmallVector<BlockId> targets;
  for (unsigned i = 0; i <= op.getNumCases(); ++i)
    targets.push_back(t.newBlock());
  t.switchOn(op, t.reg(op.getArg()), op.getCases(), targets);
  for (auto [region, start] : llvm::zip(op.getCaseRegions(), targets))
    if (failed(translateYielding(op, region, results, start, after, t)))
      return failure();
  if (failed(translateYielding(op, op.getDefaultRegion(), results,
                               targets.back(), after, t)))
    return failure();
  t.startBlock(after);
  return success();
}

static LogicalResult translateWhile(scf::WhileOp op, Translator &t) {
  SmallVector<Reg> before = t.regs(op.getBeforeArguments());
  SmallVector<Reg> passed = t.regs(op.getAfterArguments());
  BlockId test = t.newBlock(), body = t.newBlock(), after = t.newBlock();
  t.forward(op->getOpOperands(), before);
  bindAll(op.getResults(), passed, t);
  t.jump(op, test);

  t.startBlock(test);
  if (failed(t.translateBody(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  t.forward(condition->getOpOperands().drop_front(), passed);
  t.branch(op, t.reg(condition.getCondition()), body, after);

  t.startBlock(body);
  if (failed(t.translateBody(*op.getAfterBody())))
    return failure();
  t.forward(op.getYieldOp()->getOpOperands(), before);
  t.jump(op, test);

  t.startBlock(after);
  return success();
}

static LogicalResult translateExecuteRegion(scf::ExecuteRegionOp op,
                                            Translator &t) {
  SmallVector<Reg> results = t.regs(op.getResults());
  BlockId after = t.newBlock();
  auto translateEnd = [&](Operation *terminator) -> LogicalResult {
    if (!isa<scf::YieldOp>(terminator))
      return t.translate(terminator);
    t.forward(terminator->getOpOperands(), results);
    t.jump(op, after);
    return success();
  };
  if (failed(t.translateBlocks(op, op.getRegion(), translateEnd)))
    return failure();
  t.startBlock(after);
  return success();
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

LogicalResult simt::emitNest(Operation *op, ValueRange ivs, ArrayRef<Reg> lows,
                             ArrayRef<Reg> highs, ArrayRef<Reg> steps,
                             Translator &t,
                             llvm::function_ref<LogicalResult()> body) {
  if (ivs.empty())
    return body();
  return emitLoop(op, t.reg(ivs.front()), lows.front(), highs.front(),
                  steps.front(), /*isUnsigned=*/false, t, [&] {
                    return emitNest(op, ivs.drop_front(), lows.drop_front(),
                                    highs.drop_front(), steps.drop_front(), t,
                                    body);
                  });
}

static LogicalResult translateForallBody(scf::ForallOp op, Translator &t) {
  if (failed(t.translateBody(*op.getBody())))
    return failure();
  // The ops of in_parallel write into the registers of the shared outputs.
  for (Operation &insert : op.getTerminator().getYieldingOps())
    if (failed(t.translate(&insert)))
      return failure();
  return success();
}

/// Runs the iteration that this workgroup's ids select, if there is one.
static LogicalResult translateMappedForall(scf::ForallOp op, ArrayRef<Reg> lows,
                                           ArrayRef<Reg> highs,
                                           ArrayRef<Reg> steps, Translator &t) {
  BlockId after = t.newBlock();
  for (auto [d, iv] : llvm::enumerate(op.getInductionVars())) {
    auto mapping = dyn_cast<gpu::GPUBlockMappingAttr>((*op.getMapping())[d]);
    if (!mapping || mapping.getMappingId() > 2)
      return t.notModelled(op, "a mapping other than to block x, y, z");
    size_t axis = mapping.getMappingId();
    Reg position = t.reg(iv), low = lows[d], high = highs[d], step = steps[d];
    Reg exists = t.scratch(Kind::integer(1));
    t.emit(op, [=](Agent &agent) {
      int64_t number = agent.workgroup().id[axis];
      for (int64_t l = 0; l < agent.lanes(); ++l) {
        int64_t at = agent.integer(low, l) + number * agent.integer(step, l);
        agent.setInteger(position, at, l);
        agent.setInteger(exists, at < agent.integer(high, l) ? -1 : 0, l);
      }
    });
    BlockId inside = t.newBlock();
    t.branch(op, exists, inside, after);
    t.startBlock(inside);
  }
  if (failed(translateForallBody(op, t)))
    return failure();
  t.jump(op, after);
  t.startBlock(after);
  return success();
}

static LogicalResult translateForall(scf::ForallOp op, Translator &t) {
  auto bounds = [&](SmallVector<OpFoldResult> mixed) {
    return llvm::map_to_vector(
        mixed, [&](OpFoldResult b) { return t.indexRegister(b); });
  };
  SmallVector<Reg> lows = bounds(op.getMixedLowerBound()),
                   highs = bounds(op.getMixedUpperBound()),
                   steps = bounds(op.getMixedStep());
  bool isMapped = op.getMapping() && !op.getMapping()->empty();
  if (isMapped && t.options().forallIsGrid && op.getNumResults() == 0)
    return translateMappedForall(op, lows, highs, steps, t);
  SmallVector<Reg> shared = t.regs(op.getRegionIterArgs());
  t.forward(op->getOpOperands().take_back(shared.size()), shared);
  bindAll(op.getResults(), shared, t);
  return emitNest(op, op.getInductionVars(), lows, highs, steps, t,
                  [&] { return translateForallBody(op, t); });
}

static LogicalResult translateParallel(scf::ParallelOp op, Translator &t) {
  SmallVector<Reg> totals = t.regs(op.getResults());
  t.copyAll(op, t.regs(op.getInitVals()), totals);
  return emitNest(
      op, op.getInductionVars(), t.regs(op.getLowerBound()),
      t.regs(op.getUpperBound()), t.regs(op.getStep()), t,
      [&]() -> LogicalResult {
        if (failed(t.translateBody(*op.getBody())))
          return failure();
        auto reduce = cast<scf::ReduceOp>(op.getBody()->getTerminator());
        for (auto [i, region] : llvm::enumerate(reduce.getReductions())) {
          Block &block = region.front();
          t.bind(block.getArgument(0), totals[i]);
          t.bind(block.getArgument(1), t.reg(reduce.getOperands()[i]));
          if (failed(t.translateBody(block)))
            return failure();
          t.copy(op, t.reg(block.getTerminator()->getOperand(0)), totals[i]);
        }
        return success();
      });
}

void distaff::simt::registerScf(OpRegistry &registry) {
  registry.add<scf::ForOp>(translateFor);
  registry.add<scf::IfOp>(translateIf);
  registry.add<scf::IndexSwitchOp>(translateIndexSwitch);
  registry.add<scf::WhileOp>(translateWhile);
  registry.add<scf::ExecuteRegionOp>(translateExecuteRegion);
  registry.add<scf::ForallOp>(translateForall);
  registry.add<scf::ParallelOp>(translateParallel);
}
