//===- ArrangeInMemory.cpp - Lowering tensor reshuffles to memory ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of a group hold the elements of an op's operands at the places of
// its result. Ops that only arrange elements need elements of other members, so
// they become reads and writes of memory (TensorPlaces.h), which have offsets:
//
//   %b = tensor.extract_slice %a[2, 0]     %b = pcf.read_slice %p[%i + 2, 0]
//   %b = tensor.pad %a low[1, 1]           %m[0, 0] <- the padding
//                                          %m[1, 1] <- %a
//                                          %b = pcf.read_slice %m[0, 0]
//   %b = tensor.concat dim(0) %a, %c       %m[0, 0] <- %a, %m[7, 0] <- %c, ...
//   %b = tensor.insert_slice %a into %c    %m[0, 0] <- %c, %m[o, p] <- %a, ...
//   %b = tensor.collapse_shape %a          writes to a view of %m, which is
//   read %x = tensor.extract %a[%i]             a load, of all members
//
// Later passes end phases between accesses that depend on each other. Tensors
// that an op reads through a window, as convolutions do, are split into slices
// before (DecomposeWindows.cpp).
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Form/ScopeOption.h"
#include "CollectiveOps.h"
#include "CropPaddings.h"
#include "DecomposeWindows.h"
#include "Reshape.h"
#include "TensorPlaces.h"
#include "TiledBody.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace distaff {
#define GEN_PASS_DEF_PCFARRANGEINMEMORY
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Holds the extents of the tensors of a reshape, the upper bounds of the wider
/// one's, and their products per group, which bound the narrow one's.
struct ReshapedSizes {
  MixedSizes wide, narrow;
  SmallVector<int64_t> bounds, joined;
};

class MemoryArranger {
public:
  MemoryArranger(SharedExecutorOp executor, IRRewriter &rewriter)
      : executor(executor), rewriter(rewriter), places(executor, rewriter) {}

  LogicalResult run();

private:
  LogicalResult arrange(Operation *op);
  LogicalResult arrangeSlice(tensor::ExtractSliceOp op);
  LogicalResult arrangeInsert(tensor::InsertSliceOp op);
  LogicalResult arrangePad(tensor::PadOp op);
  LogicalResult arrangeConcat(tensor::ConcatOp op);
  LogicalResult arrangeReshape(Operation *op);
  LogicalResult arrangeUnits(Operation *op);
  LogicalResult arrangeNumber(Operation *op);
  FailureOr<ReshapedSizes> findSizes(Operation *op, const Reshape &reshape);
  LogicalResult arrangeExtract(tensor::ExtractOp op);
  LogicalResult arrangeElements(tensor::FromElementsOp op);
  LogicalResult arrangeScalar(tensor::InsertOp op);

  void eraseUnused();
  FailureOr<TensorPlace> allocate(ArrayRef<OpFoldResult> extents, Type element,
                                  Operation *op);
  FailureOr<Value> loadElement(Value tensor, ArrayRef<OpFoldResult> position,
                               Operation *op);
  Value makePadding(tensor::PadOp op, ArrayRef<int64_t> shape);
  Value fill(Value number, ArrayRef<int64_t> shape, Location loc);
  void replaceByRead(Operation *op, const TensorPlace &place,
                     const TensorPart &part);
  OpFoldResult add(OpFoldResult a, OpFoldResult b, Location loc);

  SharedExecutorOp executor;
  IRRewriter &rewriter;
  TensorPlaces places;
};
} // namespace

static Type elementOf(Value tensor) { return getElementTypeOrSelf(tensor); }

OpFoldResult MemoryArranger::add(OpFoldResult a, OpFoldResult b, Location loc) {
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  return affine::makeComposedFoldedAffineApply(rewriter, loc, s0 + s1, {a, b});
}

/// Returns a tensor of one number.
Value MemoryArranger::fill(Value number, ArrayRef<int64_t> shape,
                           Location loc) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, number.getType());
  return linalg::FillOp::create(rewriter, loc, number, empty).getResult(0);
}

/// Allocates memory for a tensor of such extents.
FailureOr<TensorPlace> MemoryArranger::allocate(ArrayRef<OpFoldResult> extents,
                                                Type element, Operation *op) {
  FailureOr<SmallVector<int64_t>> bounds = places.getBounds(extents, op);
  if (failed(bounds))
    return failure();
  return places.allocate(RankedTensorType::get(*bounds, element), op);
}

void MemoryArranger::replaceByRead(Operation *op, const TensorPlace &place,
                                   const TensorPart &part) {
  Value result = op->getResult(0);
  Value read = places.read(place, part, elementOf(result), op->getLoc());
  if (read.getType() != result.getType())
    read =
        tensor::CastOp::create(rewriter, op->getLoc(), result.getType(), read);
  rewriter.replaceOp(op, read);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

FailureOr<Value> MemoryArranger::loadElement(Value tensor,
                                             ArrayRef<OpFoldResult> position,
                                             Operation *op) {
  SmallVector<OpFoldResult> at(position);
  if (at.empty()) {
    // Memory has at least one dimension.
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfterValue(tensor);
    Value empty = tensor::EmptyOp::create(
        rewriter, op->getLoc(), ArrayRef<int64_t>{1}, elementOf(tensor));
    tensor = linalg::BroadcastOp::create(rewriter, op->getLoc(), tensor, empty,
                                         ArrayRef<int64_t>{0})
                 ->getResult(0);
    at.push_back(rewriter.getIndexAttr(0));
  }
  FailureOr<TensorPlace> place = places.find(tensor, op);
  if (failed(place))
    return failure();
  return places.load(*place, at, op->getLoc());
}

LogicalResult MemoryArranger::arrangeExtract(tensor::ExtractOp op) {
  FailureOr<Value> number =
      loadElement(op.getTensor(), getAsOpFoldResult(op.getIndices()), op);
  if (failed(number))
    return failure();
  rewriter.replaceOp(op, *number);
  return success();
}

LogicalResult MemoryArranger::arrangeScalar(tensor::InsertOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  if (type.getRank() == 0) {
    rewriter.replaceOp(op, fill(op.getScalar(), {}, loc));
    return success();
  }
  FailureOr<MixedSizes> extents = places.getExtents(op.getDest(), op);
  if (failed(extents))
    return failure();
  FailureOr<TensorPlace> place = allocate(*extents, type.getElementType(), op);
  if (failed(place))
    return failure();
  TensorPart all = TensorPart::whole(*extents), one = all;
  one.offsets = getAsOpFoldResult(op.getIndices());
  SmallVector<int64_t> ones(type.getRank(), 1);
  one.sizes = getAsIndexOpFoldResult(rewriter.getContext(), ones);
  places.write(op.getDest(), *place, all, loc);
  places.write(fill(op.getScalar(), ones, loc), *place, one, loc);
  replaceByRead(op, *place, all);
  return success();
}

LogicalResult MemoryArranger::arrangeElements(tensor::FromElementsOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  ValueRange elements = op.getElements();
  if (elements.empty() || llvm::all_equal(elements)) {
    Value number =
        elements.empty()
            ? Value(arith::ConstantOp::create(
                  rewriter, loc, rewriter.getZeroAttr(type.getElementType())))
            : elements.front();
    rewriter.replaceOp(op, fill(number, type.getShape(), loc));
    return success();
  }
  TensorPart all = TensorPart::whole(
      getAsIndexOpFoldResult(rewriter.getContext(), type.getShape()));
  FailureOr<TensorPlace> place = allocate(all.sizes, type.getElementType(), op);
  if (failed(place))
    return failure();
  SmallVector<int64_t> ones(type.getRank(), 1);
  for (auto [number, element] : llvm::enumerate(elements)) {
    TensorPart one = all;
    one.sizes = getAsIndexOpFoldResult(rewriter.getContext(), ones);
    one.offsets = getAsIndexOpFoldResult(
        rewriter.getContext(),
        delinearize(number, computeStrides(type.getShape())));
    places.write(fill(element, ones, loc), *place, one, loc);
  }
  replaceByRead(op, *place, all);
  return success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Returns whether a slice is all of a tensor.
static bool isAllOf(OffsetSizeAndStrideOpInterface slice,
                    RankedTensorType whole, RankedTensorType part) {
  return whole == part && whole.hasStaticShape() &&
         llvm::all_of(slice.getMixedOffsets(), isZeroInteger) &&
         slice.hasUnitStride();
}

LogicalResult MemoryArranger::arrangeSlice(tensor::ExtractSliceOp op) {
  if (op.getType().getRank() == 0) {
    FailureOr<Value> number =
        loadElement(op.getSource(), op.getMixedOffsets(), op);
    if (failed(number))
      return failure();
    rewriter.replaceOp(op, fill(*number, {}, op.getLoc()));
    return success();
  }
  if (isAllOf(op, op.getSourceType(), op.getType())) {
    rewriter.replaceOp(op, op.getSource());
    return success();
  }
  if (Value part = makeUniformPart(op, rewriter)) {
    rewriter.replaceOp(op, part);
    return success();
  }
  FailureOr<TensorPlace> place = places.find(op.getSource(), op);
  if (failed(place))
    return failure();
  replaceByRead(op, *place,
                {op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides(),
                 op.getDroppedDims()});
  return success();
}

LogicalResult MemoryArranger::arrangeInsert(tensor::InsertSliceOp op) {
  Location loc = op.getLoc();
  if (isAllOf(op, op.getDestType(), op.getSourceType())) {
    rewriter.replaceOp(op, op.getSource());
    return success();
  }
  FailureOr<MixedSizes> extents = places.getExtents(op.getDest(), op);
  if (failed(extents))
    return failure();
  FailureOr<TensorPlace> place =
      allocate(*extents, op.getDestType().getElementType(), op);
  if (failed(place))
    return failure();
  TensorPart all = TensorPart::whole(*extents);
  if (!op.getDest().getDefiningOp<tensor::EmptyOp>())
    places.write(op.getDest(), *place, all, loc);
  Value source = op.getSource();
  TensorPart part{op.getMixedOffsets(), op.getMixedSizes(),
                  op.getMixedStrides(), op.getDroppedDims()};
  if (op.getSourceType().getRank() == 0) {
    // Memory has at least one dimension.
    FailureOr<Value> number = loadElement(source, {}, op);
    if (failed(number))
      return failure();
    source =
        fill(*number, SmallVector<int64_t>(op.getDestType().getRank(), 1), loc);
    part.dropped.reset();
  }
  places.write(source, *place, part, loc);
  replaceByRead(op, *place, all);
  return success();
}

/// Returns the padding as a tensor of that shape.
Value MemoryArranger::makePadding(tensor::PadOp op, ArrayRef<int64_t> shape) {
  Location loc = op.getLoc();
  auto type = op.getResultType().clone(shape);
  TypedAttr number;
  Value constant = op.getConstantPaddingValue();
  if (constant && matchPattern(constant, m_Constant(&number)))
    return arith::ConstantOp::create(rewriter, loc,
                                     DenseElementsAttr::get(type, number));
  if (constant)
    return fill(constant, shape, loc);
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape,
                                        op.getResultType().getElementType());
  unsigned rank = shape.size();
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, TypeRange(type), ValueRange(), ValueRange(empty),
             ArrayRef(AffineMap::getMultiDimIdentityMap(rank,
                                                        rewriter.getContext())),
             loops,
             [&](OpBuilder &builder, Location, ValueRange) {
               IRMapping mapping;
               for (auto [dim, argument] :
                    llvm::enumerate(op.getRegion().getArguments()))
                 mapping.map(argument,
                             linalg::IndexOp::create(builder, loc, dim));
               for (Operation &inner : op.getBody()->without_terminator())
                 builder.clone(inner, mapping);
               auto yield =
                   cast<tensor::YieldOp>(op.getBody()->getTerminator());
               linalg::YieldOp::create(
                   builder, loc, mapping.lookupOrDefault(yield.getValue()));
             })
      ->getResult(0);
}

LogicalResult MemoryArranger::arrangePad(tensor::PadOp op) {
  Location loc = op.getLoc();
  FailureOr<MixedSizes> own = places.getExtents(op.getSource(), op);
  if (failed(own))
    return failure();
  MixedSizes extents;
  for (auto [low, size, high] :
       llvm::zip_equal(op.getMixedLowPad(), *own, op.getMixedHighPad()))
    extents.push_back(add(add(low, size, loc), high, loc));
  FailureOr<SmallVector<int64_t>> bounds = places.getBounds(extents, op);
  if (failed(bounds))
    return failure();
  Type element = op.getResultType().getElementType();
  FailureOr<TensorPlace> place =
      places.allocate(RankedTensorType::get(*bounds, element), op);
  if (failed(place))
    return failure();
  places.write(
      makePadding(op, *bounds), *place,
      TensorPart::whole(getAsIndexOpFoldResult(rewriter.getContext(), *bounds)),
      loc);
  TensorPart inside = TensorPart::whole(*own);
  inside.offsets = op.getMixedLowPad();
  places.write(op.getSource(), *place, inside, loc);
  replaceByRead(op, *place, TensorPart::whole(extents));
  return success();
}

LogicalResult MemoryArranger::arrangeConcat(tensor::ConcatOp op) {
  Location loc = op.getLoc();
  SmallVector<TensorPart> parts;
  OpFoldResult end = rewriter.getIndexAttr(0);
  for (Value input : op.getInputs()) {
    FailureOr<MixedSizes> own = places.getExtents(input, op);
    if (failed(own))
      return failure();
    parts.push_back(TensorPart::whole(*own));
    parts.back().offsets[op.getDim()] = end;
    end = add(end, (*own)[op.getDim()], loc);
  }
  MixedSizes extents = parts.front().sizes;
  extents[op.getDim()] = end;
  FailureOr<TensorPlace> place =
      allocate(extents, op.getResultType().getElementType(), op);
  if (failed(place))
    return failure();
  for (auto [input, part] : llvm::zip_equal(op.getInputs(), parts))
    places.write(input, *place, part, loc);
  replaceByRead(op, *place, TensorPart::whole(extents));
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Adds or drops dimensions of extent 1.
LogicalResult MemoryArranger::arrangeUnits(Operation *op) {
  Reshape reshape(op);
  llvm::SmallBitVector units = *reshape.getUnits();
  Value source = op->getOperand(0);
  FailureOr<MixedSizes> extents = places.getExtents(source, op);
  if (failed(extents))
    return failure();
  MixedSizes wide = *extents;
  if (!reshape.isCollapse) {
    wide.assign(units.size(), rewriter.getIndexAttr(1));
    for (auto [dim, group] : llvm::enumerate(reshape.groups))
      for (int64_t each : group)
        if (!units.test(each))
          wide[each] = (*extents)[dim];
  }
  TensorPart all = TensorPart::whole(wide), dropped = all;
  dropped.dropped = units;
  FailureOr<TensorPlace> place =
      reshape.isCollapse ? places.find(source, op)
                         : allocate(wide, reshape.wide.getElementType(), op);
  if (failed(place))
    return failure();
  if (!reshape.isCollapse)
    places.write(source, *place, dropped, op->getLoc());
  replaceByRead(op, *place, reshape.isCollapse ? dropped : all);
  return success();
}

/// Converts a tensor of one element to one without dimensions, or back.
LogicalResult MemoryArranger::arrangeNumber(Operation *op) {
  Value source = op->getOperand(0);
  MixedSizes zeros(cast<RankedTensorType>(source.getType()).getRank(),
                   rewriter.getIndexAttr(0));
  FailureOr<Value> number = loadElement(source, zeros, op);
  if (failed(number))
    return failure();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  rewriter.replaceOp(op, fill(*number, shape, op->getLoc()));
  return success();
}

/// Computes the extents of both shapes; only the first of a group may be
/// dynamic.
FailureOr<ReshapedSizes> MemoryArranger::findSizes(Operation *op,
                                                   const Reshape &reshape) {
  FailureOr<MixedSizes> own = places.getExtents(op->getOperand(0), op);
  if (failed(own))
    return failure();
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
  auto apply = [&](AffineExpr expr, OpFoldResult size) {
    return affine::makeComposedFoldedAffineApply(rewriter, op->getLoc(), expr,
                                                 {size});
  };
  ReshapedSizes sizes;
  sizes.wide = reshape.isCollapse
                   ? *own
                   : getAsIndexOpFoldResult(rewriter.getContext(),
                                            reshape.wide.getShape());
  for (auto [dim, group] : llvm::enumerate(reshape.groups)) {
    int64_t inner = 1;
    for (int64_t each : llvm::drop_begin(group))
      inner *= reshape.wide.getDimSize(each);
    OpFoldResult &first = sizes.wide[group.front()];
    if (!reshape.isCollapse && inner != 0)
      first = apply(s0.floorDiv(inner), (*own)[dim]);
    sizes.narrow.push_back(reshape.isCollapse ? apply(s0 * inner, first)
                                              : (*own)[dim]);
  }
  FailureOr<SmallVector<int64_t>> bounds = places.getBounds(sizes.wide, op);
  if (failed(bounds))
    return failure();
  sizes.bounds = *bounds;
  for (const ReassociationIndices &group : reshape.groups) {
    sizes.joined.push_back(1);
    for (int64_t dim : group)
      sizes.joined.back() *= sizes.bounds[dim];
  }
  return sizes;
}

LogicalResult MemoryArranger::arrangeReshape(Operation *op) {
  Reshape reshape(op);
  Location loc = op->getLoc();
  if (reshape.narrow.getRank() == 0)
    return arrangeNumber(op);
  if (reshape.getUnits())
    return arrangeUnits(op);
  if (!reshape.isRowMajor())
    return op->emitOpError(
        "joins or splits dimensions of which one behind the first of a group "
        "is dynamic, outside of phases; give extents that are known to all "
        "dimensions of a group but the first");
  FailureOr<ReshapedSizes> sizes = findSizes(op, reshape);
  if (failed(sizes))
    return failure();
  Type element = reshape.wide.getElementType();
  if (llvm::is_contained(sizes->joined, 0)) {
    // An empty tensor needs no copy.
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
        op, reshape.isCollapse ? sizes->narrow : sizes->wide, element);
    return success();
  }
  FailureOr<TensorPlace> memory =
      places.allocate(RankedTensorType::get(sizes->joined, element), op);
  if (failed(memory))
    return failure();
  TensorPlace view = places.expand(*memory, reshape.groups, sizes->bounds, loc);
  TensorPart wide = TensorPart::whole(sizes->wide),
             narrow = TensorPart::whole(sizes->narrow);
  if (reshape.isCollapse) {
    places.write(op->getOperand(0), view, wide, loc);
    replaceByRead(op, *memory, narrow);
  } else {
    places.write(op->getOperand(0), *memory, narrow, loc);
    replaceByRead(op, view, wide);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Returns whether members that hold the source also hold the slice: its first
/// elements, of a dynamic number, which only go to memory.
static bool isWrittenCorner(tensor::ExtractSliceOp op) {
  if (op.getSourceType().getRank() != op.getType().getRank())
    return false;
  auto isKept = [](auto sizes) {
    auto [size, extent] = sizes;
    return ShapedType::isDynamic(size) || size == extent;
  };
  return op.hasUnitStride() &&
         llvm::all_of(op.getMixedOffsets(), isZeroInteger) &&
         llvm::all_of(llvm::zip_equal(op.getType().getShape(),
                                      op.getSourceType().getShape()),
                      isKept) &&
         llvm::all_of(op->getUsers(), llvm::IsaPred<WriteSliceOp>);
}

LogicalResult MemoryArranger::arrange(Operation *op) {
  rewriter.setInsertionPoint(op);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return isWrittenCorner(slice) ? success() : arrangeSlice(slice);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return arrangeInsert(insert);
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    bool isFilledUp = pad.hasZeroLowPad() && pad.getConstantPaddingValue() &&
                      !pad.getSourceType().hasStaticShape() &&
                      pad.getResultType().hasStaticShape();
    return failure(failed(cropPadding(pad, places, rewriter)) ||
                   (!isFilledUp && failed(arrangePad(pad))));
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return arrangeConcat(concat);
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return arrangeReshape(op);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return arrangeExtract(extract);
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return arrangeScalar(insert);
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op))
    return arrangeElements(elements);
  return success();
}

LogicalResult MemoryArranger::run() {
  eraseUnused();
  if (failed(decomposeWindows(executor, rewriter)))
    return failure();
  SmallVector<Operation *> ops;
  walkCollectiveCode(executor.getExecute(),
                     [&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (isCollectiveOp(op) && failed(arrange(op)))
      return failure();
  eraseUnused();
  return success();
}

/// Erases reads of whole tensors, of which slices are read now, and other
/// unused ops.
void MemoryArranger::eraseUnused() {
  SmallVector<Operation *> ops;
  walkCollectiveCode(executor.getExecute(), [&](Operation *op) {
    if (isCollectiveOp(op))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

namespace {
struct ArrangeInMemory final
    : distaff::impl::PCFArrangeInMemoryBase<ArrangeInMemory> {
  using PCFArrangeInMemoryBase::PCFArrangeInMemoryBase;

  void runOnOperation() override {
    FailureOr<Attribute> wanted = parseOptionalScope(scope, &getContext());
    if (failed(wanted))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : collectUnformed(getOperation(), *wanted))
      if (failed(MemoryArranger(executor, rewriter).run()))
        return signalPassFailure();
  }
};
} // namespace
