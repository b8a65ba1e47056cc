//===- Scans.cpp - Scans (prefix sums) from loops -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for %i = 0 to 4096 iter_args(%sum = %a, %o = %e) {
//     %x = extract_slice %v[0, %i]
//     %s = addf %sum, %x
//     %p = insert_slice %s into %o[0, %i]
//   }
//
// becomes launches that scan (ScanKernels.h). A short scan is a reduction with
// a mask, which fuses with other ops:
//
//   o[m, i] = a[m] + sum over j <= i of v[m, j]
//
// Positions n - 1 - i, in reverse, are those of a reversed tensor.
//
//===----------------------------------------------------------------------===//
#include "distaff/Launches/Scans/Scans.h"
#include "../Normalize/CountedPlaces.h"
#include "../Normalize/InputLegality.h"
#include "LogSumExpScans.h"
#include "ScanKernels.h"
#include "ScanLoop.h"
#include "distaff/Analysis/Linalg/CombiningIdentity.h"
#include "distaff/Kernel/ExtentFormulas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;

namespace {
/// Emits the ops that compute a scan.
class ScanWriter {
public:
  ScanWriter(RewriterBase &rewriter, ScanLoop scan, const Target &target,
             const ExtentFormulas &formulas, bool keepsOrder)
      : rewriter(rewriter), scan(scan), target(target), formulas(formulas),
        loc(scan.loop->getLoc()), neutral(scan.neutral),
        keepsOrder(keepsOrder) {}

  void write();

private:
  Value combine(OpBuilder &b, Value lhs, Value rhs) const {
    return combineBy(b, loc, scan.combiner, lhs, rhs);
  }
  Value emptyOf(ArrayRef<OpFoldResult> sizes);
  Value startOf(Value start, ArrayRef<OpFoldResult> sizes, unsigned dim);
  Value totals(Value source, unsigned dim, Value start);
  Value scanWhole(Value source, ArrayRef<OpFoldResult> sizes, unsigned dim,
                  bool isExclusive, Value start);
  bool isShort() const;
  bool comparesStart() const;
  Value combineStart(Value start, Value all, std::optional<unsigned> dim);
  Scanned scanByLaunches(ArrayRef<OpFoldResult> sizes, Value start);
  Scanned scanLong(ArrayRef<OpFoldResult> sizes, Value start);
  SmallVector<ReassociationIndices> groupsAround(unsigned rank) const;

  RewriterBase &rewriter;
  ScanLoop scan;
  const Target &target;
  const ExtentFormulas &formulas;
  Location loc;
  TypedAttr neutral;
  bool keepsOrder;
};
} // namespace

/// The longest scan in which each position is combined from the first one on.
static constexpr int64_t shortLength = 128;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Value ScanWriter::emptyOf(ArrayRef<OpFoldResult> sizes) {
  return tensor::EmptyOp::create(rewriter, loc, sizes, neutral.getType());
}

static SmallVector<utils::IteratorType> parallel(unsigned count) {
  return SmallVector<utils::IteratorType>(count, utils::IteratorType::parallel);
}

/// Returns `start`, a scalar or a tensor without `dim`, for all positions along
/// the dim.
Value ScanWriter::startOf(Value start, ArrayRef<OpFoldResult> sizes,
                          unsigned dim) {
  Value empty = emptyOf(sizes);
  if (!isa<RankedTensorType>(start.getType()))
    return linalg::FillOp::create(rewriter, loc, start, empty).getResult(0);
  SmallVector<AffineExpr> places;
  unsigned rank = sizes.size();
  for (unsigned at = 0; at < rank; ++at)
    if (at != dim)
      places.push_back(rewriter.getAffineDimExpr(at));
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), start, empty,
             ArrayRef<AffineMap>{
                 AffineMap::get(rank, 0, places, rewriter.getContext()),
                 rewriter.getMultiDimIdentityMap(rank)},
             parallel(rank),
             [&](OpBuilder &b, Location, ValueRange args) {
               linalg::YieldOp::create(b, loc, args[0]);
             })
      .getResult(0);
}

/// Scans each position from the first one on, in one reduction with a mask.
Value ScanWriter::scanWhole(Value source, ArrayRef<OpFoldResult> sizes,
                            unsigned dim, bool isExclusive, Value start) {
  unsigned rank = sizes.size();
  SmallVector<AffineExpr> places, results;
  for (unsigned at = 0; at < rank; ++at) {
    results.push_back(rewriter.getAffineDimExpr(at));
    places.push_back(rewriter.getAffineDimExpr(at == dim ? rank : at));
  }
  SmallVector<utils::IteratorType> iterators = parallel(rank);
  iterators.push_back(utils::IteratorType::reduction);
  Value init = startOf(start, sizes, dim);
  MLIRContext *context = rewriter.getContext();
  auto before =
      isExclusive ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sle;
  return linalg::GenericOp::create(
             rewriter, loc, init.getType(), source, init,
             ArrayRef<AffineMap>{AffineMap::get(rank + 1, 0, places, context),
                                 AffineMap::get(rank + 1, 0, results, context)},
             iterators,
             [&](OpBuilder &b, Location, ValueRange args) {
               Value counts = arith::CmpIOp::create(
                   b, loc, before, linalg::IndexOp::create(b, loc, rank),
                   linalg::IndexOp::create(b, loc, dim));
               Value none = arith::ConstantOp::create(b, loc, neutral);
               Value term =
                   arith::SelectOp::create(b, loc, counts, args[0], none);
               linalg::YieldOp::create(b, loc, combine(b, args[1], term));
             })
      .getResult(0);
}

/// Returns `start` and all elements along a dim, combined.
Value ScanWriter::totals(Value source, unsigned dim, Value start) {
  unsigned rank = cast<RankedTensorType>(source.getType()).getRank();
  SmallVector<utils::IteratorType> iterators = parallel(rank);
  iterators[dim] = utils::IteratorType::reduction;
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  return linalg::GenericOp::create(
             rewriter, loc, start.getType(), source, start,
             ArrayRef<AffineMap>{identity, identity.dropResult(dim)}, iterators,
             [&](OpBuilder &b, Location, ValueRange args) {
               linalg::YieldOp::create(b, loc, combine(b, args[1], args[0]));
             })
      .getResult(0);
}

bool ScanWriter::isShort() const {
  auto type = cast<RankedTensorType>(scan.source.getType());
  return !type.isDynamicDim(scan.dim) &&
         type.getDimSize(scan.dim) <= shortLength;
}

/// Returns whether a launch has to compare the extents of the start with those
/// of the scanned tensor, which a loop over workgroups would not.
bool ScanWriter::comparesStart() const {
  scf::ForOp loop = scan.loop;
  Value start = loop.getInitArgs()[scan.sum];
  auto type = dyn_cast<RankedTensorType>(start.getType());
  if (!type || start.getDefiningOp<linalg::FillOp>())
    return false;
  int64_t rank = cast<RankedTensorType>(scan.source.getType()).getRank();
  unsigned at = 0;
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (dim == scan.dim) {
      at += type.getRank() == rank;
      continue;
    }
    AffineExpr extent = formulas.extentOf(scan.source, dim);
    if (!extent || extent != formulas.extentOf(start, at++))
      return true;
  }
  return false;
}

/// Combines a scan from nothing with `start`: for all positions along a dim, or
/// for the end.
Value ScanWriter::combineStart(Value start, Value all,
                               std::optional<unsigned> dim) {
  unsigned rank = cast<RankedTensorType>(all.getType()).getRank();
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank),
            kept = dim ? identity.dropResult(*dim) : identity;
  Value empty = emptyOf(tensor::getMixedSizes(rewriter, loc, all));
  return linalg::GenericOp::create(
             rewriter, loc, all.getType(), ValueRange{start, all}, empty,
             ArrayRef<AffineMap>{kept, identity, identity}, parallel(rank),
             [&](OpBuilder &b, Location, ValueRange args) {
               linalg::YieldOp::create(b, loc, combine(b, args[0], args[1]));
             })
      .getResult(0);
}

/// Groups the dims before the scanned one into one dim, and those after it.
static SmallVector<ReassociationIndices> groupsBeside(unsigned dim,
                                                      unsigned rank) {
  SmallVector<ReassociationIndices> groups;
  for (unsigned at = 0; at < rank; ++at) {
    if (at == 0 || at == dim || at == dim + 1)
      groups.emplace_back();
    groups.back().push_back(at);
  }
  return groups;
}

/// Scans by launches of their own, of at most three dims.
Scanned ScanWriter::scanByLaunches(ArrayRef<OpFoldResult> sizes, Value start) {
  unsigned rank = sizes.size(), after = rank - scan.dim - 1;
  ScanKind kind;
  kind.combiner = scan.combiner;
  if (!keepsOrder)
    kind.kind = linalg::getCombinerOpKind(scan.combiner);
  kind.neutral = neutral;
  kind.dim = std::min(scan.dim, 1u);
  kind.isExclusive = scan.isExclusive;
  kind.givesLast = !scan.loop.getResult(scan.sum).use_empty();
  if (scan.dim <= 1 && after <= 1)
    return callScan(rewriter, loc, scan.source, start, kind, target);
  SmallVector<ReassociationIndices> groups = groupsBeside(scan.dim, rank), kept;
  for (unsigned at = 0; at + 1 < rank; ++at) {
    if (at == 0 || at == scan.dim)
      kept.emplace_back();
    kept.back().push_back(at);
  }
  SmallVector<OpFoldResult> keptSizes(sizes);
  keptSizes.erase(keptSizes.begin() + scan.dim);
  auto collapse = [&](Value value, ArrayRef<ReassociationIndices> by) {
    return tensor::CollapseShapeOp::create(rewriter, loc, value, by)
        .getResult();
  };
  auto expand = [&](Value value, ArrayRef<OpFoldResult> to,
                    ArrayRef<ReassociationIndices> by) -> Value {
    auto type = RankedTensorType::get(decomposeMixedValues(to).first,
                                      neutral.getType());
    return tensor::ExpandShapeOp::create(rewriter, loc, type, value, by, to);
  };
  if (isa<RankedTensorType>(start.getType()))
    start = collapse(start, kept);
  Scanned flat = callScan(rewriter, loc, collapse(scan.source, groups), start,
                          kind, target);
  return {expand(flat.all, sizes, groups),
          flat.last ? expand(flat.last, keptSizes, kept) : Value()};
}

/// Groups each dim by itself, except the scanned one with a neighbor.
SmallVector<ReassociationIndices>
ScanWriter::groupsAround(unsigned rank) const {
  SmallVector<ReassociationIndices> groups;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim == 0 || dim != std::max(scan.dim, 1u))
      groups.push_back({int64_t(dim)});
    else
      groups.back().push_back(dim);
  return rank == 1 ? SmallVector<ReassociationIndices>() : groups;
}

Scanned ScanWriter::scanLong(ArrayRef<OpFoldResult> sizes, Value start) {
  if (!comparesStart())
    return scanByLaunches(sizes, start);
  Value none = arith::ConstantOp::create(rewriter, loc, neutral);
  Scanned scanned = scanByLaunches(sizes, none);
  return {combineStart(start, scanned.all, scan.dim),
          scanned.last ? combineStart(start, scanned.last, {}) : Value()};
}

void ScanWriter::write() {
  scf::ForOp loop = scan.loop;
  rewriter.setInsertionPoint(loop);
  if (scan.readsBackwards)
    scan.source = reversed(rewriter, loc, scan.source, scan.dim);
  Value start = loop.getInitArgs()[scan.sum];
  auto type = dyn_cast<RankedTensorType>(start.getType());
  SmallVector<ReassociationIndices> groups;
  bool isKept =
      type &&
      type.getRank() == cast<RankedTensorType>(scan.source.getType()).getRank();
  if (isKept)
    groups = groupsAround(type.getRank());
  Value sum =
      isKept ? tensor::CollapseShapeOp::create(rewriter, loc, start, groups)
                   .getResult()
             : start;
  // The scalar of a fill is all that is needed.
  auto fill = start.getDefiningOp<linalg::FillOp>();
  start = fill ? fill.value() : sum;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, scan.source);
  bool isRead = !loop.getResult(scan.sum).use_empty(),
       isOnlySum = loop.getResult(scan.out).use_empty();
  Value all = loop.getInitArgs()[scan.out];
  if (!scan.combiner) {
    Scanned scanned = scanByLogSumExp(rewriter, loc, scan.source, start,
                                      scan.dim, scan.isExclusive);
    all = scanned.all;
    if (isRead)
      sum = scanned.last;
  } else if (getConstantIntValue(sizes[scan.dim]) == 1) {
    all = startOf(start, sizes, scan.dim);
    if (!scan.isExclusive)
      all = combine(rewriter, all, scan.source);
    if (isRead)
      sum = totals(scan.source, scan.dim, sum);
  } else if (isOnlySum) {
    sum = totals(scan.source, scan.dim, sum);
  } else if (isShort() || (keepsOrder && comparesStart())) {
    all = scanWhole(scan.source, sizes, scan.dim, scan.isExclusive, start);
    if (isRead)
      sum = totals(scan.source, scan.dim, sum);
  } else {
    Scanned scanned = scanLong(sizes, start);
    all = scanned.all;
    if (isRead)
      sum = scanned.last;
  }
  if (isKept)
    sum = tensor::ExpandShapeOp::create(rewriter, loc, type, sum, groups);
  if (scan.writesBackwards && !isOnlySum)
    all = reversed(rewriter, loc, all, scan.dim);
  SmallVector<Value> results(2);
  results[scan.out] = all;
  results[scan.sum] = sum;
  rewriter.replaceOp(loop, results);
}

/// Returns whether a scan by log(exp + exp) is computed in parts. Where each
/// lane has a row of its own, a sequential loop needs the fewest exponentials.
static bool sharesLogSumExp(ScanLoop scan, const Target &target,
                            bool strictFp) {
  auto type = cast<RankedTensorType>(scan.source.getType());
  if (strictFp || target.isHost() || type.isDynamicDim(scan.dim) ||
      type.getDimSize(scan.dim) == 0 ||
      scan.loop.getResult(scan.out).use_empty())
    return false;
  int64_t rows = 1;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (dim != scan.dim)
      rows *= type.isDynamicDim(dim) ? nominalExtent : type.getDimSize(dim);
  return rows < target.computeUnits * target.subgroupSize;
}

void distaff::allowAnyOrder(func::FuncOp kernel, ArrayRef<int64_t> extents) {
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return;
  kernel.walk([&](scf::ForOp loop) {
    std::optional<ScanLoop> scan = ScanLoop::match(loop, *formulas);
    if (!scan || !dependsOnOrder(scan->combiner))
      return;
    std::optional<SmallVector<int64_t>> length = evaluate(
        formulas->mapTo(formulas->extentOf(scan->source, scan->dim)), extents);
    if (!length)
      return;
    scan->combiner->setAttr(
        "any_order",
        Builder(loop).getDenseI64ArrayAttr({length->front() + 1, scan->term}));
  });
}

void distaff::raiseScans(func::FuncOp kernel, const Target &target,
                         bool strictFp) {
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return; // a later check reports it
  IRRewriter rewriter(kernel.getContext());
  // A result that is not read is no launch.
  eraseUnread(kernel);
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    if (std::optional<ScanLoop> scan = ScanLoop::match(loop, *formulas);
        scan && (scan->combiner || sharesLogSumExp(*scan, target, strictFp)))
      ScanWriter(rewriter, *scan, target, *formulas,
                 strictFp && dependsOnOrder(scan->combiner))
          .write();
}
