//===- TensorTilingMatch.cpp - Propagating tile maps in a phase -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TensorTiling.h"

#include "CopyPieces.h"
#include "MmaTiles.h"
#include "PayloadDims.h"
#include "SharedDims.h"
#include "TiledBody.h"
#include "UntiledOps.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;
using namespace distaff::pcf;

namespace distaff::pcf {

/// Fills a BodyTiling until a fixed point is reached.
class TilingPropagation {
public:
  TilingPropagation(RunClusterOp op, const WorkerGrid &grid, std::string &why);

  LogicalResult assign(Value value, TileMap map);
  LogicalResult run();

  /// Returns tensors that a seed may be put on, in descending priority.
  SmallVector<Value> collectAnchors();

  /// Chooses a map for an anchor that has none yet.
  LogicalResult seed(Value anchor, TensorTilingAttr asked,
                     const PayloadDims &payload);

  BodyTiling tiling;
  /// The op whose maps do not agree.
  std::optional<Location> where;

private:
  LogicalResult visitMma(linalg::LinalgOp inner);
  bool tryMap(
      Value anchor, const TileMap &map,
      function_ref<bool()> isWanted = [] { return true; });
  bool trySeed(Value anchor, const TileMap &map);
  SmallVector<Value> getPayload();
  LogicalResult visit(Operation *inner);
  LogicalResult visitLinalg(linalg::LinalgOp inner);
  LogicalResult visitSame(Operation *inner);

  RunClusterOp op;
  const WorkerGrid &grid;
  std::string &why;
  /// The dimensions of the ops that are distributed by loops; fragments are
  /// distributed by the instruction.
  SharedDims dims;
  bool changed = false;
};

} // namespace distaff::pcf

TilingPropagation::TilingPropagation(RunClusterOp op, const WorkerGrid &grid,
                                     std::string &why)
    : op(op), grid(grid), why(why) {
  op.getBody().walk([&](Operation *inner) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(inner);
    if (!linalgOp || !getMmaKind(linalgOp, grid))
      dims.add(inner);
  });
}

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

LogicalResult TilingPropagation::assign(Value value, TileMap map) {
  if (!isTensor(value) || isRemade(value))
    return success();
  auto [it, isNew] = tiling.maps.insert({value, map});
  changed |= isNew;
  // Each may pack them differently.
  if (it->second.placesAs(map))
    return success();
  why = "a tensor is needed as " + map.describe() + " and as " +
        it->second.describe() +
        "; read it from memory, or compute it, once for each use";
  return failure();
}

LogicalResult TilingPropagation::run() {
  do {
    changed = false;
    WalkResult result =
        op.getBody().walk<WalkOrder::PreOrder>([&](Operation *inner) {
          if (failed(visit(inner))) {
            where = inner->getLoc();
            return WalkResult::interrupt();
          }
          // The body of a linalg op computes on elements.
          return isa<linalg::LinalgOp, tensor::PadOp>(inner)
                     ? WalkResult::skip()
                     : WalkResult::advance();
        });
    if (result.wasInterrupted())
      return failure();
  } while (changed);
  return success();
}

/// Assigns one map to all tensors of the op.
LogicalResult TilingPropagation::visitSame(Operation *inner) {
  SmallVector<Value> values(inner->getOperands());
  llvm::append_range(values, inner->getResults());
  const TileMap *known = nullptr;
  for (Value value : values)
    if (isTensor(value) && !known)
      known = tiling.lookup(value);
  if (!known)
    return success();
  TileMap map = *known;
  for (Value value : values)
    if (failed(assign(value, map)))
      return failure();
  return success();
}

/// Assigns the fragments that the MMA instruction defines.
LogicalResult TilingPropagation::visitMma(linalg::LinalgOp inner) {
  FailureOr<MmaTiles> tiles = planMmaTiles(inner, grid, why);
  if (failed(tiles) || failed(assign(inner->getOperand(0), tiles->lhs)) ||
      failed(assign(inner->getOperand(1), tiles->rhs)) ||
      failed(assign(inner->getOperand(2), tiles->acc)))
    return failure();
  return assign(inner->getResult(0), tiles->acc);
}

namespace {
/// Describes a tensor of a linalg op, and the loop of each of its dimensions.
struct IndexedTensor {
  Value value;
  SmallVector<unsigned> loops;
};
} // namespace

/// Collects the tensors of an op. Failure: one is indexed by more than one
/// loop.
static LogicalResult collectTensors(linalg::LinalgOp op,
                                    SmallVectorImpl<IndexedTensor> &tensors) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!isTensor(operand.get()))
      continue;
    if (!map.isProjectedPermutation())
      return failure();
    SmallVector<unsigned> loops;
    for (AffineExpr dim : map.getResults())
      loops.push_back(cast<AffineDimExpr>(dim).getPosition());
    tensors.push_back({operand.get(), loops});
    if (op.isDpsInit(&operand))
      tensors.push_back({op.getTiedOpResult(&operand), loops});
  }
  return success();
}

/// Returns the map of a tensor whose dimensions are the loops `dims`, packed
/// like a known tensor that has all of them, if there is one.
static TileMap pickLoops(ArrayRef<unsigned> dims,
                         ArrayRef<std::optional<TileDim>> loops,
                         ArrayRef<IndexedTensor> tensors,
                         const BodyTiling &tiling) {
  TileMap map;
  for (unsigned loop : dims)
    map.dims.push_back(*loops[loop]);
  if (!map.isPacked())
    return map;
  for (const IndexedTensor &tensor : tensors) {
    const TileMap *known = tiling.lookup(tensor.value);
    if (!known)
      continue;
    SmallVector<unsigned> places;
    for (unsigned loop : dims)
      places.push_back(llvm::find(tensor.loops, loop) - tensor.loops.begin());
    if (llvm::is_contained(places, tensor.loops.size()))
      continue;
    map.packing = known->restrictPacking(places);
    break;
  }
  return map;
}

/// Returns whether the body of an op reads tensors that are not its operands,
/// and are computed in the op's phase or are its payload.
static bool capturesTensors(linalg::LinalgOp op) {
  bool captures = false;
  auto phase = op->getParentOfType<RunClusterOp>();
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *use) {
    Value value = use->get();
    captures |= isa<TensorType>(value.getType()) && !isRemade(value) && phase &&
                phase.getBody().isAncestor(value.getParentRegion());
  });
  return captures;
}

/// Propagates the digits of a loop to every operand that it indexes.
LogicalResult TilingPropagation::visitLinalg(linalg::LinalgOp inner) {
  auto unknown = [&] {
    why = describeUntiled(inner);
    return failure();
  };
  // Every member would repeat the op's effects on memory.
  if (!inner.hasPureTensorSemantics())
    return unknown();
  // A member's part lacks elements that an index may name (PCF-156).
  if (capturesTensors(inner)) {
    why = "the body of " + inner->getName().getStringRef().str() +
          " reads an element of a tensor that members share out; let every "
          "member read it from memory, in a run_thread";
    return failure();
  }
  if (getMmaKind(inner, grid))
    return visitMma(inner);
  SmallVector<std::optional<TileDim>> loops(inner.getNumLoops());
  SmallVector<utils::IteratorType> iterators = inner.getIteratorTypesArray();
  SmallVector<IndexedTensor> tensors;
  if (failed(collectTensors(inner, tensors)))
    return unknown();
  for (const IndexedTensor &tensor : tensors)
    if (const TileMap *known = tiling.lookup(tensor.value))
      for (auto [dim, tile] : llvm::zip_equal(tensor.loops, known->dims)) {
        std::optional<TileDim> &loop = loops[dim];
        if (loop && *loop != tile) {
          why = inner->getName().getStringRef().str() +
                " needs its operands in boxes at the same places";
          return failure();
        }
        loop = tile;
      }
  // A reduced dimension is not split: every member has all of it, contiguously.
  SmallVector<int64_t> ranges = inner.getStaticLoopRanges();
  bool isKnown = true;
  for (auto [number, loop, iterator, range] :
       llvm::enumerate(loops, iterators, ranges)) {
    if (iterator == utils::IteratorType::reduction && !loop &&
        ShapedType::isStatic(range))
      loop = TileDim::whole(range);
    if (iterator == utils::IteratorType::reduction && loop &&
        loop->digits.size() > 1)
      return unknown();
    // Each result is computed tile by tile, in loops of its own.
    if (loop && !loop->getRepeats().empty())
      for (const IndexedTensor &tensor : tensors)
        if (tensor.value.getDefiningOp() == inner &&
            !llvm::is_contained(tensor.loops, number))
          return unknown();
    isKnown &= loop.has_value();
  }
  if (!isKnown)
    return success();
  for (const IndexedTensor &tensor : tensors)
    if (failed(assign(tensor.value,
                      pickLoops(tensor.loops, loops, tensors, tiling))))
      return failure();
  return success();
}

/// Returns whether all offsets are 0, and strides 1, and no dimension is
/// dropped.
static bool isCornerSlice(tensor::ExtractSliceOp slice) {
  return slice.getSourceType().getRank() == slice.getType().getRank() &&
         llvm::all_of(slice.getMixedOffsets(), isZeroInteger) &&
         slice.hasUnitStride();
}

LogicalResult TilingPropagation::visit(Operation *inner) {
  auto touchesTensors = [&] {
    return llvm::any_of(inner->getOperands(), isTensor) ||
           llvm::any_of(inner->getResults(), isTensor);
  };
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(inner))
    return visitLinalg(linalgOp);
  if (auto pad = dyn_cast<tensor::PadOp>(inner);
      pad && pad.getConstantPaddingValue() &&
      llvm::all_of(pad.getMixedLowPad(), isZeroInteger))
    return visitSame(inner);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(inner);
      slice && isCornerSlice(slice))
    return visitSame(inner);
  if (isa<tensor::CastOp>(inner) ||
      mlir::OpTrait::hasElementwiseMappableTraits(inner))
    return visitSame(inner);
  // Slices fix no map, and constants are rematerialized.
  if (isa<ReadSliceOp, WriteSliceOp>(inner) &&
      !llvm::any_of(inner->getOperandTypes(),
                    llvm::IsaPred<VectorType, MemRefType>) &&
      !llvm::any_of(inner->getResultTypes(), llvm::IsaPred<VectorType>))
    return success();
  if (isa<ClusterYieldOp>(inner) ||
      (inner->getNumResults() == 1 && isRemade(inner->getResult(0))))
    return success();
  bool isScalar =
      !touchesTensors() &&
      (isPure(inner) || (isa<scf::IfOp>(inner) && !inner->getNumResults()) ||
       inner->hasTrait<mlir::OpTrait::IsTerminator>());
  if (isScalar)
    return success();
  why = describeUntiled(inner);
  return failure();
}

/// Returns the tile of which a write writes the corner, or all of it.
static Value getWrittenTile(WriteSliceOp write) {
  auto slice = write.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  return slice && isCornerSlice(slice) && slice.getSourceType().hasStaticShape()
             ? slice.getSource()
             : write.getSource();
}

/// Returns whether a tensor, or its corner, is written without further ops.
static bool isWritten(Value tile) {
  auto writes = [&](Operation *user) {
    auto write = dyn_cast<WriteSliceOp>(user);
    return write && getWrittenTile(write) == tile;
  };
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    return writes(user) || (isa<tensor::ExtractSliceOp>(user) &&
                            llvm::any_of(user->getUsers(), writes));
  });
}

SmallVector<Value> TilingPropagation::collectAnchors() {
  SmallVector<Value> contractions, writes, yields;
  op.getBody().walk([&](Operation *inner) {
    if (linalg::isaContractionOpInterface(dyn_cast<linalg::LinalgOp>(inner)))
      contractions.push_back(inner->getResult(0));
    else if (auto write = dyn_cast<WriteSliceOp>(inner))
      writes.push_back(getWrittenTile(write));
    else if (auto yield = dyn_cast<ClusterYieldOp>(inner))
      llvm::append_range(yields, yield.getValues());
  });
  llvm::append_range(contractions, writes);
  llvm::append_range(contractions, yields);
  llvm::append_range(contractions, op.getBody().getArguments());
  llvm::erase_if(contractions, [&](Value value) {
    return !isTensor(value) || isRemade(value);
  });
  return contractions;
}

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

/// Returns the subgroups along each dimension that a contraction's
/// configuration specifies.
static SmallVector<int64_t> getConfiguredWorkers(Value anchor,
                                                 const WorkerGrid &grid) {
  auto op = anchor.getDefiningOp<linalg::LinalgOp>();
  auto config = op ? op->getAttrOfType<iree::LoweringConfigAttr>(
                         iree::LoweringConfigAttr::attributeName)
                   : iree::LoweringConfigAttr();
  if (!config || !isa<iree::SubgroupScopeAttr>(grid.scope))
    return {};
  SmallVector<int64_t> tiles = config.getInts("subgroup");
  if (tiles.size() != op.getNumLoops())
    return {};
  SmallVector<int64_t> workers;
  AffineMap map = op.getIndexingMapMatchingResult(cast<OpResult>(anchor));
  ArrayRef<int64_t> shape = cast<ShapedType>(anchor.getType()).getShape();
  for (auto [dim, extent] : llvm::zip_equal(map.getResults(), shape)) {
    int64_t tile = tiles[cast<AffineDimExpr>(dim).getPosition()];
    workers.push_back(
        tile > 0 && extent > 0 && extent % tile == 0 ? extent / tile : 1);
  }
  return workers;
}

static bool isFinest(const WorkerGrid &grid) {
  return cast<ScopeAttrInterface>(grid.scope).getNestingLevel() >= 2;
}

/// Returns a cyclic distribution of the widest accesses, in which consecutive
/// workers take neighboring chunks. None if the configuration fixes another
/// one, or the members do not fit.
static std::optional<TileMap>
makeCyclicSeed(Value anchor, TensorTilingAttr tiling, const WorkerGrid &grid) {
  auto type = cast<RankedTensorType>(anchor.getType());
  std::optional<int64_t> members = grid.getNumMembers();
  if (!members || !isFinest(grid) || !type.hasStaticShape() ||
      type.getRank() == 0 || type.getNumElements() == 0 ||
      static_cast<int64_t>(tiling.getWorkers().size()) == type.getRank())
    return std::nullopt;
  SmallVector<int64_t> pieces = piecesOfCopy(anchor, *members);
  std::optional<TileMap> map = TileMap::rowMajor(
      type.getShape(), spreadPieces(type.getShape(), pieces, *members), pieces);
  if (!map || *members % map->countBoxes())
    return std::nullopt;
  return map;
}

/// Returns a map for an anchor without other constraints. Dimensions that an op
/// of the phase needs whole are not split, unless `tiling` specifies it.
static TileMap makeSeed(Value anchor, TensorTilingAttr tiling,
                        const WorkerGrid &grid,
                        function_ref<bool(unsigned)> isWhole) {
  auto type = cast<RankedTensorType>(anchor.getType());
  std::optional<int64_t> members = grid.getNumMembers();
  // The number of members or the extents are not known: every member has all of
  // it.
  if (!members || !type.hasStaticShape())
    return TileMap::replicated(type.getShape());
  SmallVector<int64_t> workers = getConfiguredWorkers(anchor, grid);
  ArrayRef<int64_t> asked = tiling.getWorkers();
  if (workers.empty() && static_cast<int64_t>(asked.size()) == type.getRank())
    workers = llvm::to_vector(asked);
  if (workers.empty()) {
    SmallVector<int64_t> split(type.getShape());
    for (auto [dim, extent] : llvm::enumerate(split))
      if (isWhole(dim))
        extent = 1;
    workers =
        isFinest(grid)
            ? spreadPieces(split, widestAccess(type.clone(split)), *members)
            : spreadRows(split, *members);
  }
  std::optional<TileMap> map = TileMap::rowMajor(type.getShape(), workers);
  if (!map || *members % std::max<int64_t>(map->countBoxes(), 1))
    return TileMap::replicated(type.getShape());
  return *map;
}

SmallVector<Value> TilingPropagation::getPayload() {
  SmallVector<Value> payload(op.getPayloadArgs());
  llvm::append_range(payload, op.getYield()->getOperands());
  return payload;
}

/// Returns whether the map fits, and keeps it then. Otherwise the state is
/// restored.
bool TilingPropagation::tryMap(Value anchor, const TileMap &map,
                               function_ref<bool()> isWanted) {
  BodyTiling before = tiling;
  std::string reason = why;
  if (succeeded(assign(anchor, map)) && succeeded(run()) && isWanted())
    return true;
  tiling = std::move(before);
  why = std::move(reason);
  where.reset();
  return false;
}

/// Returns whether a copy may be in these chunks: tensors that reach payload
/// must not be affected.
bool TilingPropagation::trySeed(Value anchor, const TileMap &map) {
  auto isDecided = [&](Value value) { return tiling.lookup(value) != nullptr; };
  SmallVector<Value> open = getPayload();
  llvm::erase_if(open, isDecided);
  return tryMap(anchor, map, [&] { return llvm::none_of(open, isDecided); });
}

LogicalResult TilingPropagation::seed(Value anchor, TensorTilingAttr asked,
                                      const PayloadDims &payload) {
  if (getConfiguredWorkers(anchor, grid).empty())
    if (std::optional<TileMap> map = payload.findMap(anchor);
        map && tryMap(anchor, *map))
      return success();
  if (isWritten(anchor))
    if (std::optional<TileMap> map = makeCyclicSeed(anchor, asked, grid);
        map && trySeed(anchor, *map))
      return success();
  auto isWhole = [&](unsigned dim) {
    return dims.isWhole(anchor, dim) || payload.isReduced(anchor, dim);
  };
  return failure(
      failed(assign(anchor, makeSeed(anchor, asked, grid, isWhole))) ||
      failed(run()));
}

/// Returns the rank of a phase for deciding distributions: contractions before
/// writes before others.
static unsigned rankPhase(Operation *phase) {
  unsigned rank = 0;
  phase->walk([&](Operation *inner) {
    if (linalg::isaContractionOpInterface(dyn_cast<linalg::LinalgOp>(inner)))
      rank = 2;
    else if (isa<WriteSliceOp>(inner))
      rank = std::max(rank, 1u);
  });
  return rank;
}

/// Returns whether the phase decides the open classes that it uses: it is the
/// first of those with the highest rank. Other phases wait for it.
static bool mayDecide(RunClusterOp op, const PayloadClasses &classes,
                      const FixedClasses &fixed) {
  auto isDecider = [&](unsigned cls) {
    if (fixed.contains(cls))
      return true;
    Operation *decider = nullptr;
    auto consider = [&](Operation *phase) {
      if (!decider || rankPhase(phase) > rankPhase(decider))
        decider = phase;
    };
    for (OpOperand *yield : classes.yields(cls))
      consider(yield->getOwner()->getParentOp());
    for (BlockArgument argument : classes.bodyArgs(cls))
      consider(argument.getOwner()->getParentOp());
    return decider == op;
  };
  return llvm::all_of(op.getPayloadArgs(),
                      [&](BlockArgument argument) {
                        return isDecider(classes.of(argument));
                      }) &&
         llvm::all_of(op.getYield()->getOpOperands(), [&](OpOperand &operand) {
           return isDecider(classes.of(operand));
         });
}

FailureOr<BodyTiling>
BodyTiling::compute(RunClusterOp op, TensorTilingAttr tiling,
                    const WorkerGrid &grid, const PayloadClasses &classes,
                    const FixedClasses &fixed, Refusal &refusal) {
  TilingPropagation propagation(op, grid, refusal.why);
  auto refuse = [&] {
    refusal.where = propagation.where;
    return failure();
  };
  auto assignFixed = [&](Value value, unsigned cls) -> LogicalResult {
    auto it = fixed.find(cls);
    if (it == fixed.end() || !it->second.mapping ||
        propagation.tiling.lookup(value))
      return success();
    return propagation.assign(value, TileMap::decode(it->second.mapping));
  };
  // Arguments come first. Yielded values may then differ from what is fixed,
  // which the driver reports.
  for (BlockArgument argument : op.getPayloadArgs())
    if (failed(assignFixed(argument, classes.of(argument))))
      return refuse();
  if (failed(propagation.run()))
    return refuse();
  for (OpOperand &operand : op.getYield()->getOpOperands())
    if (failed(assignFixed(operand.get(), classes.of(operand))) ||
        failed(propagation.run()))
      return refuse();
  if (!mayDecide(op, classes, fixed))
    return std::move(propagation.tiling);
  std::optional<PayloadDims> payload;
  for (Value anchor : propagation.collectAnchors()) {
    if (propagation.tiling.lookup(anchor))
      continue;
    if (!payload)
      payload.emplace(op, grid, classes, fixed);
    if (failed(propagation.seed(anchor, tiling, *payload)))
      return refuse();
  }
  return std::move(propagation.tiling);
}
