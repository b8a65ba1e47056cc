//===- SeparateMasks.cpp - Separation of contraction masks ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask of a contraction has a bit per product, which no MMA instruction
// supports. Most masks are conjunctions of parts that depend on a few dims each
// (specification 6.4, VX-88):
//
//   create_mask %m, %n, %k     m < %m,  n < %n,  k < %k
//
// A part over dims of the result keeps the accumulator; one over reduced dims
// replaces operands so that products are the identity of the sum:
//
//   %a = select(k < %k, %lhs, -0.0)        -0.0 * 1.0 + x is x, bit for bit
//   %b = select(k < %k, %rhs, 1.0)         never 0 * NaN
//   %s = vector.contract %a, %b, %acc      by an instruction, if one fits
//   %r = select(m < %m and n < %n, %s, %acc)
//
// A part over (m, k) can be applied to the lhs only, so that the rhs keeps
// values whose product with zero must be zero, which holds for integers only.
//
//===----------------------------------------------------------------------===//
#include "SeparateMasks.h"
#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace distaff;
using vector_ext::ToLayoutOp;

namespace {

/// A mask part is one term of the conjunction that a mask is. Its dims are dims
/// of the iteration space; a dim of `value` with extent 1 that broadcasts is
/// not one of them.
struct MaskPart {
  /// An i1 vector or scalar, or, with `isBound`, an upper bound of `dims[0]`.
  Value value;
  bool isBound = false;
  SmallVector<unsigned> dims;
};

class MaskedContraction {
public:
  MaskedContraction(vector::MaskOp mask, vector::ContractionOp op)
      : mask(mask), op(op), b(mask), loc(op.getLoc()),
        maps(op.getIndexingMapsArray()) {
    op.getIterationBounds(extents);
  }

  /// Returns false if the mask does not separate into parts for operands and
  /// result.
  bool separate();

private:
  static constexpr unsigned noDim = ~0u;

  bool split(Value value, ArrayRef<unsigned> dims);
  bool splitConstant(DenseElementsAttr bits, ArrayRef<unsigned> dims);
  void addBounds(ArrayRef<OpFoldResult> bounds, ArrayRef<unsigned> dims);
  void addValue(Value value, ArrayRef<unsigned> dims);
  void addConstant(ArrayRef<bool> bits, ArrayRef<unsigned> dims,
                   ArrayRef<unsigned> own);
  bool assign();

  Value conjunction(ArrayRef<const MaskPart *> parts, AffineMap map);
  Value spread(const MaskPart &part, AffineMap map);
  Value fill(Value operand, Value condition, double with);
  Value replaceIn(OpOperand &operand, ArrayRef<const MaskPart *> parts,
                  double with);

  vector::MaskOp mask;
  vector::ContractionOp op;
  OpBuilder b;
  Location loc;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> extents;
  SmallVector<MaskPart> parts;
  SmallVector<const MaskPart *> ofLhs, ofRhs, ofResult;
};

} // namespace

//===----------------------------------------------------------------------===//
// The parts of a mask
//===----------------------------------------------------------------------===//

void MaskedContraction::addBounds(ArrayRef<OpFoldResult> bounds,
                                  ArrayRef<unsigned> dims) {
  for (auto [bound, dim] : llvm::zip_equal(bounds, dims)) {
    std::optional<int64_t> known = getConstantIntValue(bound);
    int64_t extent = dim == noDim ? 1 : extents[dim];
    if (known && *known >= extent)
      continue;
    MaskPart part{getValueOrCreateConstantIndexOp(b, loc, bound), true, {dim}};
    // A bound of a broadcast dim selects all elements or none.
    if (dim == noDim) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      part = {arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                    part.value, zero),
              false,
              {}};
    }
    parts.push_back(std::move(part));
  }
}

void MaskedContraction::addValue(Value value, ArrayRef<unsigned> dims) {
  SmallVector<unsigned> varying;
  SmallVector<int64_t> shape;
  for (unsigned dim : dims)
    if (dim != noDim && extents[dim] != 1) {
      varying.push_back(dim);
      shape.push_back(extents[dim]);
    }
  if (auto type = dyn_cast<VectorType>(value.getType());
      type && type.getRank() != int64_t(varying.size())) {
    if (varying.empty())
      value = vector::ExtractOp::create(
          b, loc, value, SmallVector<int64_t>(type.getRank(), 0));
    else
      value = vector::ShapeCastOp::create(
          b, loc, VectorType::get(shape, b.getI1Type()), value);
  }
  parts.push_back({value, false, varying});
}

/// Adds the projection of `bits`, which range over `dims`, to the dims `own`.
void MaskedContraction::addConstant(ArrayRef<bool> bits,
                                    ArrayRef<unsigned> dims,
                                    ArrayRef<unsigned> own) {
  SmallVector<int64_t> shape, ownShape;
  for (unsigned dim : dims)
    shape.push_back(dim == noDim ? 1 : extents[dim]);
  for (unsigned dim : own)
    ownShape.push_back(extents[dim]);
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<int64_t> ownStrides = computeStrides(ownShape);
  SmallVector<bool> projected(computeProduct(ownShape), false);
  for (auto [at, bit] : llvm::enumerate(bits)) {
    SmallVector<int64_t> index = delinearize(at, strides);
    int64_t to = 0;
    for (auto [dim, stride] : llvm::zip_equal(own, ownStrides))
      to += index[llvm::find(dims, dim) - dims.begin()] * stride;
    projected[to] |= bit;
  }
  if (llvm::all_of(projected, [](bool bit) { return bit; }))
    return;
  auto type = VectorType::get(ownShape, b.getI1Type());
  Value value = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, projected));
  addValue(value, own);
}

/// Splits a constant mask into a part over the reduced dims and one over all
/// others; returns false if it is not their conjunction.
bool MaskedContraction::splitConstant(DenseElementsAttr attr,
                                      ArrayRef<unsigned> dims) {
  SmallVector<bool> bits(attr.getValues<bool>());
  SmallVector<unsigned> reduced, kept;
  SmallVector<int64_t> shape;
  for (unsigned dim : dims) {
    shape.push_back(dim == noDim ? 1 : extents[dim]);
    if (dim == noDim)
      continue;
    (maps[2].isFunctionOfDim(dim) ? kept : reduced).push_back(dim);
  }
  SmallVector<int64_t> strides = computeStrides(shape);
  auto key = [&](int64_t at, ArrayRef<unsigned> own) {
    SmallVector<int64_t> index = delinearize(at, strides);
    int64_t result = 0;
    for (auto [dim, i] : llvm::zip_equal(dims, index))
      if (llvm::is_contained(own, dim))
        result = result * extents[dim] + i;
    return result;
  };
  llvm::DenseSet<int64_t> reducedBits, keptBits;
  for (auto [at, bit] : llvm::enumerate(bits))
    if (bit) {
      reducedBits.insert(key(at, reduced));
      keptBits.insert(key(at, kept));
    }
  for (auto [at, bit] : llvm::enumerate(bits))
    if (bit != (reducedBits.contains(key(at, reduced)) &&
                keptBits.contains(key(at, kept))))
      return false;
  if (reducedBits.empty()) {
    addBounds({b.getIndexAttr(0)}, {0});
    return true;
  }
  if (!reduced.empty())
    addConstant(bits, dims, reduced);
  if (!kept.empty())
    addConstant(bits, dims, kept);
  return true;
}

/// \pre  `dims` are the dims that the dims of `value` range over; noDim for an
/// extent of 1
bool MaskedContraction::split(Value value, ArrayRef<unsigned> dims) {
  DenseElementsAttr bits;
  if (matchPattern(value, m_Constant(&bits)) && splitConstant(bits, dims))
    return true;
  if (auto created = value.getDefiningOp<vector::CreateMaskOp>()) {
    addBounds(getAsOpFoldResult(created.getOperands()), dims);
    return true;
  }
  if (auto constant = value.getDefiningOp<vector::ConstantMaskOp>()) {
    addBounds(
        getAsIndexOpFoldResult(b.getContext(), constant.getMaskDimSizes()),
        dims);
    return true;
  }
  if (auto both = value.getDefiningOp<arith::AndIOp>())
    return split(both.getLhs(), dims) && split(both.getRhs(), dims);
  if (auto transpose = value.getDefiningOp<vector::TransposeOp>()) {
    SmallVector<unsigned> source(dims.size());
    for (auto [at, from] : llvm::enumerate(transpose.getPermutation()))
      source[from] = dims[at];
    return split(transpose.getVector(), source);
  }
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>()) {
    auto type = dyn_cast<VectorType>(broadcast.getSourceType());
    if (!type) {
      addValue(broadcast.getSource(), {});
      return true;
    }
    SmallVector<unsigned> source(dims.take_back(type.getRank()));
    for (auto [dim, extent] : llvm::zip_equal(source, type.getShape()))
      if (extent == 1)
        dim = noDim;
    return split(broadcast.getSource(), source);
  }
  if (auto cast = value.getDefiningOp<vector::ShapeCastOp>()) {
    // A shape cast adds and removes dims of extent 1.
    SmallVector<unsigned> varying, source;
    for (auto [dim, extent] :
         llvm::zip_equal(dims, cast.getResultVectorType().getShape()))
      if (extent != 1)
        varying.push_back(dim);
    ArrayRef<int64_t> shape = cast.getSourceVectorType().getShape();
    for (int64_t at = 0; int64_t extent : shape) {
      bool matches = extent == 1 || (at < int64_t(varying.size()) &&
                                     extents[varying[at]] == extent);
      if (!matches)
        break;
      source.push_back(extent == 1 ? noDim : varying[at++]);
    }
    if (source.size() == shape.size())
      return split(cast.getSource(), source);
  }
  addValue(value, dims);
  return true;
}

/// Assigns each part to operands or the result. A part over reduced dims of
/// both operands is assigned to both.
bool MaskedContraction::assign() {
  bool ofIntegers = isa<IntegerType>(getElementTypeOrSelf(op.getResultType()));
  for (const MaskPart &part : parts) {
    auto isOver = [&](AffineMap map) {
      return llvm::all_of(
          part.dims, [&](unsigned dim) { return map.isFunctionOfDim(dim); });
    };
    if (isOver(maps[2])) {
      ofResult.push_back(&part);
      continue;
    }
    bool onLhs = isOver(maps[0]), onRhs = isOver(maps[1]);
    if (!(onLhs && onRhs) && !(ofIntegers && (onLhs || onRhs)))
      return false;
    if (onLhs)
      ofLhs.push_back(&part);
    if (onRhs && (!ofIntegers || !onLhs))
      ofRhs.push_back(&part);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The contraction without a mask
//===----------------------------------------------------------------------===//

/// Expands `part` to a mask of a value with the dims of `map`.
Value MaskedContraction::spread(const MaskPart &part, AffineMap map) {
  // New dims come first, then a transpose moves all dims to their places.
  SmallVector<unsigned> order;
  for (AffineExpr expr : map.getResults())
    if (unsigned dim = cast<AffineDimExpr>(expr).getPosition();
        !llvm::is_contained(part.dims, dim))
      order.push_back(dim);
  llvm::append_range(order, part.dims);
  SmallVector<int64_t> permutation, shape;
  for (AffineExpr expr : map.getResults())
    permutation.push_back(
        llvm::find(order, cast<AffineDimExpr>(expr).getPosition()) -
        order.begin());
  for (unsigned dim : order)
    shape.push_back(extents[dim]);
  Value value = part.value;
  if (auto type = VectorType::get(shape, b.getI1Type());
      value.getType() != type)
    value = vector::BroadcastOp::create(b, loc, type, value);
  if (isIdentityPermutation(permutation))
    return value;
  return vector::TransposeOp::create(b, loc, value, permutation);
}

/// Returns all parts as one mask of a value with the dims of `map`. Bounds
/// become a create_mask, which fits any layout.
Value MaskedContraction::conjunction(ArrayRef<const MaskPart *> parts,
                                     AffineMap map) {
  SmallVector<int64_t> shape;
  SmallVector<Value> bounds;
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    shape.push_back(extents[dim]);
    Value bound;
    for (const MaskPart *part : parts)
      if (part->isBound && part->dims.front() == dim)
        bound = bound
                    ? Value(arith::MinSIOp::create(b, loc, bound, part->value))
                    : part->value;
    bounds.push_back(bound);
  }
  Value result;
  if (llvm::any_of(bounds, [](Value bound) { return bool(bound); })) {
    for (auto [bound, extent] : llvm::zip_equal(bounds, shape))
      if (!bound)
        bound = arith::ConstantIndexOp::create(b, loc, extent);
    result = vector::CreateMaskOp::create(
        b, loc, VectorType::get(shape, b.getI1Type()), bounds);
  }
  for (const MaskPart *part : parts) {
    if (part->isBound)
      continue;
    Value value = spread(*part, map);
    result =
        result ? Value(arith::AndIOp::create(b, loc, result, value)) : value;
  }
  return result;
}

/// Returns `operand` where the condition holds, else `with`. The select is
/// inserted before the operand is extended, which instructions do themselves,
/// and before its to_layout for an instruction.
Value MaskedContraction::fill(Value operand, Value condition, double with) {
  Operation *source = operand.getDefiningOp();
  if (isExactExtension(source) || isa_and_nonnull<ToLayoutOp>(source)) {
    IRMapping mapping;
    mapping.map(source->getOperand(0),
                fill(source->getOperand(0), condition, with));
    return b.clone(*source, mapping)->getResult(0);
  }
  auto type = cast<VectorType>(operand.getType());
  TypedAttr value = b.getZeroAttr(type.getElementType());
  if (auto floats = dyn_cast<FloatType>(type.getElementType())) {
    // In types without -0.0 the value is 0.0.
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    value =
        b.getFloatAttr(floats, with == 0.0 ? APFloat::getZero(semantics, true)
                                           : APFloat(semantics, 1));
  }
  Value constant =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
  return arith::SelectOp::create(b, loc, condition, operand, constant);
}

Value MaskedContraction::replaceIn(OpOperand &operand,
                                   ArrayRef<const MaskPart *> parts,
                                   double with) {
  if (parts.empty())
    return operand.get();
  return fill(operand.get(),
              conjunction(parts, maps[operand.getOperandNumber()]), with);
}

bool MaskedContraction::separate() {
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, extents.size()));
  for (unsigned &dim : all)
    if (extents[dim] == 1)
      dim = noDim;
  if (!split(mask.getMask(), all) || !assign())
    return false;
  op->moveBefore(mask);
  b.setInsertionPoint(op);
  Value lhs = replaceIn(op.getLhsMutable(), ofLhs, 0.0);
  Value rhs = replaceIn(op.getRhsMutable(), ofRhs, 1.0);
  op.getLhsMutable().assign(lhs);
  op.getRhsMutable().assign(rhs);
  b.setInsertionPoint(mask);
  Value result = op.getResult();
  if (!ofResult.empty()) {
    Value condition;
    if (isa<VectorType>(result.getType())) {
      condition = conjunction(ofResult, maps[2]);
    } else {
      for (const MaskPart *part : ofResult)
        condition =
            condition
                ? Value(arith::AndIOp::create(b, loc, condition, part->value))
                : part->value;
    }
    result = arith::SelectOp::create(b, loc, condition, result, op.getAcc());
  }
  mask.getResult(0).replaceAllUsesWith(result);
  mask.erase();
  return true;
}

LogicalResult distaff::separateMasks(FunctionOpInterface function) {
  SmallVector<vector::MaskOp> masks;
  function->walk([&](vector::MaskOp mask) { masks.push_back(mask); });
  for (vector::MaskOp mask : masks) {
    auto op = dyn_cast_or_null<vector::ContractionOp>(mask.getMaskableOp());
    if (!op || op.getKind() != vector::CombiningKind::ADD)
      continue;
    if (MaskedContraction(mask, op).separate() || !isMmaContraction(op))
      continue;
    return op.emitOpError(
        "is laid out for an instruction, which multiplies all that it is "
        "given, and has a mask that depends on rows, columns and the reduced "
        "dims together; mask the operands instead, or lay them out without an "
        "mma_kind");
  }
  return success();
}
