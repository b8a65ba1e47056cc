//===- BlockedLoops.cpp - Loops of tiles, in blocks of steps --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BlockedLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

std::optional<int64_t> distaff::constantSteps(scf::ForOp loop) {
  auto trips = constantTripCount(loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep(), /*isSigned=*/true,
                                 scf::computeUbMinusLb);
  if (!trips || !getConstantIntValue(loop.getLowerBound()) ||
      !getConstantIntValue(loop.getStep()))
    return std::nullopt;
  return trips->getSExtValue();
}

bool distaff::isRepeatable(Operation &op) {
  return isMemoryEffectFree(&op) || hasSingleEffect<MemoryEffects::Read>(&op);
}

static bool isRepeatableBody(scf::ForOp loop) {
  return llvm::all_of(loop.getBody()->without_terminator(), isRepeatable);
}

static bool carriesVectors(scf::ForOp loop) {
  return loop.getNumResults() > 0 &&
         llvm::all_of(loop.getResultTypes(), [](Type type) {
           auto vector = dyn_cast<VectorType>(type);
           return vector && vector.getRank() > 0 &&
                  vector.getElementType().isIntOrFloat() &&
                  vector.getElementTypeBitWidth() >= 8;
         });
}

std::optional<BlockedLoops>
distaff::findBlockedLoops(Block &tile, ArrayRef<scf::ForOp> all) {
  BlockedLoops found;
  Operation *outermost = nullptr;
  for (scf::ForOp loop : all) {
    std::optional<int64_t> steps = constantSteps(loop);
    if (!steps || !carriesVectors(loop) || !isRepeatableBody(loop) ||
        (found.steps != 0 && found.steps != *steps))
      return std::nullopt;
    found.steps = *steps;
    Operation *branch =
        loop->getBlock() == &tile ? loop.getOperation() : loop->getParentOp();
    bool isBeside = llvm::any_of(found.loops, [&](scf::ForOp other) {
      return other->getBlock() == loop->getBlock();
    });
    if (branch->getBlock() != &tile || isBeside ||
        (outermost && branch != outermost) ||
        (branch != loop &&
         !(isa<scf::IfOp>(branch) && branch->getNumResults() == 0)))
      return std::nullopt;
    outermost = branch;
    for (Operation &before :
         llvm::make_range(loop->getBlock()->begin(), Block::iterator(loop)))
      if (!isRepeatable(before))
        return std::nullopt;
    found.loops.push_back(loop);
  }
  // What is behind the branch, or on a side of it without a loop, would be done
  // once per block.
  auto isWithout = [&](Region &side) {
    return llvm::none_of(found.loops, [&](scf::ForOp loop) {
      return loop->getParentRegion() == &side;
    });
  };
  if (auto branch = dyn_cast_if_present<scf::IfOp>(outermost)) {
    for (Region &side : branch->getRegions())
      for (Block &block : side)
        if (isWithout(side) &&
            !llvm::all_of(block.without_terminator(), isRepeatable))
          return std::nullopt;
    for (Operation &behind : llvm::make_range(
             std::next(Block::iterator(outermost)), std::prev(tile.end())))
      if (!isRepeatable(behind))
        return std::nullopt;
  }
  if (!outermost)
    return std::nullopt;
  for (Operation &before :
       llvm::make_range(tile.begin(), Block::iterator(outermost)))
    if (!isRepeatable(before))
      return std::nullopt;
  return found;
}

int64_t BlockedLoops::bytesPerTile() const {
  llvm::SmallDenseSet<std::pair<unsigned, Type>> seen; // as doInBlocks shares
  int64_t bytes = 0;
  for (scf::ForOp loop : loops)
    for (auto [i, type] : llvm::enumerate(loop.getResultTypes())) {
      auto vector = cast<VectorType>(type);
      if (seen.insert({unsigned(i), type}).second)
        bytes += vector.getNumElements() *
                 llvm::divideCeil(vector.getElementTypeBitWidth(), 8);
    }
  return bytes;
}

std::pair<Value, Value> distaff::boundsOfBlock(OpBuilder &b, scf::ForOp loop,
                                               int64_t steps,
                                               const StepBlock &block) {
  Location loc = loop.getLoc();
  int64_t first = *getConstantIntValue(loop.getLowerBound()),
          step = *getConstantIntValue(loop.getStep());
  AffineExpr d = b.getAffineDimExpr(0);
  AffineExpr lower = d * (block.stepsPerBlock * step) + first;
  Value from = affine::makeComposedAffineApply(
      b, loc, AffineMap::get(1, 0, lower), {block.number});
  Value to = affine::makeComposedAffineMin(
      b, loc,
      AffineMap::get(1, 0,
                     {lower + block.stepsPerBlock * step,
                      b.getAffineConstantExpr(first + steps * step)},
                     b.getContext()),
      {block.number});
  return {from, to};
}

namespace {
/// Rewrites one loop.
class LoopInBlocks {
public:
  LoopInBlocks(scf::ForOp loop, int64_t steps, scf::ForOp walk,
               const StepBlock &block)
      : loop(loop), steps(steps), walk(walk), block(block), b(loop),
        loc(loop.getLoc()) {}

  void rewrite(ValueRange waiting);

private:
  Value is(int64_t number) {
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, block.number,
        arith::ConstantIndexOp::create(b, loc, number));
  }
  SmallVector<Value> placeOf(VectorType type);

  scf::ForOp loop;
  int64_t steps;
  scf::ForOp walk;
  const StepBlock &block;
  OpBuilder b;
  Location loc;
};
} // namespace

SmallVector<Value> LoopInBlocks::placeOf(VectorType type) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> place(type.getRank() + 1, zero);
  place.front() = arith::SubIOp::create(b, loc, walk.getInductionVar(),
                                        walk.getLowerBound());
  return place;
}

void LoopInBlocks::rewrite(ValueRange waiting) {
  Block *home = loop->getBlock();
  SmallVector<Value> starts(loop.getInitArgs());
  auto start = scf::IfOp::create(b, loc, loop.getResultTypes(), is(0),
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  b.setInsertionPointToEnd(start.thenBlock());
  scf::YieldOp::create(b, loc, starts);
  b.setInsertionPointToEnd(start.elseBlock());
  SmallVector<Value> read;
  for (auto [memory, type] : llvm::zip_equal(waiting, loop.getResultTypes())) {
    auto vector = cast<VectorType>(type);
    Value padding = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(vector.getElementType()));
    read.push_back(vector::TransferReadOp::create(
        b, loc, vector, memory, placeOf(vector), padding,
        SmallVector<bool>(vector.getRank(), true)));
  }
  scf::YieldOp::create(b, loc, read);

  b.setInsertionPoint(loop);
  auto [from, to] = boundsOfBlock(b, loop, steps, block);
  loop.setLowerBound(from);
  loop.setUpperBound(to);
  loop.getInitArgsMutable().assign(start.getResults());

  b.setInsertionPointAfter(loop);
  Value isLast = is(block.count - 1);
  auto end = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/true);
  end.thenBlock()->getOperations().splice(
      end.thenBlock()->begin(), home->getOperations(),
      std::next(Block::iterator(end)), std::prev(home->end()));
  b.setInsertionPointToStart(end.elseBlock());
  for (auto [memory, result] : llvm::zip_equal(waiting, loop.getResults())) {
    auto vector = cast<VectorType>(result.getType());
    vector::TransferWriteOp::create(b, loc, result, memory, placeOf(vector),
                                    SmallVector<bool>(vector.getRank(), true));
  }
}

void distaff::doInBlocks(const BlockedLoops &loops, scf::ForOp walk,
                         const StepBlock &block, int64_t mostTiles) {
  OpBuilder b = block.outside();
  // One side of a branch is taken at a time: both wait in the same memory.
  llvm::DenseMap<std::pair<unsigned, Type>, Value> memories;
  for (scf::ForOp loop : loops.loops) {
    SmallVector<Value> waiting;
    for (auto [i, type] : llvm::enumerate(loop.getResultTypes())) {
      Value &memory = memories[{unsigned(i), type}];
      if (!memory) {
        SmallVector<int64_t> shape = {mostTiles};
        llvm::append_range(shape, cast<VectorType>(type).getShape());
        memory = memref::AllocaOp::create(
            b, loop.getLoc(),
            MemRefType::get(shape, getElementTypeOrSelf(type)), ValueRange(),
            b.getI64IntegerAttr(64));
      }
      waiting.push_back(memory);
    }
    LoopInBlocks(loop, loops.steps, walk, block).rewrite(waiting);
  }
}
