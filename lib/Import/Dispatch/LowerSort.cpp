//===- LowerSort.cpp - iree_linalg_ext.sort and topk in linalg ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sort ranks its elements by counting (VX-223), without a loop whose steps
// depend on each other:
//
//   rank[i]  = how many elements j come before element i
//   place[r] = the i with rank[i] == r
//   out[r]   = in[place[r]]
//
// j comes before i if the region is true for (j, i) and false for (i, j); if
// both results are equal, j comes first if j < i, so that a sort is stable. A
// NaN comes after all numbers. Ranks are a permutation if the region is an
// order. If that cannot be proved, they are themselves ranked by (rank, i),
// which is an order.
//
// A topk ranks the elements of its outputs and of the input together, and takes
// the first k places (VX-224). Of equal values the smaller index is first.
//
//===----------------------------------------------------------------------===//
#include "LinalgExtRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;
using namespace distaff::dispatch;

namespace {
/// An entry is the elements of all tensors at one place, and that place.
struct Entry {
  SmallVector<Value> elements;
  Value place; // index
};

/// Builds an i1: whether the first entry comes before the second.
using OrderBuilder =
    function_ref<Value(OpBuilder &, Location, const Entry &, const Entry &)>;

/// Ranks and reorders tensors of one shape along a dim.
class CountingSort {
public:
  CountingSort(Operation *op, Value shaped, unsigned dim)
      : b(op), loc(op->getLoc()), dim(dim),
        sizes(tensor::getMixedSizes(b, loc, shaped)) {}

  /// Returns as i32 how many entries of `tensors` come before each.
  Value ranks(ValueRange tensors, OrderBuilder order);

  /// Returns as i32 the places of the entries of the first `count` ranks.
  Value places(Value ranks, OpFoldResult count);

  /// Returns the elements of tensors at places.
  ResultRange gather(Value places, ValueRange tensors);

  OpBuilder b;
  Location loc;

private:
  /// Returns the map of (dims, j) to the dims, with j in place of `dim`.
  AffineMap otherMap() const;
  AffineMap ownMap() const;
  Value reduce(ValueRange tensors, ArrayRef<AffineMap> maps,
               ArrayRef<OpFoldResult> sizes,
               function_ref<Value(OpBuilder &, Location, ValueRange)> term);

  unsigned dim;
  SmallVector<OpFoldResult> sizes;
};
} // namespace

AffineMap CountingSort::ownMap() const {
  unsigned rank = sizes.size();
  return AffineMap::getMinorIdentityMap(rank + 1, rank + 1, b.getContext())
      .dropResult(rank);
}

AffineMap CountingSort::otherMap() const {
  unsigned rank = sizes.size();
  MLIRContext *context = b.getContext();
  SmallVector<AffineExpr> results;
  for (unsigned each = 0; each < rank; ++each)
    results.push_back(getAffineDimExpr(each == dim ? rank : each, context));
  return AffineMap::get(rank + 1, 0, results, context);
}

/// Sums i32 terms along the last loop.
Value CountingSort::reduce(
    ValueRange tensors, ArrayRef<AffineMap> maps, ArrayRef<OpFoldResult> sizes,
    function_ref<Value(OpBuilder &, Location, ValueRange)> term) {
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value init = emptyTensor(b, loc, sizes, b.getI32Type());
  init = linalg::FillOp::create(b, loc, zero, init).getResult(0);
  SmallVector<AffineMap> all(maps);
  all.push_back(ownMap());
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, init.getType(), tensors, init, all, iterators,
             [&](OpBuilder &b, Location loc, ValueRange values) {
               Value sum = arith::AddIOp::create(
                   b, loc, values.back(), term(b, loc, values.drop_back()));
               linalg::YieldOp::create(b, loc, sum);
             })
      .getResult(0);
}

Value CountingSort::ranks(ValueRange tensors, OrderBuilder order) {
  SmallVector<Value> pairs(tensors);
  pairs.append(tensors.begin(), tensors.end());
  SmallVector<AffineMap> maps(tensors.size(), otherMap());
  maps.append(tensors.size(), ownMap());
  unsigned rank = sizes.size();
  return reduce(
      pairs, maps, sizes,
      [&](OpBuilder &b, Location loc, ValueRange values) -> Value {
        Entry other{llvm::to_vector(values.take_front(tensors.size())),
                    linalg::IndexOp::create(b, loc, rank)};
        Entry own{llvm::to_vector(values.drop_front(tensors.size())),
                  linalg::IndexOp::create(b, loc, dim)};
        Value isBefore = order(b, loc, other, own);
        return arith::ExtUIOp::create(b, loc, b.getI32Type(), isBefore);
      });
}

Value CountingSort::places(Value ranks, OpFoldResult count) {
  SmallVector<OpFoldResult> counted(sizes);
  counted[dim] = count;
  unsigned rank = sizes.size();
  return reduce(
      ranks, otherMap(), counted,
      [&](OpBuilder &b, Location loc, ValueRange values) -> Value {
        auto asWord = [&](unsigned loop) -> Value {
          Value place = linalg::IndexOp::create(b, loc, loop);
          return arith::IndexCastOp::create(b, loc, b.getI32Type(), place);
        };
        Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             values[0], asWord(dim));
        Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
        return arith::SelectOp::create(b, loc, isHere, asWord(rank), zero);
      });
}

ResultRange CountingSort::gather(Value places, ValueRange tensors) {
  SmallVector<OpFoldResult> counted = tensor::getMixedSizes(b, loc, places);
  unsigned rank = counted.size();
  SmallVector<Value> inits;
  for (Value tensor : tensors)
    inits.push_back(emptyTensor(b, loc, counted, getElementTypeOrSelf(tensor)));
  SmallVector<AffineMap> maps(tensors.size() + 1,
                              b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, ValueRange(inits).getTypes(), places, inits, maps,
             iterators,
             [&](OpBuilder &b, Location loc, ValueRange values) {
               SmallVector<Value> at, elements;
               for (unsigned each = 0; each < rank; ++each)
                 at.push_back(
                     each == dim
                         ? arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                                      values[0])
                               .getResult()
                         : linalg::IndexOp::create(b, loc, each).getResult());
               for (Value tensor : tensors)
                 elements.push_back(
                     tensor::ExtractOp::create(b, loc, tensor, at));
               linalg::YieldOp::create(b, loc, elements);
             })
      .getResults();
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

static bool isOrder(arith::CmpFPredicate predicate) {
  using enum arith::CmpFPredicate;
  return llvm::is_contained({OLT, OLE, OGT, OGE, ULT, ULE, UGT, UGE},
                            predicate);
}

static bool isOrder(arith::CmpIPredicate predicate) {
  return predicate != arith::CmpIPredicate::eq &&
         predicate != arith::CmpIPredicate::ne;
}

/// Returns the number of the tensor of which a region compares two elements,
/// and nothing else, so that it is an order of numbers.
static std::optional<unsigned> findKey(Block *region) {
  Operation *last = region->getTerminator()->getOperand(0).getDefiningOp();
  if (!last || last != &region->front())
    return std::nullopt;
  auto compareF = dyn_cast<arith::CmpFOp>(last);
  auto compareI = dyn_cast<arith::CmpIOp>(last);
  if (!(compareF && isOrder(compareF.getPredicate())) &&
      !(compareI && isOrder(compareI.getPredicate())))
    return std::nullopt;
  auto lhs = dyn_cast<BlockArgument>(last->getOperand(0)),
       rhs = dyn_cast<BlockArgument>(last->getOperand(1));
  if (!lhs || !rhs || lhs == rhs || lhs.getOwner() != region ||
      rhs.getOwner() != region ||
      lhs.getArgNumber() / 2 != rhs.getArgNumber() / 2)
    return std::nullopt;
  return lhs.getArgNumber() / 2;
}

static Value isNaN(OpBuilder &b, Location loc, Value value) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
}

/// Returns the region's result for two entries; a NaN comes after all else.
static Value compare(OpBuilder &b, Location loc, Block *region,
                     const Entry &first, const Entry &second) {
  SmallVector<Value> arguments;
  for (unsigned each = 0; each < region->getNumArguments() / 2; ++each)
    arguments.append({first.elements[each], second.elements[each]});
  Value says = inlineRegion(b, region, arguments);
  std::optional<unsigned> key = findKey(region);
  if (!key || !isa<FloatType>(first.elements[*key].getType()))
    return says;
  Value isFirstNaN = isNaN(b, loc, first.elements[*key]),
        isSecondNaN = isNaN(b, loc, second.elements[*key]);
  says = arith::OrIOp::create(b, loc, says, isSecondNaN);
  Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  return arith::SelectOp::create(b, loc, isFirstNaN, no, says);
}

/// Returns `decided` if the region's results for both orders are equal.
static Value orderBy(OpBuilder &b, Location loc, Block *region,
                     const Entry &other, const Entry &own, Value decided) {
  Value says = compare(b, loc, region, other, own),
        saysBack = compare(b, loc, region, own, other);
  Value isTie =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, says, saysBack);
  return arith::SelectOp::create(b, loc, isTie, decided, says);
}

static Value isLess(OpBuilder &b, Location loc, Value one, Value other) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, one, other);
}

/// Returns the order by a number, and by the place if the numbers are equal.
static Value orderByNumber(OpBuilder &b, Location loc, Value other, Value own,
                           Value decided) {
  Value isTie =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, other, own);
  return arith::SelectOp::create(b, loc, isTie, decided,
                                 isLess(b, loc, other, own));
}

/// Returns whether there is at most one element, so that nothing is to be
/// sorted.
static bool isSorted(RankedTensorType type, unsigned dim) {
  return !type.isDynamicDim(dim) && type.getDimSize(dim) <= 1;
}

/// Returns ranks that are a permutation. `index`: the number of the tensor that
/// decides if the region does not.
static Value rankAll(CountingSort &sort, Block *region, ValueRange tensors,
                     std::optional<unsigned> index) {
  Value ranks = sort.ranks(tensors, [&](OpBuilder &b, Location loc,
                                        const Entry &other, const Entry &own) {
    Value decided = isLess(b, loc, other.place, own.place);
    if (index)
      decided = orderByNumber(b, loc, other.elements[*index],
                              own.elements[*index], decided);
    return orderBy(b, loc, region, other, own, decided);
  });
  if (findKey(region))
    return ranks;
  return sort.ranks(ranks, [](OpBuilder &b, Location loc, const Entry &other,
                              const Entry &own) {
    return orderByNumber(b, loc, other.elements[0], own.elements[0],
                         isLess(b, loc, other.place, own.place));
  });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult distaff::lowerSort(SortOp op) {
  ValueRange tensors = op.getOutputs();
  auto type = tensors.empty()
                  ? RankedTensorType()
                  : cast<RankedTensorType>(tensors.front().getType());
  std::optional<unsigned> dim = dimensionOf(op, type);
  SmallVector<Type> elements(llvm::map_range(
      tensors, [](Value tensor) { return getElementTypeOrSelf(tensor); }));
  bool isAlike = llvm::all_of(tensors.getTypes(), [&](Type each) {
    return cast<ShapedType>(each).getShape() == type.getShape();
  });
  if (!dim || !op.getInputs().empty() || !isAlike ||
      !takesPairs(regionOf(op), elements, IntegerType::get(op.getContext(), 1)))
    return op.emitOpError("is read with outputs of one shape, a dimension of "
                          "it, and a region that compares two elements of "
                          "each");
  if (isSorted(type, *dim)) {
    op->replaceAllUsesWith(tensors);
    op->erase();
    return success();
  }
  CountingSort sort(op, tensors.front(), *dim);
  Value ranks = rankAll(sort, regionOf(op), tensors, std::nullopt);
  OpFoldResult count =
      tensor::getMixedSize(sort.b, sort.loc, tensors.front(), *dim);
  op->replaceAllUsesWith(sort.gather(sort.places(ranks, count), tensors));
  op->erase();
  return success();
}

/// Returns each element's place along `dim`.
static Value placesAlong(OpBuilder &b, Location loc, Value shaped, unsigned dim,
                         Type element) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, shaped);
  Value init = emptyTensor(b, loc, sizes, element);
  AffineMap map = b.getMultiDimIdentityMap(sizes.size());
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), ValueRange(), init, map, iterators,
             [&](OpBuilder &b, Location loc, ValueRange) {
               Value place = linalg::IndexOp::create(b, loc, dim);
               place = arith::IndexCastOp::create(b, loc, element, place);
               linalg::YieldOp::create(b, loc, place);
             })
      .getResult(0);
}

static bool hasTopkTypes(ValueRange inputs, ValueRange outputs, unsigned dim) {
  auto type = cast<RankedTensorType>(inputs.front().getType()),
       kept = cast<RankedTensorType>(outputs.front().getType());
  if (kept.getRank() != type.getRank() ||
      kept.getElementType() != type.getElementType())
    return false;
  for (auto [each, extents] :
       llvm::enumerate(llvm::zip_equal(type.getShape(), kept.getShape())))
    if (each != dim && std::get<0>(extents) != std::get<1>(extents))
      return false;
  if (outputs.size() == 1)
    return inputs.size() == 1;
  auto indices = cast<RankedTensorType>(outputs[1].getType());
  return indices.getShape() == kept.getShape() &&
         indices.getElementType().isInteger() &&
         (inputs.size() == 1 ||
          inputs[1].getType() == type.clone(indices.getElementType()));
}

LogicalResult distaff::lowerTopk(Operation *op, ValueRange inputs,
                                 ValueRange outputs) {
  auto type = inputs.empty()
                  ? RankedTensorType()
                  : dyn_cast<RankedTensorType>(inputs.front().getType());
  std::optional<unsigned> dim = dimensionOf(op, type);
  if (!dim || inputs.size() > 2 || outputs.empty() || outputs.size() > 2 ||
      !hasTopkTypes(inputs, outputs, *dim) ||
      !takesPairs(regionOf(op), type.getElementType(),
                  IntegerType::get(op->getContext(), 1)))
    return op->emitOpError(
        "is read with values and perhaps their indices as inputs, a dimension, "
        "outputs of k of each, and a region that compares two values");
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> tensors;
  for (auto [number, output] : llvm::enumerate(outputs)) {
    Value added = number < inputs.size()
                      ? inputs[number]
                      : placesAlong(b, loc, inputs.front(), *dim,
                                    getElementTypeOrSelf(output));
    tensors.push_back(
        tensor::ConcatOp::create(b, loc, *dim, ValueRange{output, added}));
  }
  CountingSort sort(op, tensors.front(), *dim);
  Value ranks = rankAll(sort, regionOf(op), tensors,
                        outputs.size() == 2 ? std::optional(1u) : std::nullopt);
  OpFoldResult count = tensor::getMixedSize(sort.b, loc, outputs.front(), *dim);
  op->replaceAllUsesWith(sort.gather(sort.places(ranks, count), tensors));
  op->erase();
  return success();
}
