//===- SliceScans.cpp - Scans carried from tile to tile -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of a scan depends on the combined value of all tiles before it along
// the scanned dim, so that tiles are computed in order, in a loop that carries
// this value (VX-165):
//
//   a = initial value
//   for i in 0, 32, 64, ...: y[i..] = exclusive scan of x[i..] from a
//                            a = a + sum of x[i..]
//
// An inclusive scan ignores its initial value, and begins with an identity. The
// last value of a scan is a reduction, whose tiles may have any order.
//
//===----------------------------------------------------------------------===//
#include "Slicer.h"
#include "distaff/Analysis/Linalg/CombiningIdentity.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using namespace distaff::vectortiles;
using vector::CombiningKind;

bool vectortiles::canScanByTiles(vector::ScanOp scan, const Machine &machine) {
  VectorType type = scan.getSourceType();
  return !machine.isHost && !type.isScalable() &&
         typeToCombineIn(scan.getKind(), type.getElementType()) ==
             type.getElementType();
}

static Value identitiesOf(OpBuilder &b, vector::ScanOp op, VectorType type) {
  return arith::ConstantOp::create(
      b, op.getLoc(),
      DenseElementsAttr::get(type,
                             identityOf(op.getKind(), type.getElementType())));
}

/// Returns `part` without one dim.
static Slice withoutDim(Slice part, unsigned dim) {
  part.offsets.erase(part.offsets.begin() + dim);
  part.sizes.erase(part.sizes.begin() + dim);
  return part;
}

/// Broadcasts a vector along a new dim.
static Value repeatAlong(OpBuilder &b, Location loc, Value value, unsigned dim,
                         VectorType type) {
  SmallVector<int64_t> shape = {type.getDimSize(dim)}, permutation;
  llvm::append_range(shape, cast<VectorType>(value.getType()).getShape());
  Value repeated = vector::BroadcastOp::create(
      b, loc, VectorType::get(shape, type.getElementType()), value);
  for (int64_t each = 1; each < type.getRank(); ++each)
    permutation.push_back(each);
  permutation.insert(permutation.begin() + dim, 0);
  return dim == 0 ? repeated
                  : vector::TransposeOp::create(b, loc, repeated, permutation)
                        .getResult();
}

//===----------------------------------------------------------------------===//
// Tiles in order
//===----------------------------------------------------------------------===//

/// Returns the carried value of the first tile of a scan. For a vector of one
/// dim it is a vector of one element.
Value Slicer::scanBegin(const OrderedScan &scan, const Slice &part) {
  Slice own;
  for (int dim : scan.dims) {
    own.offsets.push_back(part.offsets[dim]);
    own.sizes.push_back(part.sizes[dim]);
  }
  vector::ScanOp op = scan.op;
  Slice kept = withoutDim(own, op.getReductionDim());
  VectorType type = typeOf(op.getInitialValue(), kept);
  VectorType carriedType =
      kept.sizes.empty() ? VectorType::get({1}, type.getElementType()) : type;
  if (op.getInclusive())
    return identitiesOf(builder, op, carriedType);
  Value begin = slice(op.getInitialValue(), kept);
  if (type == carriedType)
    return begin;
  return vector::BroadcastOp::create(builder, op.getLoc(), carriedType, begin);
}

void Slicer::tilesInOrder(ArrayRef<OrderedScan> scans, const Slice &part,
                          int64_t extent, int64_t tile, int64_t rest,
                          llvm::function_ref<void(Offset, int64_t)> body) {
  auto step = [&](Offset at, int64_t size, ValueRange values) {
    for (auto [scan, value] : llvm::zip_equal(scans, values))
      carried[scan.op] = value;
    body(at, size);
    return llvm::map_to_vector(scans, [&](const OrderedScan &scan) {
      return carried.lookup(scan.op);
    });
  };
  // The offset of a single tile, whose slices must not be hoisted above the
  // carried values.
  auto single = [&](int64_t begin, int64_t outside) -> Offset {
    Value base = arith::ConstantIndexOp::create(builder, loc, begin);
    depths[base] = levels.size() - 1;
    return {base, 0, outside};
  };
  SmallVector<Value> values = llvm::map_to_vector(
      scans, [&](const OrderedScan &scan) { return scanBegin(scan, part); });
  int64_t whole = extent / tile * tile;
  if (whole > tile)
    values = loop(0, whole, tile, values, [&](Offset at, ValueRange carried) {
      return step(at, tile, carried);
    });
  else if (whole == tile)
    values = step(single(0, 0), tile, values);
  if (whole < extent) {
    int64_t size = std::max(extent - whole, rest);
    step(single(whole, whole + size - extent), size, values);
  }
}

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

Value Slicer::scan(vector::ScanOp op, const Slice &part) {
  Location loc = op.getLoc();
  Value elements = slice(op.getSource(), part);
  auto own = cast<VectorType>(elements.getType());
  VectorType type = own;
  int64_t dim = op.getReductionDim();
  if (own.getRank() == 1) { // a row
    type = VectorType::get({1, own.getDimSize(0)}, own.getElementType());
    elements = vector::ShapeCastOp::create(builder, loc, type, elements);
    dim = 1;
  }
  auto combine = [&](Value lhs, Value rhs) -> Value {
    return vector::makeArithReduction(builder, loc, op.getKind(), lhs, rhs);
  };
  Value &before = carried[op];
  Value result;
  if (op.getInclusive() &&
      mayReorder(type.getElementType(), op.getKind(), machine)) {
    auto scan = vector::ScanOp::create(
        builder, loc, op.getKind(), elements,
        identitiesOf(builder, op, cast<VectorType>(before.getType())), dim,
        /*inclusive=*/true);
    result =
        combine(repeatAlong(builder, loc, before, dim, type), scan.getDest());
    before = combine(before, scan.getAccumulatedValue());
  } else {
    auto scan = vector::ScanOp::create(builder, loc, op.getKind(), elements,
                                       before, dim, /*inclusive=*/false);
    result = scan.getDest();
    if (op.getInclusive())
      result = combine(result, elements);
    SmallVector<bool> reduced(type.getRank(), false);
    reduced[dim] = true;
    before = vector::MultiDimReductionOp::create(builder, loc, elements, before,
                                                 reduced, op.getKind());
  }
  if (type == own)
    return result;
  return vector::ShapeCastOp::create(builder, loc, own, result);
}

/// Returns the last value of a scan along its dim.
Value Slicer::scanTotal(vector::ScanOp op, const Slice &part) {
  Location loc = op.getLoc();
  VectorType source = op.getSourceType();
  unsigned dim = op.getReductionDim();
  SmallVector<bool> reduced(source.getRank(), false);
  reduced[dim] = true;
  VectorType type = typeOf(op.getAccumulatedValue(), part);
  Value elements = op.getSource();
  Value begin;
  if (op.getInclusive()) {
    begin = identitiesOf(builder, op, type);
  } else { // all but the last
    begin = slice(op.getInitialValue(), part);
    if (source.getDimSize(dim) == 1)
      return begin;
    SmallVector<int64_t> sizes(source.getShape());
    --sizes[dim];
    OpBuilder before(op);
    elements = vector::ExtractStridedSliceOp::create(
        before, loc, elements, SmallVector<int64_t>(sizes.size(), 0), sizes,
        SmallVector<int64_t>(sizes.size(), 1));
  }
  if (!part.sizes.empty())
    return reduce(op, op.getKind(), elements, begin, reduced, part);
  Value first =
      vector::ExtractOp::create(builder, loc, begin, ArrayRef<int64_t>());
  Value total = reduce(op, op.getKind(), elements, first, reduced, part);
  return vector::BroadcastOp::create(builder, loc, type, total);
}
