//===- SplitReductions.cpp - Split-K into two launches --------------------===//
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
// A product of 64x65536 and 65536x128 becomes a batch of products (split-K).
//===----------------------------------------------------------------------===//
#include "SplitReductions.h"
#include "ComparedExtents.h"
#include "Normalize/InputLegality.h"
#include "Normalize/ReadThrough.h"
#include "ReductionParts.h"
#include "TrialKernels.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Analysis/Log/Provenance.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

/// The fewest points for which a reduction is worth a second launch.
static constexpr int64_t fewestPoints = 1 << 15;

/// The fewest steps of the split loop in a part.
static constexpr int64_t shortestPart = 16;

/// A multiple of the steps that all instructions for products take at once.
static constexpr int64_t stepsOfInstructions = 32;

namespace {
/// The prices of an op as a whole and in parts.
struct Split {
  int64_t parts = 1; // 1: not split
  int64_t cost = 0, unsplitCost = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Returns whether every operand that has the loop has it as a dim of its own.
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

/// Returns the extents of an op's loops, dynamic where no operand has a static
/// one.
static SmallVector<int64_t> knownExtents(linalg::LinalgOp op) {
  SmallVector<int64_t> extents(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [size, expr] :
         llvm::zip_equal(op.getShape(&operand),
                         op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && !ShapedType::isDynamic(size))
        extents[loop.getPosition()] = size;
  return extents;
}

/// Returns the nominal length of a dynamic reduced extent, for so many results:
/// a reduction to few results is assumed to be long, because the machine would
/// be idle for sure.
static int64_t assumedLength(int64_t results) {
  constexpr int64_t longExtent = 1 << 16, little = 1 << 14;
  return results <= little ? longExtent : nominalExtent;
}

/// Returns the upper bound of a loop's extent, by the formulas of the
/// operands'.
static int64_t mostOfLoop(linalg::LinalgOp op, unsigned loop) {
  int64_t most = std::numeric_limits<int64_t>::max();
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == getAffineDimExpr(loop, op.getContext()))
        if (FailureOr<int64_t> bound =
                ValueBoundsConstraintSet::computeConstantBound(
                    presburger::BoundType::UB,
                    {operand.get(), static_cast<int64_t>(dim)},
                    /*stopCondition=*/nullptr, /*closedUB=*/true);
            succeeded(bound))
          most = std::min(most, *bound);
  return most;
}

/// Returns the extents of an op's loops, with nominal ones for dynamic extents.
static SmallVector<int64_t> assumedExtents(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = knownExtents(op);
  auto assumed = [&](unsigned loop, int64_t length) {
    return std::min(length, std::max<int64_t>(mostOfLoop(op, loop), 1));
  };
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  int64_t results = 1;
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    if (iterator != utils::IteratorType::reduction) {
      if (ShapedType::isDynamic(extents[loop]))
        extents[loop] = assumed(loop, nominalExtent);
      results = saturatingProduct(results, extents[loop]);
    }
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (ShapedType::isDynamic(extent))
      extent = assumed(loop, assumedLength(results));
  return extents;
}

static std::optional<Splittable>
matchSplittable(Operation *op, bool strictFp, const ExtentFormulas &formulas) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      linalgOp.getNumDpsInits() != 1 || linalgOp.getNumReductionLoops() == 0 ||
      !agreeOnExtentsBefore(linalgOp, formulas))
    return std::nullopt;
  // Elements that are read at computed positions belong to no operand.
  if (!linalgOp.getBlock()->getOps<tensor::ExtractOp>().empty())
    return std::nullopt;
  SmallVector<Operation *> combiners;
  if (!matchReduction(linalgOp.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return std::nullopt;
  Operation *combiner = combiners.front();
  std::optional<TypedAttr> neutral = neutralOfCombiner(combiner);
  if (!neutral || combiner->getNumOperands() != 2 ||
      (strictFp && isa<arith::AddFOp, arith::MulFOp>(combiner)))
    return std::nullopt;
  Splittable found{linalgOp, combiner, *neutral, 0, 1, 1};
  int64_t points = 1, reduced = 1, split = 1;
  SmallVector<int64_t> extents = assumedExtents(linalgOp);
  for (auto [loop, iterator] :
       llvm::enumerate(linalgOp.getIteratorTypesArray())) {
    points = saturatingProduct(points, extents[loop]);
    if (iterator == utils::IteratorType::reduction)
      reduced = saturatingProduct(reduced, extents[loop]);
    // The outermost loop with the most parts.
    if (iterator == utils::IteratorType::reduction && extents[loop] > split &&
        split < 4 * shortestPart && isPlainDim(linalgOp, loop)) {
      found.loop = loop;
      split = extents[loop];
    }
  }
  if (points < fewestPoints || split < 2 * shortestPart)
    return std::nullopt;
  found.extent = knownExtents(linalgOp)[found.loop];
  found.assumedExtent = extents[found.loop];
  found.inner = reduced / split;
  found.contracts = matchContraction(op) || matchSemiring(linalgOp);
  found.hasOneExtent = agreesOnExtents(linalgOp, formulas);
  // Padding has no valid divisor, and no checked values.
  found.mayLeaveRest = !bodyMayFail(linalgOp);
  if (found.contracts && !ShapedType::isDynamic(found.extent))
    found.granule = stepsOfInstructions;
  return found;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

/// Clones the op onto operands that may have other extents. No mapping is used,
/// because one value may be two operands.
static Value cloneOnto(OpBuilder &b, Operation *op, ValueRange operands) {
  return clone(b, op, operands.back().getType(), operands)->getResult(0);
}

/// Returns the types of an op's operands if its loops have these extents.
static SmallVector<Type> typesFor(linalg::LinalgOp op,
                                  ArrayRef<int64_t> extents) {
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type) {
      types.push_back(operand.get().getType());
      continue;
    }
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, expr] : llvm::zip_equal(
             shape, op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        size = extents[loop.getPosition()];
    types.push_back(type.clone(shape));
  }
  return types;
}

/// Returns numbers of parts worth trying: for each power of four, the divisor
/// of the extent from there to the next one whose parts' length has most
/// factors of two. Where there are few, as for a prime, the extent itself, if
/// other loops remain in a part, or parts that leave a remainder; more than the
/// largest workgroup holds at once are not combined in one step.
static SmallVector<int64_t> countsOf(const Splittable &found) {
  constexpr int64_t most = 1024, mostOfPrime = 4096, many = 256;
  SmallVector<int64_t> counts;
  auto isLongEnough = [&](int64_t count) {
    return saturatingProduct(found.lengthOfPart(count), found.inner) >=
           shortestPart;
  };
  bool isDynamic = ShapedType::isDynamic(found.extent);
  for (int64_t power = 4; power <= most && !isDynamic; power *= 4) {
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
  if (counts.empty() && !isDynamic && found.extent <= mostOfPrime &&
      isLongEnough(found.extent))
    counts.push_back(found.extent);
  if (!found.mayLeaveRest)
    return counts;
  int64_t evenly = counts.empty() ? 1 : counts.back();
  for (int64_t count = 4; count <= most && evenly < many; count *= 4)
    if (count > evenly && found.lengthOfPart(count) >= 2 * shortestPart)
      counts.push_back(count);
  return counts;
}

/// Returns numbers of parts of a product that has `tiles` workgroups by itself,
/// with which its parts fill whole rounds of the machine: that many, and the
/// divisor of the extent that is nearest below.
static SmallVector<int64_t> countsToFill(const Splittable &found, int64_t tiles,
                                         int64_t units) {
  constexpr int64_t mostRounds = 8; // 4 of tiles twice as large
  llvm::SmallSetVector<int64_t, 8> counts;
  if (!found.contracts || ShapedType::isDynamic(found.extent) ||
      tiles >= mostRounds * units)
    return {};
  SmallVector<int64_t> all = divisors(found.extent);
  for (int64_t rounds = 1; rounds <= mostRounds; ++rounds) {
    int64_t count = rounds * units / std::max<int64_t>(1, tiles);
    if (count < 2 || found.extent / count < 2 * stepsOfInstructions)
      continue;
    if (found.mayLeaveRest)
      counts.insert(count);
    if (int64_t even = *std::prev(llvm::upper_bound(all, count)); even > 1)
      counts.insert(even);
  }
  return counts.takeVector();
}

/// Returns the price of the parts and of their combination; nothing if either
/// does not fit, or the parts alone cost more than `most`.
static std::optional<int64_t> priceParts(const Pricing &pricing,
                                         const Splittable &found, int64_t parts,
                                         int64_t most) {
  SmallVector<int64_t> extents = assumedExtents(found.op);
  extents[found.loop] = found.lengthOfPart(parts) * parts;
  SmallVector<Type> types = typesFor(found.op, extents);
  Type partsType;
  std::optional<int64_t> first = priceAlone(
      pricing, types,
      [&](OpBuilder &b, ValueRange arguments) {
        IRRewriter rewriter(b);
        Value whole = cloneOnto(b, found.op, arguments);
        Splittable inside = found;
        inside.op = cast<linalg::LinalgOp>(whole.getDefiningOp());
        inside.extent = extents[found.loop];
        rewriter.setInsertionPoint(inside.op);
        Value made = createParts(rewriter, inside, parts).getResult(0);
        inside.op->erase();
        partsType = made.getType();
        return made;
      },
      most);
  if (!first)
    return std::nullopt;
  std::optional<int64_t> second = priceAlone(
      pricing, {partsType, types.back()},
      [&](OpBuilder &b, ValueRange arguments) {
        return createWhole(b, found, arguments[0], arguments[1]).getResult(0);
      });
  if (!second)
    return std::nullopt;
  int64_t cost =
      saturatingSum(saturatingSum(*first, *second), int64_t(slotsPerLaunch));
  if (!found.hasRestApart(parts))
    return cost;
  extents[found.loop] = ShapedType::isDynamic(found.extent)
                            ? found.lengthOfPart(parts) - 1
                            : found.extent - extents[found.loop];
  std::optional<int64_t> rest =
      priceAlone(pricing, typesFor(found.op, extents),
                 [&](OpBuilder &b, ValueRange arguments) {
                   return cloneOnto(b, found.op, arguments);
                 });
  if (!rest)
    return std::nullopt;
  // For a dynamic extent it has the maximum length, which is expensive enough
  // for a launch of its own.
  bool isLongest = ShapedType::isDynamic(found.extent);
  return saturatingSum(
      cost, saturatingSum(*rest, isLongest ? 0 : int64_t(slotsPerLaunch)));
}

/// Ranks the op by itself. If it starts from a constant, so does the trial,
/// like the launch that is formed of the op if it stays whole, so that this
/// launch is ranked already.
static std::optional<Ranking> rankUnsplit(const Pricing &pricing,
                                          const Splittable &found) {
  linalg::LinalgOp op = found.op;
  SmallVector<Type> types = typesFor(op, assumedExtents(op));
  Type made = types.back();
  auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  auto number =
      fill ? fill.getInputs()[0].getDefiningOp<arith::ConstantOp>() : nullptr;
  if (!number || !cast<RankedTensorType>(made).hasStaticShape())
    return rankAlone(pricing, types, [&](OpBuilder &b, ValueRange arguments) {
      return cloneOnto(b, op, arguments);
    });
  types.pop_back();
  return rankAlone(pricing, types, [&](OpBuilder &b, ValueRange arguments) {
    SmallVector<Value> operands(arguments);
    Value start = b.clone(*number)->getResult(0);
    Value empty = tensor::EmptyOp::create(
        b, op.getLoc(), cast<RankedTensorType>(made).getShape(),
        getElementTypeOrSelf(made));
    operands.push_back(
        linalg::FillOp::create(b, op.getLoc(), start, empty).getResult(0));
    return cloneOnto(b, op, operands);
  });
}

/// Returns a lower bound on the price of parts: all units share the work of the
/// unsplit op, with any tiles, evenly, and write and read the parts.
static int64_t leastCostOf(const Pricing &pricing, const Splittable &found,
                           int64_t leastWork, int64_t parts) {
  const GlobalMemoryModel &memory = pricing.ranker.target().globalMemory;
  linalg::LinalgOp op = found.op;
  auto type = cast<RankedTensorType>(typesFor(op, assumedExtents(op)).back());
  int64_t bytes = saturatingProduct(
      saturatingProduct(type.getShape()),
      int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8)));
  // The unsplit op writes one result.
  int64_t sectors =
      saturatingProduct(2 * parts - 1, bytes) / memory.sectorBytes;
  int64_t traffic = saturatingProduct(sectors, memory.sectorCost) /
                    pricing.ranker.target().computeUnits;
  return saturatingSum(saturatingSum(leastWork, traffic),
                       int64_t(slotsPerLaunch));
}

/// Returns whether three quarters of the compute units are busy over all
/// rounds.
static bool fillsMachine(int64_t workgroups, int64_t units) {
  return 4 * workgroups >= 3 * int64_t(llvm::alignTo(workgroups, units));
}

/// Returns the number of parts with the lowest price.
static Split chooseParts(const Pricing &pricing, const Splittable &found) {
  Split best;
  std::optional<Ranking> unsplit = rankUnsplit(pricing, found);
  best.unsplitCost =
      unsplit ? unsplit->winner().cost : std::numeric_limits<int64_t>::max();
  best.cost = best.unsplitCost;
  // No split costs less than starting its launches.
  if (best.cost <= 2 * slotsPerLaunch)
    return best;
  int64_t units = pricing.ranker.target().computeUnits;
  if (unsplit && found.contracts &&
      fillsMachine(unsplit->winner().workgroups, units))
    return best;
  // An estimate does not justify a launch: a split has to save half of the
  // price, or a quarter for a product, where most of the price is known.
  int64_t most = best.unsplitCost / 4 * (found.contracts ? 3 : 2);
  llvm::SmallSetVector<int64_t, 16> counts;
  counts.insert_range(countsOf(found));
  if (unsplit)
    counts.insert_range(
        countsToFill(found, unsplit->winner().workgroups, units));
  for (int64_t parts : counts) {
    if (unsplit &&
        leastCostOf(pricing, found, unsplit->leastWork(), parts) > most)
      continue;
    if (std::optional<int64_t> cost = priceParts(pricing, found, parts, most);
        cost && *cost < best.cost)
      best = {parts, *cost, best.unsplitCost};
  }
  if (best.cost > most)
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
// Kernels
//===----------------------------------------------------------------------===//

/// Decomposes softmaxes with long rows into reductions, which are split like
/// any other.
static LogicalResult decomposeLongRows(const Pricing &pricing,
                                       const DenseSet<Operation *> &kept,
                                       const ExtentFormulas &formulas) {
  func::FuncOp kernel = pricing.kernel;
  IRRewriter rewriter(kernel.getContext());
  for (auto softmax :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::SoftmaxOp>())) {
    auto type = dyn_cast<RankedTensorType>(softmax.getInput().getType());
    if (kept.contains(softmax) || !type || !type.hasStaticShape() ||
        type.getNumElements() < fewestPoints || pricing.user.strictFp)
      continue;
    // The decomposition is tried, and erased where it does not pay off.
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
    std::optional<int64_t> whole =
        priceAlone(pricing, SmallVector<Type>(softmax->getOperandTypes()),
                   [&](OpBuilder &b, ValueRange arguments) {
                     return cloneOnto(b, softmax, arguments);
                   });
    // Both reductions, and the division.
    int64_t cost = 2 * slotsPerLaunch;
    bool isSplit = false;
    for (Operation *op : made)
      if (std::optional<Splittable> found =
              matchSplittable(op, false, formulas)) {
        Split split = chooseParts(pricing, *found);
        isSplit |= split.parts > 1;
        cost = saturatingSum(cost, split.cost);
      }
    Operation *last = results->front().getDefiningOp();
    cost = saturatingSum(
        cost, priceAlone(pricing, SmallVector<Type>(last->getOperandTypes()),
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

/// Recomputes for the parts elementwise ops that have other readers as well: in
/// memory, their results would be read twice.
static void takeChains(RewriterBase &rewriter, linalg::LinalgOp op) {
  llvm::SetVector<Operation *> chain = chainOf(op);
  SmallVector<Operation *> inOrder(chain.begin(), chain.end());
  llvm::sort(inOrder, [](Operation *one, Operation *other) {
    return one->isBeforeInBlock(other);
  });
  DenseSet<Operation *> shared;
  for (Operation *maker : llvm::reverse(inOrder))
    if (maker != op && llvm::any_of(maker->getUsers(), [&](Operation *user) {
          return !chain.contains(user) || shared.contains(user);
        }))
      shared.insert(maker);
  IRMapping map;
  for (Operation *maker : inOrder) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(maker);
    if (shared.contains(maker)) {
      rewriter.clone(*maker, map);
      continue;
    }
    rewriter.modifyOpInPlace(maker, [&] {
      for (OpOperand &operand : maker->getOpOperands())
        operand.set(map.lookupOrDefault(operand.get()));
    });
  }
}

LogicalResult distaff::splitReductions(func::FuncOp kernel,
                                       KernelRanker &ranker,
                                       const UserChoices &user,
                                       DecisionLog *log) {
  Block &body = kernel.getBody().front();
  bool isTuned = user.workgroupSize || llvm::any_of(body, [](Operation &op) {
                   return op.hasAttr(iree::LoweringConfigAttr::attributeName);
                 });
  if (isTuned)
    return success();
  DenseSet<Operation *> kept;
  for (Operation &op : body)
    kept.insert_range(findAttention(&op));
  Pricing pricing{kernel, ranker, user};
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas) || failed(decomposeLongRows(pricing, kept, *formulas)))
    return failure();
  IRRewriter rewriter(kernel.getContext());
  bool any = false;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    std::optional<Splittable> found;
    if (!kept.contains(&op))
      found = matchSplittable(&op, user.strictFp, *formulas);
    if (!found)
      continue;
    Split split = chooseParts(pricing, *found);
    if (split.parts == 1)
      continue;
    if (log)
      record(*log, kernel, *found, split);
    rewriter.setInsertionPoint(found->op);
    takeChains(rewriter, found->op);
    Value parts = createParts(rewriter, *found, split.parts).getResult(0);
    Value start = createStart(rewriter, *found, split.parts);
    rewriter.replaceOp(found->op, createWhole(rewriter, *found, parts, start));
    any = true;
  }
  if (!any)
    return success();
  if (failed(readThroughElementwise(kernel)) || failed(moveReshapes(kernel)))
    return failure();
  return normalizeTensors(kernel);
}
