//===- TensorPlaces.cpp - Memory locations of collective tensors ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TensorPlaces.h"

#include "../Order/RefAccess.h"
#include "CollectiveOps.h"
#include "DynamicExtents.h"
#include "TensorMemory.h"
#include "TiledBody.h"
#include "distaff/Analysis/Access/NumberBounds.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/ViewLikeInterfaceUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

TensorPart TensorPart::whole(MixedSizes sizes) {
  size_t rank = sizes.size();
  MLIRContext *context = rank ? sizes.front().getContext() : nullptr;
  TensorPart part;
  part.sizes = std::move(sizes);
  part.dropped.resize(rank);
  if (rank) {
    Builder builder(context);
    part.offsets.assign(rank, builder.getIndexAttr(0));
    part.strides.assign(rank, builder.getIndexAttr(1));
  }
  return part;
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

FailureOr<MixedSizes> TensorPlaces::getExtents(Value tensor, Operation *at) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    return getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
  SmallVector<Operation *> ops;
  walkCollectiveCode(executor.getExecute(),
                     [&](Operation *op) { ops.push_back(op); });
  DynamicExtents dynamic(executor->getParentOfType<FunctionOpInterface>(), ops);
  MixedSizes extents;
  for (unsigned dim : llvm::seq<unsigned>(0, type.getRank())) {
    FailureOr<OpFoldResult> extent = dynamic.get(tensor, dim, at);
    if (failed(extent))
      return failure();
    extents.push_back(*extent);
  }
  return extents;
}

FailureOr<SmallVector<int64_t>>
TensorPlaces::getBounds(ArrayRef<OpFoldResult> extents, Operation *at) {
  SmallVector<int64_t> bounds;
  std::optional<NumberBounds> numbers;
  for (OpFoldResult extent : extents) {
    std::optional<int64_t> bound = getConstantIntValue(extent);
    if (!bound) {
      if (!numbers)
        numbers.emplace(executor->getParentOfType<FunctionOpInterface>());
      bound = numbers->get(extent);
      // Memory has at least one element.
      bound = bound ? std::max<int64_t>(*bound, 1) : bound;
    }
    if (!bound)
      return at->emitOpError(
          "arranges a tensor in memory, and an extent of it has no known upper "
          "bound; take the smaller of the extent and a number, by arith.minui "
          "or affine.min, where it is computed");
    bounds.push_back(*bound);
  }
  return bounds;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns whether the memory of a ref does not change while the executor runs.
bool TensorPlaces::isUnwritten(Value ref) {
  return llvm::none_of(executor.getExecute().getOps(),
                       [&](Operation &op) { return mayWrite(&op, ref); });
}

FailureOr<TensorPlace> TensorPlaces::allocate(RankedTensorType type,
                                              Operation *at) {
  if (!type.getElementType().isIntOrFloat())
    return at->emitOpError("arranges elements of type ")
           << type.getElementType()
           << " in memory, which holds integers and floats; convert them by "
              "arith.index_cast";
  SmallVector<int64_t> shape(type.getShape());
  if (llvm::is_contained(shape, 0))
    shape.assign(shape.size(), 1); // No element is accessed.
  std::optional<TensorMemory> memory =
      TensorMemory::allocate(executor, type.clone(shape), rewriter);
  if (!memory)
    return at->emitOpError(
        "arranges a tensor in memory, of which these workers have none; run "
        "them below a pcf.generic of one id, of a scope that allocates, whose "
        "number of workers the launch says");
  return TensorPlace{memory->ref, memory->offsets, memory->strides};
}

FailureOr<TensorPlace> TensorPlaces::find(Value tensor, Operation *at) {
  if (auto it = known.find(tensor); it != known.end())
    return it->second;
  if (auto read = tensor.getDefiningOp<ReadSliceOp>();
      read && isUnwritten(read.getSource()))
    return TensorPlace{read.getSource(), read.getMixedOffsets(),
                       read.getMixedStrides()};
  FailureOr<MixedSizes> extents = getExtents(tensor, at);
  if (failed(extents))
    return failure();
  FailureOr<SmallVector<int64_t>> bounds = getBounds(*extents, at);
  if (failed(bounds))
    return failure();
  auto type = cast<RankedTensorType>(tensor.getType());
  FailureOr<TensorPlace> place = allocate(type.clone(*bounds), at);
  if (failed(place))
    return failure();
  // An empty tensor may hold any values.
  if (tensor.getDefiningOp<tensor::EmptyOp>())
    return known.insert({tensor, *place}).first->second;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(tensor);
  // An extent may be computed after the tensor.
  FailureOr<MixedSizes> own =
      getExtents(tensor, &*rewriter.getInsertionPoint());
  if (failed(own))
    return failure();
  write(tensor, *place, TensorPart::whole(*own), tensor.getLoc());
  return known.insert({tensor, *place}).first->second;
}

TensorPlace TensorPlaces::expand(const TensorPlace &place,
                                 ArrayRef<ReassociationIndices> groups,
                                 ArrayRef<int64_t> shape, Location loc) {
  auto type = cast<SRefType>(place.ref.getType());
  // Memory of all workers has that of each along the first dimension.
  SmallVector<int64_t> all(shape);
  int64_t own = 1;
  for (int64_t dim : groups.front())
    own *= shape[dim];
  all.front() *= type.getDimSize(0) / own;
  auto view = SRefType::get(all, type.getElementType(), type.getScope());
  TensorPlace expanded;
  expanded.ref =
      ExpandShapeOp::create(rewriter, loc, view, place.ref, groups,
                            getAsIndexOpFoldResult(rewriter.getContext(), all));
  expanded.offsets.assign(shape.size(), rewriter.getIndexAttr(0));
  expanded.strides.assign(shape.size(), rewriter.getIndexAttr(1));
  expanded.offsets.front() = affine::makeComposedFoldedAffineApply(
      rewriter, loc,
      rewriter.getAffineSymbolExpr(0).floorDiv(own / shape.front()),
      {place.offsets.front()});
  return expanded;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

TensorPlace TensorPlaces::select(const TensorPlace &place, TensorPart &part,
                                 Location loc) {
  AffineExpr offset, index, stride;
  bindSymbols(rewriter.getContext(), offset, index, stride);
  TensorPlace own{place.ref, {}, {}};
  for (auto [base, step, at, by] : llvm::zip_equal(
           place.offsets, place.strides, part.offsets, part.strides)) {
    own.offsets.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, offset + index * stride, {base, at, step}));
    own.strides.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, offset * index, {step, by}));
  }
  if (part.dropped.none())
    return own;
  MixedSizes kept;
  for (auto [dim, size] : llvm::enumerate(part.sizes))
    if (!part.dropped.test(dim))
      kept.push_back(size);
  auto type = cast<SRefType>(place.ref.getType());
  auto view =
      SRefType::get(decomposeMixedValues(kept).first, type.getElementType(),
                    type.getScope(), type.getSyncScope());
  own.ref = SubviewOp::create(rewriter, loc, view, own.ref, own.offsets,
                              part.sizes, own.strides);
  part = TensorPart::whole(kept);
  return {own.ref, part.offsets, part.strides};
}

Value TensorPlaces::read(const TensorPlace &place, const TensorPart &part,
                         Type element, Location loc) {
  TensorPart rest = part;
  TensorPlace own = select(place, rest, loc);
  auto type =
      RankedTensorType::get(decomposeMixedValues(rest.sizes).first, element);
  return ReadSliceOp::create(rewriter, loc, type, own.ref, own.offsets,
                             rest.sizes, own.strides);
}

void TensorPlaces::write(Value tensor, const TensorPlace &place,
                         const TensorPart &part, Location loc) {
  TensorPart rest = part;
  TensorPlace own = select(place, rest, loc);
  WriteSliceOp::create(rewriter, loc, tensor, own.ref, own.offsets, rest.sizes,
                       own.strides);
}

Value TensorPlaces::load(const TensorPlace &place,
                         ArrayRef<OpFoldResult> position, Location loc) {
  SmallVector<int64_t> ones(position.size(), 1),
      anywhere(position.size(), ShapedType::kDynamic);
  TensorPart part =
      TensorPart::whole(getAsIndexOpFoldResult(rewriter.getContext(), ones));
  part.offsets = MixedSizes(position);
  TensorPlace own = select(place, part, loc);
  auto layout = StridedLayoutAttr::get(rewriter.getContext(),
                                       ShapedType::kDynamic, anywhere);
  auto type = MemRefType::get(
      ones, cast<SRefType>(own.ref.getType()).getElementType(), layout);
  Value memref = GetMemrefOp::create(rewriter, loc, type, own.ref, own.offsets,
                                     part.sizes, own.strides);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  return memref::LoadOp::create(rewriter, loc, memref,
                                SmallVector<Value>(ones.size(), zero));
}

Value pcf::makeUniformPart(tensor::ExtractSliceOp op, RewriterBase &rewriter) {
  MixedSizes sizes;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(dim))
      sizes.push_back(size);
  Value source = op.getSource();
  auto filled = source.getDefiningOp<linalg::FillOp>();
  DenseElementsAttr elements;
  bool isSplat =
      matchPattern(source, m_Constant(&elements)) && elements.isSplat();
  if (!filled && !isSplat && !source.getDefiningOp<tensor::EmptyOp>())
    return {};
  Value part = tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                       getElementTypeOrSelf(source));
  Value number = filled ? filled.getInputs().front() : Value();
  if (isSplat)
    number = arith::ConstantOp::create(rewriter, op.getLoc(),
                                       elements.getSplatValue<TypedAttr>());
  return number ? linalg::FillOp::create(rewriter, op.getLoc(), number, part)
                      .getResult(0)
                : part;
}
