//===- ScanKernels.cpp - Scan (prefix sum) kernels ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScanKernels.h"
#include "../PreparedLaunch.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

/// 32-bit words of a tile that the lanes of a workgroup hold.
static constexpr int64_t wordsOfTile = 4096;
/// Words that a core scans in straight-line code: few enough to compile at once
/// (VX-249).
static constexpr int64_t wordsOfCore = 512;
/// Bytes of a tile's rows, where the scanned dim is not the last one.
static constexpr int64_t bytesOfRow = 128;
/// Elements of a tile that is not halved to give more workgroups a tile.
static constexpr int64_t leastElements = 1024;
/// Tiles in a workgroup's loop that cost less than two more launches.
static constexpr int64_t mostSteps = 8;
/// Rows that a workgroup scans element by element: one or two subgroups,
/// because other lanes do not make a lane faster, and more compute units have
/// work.
static constexpr int64_t rowsOfSteps = 64;

namespace {
/// A box of a tensor: its offsets and sizes.
struct Box {
  SmallVector<OpFoldResult> offsets, sizes;

  Box without(unsigned dim) const {
    Box rest = *this;
    rest.offsets.erase(rest.offsets.begin() + dim);
    rest.sizes.erase(rest.sizes.begin() + dim);
    return rest;
  }
};

/// Emits the body of one launch, of tiles of a tensor.
class ScanKernelWriter {
public:
  ScanKernelWriter(OpBuilder b, Location loc, const ScanKind &scan,
                   ArrayRef<int64_t> tile)
      : b(b), loc(loc), scan(scan), tile(tile), keptTile(tile),
        element(scan.neutral.getType()) {
    keptTile.erase(keptTile.begin() + scan.dim);
  }

  SmallVector<Value> rows(Value source, Value start);
  SmallVector<Value> totals(Value source);
  SmallVector<Value> parts(Value source, Value before);

private:
  enum class Along { Kept, All };
  scf::ForallOp overTiles(Value source, Along along, ValueRange outs);
  Box tileOf(Value source, Along along);
  Value empty(ArrayRef<OpFoldResult> sizes) {
    return tensor::EmptyOp::create(b, loc, sizes, element);
  }
  OpFoldResult compute(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(0, operands.size(), expr), operands);
  }
  OpFoldResult countAlong(Value source, unsigned dim);
  /// Returns the tile's size along a dim, less at the end of the tensor.
  OpFoldResult sizeFrom(OpFoldResult offset, Value source, unsigned dim);
  Box placeOf(Box of);
  Value slice(Value source, const Box &box, bool dropsDim = false);
  Value read(Value source, ArrayRef<int64_t> shape);
  Value write(Value vector, Value dest);
  Value insert(Value piece, Value dest, const Box &box);
  void give(scf::ForallOp loop, unsigned number, Value piece, const Box &box);
  Value splat(Value scalar) {
    return vector::BroadcastOp::create(
        b, loc, VectorType::get(keptTile, element), scalar);
  }
  Value neutral() { return arith::ConstantOp::create(b, loc, scan.neutral); }
  Value combine(Value lhs, Value rhs) {
    return combineBy(b, loc, scan.combiner, lhs, rhs);
  }
  Value total(Value elements);
  /// The scanned positions of a tile, with the result before it, and the result
  /// at its end.
  struct Scan {
    Value all, last;
  };
  Scan scanned(Value elements, Value before);
  Scan stepped(Value elements, Value before);
  Value walk(scf::ForallOp loop, Value source, const Box &row, Value first);

  OpBuilder b;
  Location loc;
  const ScanKind &scan;
  ArrayRef<int64_t> tile;
  SmallVector<int64_t> keptTile;
  Type element;
  SmallVector<OpFoldResult> counts; // trip counts over workgroups, by dim
  SmallVector<Value> ids;           // indices, by dim
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

OpFoldResult ScanKernelWriter::countAlong(Value source, unsigned dim) {
  return compute(b.getAffineSymbolExpr(0).ceilDiv(tile[dim]),
                 {tensor::getMixedSize(b, loc, source, dim)});
}

OpFoldResult ScanKernelWriter::sizeFrom(OpFoldResult offset, Value source,
                                        unsigned dim) {
  OpFoldResult extent = tensor::getMixedSize(b, loc, source, dim);
  if (tile[dim] == 1)
    return b.getIndexAttr(1);
  AffineExpr o = b.getAffineDimExpr(0), n = b.getAffineSymbolExpr(0),
             whole = b.getAffineConstantExpr(tile[dim]);
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && *known % tile[dim] == 0)
    return b.getIndexAttr(tile[dim]);
  return affine::makeComposedFoldedAffineMin(
      b, loc, AffineMap::get(1, 1, {whole, n - o}, b.getContext()),
      {offset, extent});
}

/// Creates a loop over tiles of `source`, or over those of its kept dims, with
/// one count: which dim has most tiles depends on the shape, and a grid is
/// short along y and z.
scf::ForallOp ScanKernelWriter::overTiles(Value source, Along along,
                                          ValueRange outs) {
  counts.clear();
  for (unsigned dim = 0; dim < tile.size(); ++dim)
    if (dim != scan.dim || along == Along::All)
      counts.push_back(countAlong(source, dim));
  AffineExpr product = b.getAffineConstantExpr(1);
  for (unsigned i = 0; i < counts.size(); ++i)
    product = product * b.getAffineSymbolExpr(i);
  Attribute x =
      gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimX);
  auto loop = scf::ForallOp::create(b, loc, compute(product, counts), outs,
                                    b.getArrayAttr(x));
  b.setInsertionPoint(loop.getTerminator());
  ids = {loop.getInductionVar(0)};
  if (counts.size() > 1)
    ids = llvm::to_vector_of<Value>(
        affine::AffineDelinearizeIndexOp::create(b, loc, ids.front(), counts)
            .getResults());
  return loop;
}

/// Returns the tile of a workgroup, or all positions of its kept dims.
Box ScanKernelWriter::tileOf(Value source, Along along) {
  Box box;
  unsigned number = 0;
  for (unsigned dim = 0; dim < tile.size(); ++dim) {
    if (dim == scan.dim && along == Along::Kept) {
      box.offsets.push_back(b.getIndexAttr(0));
      box.sizes.push_back(tensor::getMixedSize(b, loc, source, dim));
      continue;
    }
    OpFoldResult offset =
        compute(b.getAffineSymbolExpr(0) * tile[dim], {ids[number++]});
    box.offsets.push_back(offset);
    box.sizes.push_back(sizeFrom(offset, source, dim));
  }
  return box;
}

/// Returns the position of a workgroup's result among those of all.
Box ScanKernelWriter::placeOf(Box of) {
  of.offsets[scan.dim] = ids[scan.dim];
  of.sizes[scan.dim] = b.getIndexAttr(1);
  return of;
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

Value ScanKernelWriter::slice(Value source, const Box &box, bool dropsDim) {
  SmallVector<OpFoldResult> ones(box.sizes.size(), b.getIndexAttr(1));
  SmallVector<int64_t> shape = decomposeMixedValues(box.sizes).first;
  if (dropsDim)
    shape.erase(shape.begin() + scan.dim);
  return tensor::ExtractSliceOp::create(b, loc,
                                        RankedTensorType::get(shape, element),
                                        source, box.offsets, box.sizes, ones);
}

static SmallVector<bool> fits(Value tensor, ArrayRef<int64_t> shape) {
  SmallVector<bool> inBounds;
  for (auto [have, want] : llvm::zip_equal(
           cast<RankedTensorType>(tensor.getType()).getShape(), shape))
    inBounds.push_back(have == want);
  return inBounds;
}

static SmallVector<Value> zeros(OpBuilder &b, Location loc, size_t count) {
  return count == 0 ? SmallVector<Value>()
                    : SmallVector<Value>(
                          count, arith::ConstantIndexOp::create(b, loc, 0));
}

/// Reads from a tensor's first elements on; neutral elements follow its end.
Value ScanKernelWriter::read(Value source, ArrayRef<int64_t> shape) {
  return vector::TransferReadOp::create(b, loc, VectorType::get(shape, element),
                                        source, zeros(b, loc, shape.size()),
                                        neutral(), fits(source, shape));
}

Value ScanKernelWriter::write(Value vector, Value dest) {
  ArrayRef<int64_t> shape = cast<VectorType>(vector.getType()).getShape();
  return vector::TransferWriteOp::create(b, loc, vector, dest,
                                         zeros(b, loc, shape.size()),
                                         fits(dest, shape))
      .getResult();
}

Value ScanKernelWriter::insert(Value piece, Value dest, const Box &box) {
  SmallVector<OpFoldResult> ones(box.sizes.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, loc, piece, dest, box.offsets,
                                       box.sizes, ones);
}

/// Inserts a value into the loop's result `number`.
void ScanKernelWriter::give(scf::ForallOp loop, unsigned number, Value piece,
                            const Box &box) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getTerminator().getBody());
  SmallVector<OpFoldResult> ones(box.sizes.size(), b.getIndexAttr(1));
  tensor::ParallelInsertSliceOp::create(b, loc, piece,
                                        loop.getRegionIterArgs()[number],
                                        box.offsets, box.sizes, ones);
}

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

Value distaff::combineBy(OpBuilder &b, Location loc, Operation *combiner,
                         Value lhs, Value rhs) {
  OperationState state(loc, combiner->getName());
  state.addOperands({lhs, rhs});
  state.addTypes(lhs.getType());
  return b.create(state)->getResult(0);
}

Value ScanKernelWriter::total(Value elements) {
  SmallVector<bool> isReduced(tile.size());
  isReduced[scan.dim] = true;
  // The total of a vector of one dim is a scalar.
  Value start = keptTile.empty() ? neutral() : splat(neutral());
  Value sum = vector::MultiDimReductionOp::create(b, loc, elements, start,
                                                  isReduced, *scan.kind);
  return keptTile.empty() ? splat(sum) : sum;
}

ScanKernelWriter::Scan ScanKernelWriter::scanned(Value elements, Value before) {
  auto scans = vector::ScanOp::create(b, loc, *scan.kind, elements,
                                      splat(neutral()), scan.dim,
                                      /*inclusive=*/!scan.isExclusive);
  // A broadcast adds leading dims; a transpose moves the scanned one.
  SmallVector<int64_t> shape = {tile[scan.dim]}, order;
  llvm::append_range(shape, keptTile);
  for (unsigned dim = 0; dim < tile.size(); ++dim)
    order.push_back(dim == scan.dim ? 0 : dim < scan.dim ? dim + 1 : dim);
  Value all = vector::BroadcastOp::create(
      b, loc, VectorType::get(shape, element), before);
  if (scan.dim != 0)
    all = vector::TransposeOp::create(b, loc, all, order);
  // The end of an exclusive scan lacks the last element.
  Value sum = scan.isExclusive ? total(elements) : scans.getAccumulatedValue();
  return {combine(all, scans.getDest()), combine(before, sum)};
}

/// Scans one element of each row.
ScanKernelWriter::Scan ScanKernelWriter::stepped(Value elements, Value before) {
  Value next = combine(before, elements);
  return {scan.isExclusive ? before : next, next};
}

SmallVector<Value> ScanKernelWriter::totals(Value source) {
  SmallVector<OpFoldResult> counts = tensor::getMixedSizes(b, loc, source);
  counts[scan.dim] = countAlong(source, scan.dim);
  Value out = empty(counts);
  OpBuilder::InsertionGuard guard(b);
  scf::ForallOp loop = overTiles(source, Along::All, out);
  Box box = tileOf(source, Along::All);
  Box place = placeOf(box);
  Value piece = slice(loop.getRegionIterArgs()[0], place, /*dropsDim=*/true);
  give(loop, 0, write(total(read(slice(source, box), tile)), piece), place);
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> ScanKernelWriter::parts(Value source, Value before) {
  Value out = empty(tensor::getMixedSizes(b, loc, source));
  OpBuilder::InsertionGuard guard(b);
  scf::ForallOp loop = overTiles(source, Along::All, out);
  Box box = tileOf(source, Along::All);
  Value so = read(slice(before, placeOf(box), /*dropsDim=*/true), keptTile);
  Value all = scanned(read(slice(source, box), tile), so).all;
  give(loop, 0, write(all, slice(loop.getRegionIterArgs()[0], box)), box);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Scans a workgroup's row tile by tile, and returns the result at its end.
Value ScanKernelWriter::walk(scf::ForallOp loop, Value source, const Box &row,
                             Value first) {
  Value out = slice(loop.getRegionIterArgs()[0], row);
  auto makeIndex = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, loc, value);
  };
  auto steps = scf::ForOp::create(
      b, loc, makeIndex(b.getIndexAttr(0)), makeIndex(row.sizes[scan.dim]),
      makeIndex(b.getIndexAttr(tile[scan.dim])), ValueRange{first, out});
  give(loop, 0, steps.getResult(1), row);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(steps.getBody());
  Box box = row;
  box.offsets[scan.dim] = steps.getInductionVar();
  box.sizes[scan.dim] = sizeFrom(steps.getInductionVar(), source, scan.dim);
  Value before = steps.getRegionIterArg(0);
  bool isStep = scan.keepsOrder();
  Value elements =
      read(slice(source, box, isStep), isStep ? ArrayRef(keptTile) : tile);
  Scan tiled = isStep ? stepped(elements, before) : scanned(elements, before);
  // The position in the result, of the workgroup's own row.
  for (OpFoldResult &offset : box.offsets)
    offset = b.getIndexAttr(0);
  box.offsets[scan.dim] = steps.getInductionVar();
  out = steps.getRegionIterArg(1);
  out = insert(write(tiled.all, slice(out, box, isStep)), out, box);
  scf::YieldOp::create(b, loc, ValueRange{tiled.last, out});
  return steps.getResult(0);
}

SmallVector<Value> ScanKernelWriter::rows(Value source, Value start) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, source),
                            kept = sizes;
  kept.erase(kept.begin() + scan.dim);
  SmallVector<Value> outs = {empty(sizes)};
  if (scan.givesLast)
    outs.push_back(empty(kept));
  OpBuilder::InsertionGuard guard(b);
  scf::ForallOp loop = overTiles(source, Along::Kept, outs);
  Box row = tileOf(source, Along::Kept);
  Box end = row.without(scan.dim);
  bool isScalar = !isa<RankedTensorType>(start.getType());
  Value first = isScalar ? splat(start) : read(slice(start, end), keptTile);
  std::optional<int64_t> length = getConstantIntValue(sizes[scan.dim]);
  Value last;
  if (!scan.keepsOrder() && length && *length <= tile[scan.dim]) {
    Scan tiled = scanned(read(slice(source, row), tile), first);
    give(loop, 0, write(tiled.all, slice(loop.getRegionIterArgs()[0], row)),
         row);
    last = tiled.last;
  } else {
    last = walk(loop, source, row, first);
  }
  if (scan.givesLast)
    give(loop, 1, write(last, slice(loop.getRegionIterArgs()[1], end)), end);
  return llvm::to_vector_of<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Returns the rows that are scanned together, contiguous ones first.
static SmallVector<int64_t> tileOfSteps(RankedTensorType type, unsigned dim) {
  SmallVector<int64_t> tile(type.getRank(), 1);
  int64_t left = rowsOfSteps;
  for (unsigned at = tile.size(); at-- > 0;) {
    if (at == dim)
      continue;
    int64_t extent = type.isDynamicDim(at)
                         ? nominalExtent
                         : std::max<int64_t>(1, type.getDimSize(at));
    tile[at] = std::min<int64_t>(left, llvm::PowerOf2Ceil(extent));
    left /= tile[at];
  }
  return tile;
}

/// Returns a tile of `type`: one row, or some columns.
static SmallVector<int64_t>
chooseTile(RankedTensorType type, const ScanKind &scan, const Target &target) {
  if (scan.keepsOrder())
    return tileOfSteps(type, scan.dim);
  int64_t width = scan.neutral.getType().getIntOrFloatBitWidth();
  int64_t words = target.isHost() ? wordsOfCore : wordsOfTile;
  int64_t elements = words / llvm::divideCeil(width, 32);
  auto atMost = [&](unsigned dim, int64_t most) {
    int64_t extent = type.isDynamicDim(dim)
                         ? nominalExtent
                         : std::max<int64_t>(1, type.getDimSize(dim));
    return type.isDynamicDim(dim) && dim == scan.dim
               ? most
               : std::min<int64_t>(most, llvm::PowerOf2Ceil(extent));
  };
  SmallVector<int64_t> tile(type.getRank(), 1);
  if (unsigned last = type.getRank() - 1; last != scan.dim)
    tile[last] = atMost(last, bytesOfRow / llvm::divideCeil(width, 8));
  tile[scan.dim] = atMost(scan.dim, elements / tile.back());
  return tile;
}

/// Returns the number of tiles, with nominal ones for dynamic extents, and the
/// number of tiles along the scanned dim.
static std::pair<int64_t, int64_t> countTiles(RankedTensorType type,
                                              const ScanKind &scan,
                                              ArrayRef<int64_t> tile) {
  int64_t all = 1, steps = 1;
  for (auto [dim, size] : llvm::enumerate(tile)) {
    int64_t count = llvm::divideCeil(
        type.isDynamicDim(dim) ? nominalExtent : type.getDimSize(dim), size);
    all *= count;
    if (dim == scan.dim)
      steps = count;
  }
  return {all, std::max<int64_t>(1, steps)};
}

/// Returns whether each row is scanned sequentially by one workgroup.
static bool walksRows(RankedTensorType type, const ScanKind &scan,
                      ArrayRef<int64_t> tile, const Target &target) {
  auto [all, steps] = countTiles(type, scan, tile);
  int64_t rows = all / steps;
  // The length is dynamic and may have any value.
  if (type.isDynamicDim(scan.dim))
    return rows >= target.computeUnits;
  auto roundsOf = [&](int64_t workgroups) -> int64_t {
    return llvm::divideCeil(workgroups, target.computeUnits);
  };
  return roundsOf(rows) * steps <= mostSteps + 2 * roundsOf(all);
}

/// Halves tiles while there are too few to fill the machine.
static void spread(RankedTensorType type, const ScanKind &scan,
                   SmallVector<int64_t> &tile, const Target &target) {
  int64_t columns = scan.dim + 1 == tile.size() ? 1 : tile.back();
  while (countTiles(type, scan, tile).first < target.computeUnits &&
         tile[scan.dim] * columns > leastElements)
    tile[scan.dim] /= 2;
}

/// Calls a launch of its own, which `write` emits from its arguments.
static SmallVector<Value> callLaunch(
    OpBuilder &b, Location loc, ValueRange operands, StringRef what,
    ArrayRef<Type> results,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> write) {
  auto kernel =
      b.getInsertionBlock()->getParent()->getParentOfType<func::FuncOp>();
  auto function =
      func::FuncOp::create(loc, (kernel.getName() + "__scan").str(),
                           b.getFunctionType(operands.getTypes(), results));
  Block *body = function.addEntryBlock();
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  func::ReturnOp::create(inside, loc, write(inside, body->getArguments()));
  prepareLaunch(function, kernel->getParentOfType<ModuleOp>(), what);
  return llvm::to_vector_of<Value>(
      func::CallOp::create(b, loc, function, operands).getResults());
}

Scanned distaff::callScan(OpBuilder &b, Location loc, Value source, Value start,
                          const ScanKind &scan, const Target &target) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> kept(type.getShape());
  kept.erase(kept.begin() + scan.dim);
  auto end = RankedTensorType::get(kept, type.getElementType());
  SmallVector<int64_t> tile = chooseTile(type, scan, target);
  auto rowsOf = [&](Value source, const ScanKind &scan,
                    ArrayRef<int64_t> tile) {
    SmallVector<Type> types = {source.getType()};
    if (scan.givesLast)
      types.push_back(end);
    SmallVector<Value> results =
        callLaunch(b, loc, {source, start}, "scan of rows", types,
                   [&](OpBuilder &inside, ValueRange args) {
                     return ScanKernelWriter(inside, loc, scan, tile)
                         .rows(args[0], args[1]);
                   });
    return Scanned{results[0], scan.givesLast ? results[1] : Value()};
  };
  if (scan.keepsOrder() || walksRows(type, scan, tile, target))
    return rowsOf(source, scan, tile);
  spread(type, scan, tile, target);
  SmallVector<int64_t> counts(type.getShape());
  if (!type.isDynamicDim(scan.dim))
    counts[scan.dim] = llvm::divideCeil(counts[scan.dim], tile[scan.dim]);
  auto ofParts = RankedTensorType::get(counts, type.getElementType());
  Value totals = callLaunch(
      b, loc, source, "totals of a scan's parts", ofParts,
      [&](OpBuilder &inside, ValueRange args) {
        return ScanKernelWriter(inside, loc, scan, tile).totals(args[0]);
      })[0];
  ScanKind ofTotals = scan;
  ofTotals.isExclusive = true;
  Scanned before =
      rowsOf(totals, ofTotals, chooseTile(ofParts, ofTotals, target));
  Value all = callLaunch(b, loc, {source, before.all}, "scan of parts", type,
                         [&](OpBuilder &inside, ValueRange args) {
                           return ScanKernelWriter(inside, loc, scan, tile)
                               .parts(args[0], args[1]);
                         })[0];
  return {all, before.last};
}
