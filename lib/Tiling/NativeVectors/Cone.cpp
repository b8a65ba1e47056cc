//===- Cone.cpp - Backward slice of a root --------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Cone.h"
#include "BufferAccess.h"
#include "CodeSize.h"
#include "ContractionView.h"
#include "NativeShape.h"
#include "SliceIntrinsics.h"
#include "Slicer.h"
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace distaff;
using namespace distaff::vectortiles;

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> vectortiles::rootShape(Operation *root) {
  auto shapeOf = [](Value value) -> ArrayRef<int64_t> {
    auto type = dyn_cast<VectorType>(value.getType());
    return type ? type.getShape() : ArrayRef<int64_t>();
  };
  return llvm::TypeSwitch<Operation *, ArrayRef<int64_t>>(root)
      .Case([&](vector::TransferWriteOp op) {
        return shapeOf(op.getValueToStore());
      })
      .Case<vector::StoreOp, vector::MaskedStoreOp, vector::ScatterOp>(
          [&](auto op) { return shapeOf(op.getValueToStore()); })
      .Default([&](Operation *op) { return shapeOf(op->getResult(0)); });
}

//===----------------------------------------------------------------------===//
// The traversal
//===----------------------------------------------------------------------===//

namespace {
/// Maps each dim of a value to a dim of the root; -1 for a dim that is iterated
/// inside of a tile.
struct RootDims : SmallVector<int, 4> {
  using SmallVector::SmallVector;
  /// Whether the elements along a dim differ from the root's.
  bool isShifted = false;

  bool operator==(const RootDims &other) const {
    return isShifted == other.isShifted &&
           ArrayRef<int>(*this) == ArrayRef<int>(other);
  }
  /// Returns an empty map with the same shift.
  RootDims none() const {
    RootDims result;
    result.isShifted = isShifted;
    return result;
  }
};

class ConeWalk {
public:
  ConeWalk(Operation *root, const Machine &machine, Hazards &hazards,
           Kept &kept)
      : root(root), machine(machine), hazards(hazards), kept(kept) {
    size_t rank = rootShape(root).size();
    cone.hints.isRow.assign(rank, false);
    cone.hints.most.assign(rank, 0);
    cone.hints.asked.assign(rank, 0);
    cone.hints.multiple.assign(rank, 1);
    cone.hints.isReducedBeside.assign(rank, false);
  }

  LogicalResult visit(Value value, RootDims dims);
  /// Visits the operands of `op`, whose result has `dims`.
  LogicalResult visitOperands(Operation *op, const RootDims &dims);
  LogicalResult keep(Value value);
  /// Visits the values that the root writes, or the root's own operands.
  LogicalResult visitWrite();

  Cone cone;
  Value whole; // the last value that could not be kept

private:
  LogicalResult visitRead(Operation *op, const RootDims &dims, AffineMap map);
  LogicalResult visitContract(Operation *op, const RootDims &dims);
  LogicalResult visitReduction(Operation *op, Value source, Value accumulator,
                               ArrayRef<bool> reduced, const RootDims &dims);
  LogicalResult visitMemory(Operation *op, const RootDims &dims);
  LogicalResult visitGather(vector_ext::TransferGatherOp op,
                            const RootDims &dims);
  LogicalResult visitGroups(Operation *op, RootDims dims);
  LogicalResult visitOuterProduct(vector::OuterProductOp op,
                                  const RootDims &dims);
  LogicalResult visitAll(ValueRange values, const RootDims &dims);
  void markRow(int dim) {
    if (dim >= 0)
      cone.hints.isRow[dim] = true;
  }
  void limitContraction(Operation *op, const RootDims &dims);
  void takeAsked(Operation *op, const RootDims &dims);
  bool isExpensiveAndShared(Operation *op) const;
  bool isScannedInOrder(Value value, vector::ScanOp scan,
                        const RootDims &dims) const;
  LogicalResult visitScan(Value value, vector::ScanOp scan,
                          const RootDims &dims);
  bool isPlainAccess(Value value) const;
  bool combinesElements(Value value) const;

  Operation *root;
  const Machine &machine;
  Hazards &hazards;
  Kept &kept;
  llvm::DenseMap<Value, SmallVector<RootDims, 1>> visited;
};
} // namespace

LogicalResult ConeWalk::keep(Value value) {
  if (kept.contains(value))
    return success();
  int64_t bytes = bufferBytesOf(value.getType());
  for (Value other : kept)
    bytes += bufferBytesOf(other.getType());
  if (bytes > machine.bufferBytes) {
    whole = value;
    return failure();
  }
  kept.insert(value);
  return success();
}

/// Returns whether keeping the result of an op costs less than computing it
/// twice: once for a reduction, and once after it.
bool ConeWalk::isExpensiveAndShared(Operation *op) const {
  if (op->getResult(0).hasOneUse() || machine.bufferBytes == 0)
    return false;
  // Lanes compute transcendental functions again, since that is cheaper than a
  // barrier.
  bool isExpensive =
      isContraction(op) || (machine.isHost && isTranscendental(op));
  return isExpensive && llvm::any_of(op->getUsers(), [](Operation *user) {
           return isa<vector::MultiDimReductionOp, vector::ReductionOp>(user) ||
                  isContraction(user);
         });
}

/// Returns whether a value is computed by ops that combine many elements into
/// one.
bool ConeWalk::combinesElements(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || kept.contains(value) || memoryOf(op) ||
      !isa<VectorType>(value.getType()))
    return false;
  return isContraction(op) ||
         isa<vector::MultiDimReductionOp, vector::ScanOp>(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value of) { return combinesElements(of); });
}

/// Returns whether slices of a value are plain reads of memory.
bool ConeWalk::isPlainAccess(Value value) const {
  if (kept.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<vector::TransferReadOp, vector::LoadOp, vector::MaskedLoadOp,
          arith::ConstantOp>(op))
    return true;
  if (auto transpose = dyn_cast<vector::TransposeOp>(op))
    return transpose.getPermutation().back() + 1 ==
               int64_t(transpose.getPermutation().size()) &&
           isPlainAccess(transpose.getVector());
  if (isa<vector::BroadcastOp, vector::ShapeCastOp,
          vector::ExtractStridedSliceOp, vector::ExtractOp>(op))
    return isPlainAccess(op->getOperand(0));
  return false;
}

LogicalResult ConeWalk::visit(Value value, RootDims dims) {
  if (!isa<VectorType>(value.getType()))
    return success();
  SmallVector<RootDims, 1> &known = visited[value];
  if (llvm::is_contained(known, dims))
    return success();
  known.push_back(dims);
  if (!kept.contains(value)) {
    Operation *op = value.getDefiningOp();
    if (isSliceable(op) && !isExpensiveAndShared(op))
      return visitOperands(op, dims);
    if (auto scan = dyn_cast_or_null<vector::ScanOp>(op))
      if (isScannedInOrder(value, scan, dims))
        return visitScan(value, scan, dims);
    if (op && isSliceable(op) && failed(keep(value)))
      return visitOperands(op, dims); // then the op is computed again
    if (!kept.contains(value) && failed(keep(value)))
      return failure();
  }
  ++cone.hints.reads;
  if (!dims.empty())
    markRow(dims.back());
  return success();
}

/// Returns whether a tile of a scan begins where the tile before it ended, so
/// that partial results are carried from one tile to the next.
bool ConeWalk::isScannedInOrder(Value value, vector::ScanOp scan,
                                const RootDims &dims) const {
  if (!canScanByTiles(scan, machine))
    return false;
  if (value == scan.getAccumulatedValue())
    return true; // reduced
  int along = dims[scan.getReductionDim()];
  bool isOther = cone.hints.ordered && int(*cone.hints.ordered) != along;
  for (const OrderedScan &other : cone.hints.scans)
    isOther |= other.op == scan && other.dims != dims;
  return !dims.isShifted && !isOther && !isa<vector::ScatterOp>(root) &&
         llvm::all_of(dims, [](int dim) { return dim >= 0; });
}

LogicalResult ConeWalk::visitScan(Value value, vector::ScanOp scan,
                                  const RootDims &dims) {
  unsigned along = scan.getReductionDim();
  SmallVector<bool> reduced(scan.getSourceType().getRank(), false);
  reduced[along] = true;
  if (value == scan.getAccumulatedValue())
    return visitReduction(scan, scan.getSource(), scan.getInitialValue(),
                          reduced, dims);
  cone.hints.ordered = dims[along];
  cone.hints.scans.push_back({scan, dims});
  RootDims kept = dims;
  kept.erase(kept.begin() + along);
  cone.hints.limitReduction(scan.getSourceType(), reduced, kept, machine);
  takeAsked(scan, dims);
  if (failed(visit(scan.getSource(), dims)))
    return failure();
  return visit(scan.getInitialValue(), kept);
}

LogicalResult ConeWalk::visitRead(Operation *op, const RootDims &dims,
                                  AffineMap map) {
  Value value = op->getResult(0);
  if (hazards.isWrittenBetween(op, root, memoryOf(op))) {
    if (failed(keep(value)))
      return failure();
    visited[value].clear();
    return visit(value, dims);
  }
  ++cone.hints.reads;
  bool isInPlace = !dims.isShifted &&
                   llvm::equal(dims, llvm::seq<int>(0, dims.size())) &&
                   dims.size() == rootShape(root).size();
  auto [it, isNew] = cone.reads.insert({op, isInPlace});
  it->second &= isInPlace;
  // Marks the dim of the vector that is contiguous in memory.
  unsigned last = map.getNumDims() - 1;
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(last, op->getContext()))
      markRow(dims[dim]);
  return success();
}

/// Limits the register tile of a contraction: accumulators take most registers,
/// and a row of one operand and an element of the other one take the rest.
void ConeWalk::limitContraction(Operation *op, const RootDims &dims) {
  if (dims.empty())
    return;
  constexpr int64_t piecesPerRow = 2;
  auto shape = cast<VectorType>(op->getResult(0).getType()).getShape();
  int64_t row = machine.pieceElements * piecesPerRow;
  cone.hints.limit(dims.back(), row);
  int64_t rows =
      (machine.registers - piecesPerRow - 2) /
      llvm::divideCeil(std::min(row, shape.back()), machine.pieceElements);
  bool isRowDim = true;
  for (int dim = int(dims.size()) - 2; dim >= 0; --dim) {
    int64_t extent = shape[dim];
    cone.hints.limit(dims[dim],
                     isRowDim && extent > 1
                         ? std::max<int64_t>(largestDivisor(extent, rows),
                                             std::min<int64_t>(rows, 4))
                         : 1);
    if (extent > 1)
      isRowDim = false;
  }
}

LogicalResult ConeWalk::visitContract(Operation *op, const RootDims &dims) {
  if (machine.isHost)
    limitContraction(op, dims);
  else
    cone.hints.limitContraction(op, dims, machine);
  ContractionView view = *ContractionView::get(op);
  RootDims loops = dims.none();
  loops.assign(view.extents.size(), -1);
  for (auto [dim, expr] : llvm::enumerate(view.maps[2].getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = dims[dim];
  takeAsked(op, loops);
  for (auto [operand, map] :
       llvm::zip(std::array<Value, 2>{view.lhs, view.rhs}, view.maps)) {
    // Without a buffer the operand would be computed once per tile along the
    // other operand.
    if (machine.isHost ? !isPlainAccess(operand) : combinesElements(operand))
      (void)keep(operand);
    RootDims of = dims.none();
    for (AffineExpr expr : map.getResults())
      of.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
    if (failed(visit(operand, of)))
      return failure();
  }
  if (view.mask && failed(visit(view.mask, loops)))
    return failure();
  return visit(view.accumulator, dims);
}

LogicalResult ConeWalk::visitReduction(Operation *op, Value source,
                                       Value accumulator,
                                       ArrayRef<bool> reduced,
                                       const RootDims &dims) {
  RootDims of = dims.none();
  size_t next = 0;
  for (bool isReduced : reduced)
    of.push_back(isReduced ? -1 : dims[next++]);
  // Rows are reduced a few at a time.
  if (machine.isHost && reduced.back() && !dims.empty()) {
    for (int dim : dims)
      cone.hints.limit(dim, 1);
    constexpr int64_t rowsAtATime = 4;
    if (dims.back() >= 0)
      cone.hints.most[dims.back()] = rowsAtATime;
  }
  if (!machine.isHost)
    cone.hints.limitReduction(cast<VectorType>(source.getType()), reduced, dims,
                              machine);
  takeAsked(op, of);
  if (failed(visit(source, of)))
    return failure();
  return accumulator ? visit(accumulator, dims) : success();
}

/// Records the native vector of `op`; if several ops have one, that of the op
/// nearest to the root holds.
void ConeWalk::takeAsked(Operation *op, const RootDims &dims) {
  if (core::nativeVectorOf(op).empty())
    return;
  SmallVector<int64_t> asked = cone.hints.asked;
  for (auto [at, dim] : llvm::enumerate(dims)) {
    if (dim < 0)
      continue;
    int64_t tile = *nativeTile(op, at);
    if (asked[dim] && asked[dim] != tile)
      return;
    asked[dim] = tile;
  }
  cone.hints.asked = std::move(asked);
  if (!llvm::is_contained(cone.followed, op))
    cone.followed.push_back(op);
}

LogicalResult ConeWalk::visitAll(ValueRange values, const RootDims &dims) {
  for (Value value : values)
    if (failed(visit(value, dims)))
      return failure();
  return success();
}

/// Returns the dims of a transfer's mask from those of its vector.
static RootDims ofMask(AffineMap permutationMap, const RootDims &dims) {
  RootDims of = dims.none();
  AffineMap map = inversePermutation(compressUnusedDims(permutationMap));
  for (AffineExpr expr : map.getResults())
    of.push_back(dims[cast<AffineDimExpr>(expr).getPosition()]);
  return of;
}

/// Returns dims for a value whose elements are chosen at run time.
static RootDims anywhere(const RootDims &dims) {
  RootDims any = dims.none();
  any.assign(dims.size(), -1);
  return any;
}

/// Returns the dims of an operand that a map from the vector addresses.
static RootDims mappedDims(AffineMap map, const RootDims &dims) {
  RootDims of = dims.none();
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    of.push_back(dim ? dims[dim.getPosition()] : -1);
  }
  return of;
}

LogicalResult ConeWalk::visitGather(vector_ext::TransferGatherOp op,
                                    const RootDims &dims) {
  for (auto [number, value] : llvm::enumerate(op.getIndexVecs()))
    if (isa<VectorType>(value.getType()) &&
        failed(visit(value, mappedDims(op.getIndexMap(number), dims))))
      return failure();
  if (op.getMask() &&
      failed(visit(op.getMask(), mappedDims(op.getMaskMap(), dims))))
    return failure();
  ArrayRef<AffineExpr> places = op.getBaseMap().getResults();
  if (!places.empty() && isa<AffineDimExpr>(places.back()))
    markRow(dims[cast<AffineDimExpr>(places.back()).getPosition()]);
  else
    cone.hints.isScattered = true;
  return visitRead(op, anywhere(dims), AffineMap::get(1, 0, op.getContext()));
}

static AffineMap innermostDims(ValueRange indices, const RootDims &dims,
                               Operation *op) {
  return AffineMap::getMinorIdentityMap(indices.size(), dims.size(),
                                        op->getContext());
}

LogicalResult ConeWalk::visitMemory(Operation *op, const RootDims &dims) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::TransferReadOp op) -> LogicalResult {
        if (op.getMask() &&
            failed(visit(op.getMask(), ofMask(op.getPermutationMap(), dims))))
          return failure();
        return visitRead(op, dims, op.getPermutationMap());
      })
      .Case([&](vector::LoadOp op) {
        return visitRead(op, dims, innermostDims(op.getIndices(), dims, op));
      })
      .Case([&](vector::MaskedLoadOp op) -> LogicalResult {
        if (failed(visitAll({op.getMask(), op.getPassThru()}, dims)))
          return failure();
        return visitRead(op, dims, innermostDims(op.getIndices(), dims, op));
      })
      .Case([&](vector::GatherOp op) -> LogicalResult {
        if (failed(visitAll({op.getIndices(), op.getMask(), op.getPassThru()},
                            dims)))
          return failure();
        cone.hints.isScattered = true;
        return visitRead(op, anywhere(dims),
                         AffineMap::get(1, 0, op.getContext()));
      })
      .Case([&](vector_ext::TransferGatherOp op) {
        return visitGather(op, dims);
      });
}

/// Returns the dims of an op's source: each is a dim of the result, or is
/// iterated inside of a tile.
static RootDims ofSource(Operation *op, const RootDims &dims) {
  RootDims of = dims.none();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::BroadcastOp op) {
        auto type = dyn_cast<VectorType>(op.getSource().getType());
        if (!type)
          return;
        of.append(dims.end() - type.getRank(), dims.end());
        for (auto [dim, extent] : llvm::zip_equal(of, type.getShape()))
          if (extent == 1)
            dim = -1;
      })
      .Case([&](vector::TransposeOp op) {
        of = dims;
        for (auto [to, from] : llvm::enumerate(op.getPermutation()))
          of[from] = dims[to];
      })
      .Case([&](vector::ShapeCastOp op) {
        RootDims longDims = dims.none();
        for (auto [dim, extent] :
             llvm::zip_equal(dims, op.getType().getShape()))
          if (extent != 1)
            longDims.push_back(dim);
        auto next = longDims.begin();
        for (int64_t extent : op.getSourceVectorType().getShape())
          of.push_back(extent == 1 ? -1 : *next++);
      })
      .Case([&](vector::ExtractOp op) {
        of.assign(op.getNumIndices(), -1);
        llvm::append_range(of, dims);
      })
      .Case([&](vector::ExtractStridedSliceOp op) {
        of = dims;
        of.isShifted |= llvm::any_of(op.getOffsets(), [](Attribute offset) {
          return cast<IntegerAttr>(offset).getInt() != 0;
        });
      });
  return of;
}

/// Visits an op on groups: rows of tiles are whole groups, whose elements in
/// the source differ from the root's.
LogicalResult ConeWalk::visitGroups(Operation *op, RootDims dims) {
  ElementGroups groups = *groupsOf(op);
  if (int row = dims.back(); row >= 0)
    cone.hints.multiple[row] =
        std::lcm(cone.hints.multiple[row], groups.result);
  dims.isShifted |= groups.source != groups.result;
  return visitAll(op->getOperands(), dims);
}

LogicalResult ConeWalk::visitOuterProduct(vector::OuterProductOp op,
                                          const RootDims &dims) {
  RootDims ofLhs = dims.none(), ofRhs = dims.none();
  ofLhs.push_back(dims[0]);
  ofRhs.push_back(dims[1]);
  SmallVector<bool> isRow = cone.hints.isRow;
  if (failed(visit(op.getLhs(), ofLhs)))
    return failure();
  cone.hints.isRow = isRow; // elements are repeated, and no rows transposed
  if (failed(visit(op.getRhs(), ofRhs)))
    return failure();
  return op.getAcc() ? visit(op.getAcc(), dims) : success();
}

LogicalResult ConeWalk::visitOperands(Operation *op, const RootDims &dims) {
  if (isContraction(op))
    return visitContract(op, dims);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::MultiDimReductionOp op) {
        return visitReduction(op, op.getSource(), op.getAcc(),
                              op.getReductionMask(), dims);
      })
      .Case([&](vector::ReductionOp op) {
        return visitReduction(op, op.getVector(), op.getAcc(), {true}, dims);
      })
      .Default([&](Operation *op) -> LogicalResult {
        takeAsked(op, dims);
        if (memoryOf(op))
          return visitMemory(op, dims);
        if (groupsOf(op))
          return visitGroups(op, dims);
        if (auto product = dyn_cast<vector::OuterProductOp>(op))
          return visitOuterProduct(product, dims);
        if (isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp,
                vector::ExtractOp, vector::ExtractStridedSliceOp>(op))
          return visit(op->getOperand(0), ofSource(op, dims));
        if (Operation *intrinsic = elementwiseIntrinsicOf(op))
          return visitAll(intrinsic->getOperands(), dims);
        return visitAll(op->getOperands(), dims);
      });
}

/// Visits the operands of the root: values have the root's dims, and a mask has
/// the dims of its map.
LogicalResult ConeWalk::visitWrite() {
  RootDims dims;
  for (size_t dim = 0; dim < rootShape(root).size(); ++dim)
    dims.push_back(dim);
  if (isSliceable(root))
    return visitOperands(root, dims);
  if (auto scan = dyn_cast<vector::ScanOp>(root))
    return visitScan(scan.getDest(), scan, dims);
  takeAsked(root, dims);
  if (auto write = dyn_cast<vector::TransferWriteOp>(root)) {
    AffineMap map = write.getPermutationMap();
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(map.getNumDims() - 1, map.getContext()))
        markRow(dim);
    if (write.getMask() && failed(visit(write.getMask(), ofMask(map, dims))))
      return failure();
    return visit(write.getValueToStore(), dims);
  }
  if (!dims.empty())
    markRow(dims.back());
  return visitAll(root->getOperands(), dims);
}

FailureOr<Cone> vectortiles::findCone(Operation *root, const Machine &machine,
                                      Hazards &hazards, Kept &kept,
                                      Value *whole) {
  Kept before = kept;
  while (true) {
    ConeWalk walk(root, machine, hazards, kept);
    Operation *read = nullptr;
    bool isWalked = succeeded(walk.visitWrite());
    // A tile must not read what another tile has written.
    if (isWalked && root->getNumResults() == 0)
      read = findHazard(walk.cone, root, hazards);
    if (isWalked && !read)
      return std::move(walk.cone);
    if (isWalked && succeeded(walk.keep(read->getResult(0))))
      continue;
    if (whole)
      *whole = walk.whole;
    kept = std::move(before);
    return failure();
  }
}
