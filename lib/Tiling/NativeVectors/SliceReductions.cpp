//===- SliceReductions.cpp - Loops that carry accumulators ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of a reduction is a nest of loops over the reduced dims that carries
// the accumulators of the slice. Where rows are reduced, and order is free, the
// nest carries partial results instead, as many as a slice of the source has
// elements, and combines them after the loop (VX-82, VX-87):
//
//   16x32 to 16, rows of 8:   for j in 0, 8, 16, 24: p[4x8] += x[i.., j..]
//                             r[4] = a[4] + sums of the rows of p
//
//
// Lanes carry partial results along any dims: each lane combines its own, and
// they exchange a few once, after the loop (VX-164).
//
//===----------------------------------------------------------------------===//
#include "ContractionView.h"
#include "NativeShape.h"
#include "Slicer.h"
#include "distaff/Analysis/Linalg/CombiningIdentity.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::vectortiles;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool vectortiles::mayReorder(Type element, vector::CombiningKind kind,
                             const Machine &machine) {
  bool isSum =
      kind == vector::CombiningKind::ADD || kind == vector::CombiningKind::MUL;
  return !isa<FloatType>(element) || !isSum || !machine.strictFp;
}

static Value splatOf(OpBuilder &b, Location loc, VectorType type,
                     TypedAttr element) {
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, element));
}

namespace {
/// Describes a nest of loops over the reduced dims, outermost first, each of
/// which takes several elements at a time.
struct ReducedDims {
  SmallVector<unsigned> dims;
  SmallVector<bool> isReduced; // by dim of the source
  bool isPartial = false;      // the loops carry partial results
  bool isPadded = false;       // with identities, at the end
  Type partial;                // the type of the carried values

  bool isLast(size_t i) const { return i + 1 == dims.size(); }
};
} // namespace

/// Returns the elements of the last reduced dim that are combined at a time: a
/// slice of the source has about as many chunks as instructions in flight.
static int64_t chunkOf(SmallVector<int64_t, 4> sizes, unsigned dim,
                       int64_t extent, bool isOfRows, const Machine &machine) {
  constexpr int64_t atOnce = 4;
  int64_t inFlight = machine.registers / 2; // accumulators
  int64_t piece = isOfRows ? machine.pieceElements : 1;
  sizes[dim] = std::min(piece, extent);
  int64_t pieces = std::max<int64_t>(1, inFlight / machine.pieces(sizes));
  if (!isOfRows)
    pieces = std::min(pieces, atOnce);
  if (extent <= piece * pieces)
    return extent;
  for (int64_t count = pieces; count > 1; --count)
    if (extent % (piece * count) == 0)
      return piece * count;
  return piece * (extent % piece == 0 ? 1 : pieces);
}

/// Sets the box of a source that lanes combine at a time: a few elements of
/// each lane, neighbours first. In a fixed order it spans the last dim alone.
static void fillBox(Slice &box, ArrayRef<unsigned> dims,
                    ArrayRef<int64_t> shape, bool isOrdered,
                    const Machine &machine) {
  int64_t elements = machine.pieceElements * machine.piecesInFlight() /
                     ShapedType::getNumElements(box.sizes);
  for (unsigned dim : llvm::reverse(dims)) {
    box.sizes[dim] = machine.tileAlong(shape[dim], elements);
    elements /= box.sizes[dim];
    if (isOrdered)
      return;
  }
}

/// Plans the loops of a reduction, and sets `box` to the source elements that
/// their first iteration takes for `part` of the result.
static ReducedDims planReduction(Operation *op, vector::CombiningKind kind,
                                 VectorType source, ArrayRef<bool> reduced,
                                 const Slice &part, const Machine &machine,
                                 Slice &box) {
  ReducedDims loops;
  loops.isReduced.assign(reduced.begin(), reduced.end());
  box = Slice::whole(source.getShape());
  size_t next = 0;
  for (auto [dim, isReduced] : llvm::enumerate(reduced)) {
    if (!isReduced) {
      box.offsets[dim] = part.offsets[next];
      box.sizes[dim] = part.sizes[next++];
      continue;
    }
    box.sizes[dim] = 1;
    loops.dims.push_back(dim);
  }
  unsigned last = loops.dims.back();
  bool isOfRows = true; // adjacent elements are combined
  for (unsigned dim = last + 1; dim < reduced.size(); ++dim)
    isOfRows &= source.getDimSize(dim) == 1;
  Type element = source.getElementType();
  bool isFree = mayReorder(element, kind, machine);
  if (machine.isHost)
    box.sizes[last] =
        chunkOf(box.sizes, last, source.getDimSize(last), isOfRows, machine);
  else
    fillBox(box, loops.dims, source.getShape(), !isFree, machine);
  for (unsigned dim : loops.dims)
    if (std::optional<int64_t> tile = reducedTile(op, dim))
      box.sizes[dim] = dim == last || (isFree && !machine.isHost) ? *tile : 1;
  loops.partial = typeToCombineIn(kind, element);
  bool isLoop = llvm::any_of(loops.dims, [&](unsigned dim) {
    return box.sizes[dim] < source.getDimSize(dim);
  });
  loops.isPartial =
      isFree && isLoop &&
      (machine.isHost ? isOfRows && loops.partial == element &&
                            box.sizes[last] < source.getDimSize(last)
                      : true);
  loops.isPadded =
      !machine.isHost && (loops.isPartial || loops.partial == element);
  return loops;
}

/// Extends or rounds a vector of floats.
static Value toElement(OpBuilder &b, Location loc, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

Value Slicer::reduce(Operation *op, vector::CombiningKind kind, Value source,
                     Value accumulator, ArrayRef<bool> reduced,
                     const Slice &part) {
  Location loc = op->getLoc();
  auto type = cast<VectorType>(source.getType());
  Type element = type.getElementType();
  Slice box;
  ReducedDims loops =
      planReduction(op, kind, type, reduced, part, machine, box);
  SmallVector<int64_t, 4> most = box.sizes;
  auto reduceBox = [&](Value vector, Value into) -> Value {
    return vector::MultiDimReductionOp::create(builder, loc, vector, into,
                                               reduced, kind);
  };
  auto combine = [&](ValueRange carried) -> SmallVector<Value> {
    Value elements = slice(source, box);
    if (loops.isPartial)
      elements = toElement(builder, loc, elements, loops.partial);
    if (loops.isPadded)
      elements = padded(loc, elements, box, loops.isReduced,
                        identityOf(kind, getElementTypeOrSelf(elements)));
    if (!loops.isPartial)
      return {reduceBox(elements, carried[0])};
    if (box.sizes != most) // the remainder of a row
      return {reduceBox(elements, carried[0]), carried[1]};
    return {carried[0], vector::makeArithReduction(builder, loc, kind, elements,
                                                   carried[1])};
  };
  auto nest = [&](auto &&nest, size_t depth,
                  ValueRange carried) -> SmallVector<Value> {
    unsigned dim = loops.dims[depth];
    int64_t rest = loops.isPadded ? most[dim] : 0;
    return tiles(type.getDimSize(dim), most[dim], rest, carried,
                 [&](Offset at, int64_t size, ValueRange inner) {
                   box.offsets[dim] = at;
                   box.sizes[dim] = size;
                   return loops.isLast(depth) ? combine(inner)
                                              : nest(nest, depth + 1, inner);
                 });
  };
  SmallVector<Value> inits = {accumulator};
  if (loops.isPartial) {
    inits[0] = toElement(builder, loc, accumulator, loops.partial);
    inits.push_back(splatOf(builder, loc, VectorType::get(most, loops.partial),
                            identityOf(kind, loops.partial)));
  }
  SmallVector<Value> results = nest(nest, 0, inits);
  if (!loops.isPartial)
    return results[0];
  return toElement(builder, loc, reduceBox(results[1], results[0]), element);
}

Value Slicer::multiReduction(vector::MultiDimReductionOp op,
                             const Slice &part) {
  Value accumulator = slice(op.getAcc(), part);
  return reduce(op, op.getKind(), op.getSource(), accumulator,
                op.getReductionMask(), part);
}

Value Slicer::reduction(vector::ReductionOp op) {
  Value accumulator = op.getAcc();
  if (!accumulator)
    accumulator = arith::ConstantOp::create(
        builder, op.getLoc(), identityOf(op.getKind(), op.getType()));
  return reduce(op, op.getKind(), op.getVector(), accumulator, {true}, {});
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Returns the slice of an operand that points of the iteration space read.
static Slice operandSlice(AffineMap map, const Slice &points) {
  Slice result;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    result.offsets.push_back(points.offsets[loop]);
    result.sizes.push_back(points.sizes[loop]);
  }
  return result;
}

/// Returns the steps of the last reduced loop at a time on lanes: as many as
/// their MMA instruction takes, or as one access of an operand reads.
static int64_t stepsOfLanes(Operation *op, const ContractionView &view,
                            unsigned loop, const Machine &machine) {
  constexpr int64_t perAccess = 4;
  return machine.matrixSteps(op).value_or(
      std::min(view.extents[loop], perAccess));
}

/// Returns the steps of the last reduced loop at a time. An operand that has
/// the result's rows, but is contiguous along that loop, is transposed in
/// registers.
static int64_t stepsOf(const ContractionView &op, unsigned loop,
                       const Machine &machine) {
  auto innermost = [](AffineMap map) -> std::optional<unsigned> {
    if (map.getNumResults() == 0)
      return std::nullopt;
    return map.getDimPosition(map.getNumResults() - 1);
  };
  std::optional<unsigned> row = innermost(op.maps[2]);
  bool isOfRows = !row;
  for (AffineMap map : {op.maps[0], op.maps[1]})
    isOfRows |= row && innermost(map) == loop && map.isFunctionOfDim(*row);
  int64_t extent = op.extents[loop];
  if (isOfRows)
    return std::min(extent, machine.pieceElements * (row ? 1 : 4));
  return largestDivisor(extent, 4);
}

/// Returns the points of the iteration space that the first iteration of the
/// reduced loops takes for a part of the result.
static Slice pointsOf(const ContractionView &op, const Slice &part) {
  Slice points = Slice::whole(op.extents);
  for (auto [loop, isReduced] : llvm::enumerate(op.reduced))
    if (isReduced)
      points.sizes[loop] = 1;
  for (auto [dim, expr] : llvm::enumerate(op.maps[2].getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    points.offsets[loop] = part.offsets[dim];
    points.sizes[loop] = part.sizes[dim];
  }
  return points;
}

/// Returns whether elements outside of the vector are zeros, because the read
/// pads with zeros.
static bool isZeroOutside(Value slice) {
  Operation *op = slice.getDefiningOp();
  if (auto read = dyn_cast_or_null<vector::TransferReadOp>(op))
    return matchPattern(read.getPadding(), m_Zero()) ||
           matchPattern(read.getPadding(), m_AnyZeroFloat());
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
                         vector::TransposeOp>(op) &&
         isZeroOutside(op->getOperand(0));
}

Value Slicer::contract(Operation *op, const Slice &part) {
  ContractionView view = *ContractionView::get(op);
  Slice points = pointsOf(view, part);
  SmallVector<unsigned> reduced;
  for (auto [loop, isReduced] : llvm::enumerate(view.reduced))
    if (isReduced)
      reduced.push_back(loop);
  auto operand = [&](Value vector, AffineMap map) -> Value {
    Slice of = operandSlice(map, points);
    SmallVector<bool> isReduced;
    for (AffineExpr expr : map.getResults())
      isReduced.push_back(
          view.reduced[cast<AffineDimExpr>(expr).getPosition()]);
    Value elements = slice(vector, of);
    if (isZeroOutside(elements))
      return elements;
    return padded(op->getLoc(), elements, of, isReduced,
                  builder.getZeroAttr(getElementTypeOrSelf(vector)));
  };
  auto step = [&](Value into) -> Value {
    SmallVector<Value> operands = {operand(view.lhs, view.maps[0]),
                                   operand(view.rhs, view.maps[1]), into};
    if (view.mask)
      operands.push_back(slice(view.mask, points));
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(into.getType());
    return copy->getResult(0);
  };
  auto nest = [&](auto &&nest, size_t depth,
                  ValueRange carried) -> SmallVector<Value> {
    if (depth == reduced.size())
      return {step(carried.front())};
    unsigned loop = reduced[depth];
    int64_t tile = 1, rest = 0;
    if (depth + 1 == reduced.size()) {
      tile = machine.isHost ? stepsOf(view, loop, machine)
                            : stepsOfLanes(op, view, loop, machine);
      tile = reducedTile(op, loop).value_or(tile);
      rest = machine.matrixSteps(op) ? tile : 0;
    }
    return tiles(view.extents[loop], tile, rest, carried,
                 [&](Offset at, int64_t size, ValueRange inner) {
                   points.offsets[loop] = at;
                   points.sizes[loop] = size;
                   return nest(nest, depth + 1, inner);
                 });
  };
  return nest(nest, 0, slice(view.accumulator, part)).front();
}

Value Slicer::outerProduct(vector::OuterProductOp op, const Slice &part) {
  auto along = [&](Value vector, unsigned dim) {
    return slice(vector, {{part.offsets[dim]}, {part.sizes[dim]}});
  };
  Value lhs = along(op.getLhs(), 0), rhs = along(op.getRhs(), 1);
  Value accumulator;
  if (op.getAcc())
    accumulator = slice(op.getAcc(), part);
  return vector::OuterProductOp::create(builder, op.getLoc(), typeOf(op, part),
                                        lhs, rhs, accumulator, op.getKind());
}
