//===- CacheBlocking.cpp - Cache blocking of tile loops along K -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CacheBlocking.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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

bool distaff::haveSameBounds(scf::ForOp loop, scf::ForOp other) {
  auto areEqual = [](Value bound, Value its) {
    return isEqualConstantIntOrValue(getAsOpFoldResult(bound),
                                     getAsOpFoldResult(its));
  };
  return areEqual(loop.getLowerBound(), other.getLowerBound()) &&
         areEqual(loop.getStep(), other.getStep()) &&
         areEqual(loop.getUpperBound(), other.getUpperBound());
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

/// Returns whether a loop's bounds are known before another op: constants, or
/// values computed before it.
static bool hasBoundsOutside(scf::ForOp loop, Operation &op) {
  return getConstantIntValue(loop.getLowerBound()) &&
         getConstantIntValue(loop.getStep()) &&
         (getConstantIntValue(loop.getUpperBound()) ||
          !op.isAncestor(
              loop.getUpperBound().getParentRegion()->getParentOp()));
}

std::optional<CacheBlocking>
distaff::findCacheBlocking(Block &tile, ArrayRef<scf::ForOp> all) {
  CacheBlocking found;
  Operation *outermost = nullptr;
  for (scf::ForOp loop : all) {
    if (!hasBoundsOutside(loop, *tile.getParentOp()) || !carriesVectors(loop) ||
        !isRepeatableBody(loop) || !haveSameBounds(loop, all.front()))
      return std::nullopt;
    found.steps = constantSteps(loop);
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
  // Code after the branch, or on a side of it without a loop, would run once
  // per block.
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

int64_t CacheBlocking::bytesPerTile() const {
  llvm::SmallDenseSet<std::pair<unsigned, Type>> seen; // pairs that doInBlocks
                                                       // shares
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

StepBlock distaff::buildBlocks(OpBuilder &b, scf::ForOp loop,
                               int64_t stepsPerBlock) {
  assert(stepsPerBlock > 0 && "a block has steps");
  assert(getConstantIntValue(loop.getLowerBound()) &&
         getConstantIntValue(loop.getStep()) &&
         "what goes in blocks begins at a constant and goes on by another");
  Location loc = loop.getLoc();
  int64_t first = *getConstantIntValue(loop.getLowerBound()),
          step = *getConstantIntValue(loop.getStep());
  AffineExpr end = b.getAffineDimExpr(0);
  Value count = getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineMax(
          b, loc,
          AffineMap::get(1, 0,
                         {(end - first).ceilDiv(stepsPerBlock * step),
                          b.getAffineConstantExpr(1)},
                         b.getContext()),
          {getAsOpFoldResult(loop.getUpperBound())}));
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value last = b.createOrFold<arith::SubIOp>(loc, count, one);
  auto blocks = scf::ForOp::create(
      b, loc, arith::ConstantIndexOp::create(b, loc, 0), count, one);
  b.setInsertionPoint(blocks.getBody()->getTerminator());
  return {blocks.getInductionVar(), stepsPerBlock, last};
}

std::pair<Value, Value> distaff::boundsOfBlock(OpBuilder &b, scf::ForOp loop,
                                               const StepBlock &block) {
  Location loc = loop.getLoc();
  int64_t first = *getConstantIntValue(loop.getLowerBound()),
          step = *getConstantIntValue(loop.getStep());
  AffineExpr number, end;
  bindDims(b.getContext(), number, end);
  AffineExpr lower = number * (block.stepsPerBlock * step) + first;
  OpFoldResult upper = getAsOpFoldResult(loop.getUpperBound());
  Value from = affine::makeComposedAffineApply(
      b, loc, AffineMap::get(1, 0, lower), {block.number});
  Value to = getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineMin(
          b, loc,
          AffineMap::get(2, 0, {lower + block.stepsPerBlock * step, end},
                         b.getContext()),
          {OpFoldResult(block.number), upper}));
  return {from, to};
}

Value TileWalk::number(OpBuilder &b) const {
  scf::ForOp op = loop;
  return arith::SubIOp::create(b, op.getLoc(), op.getInductionVar(),
                               op.getLowerBound());
}

namespace {
/// Rewrites one loop.
class LoopInBlocks {
public:
  LoopInBlocks(scf::ForOp loop, ArrayRef<TileWalk> walks,
               const StepBlock &block)
      : loop(loop), walks(walks), block(block), b(loop), loc(loop.getLoc()) {}

  LoopOfBlock rewrite(ValueRange waiting);

private:
  Value is(Value number) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, block.number,
                                 number);
  }
  SmallVector<Value> placeOf(VectorType type);

  scf::ForOp loop;
  ArrayRef<TileWalk> walks;
  const StepBlock &block;
  OpBuilder b;
  Location loc;
};
} // namespace

SmallVector<Value> LoopInBlocks::placeOf(VectorType type) {
  SmallVector<Value> place;
  for (const TileWalk &walk : walks)
    place.push_back(walk.number(b));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  place.append(type.getRank(), zero);
  return place;
}

/// Sinks the op that computes a value into a block, if the value has no other
/// use, with its operands.
/// \pre  nothing is written in between
static void sinkInto(Block *block, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() == block || !value.hasOneUse() ||
      op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      op->getBlock() != block->getParentOp()->getBlock() || !isRepeatable(*op))
    return;
  op->moveBefore(block, block->begin());
  for (Value operand : op->getOperands())
    sinkInto(block, operand);
}

LoopOfBlock LoopInBlocks::rewrite(ValueRange waiting) {
  Block *home = loop->getBlock();
  SmallVector<Value> starts(loop.getInitArgs());
  LoopOfBlock rewritten{loop, {}, {}, llvm::to_vector(waiting), {}};
  for (Type type : loop.getResultTypes())
    rewritten.places.push_back(placeOf(cast<VectorType>(type)));
  auto start = scf::IfOp::create(b, loc, loop.getResultTypes(),
                                 is(arith::ConstantIndexOp::create(b, loc, 0)),
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  b.setInsertionPointToEnd(start.thenBlock());
  scf::YieldOp::create(b, loc, starts);
  loop.getInitArgsMutable().assign(start.getResults());
  for (Value each : starts)
    sinkInto(start.thenBlock(), each);
  b.setInsertionPointToEnd(start.elseBlock());
  SmallVector<Value> read;
  for (auto [memory, place, type] :
       llvm::zip_equal(waiting, rewritten.places, loop.getResultTypes())) {
    auto vector = cast<VectorType>(type);
    Value padding = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(vector.getElementType()));
    read.push_back(vector::TransferReadOp::create(
        b, loc, vector, memory, place, padding,
        SmallVector<bool>(vector.getRank(), true)));
  }
  scf::YieldOp::create(b, loc, read);

  b.setInsertionPoint(loop);
  auto [from, to] = boundsOfBlock(b, loop, block);
  loop.setLowerBound(from);
  loop.setUpperBound(to);

  b.setInsertionPointAfter(loop);
  Value isLast = is(block.last);
  auto end = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/true);
  end.thenBlock()->getOperations().splice(
      end.thenBlock()->begin(), home->getOperations(),
      std::next(Block::iterator(end)), std::prev(home->end()));
  b.setInsertionPointToStart(end.elseBlock());
  for (auto [memory, place, result] :
       llvm::zip_equal(waiting, rewritten.places, loop.getResults())) {
    auto vector = cast<VectorType>(result.getType());
    vector::TransferWriteOp::create(b, loc, result, memory, place,
                                    SmallVector<bool>(vector.getRank(), true));
  }
  rewritten.start = start;
  rewritten.end = end;
  return rewritten;
}

SmallVector<LoopOfBlock, 2> distaff::doInBlocks(const CacheBlocking &loops,
                                                ArrayRef<TileWalk> walks,
                                                const StepBlock &block) {
  SmallVector<LoopOfBlock, 2> all;
  OpBuilder b = block.outside();
  // One side of a branch is taken at a time: both use the same buffers.
  llvm::DenseMap<std::pair<unsigned, Type>, Value> memories;
  for (scf::ForOp loop : loops.loops) {
    assert(llvm::all_of(walks,
                        [&](TileWalk walk) {
                          return walk.loop->isProperAncestor(loop) &&
                                 walk.mostTiles > 0;
                        }) &&
           "the tiles of a loop of steps are walked around it");
    SmallVector<Value> waiting;
    for (auto [i, type] : llvm::enumerate(loop.getResultTypes())) {
      Value &memory = memories[{unsigned(i), type}];
      if (!memory) {
        SmallVector<int64_t> shape;
        for (const TileWalk &walk : walks)
          shape.push_back(walk.mostTiles);
        llvm::append_range(shape, cast<VectorType>(type).getShape());
        memory = memref::AllocaOp::create(
            b, loop.getLoc(),
            MemRefType::get(shape, getElementTypeOrSelf(type)), ValueRange(),
            b.getI64IntegerAttr(64));
      }
      waiting.push_back(memory);
    }
    all.push_back(LoopInBlocks(loop, walks, block).rewrite(waiting));
  }
  return all;
}
