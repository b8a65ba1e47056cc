//===- ReadThrough.cpp - Fusion of elementwise ops into readers -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that an op reads at computed positions has to be in memory. So has
// the relu before a padded convolution, though it is one maximum per element:
//
//   %p = linalg.generic { relu(%x[d0, d1]) }
//   %w = linalg.generic { inside ? tensor.extract %p[d0 - 1, d1] : 0 }
//
// reads through %p, once its body stands where the element is read:
//
//   %w = linalg.generic { inside ? relu(tensor.extract %x[d0 - 1, d1]) : 0 }
//
// This saves one launch, and memory of the size of %p. An op that is read
// more often than it has elements is recomputed as often: cheap ops up to 16
// times, an exponential twice.
//
// A slice of an elementwise op's result is a view of memory, too; it becomes
// the op on slices of its inputs.
//
//===----------------------------------------------------------------------===//
#include "ReadThrough.h"
#include "../ComparedExtents.h"
#include "InputLegality.h"
#include "distaff/Analysis/Access/ComputedReads.h"
#include "distaff/Analysis/Log/Provenance.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

static int64_t extentOf(int64_t extent) {
  return ShapedType::isDynamic(extent) ? nominalExtent : extent;
}

/// Returns the points of loops or of a tensor, with nominal dynamic extents.
static int64_t pointsOf(ArrayRef<int64_t> extents) {
  int64_t points = 1;
  for (int64_t extent : extents)
    points = saturatingProduct(points, extentOf(extent));
  return points;
}

static int64_t pointsOf(linalg::LinalgOp op) {
  return pointsOf(op.getStaticLoopRanges());
}

/// Returns whether an op computes one element per point of its loops, from
/// elements of its inputs.
static bool mayBeComputedAgain(linalg::LinalgOp maker) {
  if (maker->getNumResults() != 1 || maker.getNumReductionLoops() > 0 ||
      maker->hasAttr(iree::LoweringConfigAttr::attributeName) ||
      maker.payloadUsesValueFromOperand(maker.getDpsInitOperand(0)) ||
      !maker.getMatchingIndexingMap(maker.getDpsInitOperand(0)).isPermutation())
    return false;
  for (AffineMap map : maker.getIndexingMapsArray())
    if (!map.isProjectedPermutation(/*allowZeroInDims=*/true))
      return false;
  return llvm::all_of(*maker.getBlock(),
                      [](Operation &op) { return op.getNumRegions() == 0; });
}

bool distaff::bodyMayFail(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return dividesIntegers(&inner) || isa<core::CheckOp>(inner);
  });
}

/// Returns whether an element takes a few instructions that every target has.
static bool isCheap(linalg::LinalgOp maker) {
  constexpr int64_t few = 40;
  return int64_t(maker.getBlock()->getOperations().size()) <= few &&
         llvm::all_of(*maker.getBlock(), [](Operation &op) {
           return isa<linalg::YieldOp, linalg::IndexOp, tensor::ExtractOp,
                      affine::AffineApplyOp, arith::ConstantOp, arith::AddFOp,
                      arith::SubFOp, arith::MulFOp, arith::NegFOp,
                      arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                      arith::MinNumFOp, arith::AddIOp, arith::SubIOp,
                      arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                      arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
                      arith::MinUIOp, arith::CmpFOp, arith::CmpIOp,
                      arith::SelectOp, arith::ExtFOp, arith::TruncFOp,
                      arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
                      arith::SIToFPOp, arith::UIToFPOp, arith::IndexCastOp>(op);
         });
}

/// Returns whether a tensor has about as many elements as an op has points.
static bool isWhole(Value tensor, linalg::LinalgOp op) {
  auto type = dyn_cast<ShapedType>(tensor.getType());
  return type && 2 * pointsOf(type.getShape()) > pointsOf(op);
}

/// Returns the number of elements that one element is computed of, without
/// elements that many share.
static unsigned wholeInputs(linalg::LinalgOp maker) {
  unsigned count = llvm::count_if(
      maker.getBlock()->getOps<tensor::ExtractOp>(),
      [&](tensor::ExtractOp read) { return isWhole(read.getTensor(), maker); });
  return count +
         llvm::count_if(maker.getDpsInputOperands(), [&](OpOperand *input) {
           return maker.payloadUsesValueFromOperand(input) &&
                  isWhole(input->get(), maker);
         });
}

/// Returns whether an op is the epilogue of a reduction: it is fused with the
/// reduction, and its result in memory is smaller, or of the same size.
static bool isEpilogue(linalg::LinalgOp maker) {
  llvm::SetVector<Operation *> chain;
  chain.insert(maker);
  for (size_t at = 0; at < chain.size(); ++at) {
    auto op = cast<linalg::LinalgOp>(chain[at]);
    for (Value input : op.getDpsInputs()) {
      Operation *before = withoutReshapes(input).getDefiningOp();
      if (!before || isa<linalg::FillOp>(before) || !isWhole(input, maker))
        continue;
      auto linalgOp = dyn_cast<linalg::LinalgOp>(before);
      if (isa<linalg::SoftmaxOp>(before) ||
          (linalgOp && !mayBeComputedAgain(linalgOp)))
        return true;
      if (linalgOp)
        chain.insert(linalgOp);
    }
  }
  return false;
}

/// Returns whether an op may be computed `times` as often as it has elements,
/// at so many points altogether.
static bool mayBeRepeated(linalg::LinalgOp maker, int64_t times,
                          int64_t points) {
  constexpr int64_t oftenIfCheap = 16, often = 2, littleWork = 1 << 14;
  bool isCheapToRead = isCheap(maker) && wholeInputs(maker) <= 1;
  return points <= littleWork ||
         times <= (isCheapToRead ? oftenIfCheap : often);
}

//===----------------------------------------------------------------------===//
// Reads at computed positions
//===----------------------------------------------------------------------===//

namespace {
/// Fuses the elementwise op that computes a tensor into one of the tensor's
/// reads at computed positions.
class ReadThrough {
public:
  ReadThrough(RewriterBase &rewriter, linalg::LinalgOp reader,
              tensor::ExtractOp read, linalg::LinalgOp maker)
      : rewriter(rewriter), reader(reader), read(read), maker(maker) {}

  bool mayBe(const ExtentFormulas &formulas);
  void write();

private:
  int64_t timesRead();
  bool findGuards();
  Value withoutGuards(Value position) const;
  std::optional<llvm::SmallBitVector> stepsAlong(Value position);
  Value readInput(OpOperand *input, ArrayRef<Value> loops);
  tensor::ExtractOp guard(tensor::ExtractOp inner);

  RewriterBase &rewriter;
  linalg::LinalgOp reader;
  tensor::ExtractOp read;
  linalg::LinalgOp maker;
  SmallVector<Value> guards; // conditions under which the element is used
};
} // namespace

/// Returns whether an op applies a map of sums and multiples.
static bool isSum(Operation *op) {
  auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op);
  if (!apply)
    return false;
  auto divides = [](AffineExpr part) {
    return WalkResult(part.getKind() == AffineExprKind::Mod ||
                              part.getKind() == AffineExprKind::FloorDiv ||
                              part.getKind() == AffineExprKind::CeilDiv
                          ? WalkResult::interrupt()
                          : WalkResult::advance());
  };
  return !apply.getAffineMap().getResult(0).walk(divides).wasInterrupted();
}

/// Returns the loops that a position depends on, each by its own steps; none if
/// it may be the same for different points of them.
std::optional<llvm::SmallBitVector> ReadThrough::stepsAlong(Value position) {
  llvm::SmallBitVector loops(reader.getNumLoops());
  SmallVector<Value> seen = {position};
  while (!seen.empty()) {
    Value value = withoutGuards(seen.pop_back_val());
    Operation *op = value.getDefiningOp();
    if (value.getParentBlock() != reader.getBlock() ||
        matchPattern(value, m_Constant()))
      continue;
    if (auto index = dyn_cast_or_null<linalg::IndexOp>(op))
      loops.set(index.getDim());
    else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) || isSum(op) ||
             (isa_and_nonnull<arith::DivUIOp>(op) && !guards.empty()))
      llvm::append_range(seen, op->getOperands());
    else
      return std::nullopt;
  }
  return loops;
}

/// Returns how often an element is read, at most or on average.
int64_t ReadThrough::timesRead() {
  int64_t points = pointsOf(reader), each = points;
  llvm::SmallBitVector taken(reader.getNumLoops());
  for (Value position : read.getIndices()) {
    std::optional<llvm::SmallBitVector> loops = stepsAlong(position);
    if (!loops || loops->count() > 1 || loops->anyCommon(taken))
      return llvm::divideCeil(points, std::max<int64_t>(1, pointsOf(maker)));
    taken |= *loops;
  }
  for (unsigned loop : taken.set_bits())
    each /= std::max<int64_t>(1, extentOf(reader.getStaticLoopRanges()[loop]));
  return each;
}

bool ReadThrough::mayBe(const ExtentFormulas &formulas) {
  constexpr int64_t mostOps = 64;
  if (!mayBeComputedAgain(maker) || isEpilogue(maker) || bodyMayFail(maker) ||
      !agreesOnExtents(maker, formulas) || !findGuards())
    return false;
  int64_t ops = int64_t(reader.getBlock()->getOperations().size()) +
                int64_t(maker.getBlock()->getOperations().size());
  return ops <= mostOps && mayBeRepeated(maker, timesRead(), pointsOf(reader));
}

/// Finds the conditions of the selections between the element and another
/// value; returns whether they are computed before the read.
bool ReadThrough::findGuards() {
  guards = guardsOf(read);
  return llvm::all_of(guards, [&](Value guard) {
    Operation *condition = guard.getDefiningOp();
    return !condition || condition->getBlock() != read->getBlock() ||
           condition->isBeforeInBlock(read);
  });
}

/// Returns a position as it is where the guards hold; elsewhere it is anything.
Value ReadThrough::withoutGuards(Value position) const {
  while (auto select = position.getDefiningOp<arith::SelectOp>()) {
    if (!llvm::is_contained(guards, select.getCondition()))
      break;
    position = select.getTrueValue();
  }
  return position;
}

/// Predicates a read: reads at position 0 where a guard fails, and uses 0
/// there.
tensor::ExtractOp ReadThrough::guard(tensor::ExtractOp inner) {
  if (guards.empty())
    return inner;
  OpBuilder::InsertionGuard restore(rewriter);
  Location loc = inner.getLoc();
  rewriter.setInsertionPoint(inner);
  Value none = arith::ConstantIndexOp::create(rewriter, loc, 0);
  for (OpOperand &position : inner.getIndicesMutable())
    for (Value condition : guards)
      position.set(arith::SelectOp::create(rewriter, loc, condition,
                                           position.get(), none));
  rewriter.setInsertionPointAfter(inner);
  Value zero = arith::ConstantOp::create(rewriter, loc,
                                         rewriter.getZeroAttr(inner.getType()));
  Value kept = inner;
  Operation *first = nullptr;
  for (Value condition : guards) {
    kept = arith::SelectOp::create(rewriter, loc, condition, kept, zero);
    first = first ? first : kept.getDefiningOp();
  }
  inner.getResult().replaceAllUsesExcept(kept, first);
  return inner;
}

/// Returns the element of an input at a point of the maker's loops.
Value ReadThrough::readInput(OpOperand *input, ArrayRef<Value> loops) {
  Value value = input->get();
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return fill.value();
  SmallVector<Value> positions;
  for (AffineExpr expr : maker.getMatchingIndexingMap(input).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    positions.push_back(
        loop ? loops[loop.getPosition()]
             : arith::ConstantIndexOp::create(rewriter, read.getLoc(), 0)
                   .getResult());
  }
  return tensor::ExtractOp::create(rewriter, read.getLoc(), value, positions);
}

void ReadThrough::write() {
  rewriter.setInsertionPoint(read);
  SmallVector<Value> loops(maker.getNumLoops());
  AffineMap map = maker.getMatchingIndexingMap(maker.getDpsInitOperand(0));
  for (auto [position, expr] :
       llvm::zip_equal(read.getIndices(), map.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = withoutGuards(position);
  IRMapping values;
  SmallVector<tensor::ExtractOp> reads;
  auto keep = [&](Value from, Value to) {
    values.map(from, to);
    if (auto inner = to.getDefiningOp<tensor::ExtractOp>();
        inner && inner->getBlock() == reader.getBlock())
      reads.push_back(inner);
  };
  DenseMap<std::pair<Value, AffineMap>, Value> known;
  for (OpOperand *input : maker.getDpsInputOperands()) {
    if (!maker.payloadUsesValueFromOperand(input))
      continue;
    Value &element = known[{input->get(), maker.getMatchingIndexingMap(input)}];
    if (element)
      values.map(maker.getMatchingBlockArgument(input), element);
    else
      keep(maker.getMatchingBlockArgument(input),
           element = readInput(input, loops));
  }
  for (Operation &op : maker.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      values.map(index.getResult(), loops[index.getDim()]);
      continue;
    }
    Operation *copy = rewriter.clone(op, values);
    if (isa<tensor::ExtractOp>(op))
      keep(op.getResult(0), copy->getResult(0));
  }
  Value made =
      values.lookupOrDefault(maker.getBlock()->getTerminator()->getOperand(0));
  rewriter.replaceOp(read, made);
  for (tensor::ExtractOp inner : reads)
    guard(inner);
  rewriter.modifyOpInPlace(reader, [&] {
    reader->setLoc(withReadThrough(reader->getLoc(), lineOf(maker->getLoc())));
  });
}

/// Returns the op of the kernel that computes a tensor, unless that is
/// returned.
static linalg::LinalgOp makerOf(Value tensor) {
  auto maker = tensor.getDefiningOp<linalg::LinalgOp>();
  bool isReturned =
      maker && llvm::any_of(maker->getResults(), [](Value result) {
        return llvm::any_of(
            result.getParentBlock()->getTerminator()->getOperands(),
            [&](Value value) { return withoutReshapes(value) == result; });
      });
  return maker && maker.hasPureTensorSemantics() && !isReturned
             ? maker
             : linalg::LinalgOp();
}

/// Fuses one op that `reader` reads; returns false if there is none.
static bool readThroughOne(RewriterBase &rewriter, linalg::LinalgOp reader,
                           const ExtentFormulas &formulas) {
  for (auto read : reader.getBlock()->getOps<tensor::ExtractOp>()) {
    linalg::LinalgOp maker = makerOf(read.getTensor());
    if (!maker)
      continue;
    if (ReadThrough through(rewriter, reader, read, maker);
        through.mayBe(formulas)) {
      through.write();
      return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Returns whether a slice may be computed from slices.
static bool mayBeSliced(tensor::ExtractSliceOp slice, linalg::LinalgOp maker,
                        const ExtentFormulas &formulas) {
  if (!slice.hasUnitStride() || slice.getDroppedDims().any() ||
      !mayBeComputedAgain(maker) || isEpilogue(maker) ||
      !agreesOnExtents(maker, formulas))
    return false;
  int64_t points = 0;
  for (Operation *user : slice.getSource().getUsers())
    if (auto other = dyn_cast<tensor::ExtractSliceOp>(user))
      points = saturatingSum(points, pointsOf(other.getType().getShape()));
  int64_t times =
      llvm::divideCeil(points, std::max<int64_t>(1, pointsOf(maker)));
  return mayBeRepeated(maker, times, points);
}

namespace {
/// Computes elementwise ops on slices, each slice once.
class Slicer {
public:
  Slicer(RewriterBase &rewriter, const ExtentFormulas &formulas)
      : rewriter(rewriter), formulas(formulas) {}

  /// Called in program order, and for each slice with all its operands, so that
  /// known slices dominate their uses.
  void sliceThrough(tensor::ExtractSliceOp slice);

private:
  Value computeOfSlices(tensor::ExtractSliceOp slice, linalg::LinalgOp maker);
  bool sliceSize(tensor::ExtractSliceOp slice);
  bool areEqual(ArrayRef<OpFoldResult> some,
                ArrayRef<OpFoldResult> others) const;

  RewriterBase &rewriter;
  const ExtentFormulas &formulas;
  struct Known {
    SmallVector<OpFoldResult> offsets, sizes;
    Value made;
  };
  DenseMap<Value, SmallVector<Known, 2>> known; // keyed by the sliced tensor
};
} // namespace

/// Returns whether offsets or sizes are equal, though computed separately.
bool Slicer::areEqual(ArrayRef<OpFoldResult> some,
                      ArrayRef<OpFoldResult> others) const {
  return llvm::all_of(llvm::zip_equal(some, others), [&](auto pair) {
    auto [one, other] = pair;
    if (one == other)
      return true;
    AffineExpr formula = formulas.indexOf(one);
    return formula && formula == formulas.indexOf(other);
  });
}

/// Computes a slice of an elementwise op's result from slices of its operands.
Value Slicer::computeOfSlices(tensor::ExtractSliceOp slice,
                              linalg::LinalgOp maker) {
  rewriter.setInsertionPoint(slice);
  llvm::SetVector<Operation *> inners;
  Location loc = maker.getLoc();
  SmallVector<OpFoldResult> offsets(maker.getNumLoops()),
      sizes(maker.getNumLoops());
  AffineMap map = maker.getMatchingIndexingMap(maker.getDpsInitOperand(0));
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    offsets[loop] = slice.getMixedOffsets()[dim];
    sizes[loop] = slice.getMixedSizes()[dim];
  }
  SmallVector<Value> parts = linalg::makeTiledShapes(
      rewriter, loc, maker, llvm::to_vector(maker->getOperands()), offsets,
      sizes, /*sizeBounds=*/{}, /*omitPartialTileCheck=*/true);
  auto part = cast<linalg::LinalgOp>(clone(
      rewriter, maker, linalg::getTensorOutputTypes(maker, parts), parts));
  linalg::offsetIndices(rewriter, part, offsets);
  Value made = part->getResult(0);
  if (made.getType() != slice.getType())
    made = tensor::CastOp::create(rewriter, loc, slice.getType(), made);
  for (auto [operand, whole] : llvm::zip_equal(parts, maker->getOperands()))
    if (auto inner = operand.getDefiningOp<tensor::ExtractSliceOp>();
        inner && operand != whole)
      inners.insert(inner);
  for (Operation *inner : inners)
    sliceThrough(cast<tensor::ExtractSliceOp>(inner));
  return made;
}

/// Replaces a slice of a tensor.empty, which only defines a size, by another
/// one.
bool Slicer::sliceSize(tensor::ExtractSliceOp slice) {
  if (!slice.getSource().getDefiningOp<tensor::EmptyOp>() ||
      slice.getDroppedDims().any())
    return false;
  rewriter.setInsertionPoint(slice);
  Value empty =
      tensor::EmptyOp::create(rewriter, slice.getLoc(), slice.getMixedSizes(),
                              slice.getType().getElementType());
  if (empty.getType() != slice.getType())
    return false;
  rewriter.replaceOp(slice, empty);
  return true;
}

void Slicer::sliceThrough(tensor::ExtractSliceOp slice) {
  if (sliceSize(slice))
    return;
  Value source = slice.getSource();
  linalg::LinalgOp maker = makerOf(source);
  if (!maker || !mayBeSliced(slice, maker, formulas))
    return;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes();
  Value made;
  for (const Known &each : known[source])
    if (areEqual(each.offsets, offsets) && areEqual(each.sizes, sizes) &&
        each.made.getType() == slice.getType())
      made = each.made;
  if (!made) {
    made = computeOfSlices(slice, maker);
    known[source].push_back({offsets, sizes, made});
  }
  rewriter.replaceOp(slice, made);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Computes extents from the destinations of ops, not from their results.
static void askForExtents(func::FuncOp kernel) {
  kernel.walk([](tensor::DimOp dim) {
    Value source = dim.getSource();
    while (auto op = source.getDefiningOp<linalg::LinalgOp>())
      source = op.getTiedOpOperand(cast<OpResult>(source))->get();
    dim.getSourceMutable().assign(source);
    auto empty = source.getDefiningOp<tensor::EmptyOp>();
    std::optional<int64_t> number = dim.getConstantIndex();
    if (empty && number && empty.getType().isDynamicDim(*number))
      dim.getResult().replaceAllUsesWith(empty.getDynamicSize(*number));
  });
}

LogicalResult distaff::readThroughElementwise(func::FuncOp kernel) {
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return failure();
  askForExtents(kernel);
  IRRewriter rewriter(kernel.getContext());
  Slicer slicer(rewriter, *formulas);
  for (auto slice : llvm::to_vector(
           kernel.getBody().front().getOps<tensor::ExtractSliceOp>()))
    slicer.sliceThrough(slice);
  for (auto reader :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::LinalgOp>()))
    if (reader.hasPureTensorSemantics())
      while (readThroughOne(rewriter, reader, *formulas))
        ;
  eraseUnread(kernel);
  return success();
}
