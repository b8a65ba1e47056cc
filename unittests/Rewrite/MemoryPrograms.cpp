//===- MemoryPrograms.cpp - Views of views, and accesses through them -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subviews that drop units anywhere, reshapes, casts and transpositions of
// memory, one on another, and elements, vectors and transfers through them,
// with masks, permutations and places beyond the border.
//
//===----------------------------------------------------------------------===//
#include "Draft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"

using namespace distaff;
using namespace distaff::rewrite_test;

namespace {
class MemoryDraft {
public:
  explicit MemoryDraft(Draft &d) : d(d) {}
  Program make();

private:
  Shaped any() { return d.chance(65) ? pool.back() : d.pick(pool); }
  MemRefType typeOf(const Shaped &memory) {
    return cast<MemRefType>(memory.value.getType());
  }
  SmallVector<Value> indices(ArrayRef<int64_t> at) {
    return llvm::map_to_vector(at, [&](int64_t i) { return d.index(i); });
  }
  VectorType ofNumbers(ArrayRef<int64_t> shape) {
    return VectorType::get(shape, d.getI32Type());
  }
  Value mask(ArrayRef<int64_t> shape);
  Value numbers(VectorType type);

  void addSubView();
  void addCollapse();
  void addExpand();
  void addCast();
  void addTranspose();
  void addView();
  void addElement();
  void addVector();
  void addTransfer();
  void addDim();
  void addCopy();
  void addLoop();
  void addAccess();

  Draft &d;
  SmallVector<Shaped> pool;
  SmallVector<Value> results;
};
} // namespace

void MemoryDraft::addSubView() {
  Shaped whole = any();
  Extents offsets, sizes, strides, shape, kept;
  for (int64_t extent : whole.extents) {
    int64_t stride = d.chance(12) ? 2 : 1;
    int64_t most = (extent + stride - 1) / stride;
    int64_t size = d.chance(40) ? 1 : d.chance(50) ? most : d.between(1, most);
    offsets.push_back(d.between(0, extent - ((size - 1) * stride + 1)));
    sizes.push_back(size);
    strides.push_back(stride);
  }
  SmallVector<OpFoldResult> mixedOffsets = d.mixed(offsets),
                            mixedSizes = d.mixed(sizes),
                            mixedStrides = d.mixed(strides);
  bool reduces = d.chance(60);
  for (auto [size, mixed] : llvm::zip_equal(sizes, mixedSizes)) {
    bool isStatic = isa<Attribute>(mixed);
    if (reduces && isStatic && size == 1 && d.chance(70))
      continue;
    shape.push_back(isStatic ? size : ShapedType::kDynamic);
    kept.push_back(size);
  }
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      shape, typeOf(whole), mixedOffsets, mixedSizes, mixedStrides);
  auto view = memref::SubViewOp::create(d, type, whole.value, mixedOffsets,
                                        mixedSizes, mixedStrides);
  // The verifier tells by strides which units are dropped, and refuses some.
  ScopedDiagnosticHandler silent(d.getContext(),
                                 [](Diagnostic &) { return success(); });
  if (failed(verify(view)))
    view.erase();
  else
    pool.push_back({view, kept});
}

void MemoryDraft::addCollapse() {
  Shaped whole = any();
  SmallVector<ReassociationIndices> groups;
  Extents extents;
  for (int64_t dim = 0; dim < whole.rank(); ++dim) {
    if (groups.empty() || d.chance(50)) {
      groups.push_back({dim});
      extents.push_back(whole.extents[dim]);
      continue;
    }
    groups.back().push_back(dim);
    extents.back() *= whole.extents[dim];
  }
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(typeOf(whole), groups))
    return;
  pool.push_back(
      {memref::CollapseShapeOp::create(d, whole.value, groups), extents});
}

void MemoryDraft::addExpand() {
  Shaped whole = any();
  SmallVector<ReassociationIndices> groups;
  Extents extents, shape;
  SmallVector<OpFoldResult> mixed;
  for (int64_t dim = 0; dim < whole.rank(); ++dim) {
    int64_t extent = whole.extents[dim], outer = 1;
    bool isStatic = !typeOf(whole).isDynamicDim(dim), split = d.chance(60);
    for (int64_t factor = 2; factor <= extent; ++factor)
      if (extent % factor == 0 && d.chance(50))
        outer = factor;
    groups.emplace_back();
    for (int64_t part :
         split ? Extents{outer, extent / outer} : Extents{extent}) {
      groups.back().push_back(extents.size());
      bool dynamic = !isStatic && groups.back().size() == 1;
      extents.push_back(part);
      shape.push_back(dynamic ? ShapedType::kDynamic : part);
      mixed.push_back(dynamic ? OpFoldResult(d.index(part))
                              : OpFoldResult(d.getIndexAttr(part)));
    }
  }
  FailureOr<MemRefType> type =
      memref::ExpandShapeOp::computeExpandedType(typeOf(whole), shape, groups);
  if (failed(type))
    return;
  pool.push_back(
      {memref::ExpandShapeOp::create(d, *type, whole.value, groups, mixed),
       extents});
}

void MemoryDraft::addCast() {
  Shaped whole = any();
  MemRefType from = typeOf(whole);
  // Less is said of the extents, sometimes of the strides.
  Extents shape(from.getShape());
  for (int64_t &extent : shape)
    if (d.chance(30))
      extent = ShapedType::kDynamic;
  auto layout = from.getLayout();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(from.getStridesAndOffset(strides, offset)))
    return;
  if (d.chance(40) || !layout.isIdentity()) {
    for (int64_t &stride : strides)
      if (d.chance(40))
        stride = ShapedType::kDynamic;
    if (d.chance(40))
      offset = ShapedType::kDynamic;
    layout = StridedLayoutAttr::get(d.getContext(), offset, strides);
  }
  auto to = MemRefType::get(shape, from.getElementType(), layout);
  if (to == from || !memref::CastOp::areCastCompatible(from, to))
    return;
  pool.push_back({memref::CastOp::create(d, to, whole.value), whole.extents});
}

void MemoryDraft::addTranspose() {
  Shaped whole = any();
  if (whole.rank() == 0)
    return;
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, whole.rank()));
  for (int64_t dim = whole.rank() - 1; dim > 0; --dim)
    std::swap(order[dim], order[d.below(dim + 1)]);
  Extents extents;
  for (int64_t dim : order)
    extents.push_back(whole.extents[dim]);
  auto map = AffineMap::getPermutationMap(order, d.getContext());
  pool.push_back(
      {memref::TransposeOp::create(d, whole.value, AffineMapAttr::get(map)),
       extents});
}

void MemoryDraft::addView() {
  int64_t what = d.below(10);
  if (what < 4)
    return addSubView();
  if (what < 6)
    return addExpand();
  if (what < 8)
    return addCollapse();
  return what < 9 ? addCast() : addTranspose();
}

Value MemoryDraft::mask(ArrayRef<int64_t> shape) {
  VectorType type = VectorType::get(shape, d.getI1Type());
  Extents limits;
  for (int64_t extent : shape)
    limits.push_back(d.between(0, extent));
  switch (d.below(3)) {
  case 0:
    return vector::CreateMaskOp::create(d, type, indices(limits));
  case 1:
    // All of it or nothing.
    if (llvm::is_contained(limits, 0))
      limits.assign(limits.size(), 0);
    return vector::ConstantMaskOp::create(d, type, limits);
  default:
    return d.argument(type, shape);
  }
}

Value MemoryDraft::numbers(VectorType type) {
  return d.argument(type, type.getShape());
}

void MemoryDraft::addElement() {
  Shaped whole = any();
  Extents at;
  for (int64_t extent : whole.extents)
    at.push_back(d.below(extent));
  if (d.chance(40))
    memref::StoreOp::create(d, d.scalar(d.getI32Type()), whole.value,
                            indices(at));
  else
    results.push_back(memref::LoadOp::create(d, whole.value, indices(at)));
}

/// An unmasked or masked access of consecutive elements, all inside.
void MemoryDraft::addVector() {
  Shaped whole = any();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (whole.rank() == 0 ||
      failed(typeOf(whole).getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return;
  Extents at, shape;
  int64_t rank = d.chance(70) ? 1 : d.between(1, whole.rank());
  for (int64_t dim = 0; dim < whole.rank(); ++dim) {
    bool covered = dim >= whole.rank() - rank;
    int64_t size = covered ? d.between(1, whole.extents[dim]) : 1;
    at.push_back(d.between(0, whole.extents[dim] - size));
    if (covered)
      shape.push_back(size);
  }
  VectorType type = ofNumbers(shape);
  SmallVector<Value> place = indices(at);
  switch (d.below(rank == 1 ? 4 : 2)) {
  case 0:
    return results.push_back(
        vector::LoadOp::create(d, type, whole.value, place));
  case 1:
    vector::StoreOp::create(d, numbers(type), whole.value, place);
    return;
  case 2:
    return results.push_back(vector::MaskedLoadOp::create(
        d, type, whole.value, place, mask(shape), numbers(type)));
  default:
    vector::MaskedStoreOp::create(d, whole.value, place, mask(shape),
                                  numbers(type));
  }
}

/// A transfer, with a permutation, a mask and places beyond the border.
void MemoryDraft::addTransfer() {
  Shaped whole = any();
  if (whole.rank() == 0)
    return;
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, whole.rank()));
  int64_t rank = d.between(1, std::min<int64_t>(whole.rank(), 3));
  if (d.chance(30))
    for (int64_t dim = whole.rank() - 1; dim > 0; --dim)
      std::swap(dims[dim], dims[d.below(dim + 1)]);
  dims.erase(dims.begin(), dims.end() - rank);
  Extents at, shape(rank);
  SmallVector<bool> inBounds(rank, true);
  SmallVector<AffineExpr> exprs;
  for (int64_t extent : whole.extents)
    at.push_back(d.below(extent));
  for (auto [place, dim] : llvm::enumerate(dims)) {
    int64_t room = whole.extents[dim] - at[dim];
    bool beyond = d.chance(25);
    shape[place] = beyond ? d.between(1, 4) : d.between(1, room);
    inBounds[place] = shape[place] <= room && d.chance(80);
    exprs.push_back(d.getAffineDimExpr(dim));
  }
  AffineMap map = AffineMap::get(whole.rank(), 0, exprs, d.getContext());
  VectorType type = ofNumbers(shape);
  auto inside = d.getBoolArrayAttr(inBounds);
  // The mask has the shape of what is transferred, before the permutation.
  Value chosen;
  if (d.chance(25))
    chosen = mask(vector::inferTransferOpMaskType(type, map).getShape());
  if (d.chance(40)) {
    vector::TransferWriteOp::create(d, Type(), numbers(type), whole.value,
                                    indices(at), AffineMapAttr::get(map),
                                    chosen, inside);
    return;
  }
  results.push_back(vector::TransferReadOp::create(
      d, type, whole.value, indices(at), AffineMapAttr::get(map),
      d.scalar(d.getI32Type()), chosen, inside));
}

void MemoryDraft::addDim() {
  Shaped whole = any();
  if (whole.rank() > 0)
    results.push_back(
        memref::DimOp::create(d, whole.value, d.below(whole.rank())));
}

void MemoryDraft::addCopy() {
  Shaped to = any();
  Shaped from = d.memory(to.extents);
  memref::CopyOp::create(d, from.value, to.value);
}

void MemoryDraft::addAccess() {
  int64_t what = d.below(12);
  if (what < 3)
    return addElement();
  if (what < 6)
    return addVector();
  if (what < 10)
    return addTransfer();
  return what < 11 ? addDim() : addCopy();
}

/// A loop around accesses that may be invariant.
void MemoryDraft::addLoop() {
  auto loop =
      scf::ForOp::create(d, d.index(0), d.index(d.below(3)), d.index(1));
  size_t visible = pool.size(), values = results.size();
  OpBuilder::InsertionGuard guard(d);
  d.setInsertionPoint(loop.getBody()->getTerminator());
  for (int64_t steps = d.between(1, 3); steps > 0; --steps)
    d.chance(50) ? addView() : addAccess();
  // What is read there is kept in memory that is not aliased.
  for (Value value : ArrayRef(results).drop_front(values)) {
    auto vector = dyn_cast<VectorType>(value.getType());
    if (!vector)
      continue;
    Shaped kept = d.memory(vector.getShape());
    vector::TransferWriteOp::create(
        d, value, kept.value, SmallVector<Value>(vector.getRank(), d.index(0)),
        ArrayRef<bool>(SmallVector<bool>(vector.getRank(), true)));
  }
  pool.truncate(visible);
  results.truncate(values);
}

Program MemoryDraft::make() {
  pool.push_back(d.memory(d.shape(d.between(1, 4))));
  if (d.chance(30))
    pool.push_back(d.memory(d.shape(d.between(1, 3))));
  for (int64_t steps = d.between(2, 7); steps > 0; --steps) {
    if (d.chance(8))
      addLoop();
    else if (d.chance(55))
      addView();
    else
      addAccess();
  }
  addAccess();
  return d.finish(results);
}

Program rewrite_test::makeMemoryProgram(Draft &draft) {
  return MemoryDraft(draft).make();
}
