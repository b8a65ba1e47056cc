//===- DistributeTransfer.cpp - vector.transfer_read and transfer_write ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transfer moves one tile of elements at a time: the lane's position plus the
// tile's, in every memref dim that the permutation map maps to a vector dim
// (VX-75 .. VX-77). Masks are split into tiles by coordinates: a mask has one
// dim per memref dim that is mapped, in the memref's order, and its registers
// are looked up at the tile's place in each of them.
//
// Writes store each element once: only the threads that hold the canonical copy
// run them, and the guard is omitted if that is all threads.
//
//===----------------------------------------------------------------------===//
#include "../Records.h"
#include "FragmentOrder.h"
#include "MatrixAccess.h"
#include "Rules.h"
#include "TileAccess.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Layout/Conversion.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace distaff;

namespace {
/// The common parts of reads and writes.
struct Transfer {
  Operation *op;
  Value memory;
  SmallVector<Value> position;
  AffineMap map; // memref dims -> vector dims, or 0
  SmallVector<bool> inBounds;
  const Placement *placement;
  const Placement *maskPlacement = nullptr;
  std::optional<OperandTiles> mask; // distributed

  /// Returns the vector dim that memref dim `dim` feeds, or -1.
  int64_t vectorDimOf(int64_t dim) const {
    for (auto [at, result] : llvm::enumerate(map.getResults()))
      if (result == getAffineDimExpr(dim, op->getContext()))
        return at;
    return -1;
  }
};

/// Computes positions of tiles in memory, each index once.
class TilePositions {
public:
  TilePositions(const Transfer &transfer, Distributor &out)
      : transfer(transfer), out(out) {}

  SmallVector<Value> operator()(OpBuilder &b, const Tile &tile) {
    SmallVector<Value> position(transfer.position);
    for (auto [dim, value] : llvm::enumerate(position)) {
      int64_t from = transfer.vectorDimOf(dim);
      if (from < 0)
        continue;
      Value &known = indices[{dim, tile.offset[from]}];
      if (!known)
        known = index(b, value, from, tile.offset[from]);
      value = known;
    }
    return position;
  }

private:
  Value index(OpBuilder &b, Value start, int64_t dim, int64_t offset) {
    AffineExpr s0, s1;
    bindSymbols(b.getContext(), s0, s1);
    Value base = out.ids.base(*transfer.placement, dim);
    OpFoldResult folded = affine::makeComposedFoldedAffineApply(
        b, transfer.op->getLoc(), AffineMap::get(0, 2, s0 + s1 + offset),
        {getAsOpFoldResult(start), getAsOpFoldResult(base)});
    if (auto constant = getConstantIntValue(folded))
      return out.ids.constant(*constant);
    return cast<Value>(folded);
  }

  const Transfer &transfer;
  Distributor &out;
  std::map<std::pair<int64_t, int64_t>, Value> indices;
};
} // namespace

/// Returns the dims of a transfer's mask, as vector dims.
static SmallVector<int64_t> maskDims(const Transfer &transfer) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < transfer.map.getNumDims(); ++dim)
    if (int64_t from = transfer.vectorDimOf(dim); from >= 0)
      dims.push_back(from);
  return dims;
}

static void setMask(Transfer &transfer, Value mask) {
  transfer.mask.emplace(mask, *transfer.maskPlacement, maskDims(transfer));
}

static Value maskOf(OpBuilder &b, const Transfer &transfer, const Tile &tile) {
  return transfer.mask ? transfer.mask->at(b, transfer.op->getLoc(), tile,
                                           transfer.placement->elementShape())
                       : Value();
}

static SmallVector<bool> inBoundsOf(ArrayAttr inBounds) {
  return llvm::map_to_vector(inBounds.getAsValueRange<BoolAttr>(),
                             [](bool in) { return in; });
}

static FailureOr<Transfer> planTransfer(VectorTransferOpInterface op,
                                        const Placement *placement,
                                        OpOperand *mask, Distributor &out) {
  Transfer plan;
  plan.op = op;
  plan.memory = op.getBase();
  plan.position = op.getIndices();
  plan.map = op.getPermutationMap();
  plan.inBounds = inBoundsOf(op.getInBounds());
  plan.placement = placement;
  if (mask) {
    plan.maskPlacement = out.placementOf(*mask);
  }
  return plan;
}

static MemoryAccess accessOf(const Transfer &plan, bool writes,
                             Distributor &out) {
  MemoryBox box;
  SmallVector<int64_t> shape = plan.placement->layout.shape();
  for (auto [dim, start] : llvm::enumerate(plan.position)) {
    int64_t from = plan.vectorDimOf(dim);
    box.add(start, from < 0 ? 1 : shape[from], out.motions);
  }
  return {plan.memory, writes, out.hazards.newGroup(), std::move(box)};
}

static OpOperand *ownMask(Operation *op, Value mask) {
  if (mask)
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == mask && isa<VectorType>(mask.getType()))
        return &operand;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// Returns the key of a tile: its offset without broadcast dims, because tiles
/// that differ only along those hold the same elements.
static SmallVector<int64_t> readKey(const Transfer &plan, const Tile &tile) {
  SmallVector<int64_t> key;
  for (auto [dim, result] : llvm::enumerate(plan.map.getResults()))
    key.push_back(isa<AffineDimExpr>(result) ? tile.offset[dim] : 0);
  return key;
}

static Value emitRead(OpBuilder &b, const Transfer &plan, Value padding,
                      Distributor &out) {
  Location loc = plan.op->getLoc();
  const Placement &placement = *plan.placement;
  Type element = padding.getType();
  auto tileType = VectorType::get(placement.elementShape(), element);
  auto tiledType = VectorType::get(placement.tiledShape(), element);

  SmallVector<Tile> tiles = placement.tiles();
  TilePositions positions(plan, out);
  std::map<SmallVector<int64_t>, Value> known;
  Value tiled = tiles.size() > 1 ? undefined(b, loc, tiledType) : Value();
  MemoryAccess access = accessOf(plan, /*writes=*/false, out);
  for (const Tile &tile : tiles) {
    Value &read = known[readKey(plan, tile)];
    if (!read) {
      Value mask = maskOf(b, plan, tile);
      auto op = vector::TransferReadOp::create(
          b, loc, tileType, plan.memory, positions(b, tile),
          AffineMapAttr::get(plan.map), padding, mask,
          b.getBoolArrayAttr(plan.inBounds));
      read = op;
      if (isa<MemRefType>(plan.memory.getType()))
        out.hazards.record(op, access);
    }
    if (tiles.size() == 1)
      tiled = reshapeRegisters(b, loc, read, tiledType.getShape());
    else
      tiled = vector::InsertOp::create(b, loc, read, tiled, tile.position);
  }
  return fromTiled(b, loc, tiled, placement);
}

/// Returns the tilings by which matrix loads fill registers from such memory,
/// in `order`.
static SmallVector<MatrixTiles> loadsFrom(MemRefType memory,
                                          const Layout &layout,
                                          ArrayRef<int64_t> order,
                                          Distributor &out) {
  int64_t bits = memory.getElementTypeBitWidth();
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memory))
    return sharedLoadsOf(layout, out.hardware(), bits, out.options.banks,
                         order);
  auto tiles = MatrixTiles::get(layout, out.hardware(), bits,
                                out.options.globalTransposingLoad, order);
  return tiles ? SmallVector<MatrixTiles>{std::move(*tiles)}
               : SmallVector<MatrixTiles>();
}

/// Plans a read by matrix loads; returns nothing where that is impossible
/// (VX-48, VX-214, VX-220).
static std::optional<MatrixTiles> planMatrixRead(const Transfer &plan,
                                                 Distributor &out) {
  auto type = dyn_cast<MemRefType>(plan.memory.getType());
  bool readsAll = llvm::all_of(plan.inBounds, [](bool in) { return in; });
  if (!type || plan.maskPlacement || !readsAll ||
      !type.getElementType().isIntOrFloat() ||
      !fillsItsBytes(type.getElementType()) ||
      out.uniformity.divergentParent(plan.op))
    return std::nullopt;
  for (AffineExpr result : plan.map.getResults())
    if (!isa<AffineDimExpr>(result))
      return std::nullopt;
  int64_t alongRows =
      type.getRank() == 0 ? -1 : plan.vectorDimOf(type.getRank() - 1);
  int64_t alignment = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type)
                          ? out.options.workgroupAlignment
                          : out.options.globalAlignment;
  FragmentOrder order = fragmentOrderOf(plan.op->getResult(0), out);
  for (MatrixTiles &tiles :
       loadsFrom(type, plan.placement->layout, order.registers, out))
    if (tiles.rowDim == alongRows &&
        hasAlignedRows(cast<VectorTransferOpInterface>(plan.op),
                       tiles.spokenBytes(), alignment))
      return std::move(tiles);
  return std::nullopt;
}

/// Returns the strides of memory along the dims of the vector.
static SmallVector<int64_t> stridesOf(const Transfer &plan) {
  auto [strides, offset] =
      cast<MemRefType>(plan.memory.getType()).getStridesAndOffset();
  return llvm::map_to_vector(plan.map.getResults(), [&](AffineExpr result) {
    return strides[cast<AffineDimExpr>(result).getPosition()];
  });
}

static Value emitMatrixRead(OpBuilder &b, const Transfer &plan,
                            const MatrixTiles &tiles, Distributor &out) {
  recordMatrixRead(plan.op, tiles, stridesOf(plan), out);
  Placement rows = placementOfRows(tiles, *plan.placement);
  Transfer ofRows = plan;
  ofRows.placement = &rows;
  TilePositions positions(ofRows, out);
  auto position = [&](OpBuilder &b, int64_t i) {
    return positions(b, Tile{{}, rows.offsetOf(i * tiles.perRow)});
  };
  return loadMatrices(b, plan.op->getLoc(), plan.memory, tiles, *plan.placement,
                      position, accessOf(plan, /*writes=*/false, out), out);
}

/// Returns for each register of the vector that of the mask: a mask has a dim
/// per dim of memory that is mapped, in the order of memory.
static std::optional<SmallVector<int64_t>> maskRegisters(const Transfer &plan,
                                                         Distributor &out) {
  return registerSource(plan.maskPlacement->layout, plan.placement->layout,
                        DimMap(plan.placement->rank(), maskDims(plan)),
                        out.hardware());
}

LogicalResult distaff::distribute(vector::TransferReadOp op, OpOperand *mask,
                                  OpOperand *passthru, Distributor &out) {
  OpOperand *maskUse = mask ? mask : ownMask(op, op.getMask());
  FailureOr<Transfer> plan =
      planTransfer(op, out.placementOf(op.getResult()), maskUse, out);
  if (failed(plan))
    return failure();
  std::optional<SmallVector<int64_t>> selected;
  if (passthru && !(selected = maskRegisters(*plan, out)))
    return out.refuseOwnMistake(
        op,
        "has a mask that lanes hold otherwise than what is read: " +
            toString(plan->maskPlacement->layout) + " and " +
            toString(plan->placement->layout),
        plan->maskPlacement);

  OpBuilder b(op);
  if (std::optional<MatrixTiles> tiles = planMatrixRead(*plan, out)) {
    out.replace(op, emitMatrixRead(b, *plan, *tiles, out));
    return success();
  }
  Value held;
  if (maskUse)
    setMask(*plan, held = out.get(b, *maskUse));
  Value read = emitRead(b, *plan, op.getPadding(), out);
  if (passthru)
    read = arith::SelectOp::create(
        b, op.getLoc(),
        renameRegisters(b, op.getLoc(), held, *selected,
                        plan->placement->shape()),
        read, out.get(b, passthru->get(), *plan->placement));
  out.replace(op, read);
  return success();
}

LogicalResult distaff::distribute(vector::TransferReadOp op, OpOperand *mask,
                                  Distributor &out) {
  return distribute(op, mask, /*passthru=*/nullptr, out);
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

namespace {
/// A dim of the tiled shape that becomes a loop, and the distance of its
/// elements along each dim of the vector.
struct RolledDim {
  int64_t dim;
  int64_t extent;
  SmallVector<int64_t> step;
};
} // namespace

static bool isGuarded(const Transfer &plan) {
  auto memory = cast<MemRefType>(plan.memory.getType());
  return llvm::any_of(llvm::enumerate(plan.map.getResults()), [&](auto result) {
    auto dim = dyn_cast<AffineDimExpr>(result.value());
    return dim && !plan.inBounds[result.index()] &&
           memory.isDynamicDim(dim.getPosition());
  });
}

/// Returns the distance of the second tile along a dim of the tiled shape from
/// the first one.
static SmallVector<int64_t> stepAlong(int64_t dim, ArrayRef<Tile> tiles) {
  const Tile *second = llvm::find_if(tiles, [&](const Tile &tile) {
    return llvm::all_of(llvm::enumerate(tile.position), [&](auto digit) {
      return digit.value() == (int64_t(digit.index()) == dim);
    });
  });
  return llvm::map_to_vector(
      llvm::zip_equal(tiles.front().offset, second->offset),
      [](auto pair) { return std::get<1>(pair) - std::get<0>(pair); });
}

/// Returns the dims within a tile as loops; none if a dim of more than one
/// element is along the rows of memory, because its elements share an access.
static SmallVector<RolledDim> rolledElements(const Transfer &plan) {
  SmallVector<int64_t> shape = plan.placement->elementShape();
  int64_t before = plan.placement->tiledShape().size() - shape.size();
  int64_t alongRows = plan.vectorDimOf(plan.map.getNumDims() - 1);
  SmallVector<RolledDim> dims;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (extent == 1)
      continue;
    if (int64_t(dim) == alongRows)
      return {};
    SmallVector<int64_t> step(shape.size(), 0);
    step[dim] = 1;
    dims.push_back({before + int64_t(dim), extent, std::move(step)});
  }
  return dims;
}

/// Returns the loops, outermost first, for the guarded stores of a tile at the
/// edge of memory, whose counters index registers (VX-290). Returns none where
/// there are few stores, where no store is guarded, or where the indexed
/// registers are not one LLVM vector.
static SmallVector<RolledDim>
rolledDimsOf(const Transfer &plan, ArrayRef<Tile> tiles, Distributor &out) {
  constexpr int64_t fewStores = 32, mostNumbered = 32, leastTrips = 4;
  const Placement &placement = *plan.placement;
  SmallVector<int64_t> shape = placement.tiledShape();
  Type element = cast<MemRefType>(plan.memory.getType()).getElementType();
  bool isRegister =
      element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 32;
  if (!out.options.indexesRegisters || !isGuarded(plan) || plan.mask ||
      !isRegister || plan.op->getParentOfType<scf::ForOp>() ||
      ShapedType::getNumElements(shape) < fewStores)
    return {};
  int64_t numbered = ShapedType::getNumElements(placement.elementShape());
  std::optional<int64_t> found;
  for (int64_t dim = tiles.front().position.size(); dim-- > 0;) {
    numbered *= shape[dim];
    if (numbered > mostNumbered)
      break;
    if (shape[dim] >= leastTrips && (!found || shape[dim] > shape[*found]))
      found = dim;
  }
  if (!found)
    return {};
  SmallVector<RolledDim> dims = {
      {*found, shape[*found], stepAlong(*found, tiles)}};
  llvm::append_range(dims, rolledElements(plan));
  return dims;
}

/// Writes one tile; in loops, at the place that their counters give.
static void writeTileAt(OpBuilder &b, Value value, const Transfer &plan,
                        const Tile &tile, SmallVector<Value> position,
                        ArrayRef<RolledDim> rolled = {},
                        ArrayRef<Value> counters = {}) {
  Location loc = plan.op->getLoc();
  auto digits = getAsIndexOpFoldResult(b.getContext(), tile.position);
  SmallVector<int64_t> shape = plan.placement->tiledShape();
  if (!rolled.empty() && rolled.back().dim >= int64_t(digits.size()))
    digits.resize(shape.size(), b.getIndexAttr(0));
  for (auto [loop, counter] : llvm::zip_equal(rolled, counters)) {
    digits[loop.dim] = counter;
    for (auto [dim, index] : llvm::enumerate(position))
      if (int64_t from = plan.vectorDimOf(dim);
          from >= 0 && loop.step[from] != 0)
        index = affine::AffineApplyOp::create(
            b, loc,
            AffineMap::get(1, 1,
                           b.getAffineDimExpr(0) * loop.step[from] +
                               b.getAffineSymbolExpr(0)),
            ValueRange{counter, index});
  }
  Value part =
      digits.empty() ? value : vector::ExtractOp::create(b, loc, value, digits);
  if (!isa<VectorType>(part.getType()))
    part = vector::BroadcastOp::create(
        b, loc,
        VectorType::get(SmallVector<int64_t>(tile.offset.size(), 1),
                        part.getType()),
        part);
  vector::TransferWriteOp::create(
      b, loc, part, plan.memory, position, AffineMapAttr::get(plan.map),
      maskOf(b, plan, tile), b.getBoolArrayAttr(plan.inBounds));
}

static void emitWrites(OpBuilder &b, Value value, const Transfer &plan,
                       Distributor &out) {
  TilePositions positions(plan, out);
  SmallVector<Tile> tiles = plan.placement->tiles();
  SmallVector<RolledDim> rolled = rolledDimsOf(plan, tiles, out);
  if (rolled.empty()) {
    for (const Tile &tile : tiles)
      writeTileAt(b, value, plan, tile, positions(b, tile));
    return;
  }
  llvm::erase_if(tiles, [&](const Tile &tile) {
    return tile.position[rolled.front().dim] != 0;
  });
  SmallVector<SmallVector<Value>> first;
  for (const Tile &tile : tiles)
    first.push_back(positions(b, tile));
  SmallVector<Value> counters;
  OpBuilder inside = b;
  for (const RolledDim &dim : rolled) {
    auto loop =
        scf::ForOp::create(inside, plan.op->getLoc(), out.ids.constant(0),
                           out.ids.constant(dim.extent), out.ids.constant(1));
    counters.push_back(loop.getInductionVar());
    inside = OpBuilder(loop.getBody()->getTerminator());
  }
  for (auto [tile, position] : llvm::zip_equal(tiles, first))
    writeTileAt(inside, value, plan, tile, position, rolled, counters);
}

LogicalResult distaff::distribute(vector::TransferWriteOp op, OpOperand *mask,
                                  Distributor &out) {
  if (!isa<MemRefType>(op.getBase().getType()))
    return out.refuse(op, "writes a tensor; bufferize first");
  OpOperand *maskUse = mask ? mask : ownMask(op, op.getMask());
  FailureOr<Transfer> plan = planTransfer(
      op, out.placementOf(op.getValueToStoreMutable()), maskUse, out);
  if (failed(plan))
    return failure();

  OpBuilder b(op);
  Location loc = op.getLoc();
  const Placement &placement = *plan->placement;
  Value value = out.get(b, op.getValueToStoreMutable());
  if (maskUse)
    setMask(*plan, out.get(b, *maskUse));
  value = toTiled(b, loc, value, placement);
  Operation *emitted =
      emitGuarded(b, loc, isCanonical(out, placement),
                  [&](OpBuilder &b) { emitWrites(b, value, *plan, out); });
  out.hazards.record(emitted, accessOf(*plan, /*writes=*/true, out));
  op->erase();
  return success();
}
