//===- TensorPrograms.cpp - Slices, pads and reshapes of tensors ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices that drop units anywhere, at offsets that are constants, sums of
// constants or arguments; insertions of such, pads, reshapes, concatenations,
// casts, elements, elementwise ops, and loops and branches around them.
//
//===----------------------------------------------------------------------===//
#include "Draft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::rewrite_test;

namespace {
/// Where a slice is, by number and in IR.
struct Slice {
  Extents offsets, sizes, strides;
  SmallVector<OpFoldResult> mixedOffsets, mixedSizes, mixedStrides;
  /// What its type has: the static sizes that are kept.
  Extents type, extents;
};

class TensorDraft {
public:
  explicit TensorDraft(Draft &d) : d(d) {}
  Program make();

private:
  Shaped any();
  Slice slice(ArrayRef<int64_t> extents);
  RankedTensorType typed(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, d.getI32Type());
  }
  SmallVector<OpFoldResult> extentsOf(const Shaped &whole);
  Value empty(const Shaped &like);
  Value cast(const Shaped &value, ArrayRef<int64_t> shape);
  void add(Value value, ArrayRef<int64_t> extents) {
    pool.push_back({value, Extents(extents)});
  }

  void addSlice();
  void addInsert();
  void addHiddenInsert();
  void addPad();
  void addCollapse();
  void addExpand();
  void addConcat();
  void addCast();
  void addElement();
  void addElementwise();
  void addFill();
  void addDim();
  void addLoop();
  void addLoops();
  void addBranch();
  void addForall();
  void insertPart(scf::ForallOp loop, size_t output, int64_t dim, bool reduces,
                  const Shaped &source, ArrayRef<int64_t> whole);
  void step();

  Draft &d;
  int64_t depth = 0;
  SmallVector<Shaped> pool;
};
} // namespace

Shaped TensorDraft::any() {
  if (pool.empty() || d.chance(10))
    return d.tensor(d.shape(d.between(1, 4)));
  return d.chance(60) ? pool.back() : d.pick(pool);
}

/// A slice of something that is not empty.
Slice TensorDraft::slice(ArrayRef<int64_t> extents) {
  Slice slice;
  for (int64_t extent : extents) {
    int64_t stride = d.chance(15) ? 2 : 1;
    int64_t most = (extent + stride - 1) / stride;
    int64_t size = d.chance(45)   ? std::min<int64_t>(1, most)
                   : d.chance(3)  ? 0
                   : d.chance(40) ? most
                                  : d.between(std::min<int64_t>(1, most), most);
    int64_t room = extent - (size ? (size - 1) * stride + 1 : 0);
    // Even what takes nothing begins inside.
    slice.offsets.push_back(d.between(0, std::min(room, extent - 1)));
    slice.sizes.push_back(size);
    slice.strides.push_back(stride);
  }
  slice.mixedOffsets = d.mixed(slice.offsets);
  slice.mixedSizes = d.mixed(slice.sizes);
  slice.mixedStrides = d.mixed(slice.strides);
  bool reduces = d.chance(60);
  for (auto [size, mixed] : llvm::zip_equal(slice.sizes, slice.mixedSizes)) {
    bool isStatic = isa<Attribute>(mixed);
    if (reduces && isStatic && size == 1 && d.chance(60))
      continue;
    slice.type.push_back(isStatic ? size : ShapedType::kDynamic);
    slice.extents.push_back(size);
  }
  return slice;
}

SmallVector<OpFoldResult> TensorDraft::extentsOf(const Shaped &whole) {
  SmallVector<OpFoldResult> extents;
  for (int64_t dim = 0; dim < whole.rank(); ++dim) {
    if (!whole.type().isDynamicDim(dim))
      extents.push_back(d.getIndexAttr(whole.extents[dim]));
    else if (d.chance(50))
      extents.push_back(tensor::DimOp::create(d, whole.value, dim).getResult());
    else
      extents.push_back(d.index(whole.extents[dim]));
  }
  return extents;
}

Value TensorDraft::empty(const Shaped &like) {
  return tensor::EmptyOp::create(d, extentsOf(like), d.getI32Type());
}

Value TensorDraft::cast(const Shaped &value, ArrayRef<int64_t> shape) {
  RankedTensorType type = typed(shape);
  if (value.value.getType() == type)
    return value.value;
  // From a type that may be static elsewhere, through one that is nowhere.
  Value open = value.value;
  if (!tensor::CastOp::areCastCompatible(open.getType(), type))
    open = tensor::CastOp::create(
        d, typed(Extents(value.rank(), ShapedType::kDynamic)), open);
  return tensor::CastOp::create(d, type, open);
}

void TensorDraft::addSlice() {
  Shaped whole = any();
  if (llvm::is_contained(whole.extents, 0))
    return;
  Slice at = slice(whole.extents);
  add(tensor::ExtractSliceOp::create(d, typed(at.type), whole.value,
                                     at.mixedOffsets, at.mixedSizes,
                                     at.mixedStrides),
      at.extents);
}

void TensorDraft::addInsert() {
  Shaped whole = any();
  if (llvm::is_contained(whole.extents, 0))
    return;
  Slice at = slice(whole.extents);
  SmallVector<Shaped> fitting = llvm::to_vector(llvm::make_filter_range(
      pool, [&](const Shaped &s) { return s.extents == at.extents; }));
  Shaped part =
      !fitting.empty() && d.chance(70) ? d.pick(fitting) : d.tensor(at.extents);
  Value source = cast(part, at.type);
  add(tensor::InsertSliceOp::create(d, source, whole.value, at.mixedOffsets,
                                    at.mixedSizes, at.mixedStrides),
      whole.extents);
}

/// Inserts a part whose extents a cast hides, with units of which some are
/// dropped.
void TensorDraft::addHiddenInsert() {
  int64_t rank = d.between(2, 4);
  Shaped whole = d.tensor(Extents(rank, 3));
  Slice at;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isHidden = d.chance(50), isUnit = !isHidden || d.chance(50);
    int64_t size = isUnit ? 1 : 2;
    at.mixedOffsets.push_back(d.getIndexAttr(d.below(2)));
    at.mixedStrides.push_back(d.getIndexAttr(1));
    at.mixedSizes.push_back(isHidden ? OpFoldResult(d.index(size))
                                     : OpFoldResult(d.getIndexAttr(size)));
    if (!isHidden && d.chance(50))
      continue;
    at.type.push_back(isHidden ? ShapedType::kDynamic : size);
    at.extents.push_back(size);
  }
  Shaped part{d.argument(typed(at.extents), at.extents), at.extents};
  add(tensor::InsertSliceOp::create(d, cast(part, at.type), whole.value,
                                    at.mixedOffsets, at.mixedSizes,
                                    at.mixedStrides),
      whole.extents);
}

void TensorDraft::addPad() {
  Shaped whole = any();
  Extents low, high, extents, shape;
  for (int64_t dim = 0; dim < whole.rank(); ++dim) {
    low.push_back(d.chance(50) ? 0 : d.below(3));
    high.push_back(d.chance(50) ? 0 : d.below(3));
    extents.push_back(low[dim] + whole.extents[dim] + high[dim]);
  }
  SmallVector<OpFoldResult> mixedLow = d.mixed(low), mixedHigh = d.mixed(high);
  for (int64_t dim = 0; dim < whole.rank(); ++dim) {
    bool isStatic = !whole.type().isDynamicDim(dim) &&
                    isa<Attribute>(mixedLow[dim]) &&
                    isa<Attribute>(mixedHigh[dim]);
    shape.push_back(isStatic ? extents[dim] : ShapedType::kDynamic);
  }
  add(tensor::PadOp::create(d, typed(shape), whole.value, mixedLow, mixedHigh,
                            d.scalar(d.getI32Type()), d.chance(15)),
      extents);
}

void TensorDraft::addCollapse() {
  Shaped whole = any();
  if (whole.rank() < 2)
    return;
  SmallVector<ReassociationIndices> groups;
  Extents extents, shape;
  for (int64_t dim = 0; dim < whole.rank(); ++dim) {
    int64_t fixed = whole.type().getDimSize(dim), real = whole.extents[dim];
    if (groups.empty() || d.chance(50)) {
      groups.push_back({dim});
      extents.push_back(real);
      shape.push_back(fixed);
      continue;
    }
    groups.back().push_back(dim);
    extents.back() *= real;
    shape.back() =
        ShapedType::isDynamic(fixed) || ShapedType::isDynamic(shape.back())
            ? ShapedType::kDynamic
            : shape.back() * fixed;
  }
  add(tensor::CollapseShapeOp::create(d, typed(shape), whole.value, groups),
      extents);
}

void TensorDraft::addExpand() {
  Shaped whole = any();
  SmallVector<ReassociationIndices> groups;
  Extents extents, shape;
  SmallVector<OpFoldResult> mixed;
  for (int64_t dim = 0; dim < whole.rank(); ++dim) {
    int64_t rest = whole.extents[dim],
            parts = d.chance(40) ? 1 : d.between(2, 3);
    bool isStatic = !whole.type().isDynamicDim(dim);
    groups.emplace_back();
    int64_t open = d.below(parts);
    for (int64_t part = 0; part < parts; ++part) {
      int64_t factor = rest;
      if (part + 1 < parts) {
        SmallVector<int64_t> factors{1};
        for (int64_t f = 2; f <= rest; ++f)
          if (rest % f == 0)
            factors.push_back(f);
        factor = d.pick(factors);
      }
      rest = factor ? rest / factor : 0;
      groups.back().push_back(extents.size());
      extents.push_back(factor);
      // One extent of a dynamic dimension is dynamic.
      bool dynamic = !isStatic && part == open;
      shape.push_back(dynamic ? ShapedType::kDynamic : factor);
      mixed.push_back(dynamic ? OpFoldResult(d.index(factor))
                              : OpFoldResult(d.getIndexAttr(factor)));
    }
  }
  if (llvm::is_contained(whole.extents, 0))
    return;
  add(tensor::ExpandShapeOp::create(d, typed(shape), whole.value, groups,
                                    mixed),
      extents);
}

void TensorDraft::addConcat() {
  Shaped first = any();
  int64_t dim = d.below(first.rank());
  if (first.rank() == 0)
    return;
  SmallVector<Value> values{first.value};
  Extents extents = first.extents;
  for (int64_t more = d.between(0, 2); more > 0; --more) {
    Extents other = first.extents;
    other[dim] = d.chance(50) ? other[dim] : d.between(1, 3);
    SmallVector<Shaped> fitting = llvm::to_vector(llvm::make_filter_range(
        pool, [&](const Shaped &s) { return s.extents == other; }));
    Shaped next = fitting.empty() ? d.tensor(other) : d.pick(fitting);
    values.push_back(next.value);
    extents[dim] += other[dim];
  }
  add(tensor::ConcatOp::create(d, dim, values), extents);
}

void TensorDraft::addCast() {
  Shaped whole = any();
  add(cast(whole, d.partlyDynamic(whole.extents)), whole.extents);
}

void TensorDraft::addElement() {
  Shaped whole = any();
  SmallVector<Value> at;
  for (int64_t extent : whole.extents) {
    if (extent == 0)
      return;
    at.push_back(d.index(d.below(extent)));
  }
  if (d.chance(50))
    return add(
        tensor::InsertOp::create(d, d.scalar(d.getI32Type()), whole.value, at),
        whole.extents);
  Value element = tensor::ExtractOp::create(d, whole.value, at);
  add(tensor::FromElementsOp::create(
          d, typed({2}), ValueRange{element, d.scalar(d.getI32Type())}),
      {2});
}

void TensorDraft::addElementwise() {
  Shaped whole = any();
  int64_t rank = whole.rank();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (d.chance(40))
    for (int64_t dim = rank - 1; dim > 0; --dim)
      std::swap(order[dim], order[d.below(dim + 1)]);
  // Loops are those of the output.
  SmallVector<AffineExpr> exprs(rank);
  Extents extents, shape;
  SmallVector<OpFoldResult> sizes, all = extentsOf(whole);
  for (auto [place, dim] : llvm::enumerate(order)) {
    exprs[dim] = d.getAffineDimExpr(place);
    extents.push_back(whole.extents[dim]);
    sizes.push_back(all[dim]);
  }
  Value out = tensor::EmptyOp::create(d, sizes, d.getI32Type());
  AffineMap in = AffineMap::get(rank, 0, exprs, d.getContext());
  auto op = linalg::GenericOp::create(
      d, out.getType(), whole.value, out,
      SmallVector<AffineMap>{in, d.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel));
  {
    OpBuilder::InsertionGuard guard(d);
    Block *body = d.createBlock(&op.getRegion(), {},
                                TypeRange{d.getI32Type(), d.getI32Type()},
                                {d.getLoc(), d.getLoc()});
    Value x = body->getArgument(0);
    if (d.chance(70))
      x = arith::MulIOp::create(
          d, x, arith::ConstantIntOp::create(d, d.between(-3, 3), 32));
    linalg::YieldOp::create(d, x);
  }
  add(op.getResult(0), extents);
}

void TensorDraft::addFill() {
  Shaped whole = any();
  Value out = d.chance(50) ? empty(whole) : whole.value;
  add(linalg::FillOp::create(d, d.scalar(d.getI32Type()), out).getResult(0),
      whole.extents);
}

void TensorDraft::addDim() {
  Shaped whole = any();
  if (whole.rank() == 0)
    return;
  Value extent = tensor::DimOp::create(d, whole.value, d.below(whole.rank()));
  Value number = arith::IndexCastOp::create(d, d.getI32Type(), extent);
  add(tensor::FromElementsOp::create(d, typed({1}), number), {1});
}

/// A loop that changes parts of a tensor, at the counter or elsewhere.
void TensorDraft::addLoop() {
  Shaped whole = any();
  int64_t trips = d.below(3);
  auto loop = scf::ForOp::create(d, d.index(0), d.index(trips), d.index(1),
                                 whole.value);
  size_t outside = pool.size();
  {
    OpBuilder::InsertionGuard guard(d);
    if (loop.getBody()->mightHaveTerminator())
      loop.getBody()->getTerminator()->erase();
    d.setInsertionPointToEnd(loop.getBody());
    pool.push_back({loop.getRegionIterArg(0), whole.extents});
    step();
    SmallVector<Shaped> fitting = llvm::to_vector(llvm::make_filter_range(
        pool, [&](const Shaped &s) { return s.extents == whole.extents; }));
    scf::YieldOp::create(d,
                         cast(d.chance(60) ? fitting.back() : d.pick(fitting),
                              whole.type().getShape()));
  }
  pool.truncate(outside);
  add(loop.getResult(0), whole.extents);
}

/// A loop that changes the same element in every iteration, and loops in it
/// that start from what it carries, or from each other's results.
void TensorDraft::addLoops() {
  Shaped whole = d.tensor({d.between(2, 4)});
  Value part = cast(d.tensor({1}), {1});
  auto loop = scf::ForOp::create(d, d.index(0), d.index(d.below(4)), d.index(1),
                                 whole.value);
  auto element = [&](Value of) {
    return tensor::ExtractOp::create(d, of, d.index(d.below(whole.extents[0])));
  };
  auto sliceAt = [&](int64_t place) {
    return SmallVector<OpFoldResult>{d.getIndexAttr(place)};
  };
  SmallVector<OpFoldResult> one = sliceAt(1);
  {
    OpBuilder::InsertionGuard guard(d);
    if (loop.getBody()->mightHaveTerminator())
      loop.getBody()->getTerminator()->erase();
    d.setInsertionPointToEnd(loop.getBody());
    SmallVector<Value> values{loop.getRegionIterArg(0)};
    int64_t place = d.below(whole.extents[0]);
    SmallVector<OpFoldResult> at = sliceAt(place);
    Value old = tensor::ExtractSliceOp::create(d, typed({1}), values.front(),
                                               at, one, one);
    for (int64_t loops = d.between(1, 3); loops > 0; --loops) {
      Value from = d.chance(70) ? values.front() : d.pick(values);
      auto inner = scf::ForOp::create(
          d, d.index(0), d.index(d.below(3)), d.index(1), from,
          [&](OpBuilder &, Location loc, Value, ValueRange carried) {
            SmallVector<OpFoldResult> other =
                sliceAt((place + d.between(1, whole.extents[0] - 1)) %
                        whole.extents[0]);
            Value changed = tensor::InsertSliceOp::create(
                d, part, carried.front(), other, one, one);
            scf::YieldOp::create(d, changed);
          });
      values.push_back(inner.getResult(0));
    }
    Value sum =
        arith::AddIOp::create(d, tensor::ExtractOp::create(d, old, d.index(0)),
                              element(d.pick(values)));
    Value next = tensor::FromElementsOp::create(d, typed({1}), sum);
    Value changed =
        tensor::InsertSliceOp::create(d, next, d.pick(values), at, one, one);
    scf::YieldOp::create(d, changed);
  }
  add(loop.getResult(0), whole.extents);
}

void TensorDraft::addBranch() {
  Shaped whole = any();
  Value go =
      arith::CmpIOp::create(d, arith::CmpIPredicate(d.below(10)),
                            d.scalar(d.getI32Type()), d.scalar(d.getI32Type()));
  auto branch = scf::IfOp::create(d, whole.value.getType(), go, true);
  size_t outside = pool.size();
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    OpBuilder::InsertionGuard guard(d);
    d.setInsertionPointToStart(block);
    pool.push_back(whole);
    step();
    SmallVector<Shaped> fitting = llvm::to_vector(llvm::make_filter_range(
        pool, [&](const Shaped &s) { return s.extents == whole.extents; }));
    scf::YieldOp::create(d, cast(fitting.back(), whole.type().getShape()));
    pool.truncate(outside);
  }
  add(branch.getResult(0), whole.extents);
}

/// Workers that each insert a part of their own into one tensor or two, which
/// may be casts, in any order.
void TensorDraft::addForall() {
  Shaped whole = any();
  if (whole.rank() == 0 || llvm::is_contained(whole.extents, 0))
    return;
  int64_t dim = d.below(whole.rank()), workers = whole.extents[dim];
  SmallVector<Value> outputs{whole.value};
  if (d.chance(40)) {
    Shaped other = d.tensor(whole.extents);
    outputs = {cast(whole, d.partlyDynamic(whole.extents)),
               cast(other, d.partlyDynamic(whole.extents))};
  }
  SmallVector<Shaped> sources;
  bool reduces = d.chance(60);
  for (size_t output = 0; output < outputs.size(); ++output) {
    Extents part = whole.extents;
    part[dim] = 1;
    if (reduces)
      part.erase(part.begin() + dim);
    sources.push_back(d.tensor(part));
  }
  auto loop = scf::ForallOp::create(
      d, SmallVector<OpFoldResult>{d.mixed(workers)}, outputs, std::nullopt);
  SmallVector<size_t> order =
      llvm::to_vector(llvm::seq<size_t>(0, outputs.size()));
  if (d.chance(50))
    std::reverse(order.begin(), order.end());
  for (size_t output : order)
    insertPart(loop, output, dim, reduces, sources[output], whole.extents);
  for (Value result : loop.getResults())
    add(result, whole.extents);
}

/// Inserts into an output of the loop the part at its counter along `dim`.
void TensorDraft::insertPart(scf::ForallOp loop, size_t output, int64_t dim,
                             bool reduces, const Shaped &source,
                             ArrayRef<int64_t> whole) {
  OpBuilder::InsertionGuard guard(d);
  d.setInsertionPoint(loop.getTerminator());
  Extents offsets(whole.size(), 0), sizes(whole);
  sizes[dim] = 1;
  SmallVector<OpFoldResult> at = d.mixed(offsets), extents = d.mixed(sizes);
  at[dim] = loop.getInductionVar(0);
  extents[dim] = d.getIndexAttr(1);
  Extents type;
  for (auto [place, extent] : llvm::enumerate(extents))
    if (!reduces || int64_t(place) != dim)
      type.push_back(isa<Attribute>(extent) ? sizes[place]
                                            : ShapedType::kDynamic);
  Value value = cast(source, type);
  d.setInsertionPointToEnd(loop.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(
      d, value, loop.getRegionIterArgs()[output], at, extents,
      SmallVector<OpFoldResult>(whole.size(), d.getIndexAttr(1)));
}

void TensorDraft::step() {
  int64_t what = d.below(depth ? 18 : 23);
  ++depth;
  if (what < 5)
    addSlice();
  else if (what < 8)
    addInsert();
  else if (what < 10)
    addPad();
  else if (what < 11)
    addCollapse();
  else if (what < 12)
    addExpand();
  else if (what < 13)
    addConcat();
  else if (what < 14)
    addCast();
  else if (what < 15)
    addElement();
  else if (what < 16)
    addElementwise();
  else if (what < 17)
    addFill();
  else if (what < 18)
    addDim();
  else if (what < 19)
    addLoop();
  else if (what < 20)
    addBranch();
  else if (what < 21)
    addForall();
  else if (what < 22)
    addLoops();
  else
    addHiddenInsert();
  --depth;
}

Program TensorDraft::make() {
  pool.push_back(d.tensor(d.shape(d.between(1, 4))));
  for (int64_t steps = d.between(2, 6); steps > 0; --steps)
    step();
  SmallVector<Value> results{pool.back().value};
  if (pool.size() > 2)
    results.push_back(pool[pool.size() - 2].value);
  return d.finish(results);
}

Program rewrite_test::makeTensorProgram(Draft &draft) {
  return TensorDraft(draft).make();
}
