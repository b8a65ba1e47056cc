//===- SplitReductions.cpp - Reductions in two launches -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of 65536 numbers, in 256 parts:
//
//   %x2 = tensor.expand_shape %x [[0, 1]]          : tensor<256x256xf32>
//   %parts[s] = 0 + sum over c of %x2[s, c]        // one launch
//   %sum = %init + sum over s of %parts[s]         // another
//
// A product of 64x65536 and 65536x128 becomes a batch of products alike.
//
//===----------------------------------------------------------------------===//
#include "SplitReductions.h"
#include "Candidates.h"
#include "Form.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/Analysis/OnlineSoftmax.h"
#include "distaff/Analysis/Provenance.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;

/// Of fewer points than this, no reduction is worth a second launch.
static constexpr int64_t fewestPoints = 1 << 15;

/// A part has at least so many steps of the loop that is split.
static constexpr int64_t shortestPart = 16;

namespace {
/// How an op reduces, if it can be taken apart.
struct Splittable {
  linalg::LinalgOp op;
  Operation *combiner = nullptr;
  TypedAttr neutral;
  unsigned loop = 0; // that is split
  int64_t extent = 1;
  int64_t inner = 1; // points of the other loops that are reduced
};

/// What an op of its own would cost, and what in parts.
struct Split {
  int64_t parts = 1; // 1: as it is
  int64_t cost = 0, unsplitCost = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which ops
//===----------------------------------------------------------------------===//

/// Whether every operand that has the loop has it as a dim of its own.
static bool isPlainDim(linalg::LinalgOp op, unsigned loop) {
  for (AffineMap map : op.getIndexingMapsArray()) {
    int64_t uses = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
      return expr.isFunctionOfDim(loop);
    });
    if (uses > 1 || (uses == 1 && !map.getResultPosition(getAffineDimExpr(
                                      loop, map.getContext()))))
      return false;
  }
  return true;
}

static std::optional<Splittable> matchSplittable(Operation *op, bool strictFp) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      linalgOp.getNumDpsInits() != 1 || linalgOp.getNumReductionLoops() == 0 ||
      linalgOp.hasDynamicShape())
    return std::nullopt;
  // Elements that are read at computed places are none of an operand's.
  if (!linalgOp.getBlock()->getOps<tensor::ExtractOp>().empty())
    return std::nullopt;
  SmallVector<Operation *> combiners;
  if (!matchReduction(linalgOp.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return std::nullopt;
  Operation *combiner = combiners.front();
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (!neutral || combiner->getNumOperands() != 2 ||
      (strictFp && isa<arith::AddFOp, arith::MulFOp>(combiner)))
    return std::nullopt;
  Splittable found{linalgOp, combiner, *neutral, 0, 1, 1};
  int64_t points = 1, reduced = 1;
  SmallVector<int64_t> extents = linalgOp.getStaticLoopRanges();
  for (auto [loop, iterator] :
       llvm::enumerate(linalgOp.getIteratorTypesArray())) {
    points = saturatingProduct(points, extents[loop]);
    if (iterator == utils::IteratorType::reduction)
      reduced = saturatingProduct(reduced, extents[loop]);
    // The outermost one that has most parts.
    if (iterator == utils::IteratorType::reduction &&
        extents[loop] > found.extent && found.extent < 4 * shortestPart &&
        isPlainDim(linalgOp, loop)) {
      found.loop = loop;
      found.extent = extents[loop];
    }
  }
  if (points < fewestPoints || found.extent < 2 * shortestPart)
    return std::nullopt;
  found.inner = reduced / found.extent;
  return found;
}

//===----------------------------------------------------------------------===//
// Taking apart
//===----------------------------------------------------------------------===//

/// The operand, with the dim of the split loop as parts and steps.
static Value expand(OpBuilder &b, Location loc, Value operand, unsigned dim,
                    int64_t parts) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (auto [at, extent] : llvm::enumerate(type.getShape())) {
    groups.push_back({int64_t(shape.size())});
    if (at == dim) {
      groups.back().push_back(shape.size() + 1);
      shape.append({parts, extent / parts});
    } else {
      shape.push_back(extent);
    }
  }
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), operand,
      groups);
}

/// The op that computes the parts, one per index of its result's first dim. Its
/// loops are the parts, then those of the whole.
static linalg::GenericOp createParts(OpBuilder &b, const Splittable &found,
                                     int64_t parts) {
  linalg::LinalgOp op = found.op;
  Location loc = op.getLoc();
  MLIRContext *context = b.getContext();
  AffineExpr part = b.getAffineDimExpr(0);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    std::optional<unsigned> dim =
        map.getResultPosition(b.getAffineDimExpr(found.loop));
    AffineMap shifted = map.shiftDims(1);
    if (!dim) {
      inputs.push_back(input->get());
      maps.push_back(shifted);
      continue;
    }
    inputs.push_back(expand(b, loc, input->get(), *dim, parts));
    SmallVector<AffineExpr> exprs(shifted.getResults());
    exprs.insert(exprs.begin() + *dim, part);
    maps.push_back(AffineMap::get(shifted.getNumDims(), 0, exprs, context));
  }
  OpOperand *init = op.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init->get().getType());
  SmallVector<int64_t> shape = {parts};
  llvm::append_range(shape, type.getShape());
  SmallVector<AffineExpr> written = {part};
  AffineMap shifted = op.getMatchingIndexingMap(init).shiftDims(1);
  llvm::append_range(written, shifted.getResults());
  maps.push_back(AffineMap::get(shifted.getNumDims(), 0, written, context));
  Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  Value neutral = arith::ConstantOp::create(b, loc, found.neutral);
  Value start = linalg::FillOp::create(b, loc, neutral, empty).getResult(0);
  SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel};
  llvm::append_range(iterators, op.getIteratorTypesArray());
  auto result = linalg::GenericOp::create(b, loc, start.getType(), inputs,
                                          start, maps, iterators);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&result.getRegion(), mapping);
  // Positions along the loop that is split are those of the whole.
  int64_t length = found.extent / parts;
  for (auto index :
       llvm::to_vector(result.getBody()->getOps<linalg::IndexOp>())) {
    unsigned loop = index.getDim();
    OpBuilder inside(index);
    Value moved = linalg::IndexOp::create(inside, loc, loop + 1);
    if (loop == found.loop) {
      Value begin = arith::MulIOp::create(
          inside, loc, linalg::IndexOp::create(inside, loc, 0),
          arith::ConstantIndexOp::create(inside, loc, length));
      moved = arith::AddIOp::create(inside, loc, begin, moved);
    }
    index.replaceAllUsesWith(moved);
    index.erase();
  }
  return result;
}

/// The op that combines the parts with what the whole starts from.
static linalg::GenericOp createWhole(OpBuilder &b, const Splittable &found,
                                     Value parts) {
  linalg::LinalgOp op = found.op;
  Location loc = op.getLoc();
  int64_t rank = cast<RankedTensorType>(parts.getType()).getRank();
  SmallVector<AffineExpr> read, written;
  SmallVector<utils::IteratorType> iterators(rank - 1,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  read.push_back(b.getAffineDimExpr(rank - 1));
  for (int64_t dim = 0; dim < rank - 1; ++dim) {
    read.push_back(b.getAffineDimExpr(dim));
    written.push_back(b.getAffineDimExpr(dim));
  }
  Value soFar = op.getDpsInitOperand(0)->get();
  bool isLhs =
      found.combiner->getOperand(0) == Value(op.getRegionOutputArgs().front());
  return linalg::GenericOp::create(
      b, loc, soFar.getType(), parts, soFar,
      {AffineMap::get(rank, 0, read, b.getContext()),
       AffineMap::get(rank, 0, written, b.getContext())},
      iterators, [&](OpBuilder &inside, Location, ValueRange args) {
        Operation *combined = inside.clone(*found.combiner);
        combined->setOperand(isLhs ? 0 : 1, args[1]);
        combined->setOperand(isLhs ? 1 : 0, args[0]);
        linalg::YieldOp::create(inside, loc, combined->getResult(0));
      });
}

//===----------------------------------------------------------------------===//
// What it costs
//===----------------------------------------------------------------------===//

/// The price of a kernel of one op, made by `create` from arguments; nothing if
/// it does not fit.
static std::optional<int64_t>
priceAlone(func::FuncOp kernel, const Target &target, const UserChoices &user,
           ArrayRef<Type> arguments,
           llvm::function_ref<Value(OpBuilder &, ValueRange)> create) {
  OpBuilder b(kernel);
  auto trial = func::FuncOp::create(b, kernel.getLoc(), "trial",
                                    b.getFunctionType(arguments, {}));
  Block *body = trial.addEntryBlock();
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  Value made = create(inside, body->getArguments());
  func::ReturnOp::create(inside, kernel.getLoc(), made);
  trial.setFunctionType(b.getFunctionType(arguments, made.getType()));
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  std::optional<int64_t> cost;
  if (FailureOr<Ranking> ranking = rankKernel(trial, target, user);
      succeeded(ranking) && !ranking->empty() && ranking->winner().fits &&
      ranking->winner().spilled == 0)
    cost = ranking->winner().cost;
  trial->erase();
  return cost;
}

static Value cloneOnto(OpBuilder &b, Operation *op, ValueRange operands) {
  IRMapping map;
  map.map(op->getOperands(), operands);
  return b.clone(*op, map)->getResult(0);
}

/// Numbers of parts worth trying: for each power of two, the divisor of the
/// extent that is nearest below twice of it. Where there is none, as of a
/// prime, it is all of the extent, if other loops are left to a part; more than
/// a workgroup of the largest holds at once are not combined in one step.
static SmallVector<int64_t> countsOf(const Splittable &found) {
  constexpr int64_t most = 1024, mostOfPrime = 4096;
  SmallVector<int64_t> counts;
  auto isLongEnough = [&](int64_t count) {
    return saturatingProduct(found.extent / count, found.inner) >= shortestPart;
  };
  for (int64_t power = 4; power <= most; power *= 4) {
    int64_t best = 0;
    for (int64_t count : divisors(found.extent))
      if (count >= power && count < 4 * power && count <= most &&
          isLongEnough(count) &&
          (best == 0 || llvm::countr_zero(uint64_t(found.extent / count)) >
                            llvm::countr_zero(uint64_t(found.extent / best))))
        best = count;
    if (best)
      counts.push_back(best);
  }
  if (counts.empty() && found.extent <= mostOfPrime &&
      isLongEnough(found.extent))
    counts.push_back(found.extent);
  return counts;
}

/// The number of parts that costs least.
static Split chooseParts(func::FuncOp kernel, const Target &target,
                         const UserChoices &user, const Splittable &found) {
  linalg::LinalgOp op = found.op;
  SmallVector<Type> types(op->getOperandTypes());
  auto asOp = [&](OpBuilder &b, ValueRange arguments) {
    return cloneOnto(b, op, arguments);
  };
  Split best;
  std::optional<int64_t> unsplit =
      priceAlone(kernel, target, user, types, asOp);
  best.unsplitCost = unsplit.value_or(std::numeric_limits<int64_t>::max());
  best.cost = best.unsplitCost;
  // Nothing is gained below the price of what has to be started anyway.
  if (best.cost <= 2 * slotsPerLaunch)
    return best;
  for (int64_t parts : countsOf(found)) {
    Type partsType;
    std::optional<int64_t> first = priceAlone(
        kernel, target, user, types, [&](OpBuilder &b, ValueRange arguments) {
          Splittable inside = found;
          Value whole = cloneOnto(b, op, arguments);
          inside.op = cast<linalg::LinalgOp>(whole.getDefiningOp());
          Value made = createParts(b, inside, parts).getResult(0);
          whole.getDefiningOp()->erase();
          partsType = made.getType();
          return made;
        });
    std::optional<int64_t> second =
        priceAlone(kernel, target, user, {partsType, types.back()},
                   [&](OpBuilder &b, ValueRange arguments) {
                     auto whole = createWhole(b, found, arguments[0]);
                     whole.getDpsInitsMutable()[0].set(arguments[1]);
                     return whole.getResult(0);
                   });
    if (!first || !second)
      continue;
    int64_t cost =
        saturatingSum(saturatingSum(*first, *second), int64_t(slotsPerLaunch));
    if (cost < best.cost)
      best = {parts, cost, best.unsplitCost};
  }
  // A guess is no reason for a launch: half of the price has to be gone.
  if (best.cost > best.unsplitCost / 2)
    best.parts = 1;
  return best;
}

static void record(DecisionLog &log, func::FuncOp kernel, Splittable found,
                   const Split &split) {
  int64_t line = lineOf(found.op.getLoc());
  ChoiceDecision decision{line, kernel.getName().str(), "reduction", {}, {}};
  decision.chosen = {std::to_string(split.parts) +
                         " parts, which a launch of its own combines",
                     split.cost, ""};
  decision.losers.push_back({"in one launch", split.unsplitCost, ""});
  log.choices.push_back(std::move(decision));
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Softmaxes whose rows are worth parts become reductions, which are taken
/// apart as others are.
static LogicalResult decomposeLongRows(func::FuncOp kernel,
                                       const Target &target,
                                       const UserChoices &user,
                                       const DenseSet<Operation *> &kept) {
  IRRewriter rewriter(kernel.getContext());
  for (auto softmax :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::SoftmaxOp>())) {
    auto type = dyn_cast<RankedTensorType>(softmax.getInput().getType());
    if (kept.contains(softmax) || !type || !type.hasStaticShape() ||
        type.getNumElements() < fewestPoints || user.strictFp)
      continue;
    // Tried, and gone again where nothing comes of it.
    DenseSet<Operation *> before;
    for (Operation &op : *softmax->getBlock())
      before.insert(&op);
    rewriter.setInsertionPoint(softmax);
    FailureOr<SmallVector<Value>> results =
        softmax.decomposeOperation(rewriter);
    if (failed(results))
      return softmax.emitOpError("cannot be decomposed into linalg.generic");
    SmallVector<Operation *> made;
    for (Operation &op : *softmax->getBlock())
      if (!before.contains(&op))
        made.push_back(&op);
    std::optional<int64_t> whole = priceAlone(
        kernel, target, user, SmallVector<Type>(softmax->getOperandTypes()),
        [&](OpBuilder &b, ValueRange arguments) {
          return cloneOnto(b, softmax, arguments);
        });
    // Both reductions, and what divides.
    int64_t cost = 2 * slotsPerLaunch;
    bool isSplit = false;
    for (Operation *op : made)
      if (std::optional<Splittable> found = matchSplittable(op, false)) {
        Split split = chooseParts(kernel, target, user, *found);
        isSplit |= split.parts > 1;
        cost = saturatingSum(cost, split.cost);
      }
    Operation *last = results->front().getDefiningOp();
    cost = saturatingSum(cost,
                         priceAlone(kernel, target, user,
                                    SmallVector<Type>(last->getOperandTypes()),
                                    [&](OpBuilder &b, ValueRange arguments) {
                                      return cloneOnto(b, last, arguments);
                                    })
                             .value_or(std::numeric_limits<int64_t>::max()));
    if (isSplit && (!whole || cost <= *whole / 2)) {
      rewriter.replaceOp(softmax, *results);
      continue;
    }
    for (Operation *op : llvm::reverse(made))
      rewriter.eraseOp(op);
  }
  return success();
}

/// Elementwise ops that others read as well are computed again for the parts:
/// in memory, what they make would be read twice.
static void takeChains(RewriterBase &rewriter, linalg::LinalgOp op) {
  SmallVector<linalg::LinalgOp> readers = {op};
  while (!readers.empty()) {
    linalg::LinalgOp reader = readers.pop_back_val();
    for (OpOperand *input : reader.getDpsInputOperands()) {
      auto maker = input->get().getDefiningOp<linalg::LinalgOp>();
      if (!maker || !linalg::isElementwise(maker) ||
          maker->getNumResults() != 1)
        continue;
      if (!maker->hasOneUse()) {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPoint(maker);
        auto copy = cast<linalg::LinalgOp>(rewriter.clone(*maker));
        rewriter.modifyOpInPlace(reader,
                                 [&] { input->set(copy->getResult(0)); });
        maker = copy;
      }
      readers.push_back(maker);
    }
  }
}

LogicalResult distaff::splitReductions(func::FuncOp kernel,
                                       const Target &target,
                                       const UserChoices &user,
                                       DecisionLog *log) {
  Block &body = kernel.getBody().front();
  bool isTuned = user.workgroupSize || llvm::any_of(body, [](Operation &op) {
                   return op.hasAttr(compat::LoweringConfigAttr::attributeName);
                 });
  if (isTuned)
    return success();
  DenseSet<Operation *> kept;
  for (Operation &op : body)
    kept.insert_range(findAttention(&op));
  if (failed(decomposeLongRows(kernel, target, user, kept)))
    return failure();
  IRRewriter rewriter(kernel.getContext());
  bool any = false;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    std::optional<Splittable> found;
    if (!kept.contains(&op))
      found = matchSplittable(&op, user.strictFp);
    if (!found)
      continue;
    Split split = chooseParts(kernel, target, user, *found);
    if (split.parts == 1)
      continue;
    if (log)
      record(*log, kernel, *found, split);
    rewriter.setInsertionPoint(&op);
    takeChains(rewriter, found->op);
    Value parts = createParts(rewriter, *found, split.parts).getResult(0);
    rewriter.replaceOp(&op, createWhole(rewriter, *found, parts));
    any = true;
  }
  if (!any)
    return success();
  if (failed(moveReshapes(kernel)))
    return failure();
  return normalizeTensors(kernel);
}
