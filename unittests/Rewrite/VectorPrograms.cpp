//===- VectorPrograms.cpp - Vectors that are reshaped and taken apart -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains of broadcasts, transpositions, casts of shapes, slices, insertions,
// masks, reductions and transfers of tensors, on vectors of rank 1 to 4 in
// which units are frequent.
//
//===----------------------------------------------------------------------===//
#include "Draft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::rewrite_test;

namespace {
class VectorDraft {
public:
  explicit VectorDraft(Draft &d) : d(d) {}
  Program make();

private:
  using Vector = TypedValue<VectorType>;

  Value any() {
    if (pool.empty() || d.chance(10))
      return fresh(d.shape(d.between(1, 4)));
    return d.chance(65) ? pool.back() : d.pick(pool);
  }
  Value fresh(ArrayRef<int64_t> shape);
  /// A vector of the shape: one that is there or a new one.
  Value ofShape(ArrayRef<int64_t> shape);
  VectorType typeOf(Value value) { return cast<VectorType>(value.getType()); }
  VectorType typed(ArrayRef<int64_t> shape) {
    return VectorType::get(shape, d.getI32Type());
  }
  void add(Value value) {
    if (isa<VectorType>(value.getType()))
      pool.push_back(value);
    else
      scalars.push_back(value);
  }
  SmallVector<int64_t> permutation(int64_t rank);
  Value mask(ArrayRef<int64_t> shape);
  Value masked(ArrayRef<int64_t> shape, Operation *op);

  void addBroadcast();
  void addTranspose();
  void addShapeCast();
  void addExtract();
  void addInsert();
  void addStridedExtract();
  void addStridedInsert();
  void addShuffle();
  void addElements();
  void addSelect();
  void addReduction();
  void addInterleave();
  void addArithmetic();
  void addTransfer();

  struct Place;
  Place placeIn(const Shaped &whole, bool all);
  Value read(Value tensor, const Place &place);
  Value write(Value vector, Value tensor, const Place &place);

  Draft &d;
  SmallVector<Value> pool, scalars;
};
} // namespace

Value VectorDraft::fresh(ArrayRef<int64_t> shape) {
  VectorType type = typed(shape);
  if (d.chance(25))
    return arith::ConstantOp::create(
        d, DenseElementsAttr::get(type, Attribute(d.number(d.getI32Type()))));
  return d.argument(type, shape);
}

Value VectorDraft::ofShape(ArrayRef<int64_t> shape) {
  SmallVector<Value> fitting = llvm::to_vector(llvm::make_filter_range(
      pool, [&](Value value) { return typeOf(value).getShape() == shape; }));
  return !fitting.empty() && d.chance(70) ? d.pick(fitting) : fresh(shape);
}

SmallVector<int64_t> VectorDraft::permutation(int64_t rank) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  for (int64_t dim = rank - 1; dim > 0; --dim)
    std::swap(order[dim], order[d.below(dim + 1)]);
  return order;
}

Value VectorDraft::mask(ArrayRef<int64_t> shape) {
  VectorType type = VectorType::get(shape, d.getI1Type());
  SmallVector<Value> limits;
  Extents constants;
  for (int64_t extent : shape) {
    constants.push_back(d.between(0, extent));
    limits.push_back(d.index(d.between(0, extent)));
  }
  if (d.chance(40))
    return vector::CreateMaskOp::create(d, type, limits);
  if (llvm::is_contained(constants, 0))
    constants.assign(constants.size(), 0);
  if (d.chance(50))
    return vector::ConstantMaskOp::create(d, type, constants);
  return d.argument(type, shape);
}

/// The result of an op, sometimes under a mask.
Value VectorDraft::masked(ArrayRef<int64_t> shape, Operation *op) {
  if (d.chance(75))
    return op->getResult(0);
  // The mask comes from before the op.
  OpBuilder::InsertionGuard guard(d);
  d.setInsertionPoint(op);
  Value chosen = mask(shape);
  d.setInsertionPointAfter(op);
  return vector::maskOperation(d, op, chosen)->getResult(0);
}

void VectorDraft::addBroadcast() {
  if (d.chance(25))
    return add(vector::BroadcastOp::create(d, typed(d.shape(d.between(1, 3))),
                                           d.scalar(d.getI32Type())));
  Value source = any();
  Extents shape(typeOf(source).getShape());
  for (int64_t &extent : shape)
    if (extent == 1 && d.chance(60))
      extent = d.between(1, 3);
  Extents outer = d.shape(d.below(3));
  shape.insert(shape.begin(), outer.begin(), outer.end());
  if (shape.size() <= 5)
    add(vector::BroadcastOp::create(d, typed(shape), source));
}

void VectorDraft::addTranspose() {
  Value source = any();
  add(vector::TransposeOp::create(d, source,
                                  permutation(typeOf(source).getRank())));
}

void VectorDraft::addShapeCast() {
  Value source = any();
  int64_t rest = typeOf(source).getNumElements();
  Extents shape;
  while (rest > 1 && shape.size() < 3) {
    SmallVector<int64_t> factors;
    for (int64_t factor = 1; factor <= rest; ++factor)
      if (rest % factor == 0)
        factors.push_back(factor);
    shape.push_back(d.pick(factors));
    rest /= shape.back();
  }
  shape.push_back(rest);
  if (d.chance(30))
    shape.insert(shape.begin() + d.below(shape.size() + 1), 1);
  add(vector::ShapeCastOp::create(d, typed(shape), source));
}

void VectorDraft::addExtract() {
  Value source = any();
  ArrayRef<int64_t> shape = typeOf(source).getShape();
  SmallVector<OpFoldResult> at;
  for (int64_t extent : shape.take_front(d.between(1, shape.size())))
    at.push_back(d.mixed(d.below(extent)));
  add(vector::ExtractOp::create(d, source, at));
}

void VectorDraft::addInsert() {
  Value dest = any();
  ArrayRef<int64_t> shape = typeOf(dest).getShape();
  int64_t rank = d.between(1, shape.size());
  SmallVector<OpFoldResult> at;
  for (int64_t extent : shape.take_front(rank))
    at.push_back(d.mixed(d.below(extent)));
  ArrayRef<int64_t> part = shape.drop_front(rank);
  Value value = !part.empty()     ? ofShape(part)
                : scalars.empty() ? d.scalar(d.getI32Type())
                                  : d.pick(scalars);
  add(vector::InsertOp::create(d, value, dest, at));
}

void VectorDraft::addStridedExtract() {
  Value source = any();
  SmallVector<int64_t> offsets, sizes, strides;
  ArrayRef<int64_t> shape = typeOf(source).getShape();
  for (int64_t extent : shape.take_front(d.between(1, shape.size()))) {
    sizes.push_back(d.between(1, extent));
    offsets.push_back(d.between(0, extent - sizes.back()));
    strides.push_back(1);
  }
  add(vector::ExtractStridedSliceOp::create(d, source, offsets, sizes,
                                            strides));
}

void VectorDraft::addStridedInsert() {
  Value dest = any();
  ArrayRef<int64_t> shape = typeOf(dest).getShape();
  int64_t rank = d.between(1, shape.size());
  Extents part;
  SmallVector<int64_t> offsets;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    bool covered = int64_t(dim + rank) >= int64_t(shape.size());
    int64_t size = covered ? d.between(1, extent) : 1;
    offsets.push_back(d.between(0, extent - size));
    if (covered)
      part.push_back(size);
  }
  add(vector::InsertStridedSliceOp::create(d, ofShape(part), dest, offsets,
                                           SmallVector<int64_t>(rank, 1)));
}

void VectorDraft::addShuffle() {
  Value first = any();
  Extents shape(typeOf(first).getShape());
  shape[0] = d.between(1, 4);
  Value second = ofShape(shape);
  int64_t count = typeOf(first).getDimSize(0) + shape[0];
  SmallVector<int64_t> order;
  for (int64_t place = d.between(1, 5); place > 0; --place)
    order.push_back(d.below(count));
  add(vector::ShuffleOp::create(d, first, second, order));
}

void VectorDraft::addElements() {
  if (d.chance(50)) {
    Value source = any();
    if (typeOf(source).getNumElements() > 16)
      return;
    auto parts = vector::ToElementsOp::create(d, source);
    llvm::append_range(scalars, parts.getResults());
    return;
  }
  Extents shape = d.shape(d.between(1, 2));
  SmallVector<Value> values;
  for (int64_t place = 0; place < typed(shape).getNumElements(); ++place)
    values.push_back(scalars.empty() || d.chance(20) ? d.scalar(d.getI32Type())
                                                     : d.pick(scalars));
  add(vector::FromElementsOp::create(d, typed(shape), values));
}

void VectorDraft::addSelect() {
  Value x = any();
  Value y = ofShape(typeOf(x).getShape());
  add(arith::SelectOp::create(d, mask(typeOf(x).getShape()), x, y));
}

void VectorDraft::addReduction() {
  static constexpr vector::CombiningKind kinds[] = {
      vector::CombiningKind::ADD, vector::CombiningKind::MAXSI,
      vector::CombiningKind::XOR, vector::CombiningKind::MINUI};
  Value source = any();
  VectorType type = typeOf(source);
  SmallVector<bool> reduced;
  Extents kept;
  for (int64_t extent : type.getShape()) {
    reduced.push_back(d.chance(50));
    if (!reduced.back())
      kept.push_back(extent);
  }
  if (type.getRank() == 1 && d.chance(50))
    return add(masked(type.getShape(),
                      vector::ReductionOp::create(d, d.pick(kinds), source)));
  if (type.getRank() == 1 && !reduced.front() && d.chance(50))
    reduced.front() = true, kept.clear();
  Value acc = kept.empty() ? d.scalar(d.getI32Type()) : ofShape(kept);
  add(masked(type.getShape(), vector::MultiDimReductionOp::create(
                                  d, source, acc, reduced, d.pick(kinds))));
}

void VectorDraft::addInterleave() {
  Value x = any();
  if (typeOf(x).getShape().back() % 2 == 0 && d.chance(50)) {
    auto parts = vector::DeinterleaveOp::create(d, x);
    add(parts.getRes1());
    return add(parts.getRes2());
  }
  add(vector::InterleaveOp::create(d, x, ofShape(typeOf(x).getShape())));
}

void VectorDraft::addArithmetic() {
  Value x = any(), y = ofShape(typeOf(x).getShape());
  switch (d.below(3)) {
  case 0:
    return add(arith::AddIOp::create(d, x, y));
  case 1:
    return add(arith::MulIOp::create(d, x, y));
  default:
    return add(arith::XOrIOp::create(d, x, y));
  }
}

/// Where a vector is in a tensor, and which of it is moved.
struct VectorDraft::Place {
  Extents shape;
  SmallVector<Value> at;
  AffineMap map;
  ArrayAttr inside;
  Value mask;
  bool isRegion; ///< whether the mask is that of an op around the transfer
};

VectorDraft::Place VectorDraft::placeIn(const Shaped &whole, bool all) {
  Place place;
  SmallVector<int64_t> dims = permutation(whole.rank());
  if (all || d.chance(60))
    llvm::sort(dims);
  int64_t rank = all ? whole.rank() : d.between(1, whole.rank());
  dims.erase(dims.begin(), dims.end() - rank);
  SmallVector<bool> inside;
  SmallVector<int64_t> start;
  SmallVector<AffineExpr> exprs;
  for (int64_t extent : whole.extents) {
    start.push_back(all || d.chance(50) ? 0 : d.below(extent));
    place.at.push_back(d.index(start.back()));
  }
  for (int64_t dim : dims) {
    int64_t room = whole.extents[dim] - start[dim];
    place.shape.push_back(all || d.chance(60) ? room : d.between(1, 4));
    inside.push_back(place.shape.back() <= room && (all || d.chance(80)));
    exprs.push_back(d.getAffineDimExpr(dim));
  }
  place.map = AffineMap::get(whole.rank(), 0, exprs, d.getContext());
  place.inside = d.getBoolArrayAttr(inside);
  if (d.chance(all ? 50 : 25))
    place.mask =
        mask(vector::inferTransferOpMaskType(typed(place.shape), place.map)
                 .getShape());
  place.isRegion = d.chance(40);
  return place;
}

Value VectorDraft::read(Value tensor, const Place &place) {
  Operation *op = vector::TransferReadOp::create(
      d, typed(place.shape), tensor, place.at, AffineMapAttr::get(place.map),
      d.scalar(d.getI32Type()), place.isRegion ? Value() : place.mask,
      place.inside);
  if (place.isRegion)
    op = vector::maskOperation(d, op, place.mask);
  return op->getResult(0);
}

Value VectorDraft::write(Value vector, Value tensor, const Place &place) {
  Operation *op = vector::TransferWriteOp::create(
      d, tensor.getType(), vector, tensor, place.at,
      AffineMapAttr::get(place.map), place.isRegion ? Value() : place.mask,
      place.inside);
  if (place.isRegion)
    op = vector::maskOperation(d, op, place.mask);
  return op->getResult(0);
}

/// Vectors written to a tensor and another one read from it; sometimes what is
/// written is all of another tensor.
void VectorDraft::addTransfer() {
  Shaped whole = d.tensor(d.shape(d.between(1, 3)));
  Value tensor = whole.value;
  if (d.chance(20)) {
    Value other = d.argument(tensor.getType(), whole.extents);
    Value moved = read(other, placeIn(whole, /*all=*/true));
    tensor = write(moved, tensor, placeIn(whole, /*all=*/true));
  }
  for (int64_t writes = d.below(3); writes > 0; --writes) {
    Place place = placeIn(whole, d.chance(20));
    tensor = write(ofShape(place.shape), tensor, place);
  }
  add(read(tensor, placeIn(whole, d.chance(20))));
}

Program VectorDraft::make() {
  static constexpr void (VectorDraft::*steps[])() = {
      &VectorDraft::addBroadcast,      &VectorDraft::addBroadcast,
      &VectorDraft::addTranspose,      &VectorDraft::addTranspose,
      &VectorDraft::addShapeCast,      &VectorDraft::addShapeCast,
      &VectorDraft::addExtract,        &VectorDraft::addExtract,
      &VectorDraft::addInsert,         &VectorDraft::addInsert,
      &VectorDraft::addStridedExtract, &VectorDraft::addStridedInsert,
      &VectorDraft::addShuffle,        &VectorDraft::addElements,
      &VectorDraft::addSelect,         &VectorDraft::addReduction,
      &VectorDraft::addInterleave,     &VectorDraft::addArithmetic,
      &VectorDraft::addTransfer,       &VectorDraft::addTransfer};
  for (int64_t count = d.between(3, 8); count > 0; --count)
    (this->*d.pick(steps))();
  SmallVector<Value> results(pool.end() - std::min<size_t>(pool.size(), 3),
                             pool.end());
  if (!scalars.empty())
    results.push_back(scalars.back());
  return d.finish(results);
}

Program rewrite_test::makeVectorProgram(Draft &draft) {
  return VectorDraft(draft).make();
}
