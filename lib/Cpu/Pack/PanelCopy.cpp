//===- PanelCopy.cpp - Packing of a panel into workgroup memory -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PanelCopy.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Returns the number of a step of a loop with constant bounds, by its counter.
static Value stepOf(OpBuilder &b, scf::ForOp loop, Value counter) {
  int64_t first = *getConstantIntValue(loop.getLowerBound()),
          step = *getConstantIntValue(loop.getStep());
  if (first == 0 && step == 1)
    return counter;
  AffineExpr number = (b.getAffineDimExpr(0) - first).floorDiv(step);
  return affine::makeComposedAffineApply(
      b, loop.getLoc(), AffineMap::get(1, 0, number), {counter});
}

PanelCopy::PanelCopy(scf::ForallOp grid, const Panel &panel,
                     const TileGroup &group,
                     const std::optional<StepBlock> &block)
    : grid(grid), panel(panel), group(group), block(block),
      isFirst(&panel == &group.panels.front()),
      staysInRows(!isFirst && (panel.row || group.takesMatrices())),
      type(group.words
               ? panel.partType().clone(IntegerType::get(grid.getContext(), 32))
               : panel.partType()),
      loc(vector::TransferReadOp(panel.reads.front()).getLoc()) {
  assert((panel.conversions.empty() ||
          panel.conversions.size() == panel.reads.size()) &&
         "all reads of a panel are converted, or none is");
  assert((!staysInRows || panel.row || group.words) &&
         "what stays in rows is read along them");
  for (auto [i, walk] : llvm::enumerate(group.walks))
    if (panel.ids.test(walk.dim))
      walked.push_back(i);
  if (staysInRows)
    stepDim = group.takesMatrices() ? group.words->leftStepDim
                                    : int64_t(panel.row->vectorDim);
  auto rankOf = [&](int64_t dim) {
    if (staysInRows && (dim == stepDim || !group.takesMatrices()))
      return 2;
    return type.getDimSize(dim) == 1 ? 0 : 1;
  };
  for (int rank : {0, 1, 2})
    for (int64_t dim : llvm::seq(type.getRank()))
      if (rankOf(dim) == rank)
        order.push_back(dim);
}

/// Allocates memory of so many dims for each tile, outside of a loop over
/// blocks.
Value PanelCopy::allocateEach(OpBuilder &b, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (unsigned walk : walked)
    shape.push_back(group.walks[walk].tiles);
  llvm::append_range(shape, dims);
  OpBuilder outside = block ? block->outside() : b;
  return memref::AllocaOp::create(outside, loc,
                                  MemRefType::get(shape, type.getElementType()),
                                  ValueRange(), outside.getI64IntegerAttr(64));
}

void PanelCopy::allocate(OpBuilder &b) {
  SmallVector<int64_t> steps = panel.trips;
  if (block)
    steps.assign(1,
                 llvm::divideCeil(block->stepsPerBlock, group.stepsPerWord()));
  SmallVector<int64_t> shape(type.getShape());
  if (staysInRows) {
    shape[stepDim] = steps.front();
    steps.clear();
  }
  llvm::append_range(steps, applyPermutation(shape, order));
  memory = allocateEach(b, steps);
}

/// Returns the map from the dims of a part to those of memory, of which its own
/// are the last ones; the dim of the steps, if it has several, goes along
/// theirs.
AffineMap PanelCopy::mapOf(OpBuilder &b, Value from, ArrayRef<int64_t> dims,
                           bool hasSteps) {
  unsigned rank = cast<MemRefType>(from.getType()).getRank();
  unsigned first = rank - type.getRank();
  SmallVector<AffineExpr> places;
  for (int64_t dim : dims) {
    bool isStep = hasSteps && !staysInRows && dim == panel.row->vectorDim;
    unsigned place = first + (llvm::find(order, dim) - order.begin());
    places.push_back(b.getAffineDimExpr(isStep ? first - 1 : place));
  }
  return AffineMap::get(rank, 0, places, b.getContext());
}

/// Writes a part, its dims in order.
void PanelCopy::writeMemory(OpBuilder &b, Value part, Value into,
                            ValueRange place) {
  AffineMap map = mapOf(b, into, llvm::to_vector(llvm::seq(type.getRank())),
                        /*hasSteps=*/false);
  vector::TransferWriteOp::create(
      b, loc, part, into, place, map,
      ArrayRef<bool>(SmallVector<bool>(type.getRank(), true)));
}

/// Reads a part, its dims in order.
Value PanelCopy::readMemory(OpBuilder &b, Value from, ValueRange place) {
  Value padding =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  AffineMap map = mapOf(b, from, llvm::to_vector(llvm::seq(type.getRank())),
                        /*hasSteps=*/false);
  return vector::TransferReadOp::create(
      b, loc, type, from, place, padding, map,
      ArrayRef<bool>(SmallVector<bool>(type.getRank(), true)));
}

/// Returns the numbers of the steps, or of the word, of `counters` of its
/// loops; in a block they start at its first step.
SmallVector<Value> PanelCopy::stepsOf(OpBuilder &b, ValueRange counters) {
  SmallVector<Value> steps;
  for (auto [loop, counter] : llvm::zip_equal(panel.loops, counters))
    steps.push_back(stepOf(b, loop, counter));
  if (block) {
    AffineExpr step, number;
    bindDims(b.getContext(), step, number);
    AffineExpr ofBlock = step - number * block->stepsPerBlock;
    steps.front() = affine::makeComposedAffineApply(
        b, loc, AffineMap::get(2, 0, ofBlock.floorDiv(group.stepsPerWord())),
        {steps.front(), block->number});
  }
  return steps;
}

/// Returns the place in the panel of a tile's data of a step, or of a word's
/// steps.
SmallVector<Value> PanelCopy::placeOf(OpBuilder &b, ValueRange tiles,
                                      ValueRange steps) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> place(tiles);
  if (!staysInRows)
    llvm::append_range(place, steps);
  place.append(type.getRank(), zero);
  if (staysInRows)
    place[tiles.size() + (llvm::find(order, stepDim) - order.begin())] =
        steps.front();
  return place;
}

/// Returns a bound at `b`; a constant is created anew, as its definition need
/// not dominate `b`.
static Value constantOf(OpBuilder &b, Value bound) {
  return getValueOrCreateConstantIndexOp(b, bound.getLoc(),
                                         getAsOpFoldResult(bound));
}

/// Returns the bounds of the copied steps.
SmallVector<std::pair<Value, Value>> PanelCopy::stepBounds(OpBuilder &b) {
  if (block)
    return {boundsOfBlock(b, panel.loops.front(), *block)};
  SmallVector<std::pair<Value, Value>> bounds;
  for (scf::ForOp loop : panel.loops)
    bounds.emplace_back(constantOf(b, loop.getLowerBound()),
                        constantOf(b, loop.getUpperBound()));
  return bounds;
}

/// Builds loops over the panel's tiles, and passes their numbers from 0 to
/// `body`.
void PanelCopy::copyTiles(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles,
                          function_ref<void(OpBuilder &, ValueRange)> body) {
  SmallVector<Value> lower, upper;
  for (unsigned walk : walked) {
    lower.push_back(tiles[walk].first);
    upper.push_back(tiles[walk].second);
  }
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> steps(lower.size(), one);
  scf::buildLoopNest(
      b, loc, lower, upper, steps,
      [&](OpBuilder &in, Location, ValueRange ids) {
        SmallVector<Value> numbers;
        for (auto [i, id] : llvm::enumerate(ids)) {
          map.map(grid.getInductionVars()[group.walks[walked[i]].dim], id);
          numbers.push_back(arith::SubIOp::create(in, loc, id, lower[i]));
        }
        body(in, numbers);
      });
}

Value PanelCopy::convert(OpBuilder &b, Value part) {
  if (panel.conversions.empty())
    return part;
  Type many = cast<VectorType>(part.getType()).clone(type.getElementType());
  return clone(b, panel.conversions.front(), many, part)->getResult(0);
}

/// Returns how the panel's elements become parts of words; null if they do not.
const WordParts *PanelCopy::words() const {
  if (!group.words)
    return nullptr;
  return isFirst ? &group.words->panel : &group.words->left;
}

/// Reads the data of one tile in one step.
Value PanelCopy::readPart(OpBuilder &b, ValueRange counters) {
  for (auto [each, counter] : llvm::zip_equal(panel.loops, counters)) {
    scf::ForOp loop = each;
    map.map(loop.getInductionVar(), counter);
  }
  for (Operation *op : panel.slice)
    b.clone(*op, map);
  return b.clone(*panel.reads.front(), map)->getResult(0);
}

void PanelCopy::copyPart(OpBuilder &b, ValueRange counters, ValueRange tiles) {
  writeMemory(b, convert(b, readPart(b, counters)), memory,
              placeOf(b, tiles, stepsOf(b, counters)));
}

/// Copies the data of one tile in the steps of one word. With an `end` the
/// steps from it on are left out.
void PanelCopy::copyWord(OpBuilder &b, Value at, Value end, ValueRange tiles) {
  SmallVector<Value> parts = {readPart(b, at)};
  Type partType = parts.front().getType();
  for (int64_t i = 1; i < words()->perWord(); ++i) {
    Value step = arith::AddIOp::create(
        b, loc, at, arith::ConstantIndexOp::create(b, loc, i));
    if (!end) {
      parts.push_back(readPart(b, step));
      continue;
    }
    Value isInside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, step, end);
    auto guarded = scf::IfOp::create(b, loc, partType, isInside,
                                     /*addThenBlock=*/true,
                                     /*addElseBlock=*/true);
    OpBuilder inside = guarded.getThenBodyBuilder(),
              outside = guarded.getElseBodyBuilder();
    scf::YieldOp::create(inside, loc, readPart(inside, step));
    Value zeros =
        arith::ConstantOp::create(outside, loc, outside.getZeroAttr(partType));
    scf::YieldOp::create(outside, loc, zeros);
    parts.push_back(guarded.getResult(0));
  }
  writeMemory(b, words()->packEach(b, parts), memory,
              placeOf(b, tiles, stepsOf(b, at)));
}

/// Copies the data of one tile in several steps along a row.
void PanelCopy::copySteps(OpBuilder &b, Value at, int64_t steps,
                          ValueRange tiles) {
  scf::ForOp loop = panel.loops.front();
  map.map(loop.getInductionVar(), at);
  for (Operation *op : panel.slice)
    if (op != panel.row->view)
      b.clone(*op, map);
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq(type.getRank()));
  Value part;
  if (const WordParts *parts = words()) {
    dims = panel.row->stepsLast();
    part = parts->packSteps(b, panel.row->readStepsLast(b, at, steps, map));
  } else {
    part = convert(b, panel.row->readSteps(b, at, steps, map));
  }
  vector::TransferWriteOp::create(
      b, loc, part, memory, placeOf(b, tiles, stepsOf(b, at)),
      mapOf(b, memory, dims, /*hasSteps=*/true),
      ArrayRef<bool>(SmallVector<bool>(type.getRank(), true)));
}

void PanelCopy::copy(OpBuilder &b, ValueRange ids,
                     ArrayRef<std::pair<Value, Value>> tiles) {
  allocate(b);
  map.map(grid.getInductionVars(), ids);
  if (words())
    copyWords(b, tiles);
  else if (panel.row)
    copyRows(b, tiles);
  else
    copyColumns(b, tiles);
}

void PanelCopy::copyRows(OpBuilder &b,
                         ArrayRef<std::pair<Value, Value>> tiles) {
  auto [from, to] = stepBounds(b).front();
  copyTiles(b, tiles, [&](OpBuilder &in, ValueRange numbers) {
    forSeveralSteps(in, loc, from, to, {staysInRows ? 16 : 8, 1},
                    [&](OpBuilder &inmost, Value at, int64_t steps) {
                      copySteps(inmost, at, steps, numbers);
                    });
  });
}

/// Copies by words, of which the last one may have fewer steps.
void PanelCopy::copyWords(OpBuilder &b,
                          ArrayRef<std::pair<Value, Value>> tiles) {
  const int64_t perWord = words()->perWord();
  // Rows that stay rows are copied by half a cache line.
  SmallVector<int64_t> widths = {16, perWord};
  if (staysInRows && 8 * perWord > 16)
    widths.insert(widths.begin(), 8 * perWord);
  auto [from, to] = stepBounds(b).front();
  auto copyLast = [&](OpBuilder &in, Value at,
                      function_ref<void(OpBuilder &)> body) {
    Value isAny =
        arith::CmpIOp::create(in, loc, arith::CmpIPredicate::slt, at, to);
    auto guarded = scf::IfOp::create(in, loc, isAny, /*withElseRegion=*/false);
    OpBuilder inside = guarded.getThenBodyBuilder();
    body(inside);
  };
  if (panel.row) {
    copyTiles(b, tiles, [&](OpBuilder &in, ValueRange numbers) {
      Value last =
          forSeveralSteps(in, loc, from, to, widths,
                          [&](OpBuilder &inmost, Value at, int64_t steps) {
                            if (steps > perWord)
                              copySteps(inmost, at, steps, numbers);
                            else
                              copyWord(inmost, at, /*end=*/Value(), numbers);
                          });
      copyLast(in, last,
               [&](OpBuilder &inmost) { copyWord(inmost, last, to, numbers); });
    });
    return fillUp(b, tiles);
  }
  Value last = forSeveralSteps(
      b, loc, from, to, perWord, [&](OpBuilder &in, Value at, int64_t) {
        copyTiles(in, tiles, [&](OpBuilder &inmost, ValueRange numbers) {
          copyWord(inmost, at, /*end=*/Value(), numbers);
        });
      });
  copyLast(b, last, [&](OpBuilder &in) {
    copyTiles(in, tiles, [&](OpBuilder &inmost, ValueRange numbers) {
      copyWord(inmost, last, to, numbers);
    });
  });
  fillUp(b, tiles);
}

/// Pads the last word with zeros, up to as many words as are multiplied at
/// once.
void PanelCopy::fillUp(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles) {
  if (!group.takesMatrices())
    return;
  const int64_t atOnce = group.words->wordsAtOnce();
  auto [from, to] = stepBounds(b).front();
  Value count = group.words->countOf(b, loc, from, to),
        one = arith::ConstantIndexOp::create(b, loc, 1),
        end = affine::makeComposedAffineApply(
            b, loc,
            AffineMap::get(1, 0,
                           b.getAffineDimExpr(0).ceilDiv(atOnce) * atOnce),
            {count});
  scf::ForOp::create(
      b, loc, count, end, one, ValueRange(),
      [&](OpBuilder &in, Location, Value word, ValueRange) {
        copyTiles(in, tiles, [&](OpBuilder &inmost, ValueRange numbers) {
          Value zeros =
              arith::ConstantOp::create(inmost, loc, inmost.getZeroAttr(type));
          writeMemory(inmost, zeros, memory, placeOf(inmost, numbers, word));
        });
        scf::YieldOp::create(in, loc);
      });
}

/// Copies rows of memory, from their fronts on.
void PanelCopy::copyColumns(OpBuilder &b,
                            ArrayRef<std::pair<Value, Value>> tiles) {
  SmallVector<Value> lower, upper, steps;
  for (auto [loop, each] : llvm::zip_equal(panel.loops, stepBounds(b))) {
    lower.push_back(each.first);
    upper.push_back(each.second);
    steps.push_back(constantOf(b, scf::ForOp(loop).getStep()));
  }
  scf::buildLoopNest(b, loc, lower, upper, steps,
                     [&](OpBuilder &in, Location, ValueRange counters) {
                       copyTiles(in, tiles,
                                 [&](OpBuilder &inmost, ValueRange numbers) {
                                   copyPart(inmost, counters, numbers);
                                 });
                     });
}

/// Returns the current tile numbers of the walks that the panel depends on.
SmallVector<Value> PanelCopy::numbersOf(OpBuilder &b,
                                        ArrayRef<TileWalk> walks) {
  return llvm::map_to_vector(
      walked, [&](unsigned walk) { return walks[walk].number(b); });
}

void PanelCopy::redirect(ArrayRef<TileWalk> walks) {
  for (auto [i, each] : llvm::enumerate(panel.reads)) {
    vector::TransferReadOp read = each;
    SmallVector<Value> counters;
    for (Operation *parent = read->getParentOp(); parent != walks.back().loop;
         parent = parent->getParentOp())
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        counters.insert(counters.begin(), loop.getInductionVar());
    OpBuilder b(read);
    // Loops over words count the words themselves.
    SmallVector<Value> steps = words() ? counters : stepsOf(b, counters);
    Value part = readMemory(b, memory, placeOf(b, numbersOf(b, walks), steps));
    panel.operandOf(i).replaceAllUsesWith(part);
  }
}

void PanelCopy::sumUpExcess(OpBuilder &b,
                            ArrayRef<std::pair<Value, Value>> tiles) {
  excess = allocateEach(b, applyPermutation(type.getShape(), order));
  auto [from, to] = stepBounds(b).front();
  Value first = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1),
        count = group.words->countOf(b, loc, from, to);
  copyTiles(b, tiles, [&](OpBuilder &in, ValueRange numbers) {
    Value none = arith::ConstantOp::create(in, loc, in.getZeroAttr(type));
    auto sums = scf::ForOp::create(
        in, loc, first, count, one, none,
        [&](OpBuilder &inmost, Location, Value word, ValueRange sum) {
          Value words =
              readMemory(inmost, memory, placeOf(inmost, numbers, word));
          Value both = arith::AddIOp::create(
              inmost, loc, sum.front(), group.words->excessOf(inmost, words));
          scf::YieldOp::create(inmost, loc, both);
        });
    SmallVector<Value> place(numbers);
    place.append(type.getRank(), first);
    writeMemory(in, sums.getResult(0), excess, place);
  });
}

Value PanelCopy::excessOf(OpBuilder &b, ArrayRef<TileWalk> walks) {
  SmallVector<Value> place = numbersOf(b, walks);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  place.append(type.getRank(), zero);
  return readMemory(b, excess, place);
}

void PanelCopy::eraseReads() {
  for (Operation *conversion : panel.conversions)
    conversion->erase();
  for (vector::TransferReadOp read : panel.reads)
    read.erase();
}
