//===- DistributeToLayout.cpp - to_layout ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the plan of a conversion (Layout/Conversion.h): nothing, a renaming of
// registers, selects and shuffles (EmitLaneMoves.h), or a round trip through
// workgroup memory. In the round trip the threads with the canonical copies
// store, all threads wait, all threads load; Hazards places the barrier. A
// value that is too large for the memory makes one trip per slice, or, where no
// slices suit, is exchanged by element (ScalarExchange.h).
//
//===----------------------------------------------------------------------===//
#include "../Exchange/BlockExchange.h"
#include "../Exchange/Blocks.h"
#include "../Exchange/BufferOffsets.h"
#include "../Exchange/EmitLaneMoves.h"
#include "../Exchange/ScalarExchange.h"
#include "../Records.h"
#include "FragmentOrder.h"
#include "MatrixAccess.h"
#include "PromotedRead.h"
#include "Rules.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Layout/Conversion.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <map>
#include <set>

using namespace distaff;

namespace {
/// Describes one side of the round trip, in one thread: which of its accesses
/// take part when a slice of the value goes through memory, and their
/// positions.
class Side {
public:
  Side(const SharedMemoryPlan &plan, const SharedAccess &access,
       const Placement &placement, Value buffer, Distributor &out);

  int64_t count() const { return access.registers.size() / access.width; }
  ArrayRef<int64_t> registers() const { return access.registers; }
  SmallVector<int64_t> tiledShape() const { return {count(), access.width}; }
  VectorType chunk() const {
    return VectorType::get({access.width},
                           cast<MemRefType>(buffer.getType()).getElementType());
  }

  /// A part is the accesses that move elements of a slice, in the threads for
  /// which `condition` holds (null: in all).
  struct Part {
    SmallVector<int64_t> accesses;
    Value condition;
  };
  Part partOf(OpBuilder &b, Location loc, ArrayRef<int64_t> slice) const;

  Value position(OpBuilder &b, Location loc, int64_t at) const {
    return offsets.of(b, loc, access.registers[at * access.width]);
  }
  /// Returns the alignment of an access, which the plan has checked for every
  /// address.
  llvm::MaybeAlign alignment() const {
    return llvm::MaybeAlign(access.width * plan.elementBytes);
  }

  const Placement &placement;
  const Value buffer;

private:
  const SharedMemoryPlan &plan;
  const SharedAccess &access;
  Distributor &out;
  /// Offsets within a slice: the layout of the memory has no digits beyond it.
  BufferOffsets offsets;
  /// Accesses by the slice number's part that registers determine; the thread's
  /// ids add another part.
  std::map<SmallVector<int64_t>, SmallVector<int64_t>> accessesOf;
  std::set<SmallVector<int64_t>> idParts;
};
} // namespace

Side::Side(const SharedMemoryPlan &plan, const SharedAccess &access,
           const Placement &placement, Value buffer, Distributor &out)
    : placement(placement), buffer(buffer), plan(plan), access(access),
      out(out), offsets(plan.memory, placement, out) {
  for (int64_t at = 0; at < count(); ++at)
    accessesOf[plan.sliceOf(
                   placement.offsetOf(access.registers[at * access.width]))]
        .push_back(at);
  HardwareShape hardware = out.hardware();
  for (int64_t s = 0; s < hardware.subgroups; ++s)
    for (int64_t l = 0; l < hardware.lanes; ++l)
      idParts.insert(plan.sliceOf(placement.layout.indexOf({s, l, 0})));
}

Side::Part Side::partOf(OpBuilder &b, Location loc,
                        ArrayRef<int64_t> slice) const {
  // Digits of registers and of ids are different digits, so at most one sum of
  // the two parts gives a slice.
  for (ArrayRef<int64_t> idPart : idParts) {
    SmallVector<int64_t> ofRegisters;
    for (auto [whole, part] : llvm::zip_equal(slice, idPart))
      ofRegisters.push_back(whole - part);
    auto found = accessesOf.find(ofRegisters);
    if (found == accessesOf.end())
      continue;
    Part part{found->second, Value()};
    for (auto [dim, wanted] : llvm::enumerate(idPart)) {
      bool varies = llvm::any_of(idParts, [&](ArrayRef<int64_t> other) {
        return other[dim] != wanted;
      });
      if (!varies)
        continue;
      auto map = AffineMap::get(
          0, 1, b.getAffineSymbolExpr(0).floorDiv(plan.memory.shape[dim]));
      Value own = affine::makeComposedAffineApply(
          b, loc, map, {out.ids.base(placement, dim)});
      Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own,
                                          out.ids.constant(wanted));
      part.condition =
          part.condition
              ? arith::AndIOp::create(b, loc, part.condition, equal).getResult()
              : equal;
    }
    return part;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// One slice
//===----------------------------------------------------------------------===//

/// Stores the slice; `chunkOf(b, at)` returns the operand of access `at`.
static void store(OpBuilder &b, Location loc,
                  function_ref<Value(OpBuilder &, int64_t)> chunkOf,
                  const Side &side, ArrayRef<int64_t> slice, Distributor &out) {
  Side::Part part = side.partOf(b, loc, slice);
  Value condition = isCanonical(out, side.placement);
  if (condition && part.condition)
    condition = arith::AndIOp::create(b, loc, condition, part.condition);
  else if (part.condition)
    condition = part.condition;
  Operation *storing = emitGuarded(b, loc, condition, [&](OpBuilder &b) {
    for (int64_t at : part.accesses) {
      Value chunk = chunkOf(b, at);
      vector::StoreOp::create(b, loc, chunk, side.buffer,
                              side.position(b, loc, at),
                              /*nontemporal=*/false, side.alignment());
    }
  });
  out.hazards.record(
      storing, {side.buffer, /*writes=*/true, out.hazards.newGroup(), {}});
}

/// Loads the chunks of the slice. Every thread loads; if the slice is not the
/// thread's own, the loaded values are not used.
static void load(OpBuilder &b, Location loc, const Side &side,
                 ArrayRef<int64_t> slice, MutableArrayRef<Value> chunks,
                 Distributor &out) {
  int64_t loading = out.hazards.newGroup();
  Side::Part part = side.partOf(b, loc, slice);
  for (int64_t at : part.accesses) {
    Value chunk = vector::LoadOp::create(
        b, loc, side.chunk(), side.buffer, side.position(b, loc, at),
        /*nontemporal=*/false, side.alignment());
    out.hazards.record(chunk.getDefiningOp(),
                       {side.buffer, /*writes=*/false, loading, {}});
    if (chunks[at])
      chunk =
          arith::SelectOp::create(b, loc, part.condition, chunk, chunks[at]);
    chunks[at] = chunk;
  }
}

static Value assemble(OpBuilder &b, Location loc, const Side &side,
                      ArrayRef<Value> chunks) {
  auto type = VectorType::get(side.tiledShape(), side.chunk().getElementType());
  Value tiled = undefined(b, loc, type);
  for (auto [at, chunk] : llvm::enumerate(chunks))
    tiled = vector::InsertOp::create(b, loc, chunk, tiled, at);
  SmallVector<int64_t> accessOf(side.registers().size());
  for (auto [at, reg] : llvm::enumerate(side.registers()))
    accessOf[reg] = at;
  return renameRegisters(b, loc, tiled, accessOf, side.placement.shape());
}

//===----------------------------------------------------------------------===//
// The conversion
//===----------------------------------------------------------------------===//

/// Returns all slices in order; one for a value that is not sliced.
static SmallVector<SmallVector<int64_t>>
slicesOf(const SharedMemoryPlan &plan) {
  SmallVector<int64_t> counts = plan.slices;
  counts.resize(plan.memory.shape.size(), 1);
  SmallVector<int64_t> strides = computeStrides(counts);
  SmallVector<SmallVector<int64_t>> slices;
  for (int64_t at = 0; at < plan.pieces(); ++at)
    slices.push_back(delinearize(at, strides));
  return slices;
}

/// Loads the value by matrix loads; it is not sliced.
static Value loadByMatrices(OpBuilder &b, Location loc, Value buffer,
                            const SharedMemoryPlan &plan, const Placement &to,
                            Distributor &out) {
  Placement rows = placementOfRows(*plan.loadTiles, to);
  BufferOffsets offsets(plan.memory, rows, out);
  auto position = [&](OpBuilder &b, int64_t i) -> SmallVector<Value> {
    return {offsets.of(b, loc, i * plan.loadTiles->perRow)};
  };
  MemoryAccess access{buffer, /*writes=*/false, out.hazards.newGroup(), {}};
  return loadMatrices(b, loc, buffer, *plan.loadTiles, to, position, access,
                      out);
}

/// Stores the value by matrix stores of the subgroups with the canonical
/// copies.
static void storeByMatrices(OpBuilder &b, Location loc, Value value,
                            Value buffer, const SharedMemoryPlan &plan,
                            const Placement &from, Distributor &out) {
  Placement rows = placementOfRows(*plan.storeTiles, from);
  BufferOffsets offsets(plan.memory, rows, out);
  auto position = [&](OpBuilder &b, int64_t i) -> SmallVector<Value> {
    return {offsets.of(b, loc, i * plan.storeTiles->perRow)};
  };
  Operation *storing =
      emitGuarded(b, loc, isCanonical(out, from), [&](OpBuilder &b) {
        storeMatrices(b, loc, value, buffer, *plan.storeTiles, position);
      });
  out.hazards.record(storing,
                     {buffer, /*writes=*/true, out.hazards.newGroup(), {}});
}

/// Returns the operand of each access of the storing side: a row of the lane's
/// registers, or, if it is `promoted`, of its reads.
static std::function<Value(OpBuilder &, int64_t)>
chunksOf(OpBuilder &b, Location loc, Value value, bool promoted,
         const Side &storing, Distributor &out) {
  auto read =
      promoted ? PromotedRead::get(value, storing.placement) : std::nullopt;
  if (!read) {
    Value tiled = renameRegisters(b, loc, value, storing.registers(),
                                  storing.tiledShape());
    return [=](OpBuilder &b, int64_t at) -> Value {
      return vector::ExtractOp::create(b, loc, tiled, at);
    };
  }
  int64_t width = storing.tiledShape().back();
  int64_t reading = out.hazards.newGroup();
  return [=, &storing, &out](OpBuilder &b, int64_t at) -> Value {
    auto row = read->emitRow(
        b, loc, storing.placement.offsetOf(storing.registers()[at * width]),
        width);
    out.hazards.record(row, {row.getBase(), /*writes=*/false, reading, {}});
    return row;
  };
}

/// Emits a T3 conversion.
static Value exchange(OpBuilder &b, Location loc, Value value, bool promoted,
                      const SharedMemoryPlan &plan, const Placement &from,
                      const Placement &to, Distributor &out) {
  Type element = cast<VectorType>(value.getType()).getElementType();
  Type stored = storedAs(element);
  Value buffer = out.allocate({plan.memory.numElements}, stored);
  if (stored != element)
    value = arith::ExtUIOp::create(b, loc, from.type(stored), value);
  std::optional<Side> storing, loading;
  std::function<Value(OpBuilder &, int64_t)> chunkOf;
  if (!plan.storeTiles) {
    storing.emplace(plan, plan.store, from, buffer, out);
    chunkOf = chunksOf(b, loc, value, promoted, *storing, out);
  }
  SmallVector<Value> chunks;
  if (!plan.loadTiles) {
    loading.emplace(plan, plan.load, to, buffer, out);
    chunks.resize(loading->count());
  }
  // Values that matrix instructions move are not sliced.
  for (ArrayRef<int64_t> slice : slicesOf(plan)) {
    if (storing)
      store(b, loc, chunkOf, *storing, slice, out);
    else
      storeByMatrices(b, loc, value, buffer, plan, from, out);
    if (loading)
      load(b, loc, *loading, slice, chunks, out);
  }
  Value result = loading ? assemble(b, loc, *loading, chunks)
                         : loadByMatrices(b, loc, buffer, plan, to, out);
  if (stored != element)
    result = arith::TruncIOp::create(b, loc, to.type(element), result);
  return result;
}

/// Returns the elements of a lane by their row-major numbers in the index
/// space.
static SmallVector<ScalarNumber> numbersOf(OpBuilder &b, Location loc,
                                           const Placement &placement,
                                           Distributor &out) {
  SmallVector<int64_t> strides = computeStrides(placement.layout.shape());
  Value base = out.ids.constant(0);
  for (auto [dim, stride] : llvm::enumerate(strides))
    base = out.ids.step(out.ids.atEntry(), out.ids.loc(), base,
                        out.ids.base(placement, dim), stride);
  int64_t mostBase = 0;
  for (Axis axis : {Axis::Subgroup, Axis::Lane})
    for (const DigitTerm &term : placement.layout.terms(axis))
      mostBase += (term.size - 1) * term.indexStride * strides[term.dim];
  return llvm::map_to_vector(
      llvm::seq<int64_t>(0, placement.numRegisters()),
      [&, base = base, mostBase = mostBase](int64_t reg) {
        int64_t offset = linearize(placement.offsetOf(reg), strides);
        return ScalarNumber{out.ids.offset(b, loc, base, offset), offset,
                            offset + mostBase};
      });
}

/// Exchanges every element by itself, where no slice of the value suits both
/// layouts and the memory.
static Value exchangeScalars(OpBuilder &b, Location loc, Value value,
                             const Placement &from, const Placement &to,
                             Distributor &out) {
  Type element = getElementTypeOrSelf(value.getType());
  ScalarExchange exchange(loc, element, from.layout.numElements(),
                          /*grain=*/1, out);
  SmallVector<Value> taken =
      exchange.run(b, toScalars(b, loc, value), numbersOf(b, loc, from, out),
                   isCanonical(out, from), numbersOf(b, loc, to, out));
  return fromScalars(b, loc, taken, to.type(element));
}

static ConversionOptions optionsFor(vector_ext::ToLayoutOp op,
                                    const Placement &from,
                                    const OperandOrder &loadOrder,
                                    Distributor &out) {
  ConversionOptions options;
  // The attribute is a demand on lanes, to which blocks are distributed later.
  options.forceShared =
      op.getSharedMemoryConversionAttr() && !out.options.keepsBlocks;
  options.sharedBytes = out.sharedMemoryLeft;
  if (isAsynchronous(op))
    options.storeRow = from.elementShape().back();
  // Code that only some threads run has no barrier (DG8, VX-51).
  bool isTogether = !out.uniformity.divergentParent(op);
  options.emitSelect = !out.options.keepsBlocks;
  options.emitShuffle = !out.options.keepsBlocks && isTogether;
  options.avoidShared = !isTogether || !out.hasRoom();
  options.loadOrder = loadOrder;
  return options;
}

/// Returns `value`, which has moved to `to`, with its extensions, the last one
/// first.
static Value extendAgain(OpBuilder &b, Value value,
                         ArrayRef<Operation *> extensions,
                         const Placement &to) {
  for (Operation *extension : llvm::reverse(extensions)) {
    Type element = getElementTypeOrSelf(extension->getResult(0).getType());
    Operation *again = b.clone(*extension);
    again->setOperand(0, value);
    value = again->getResult(0);
    value.setType(to.type(element));
  }
  return value;
}

static LogicalResult requireSharedMove(Operation *op, const Placement &from,
                                       const Placement &to, Distributor &out) {
  return out.requireShared(op, "data of other threads to go from " +
                                   toString(from.layout) + " to " +
                                   toString(to.layout));
}

/// Checks that an asynchronous copy fits into memory as a whole.
static LogicalResult requireAsynchronousRoom(vector_ext::ToLayoutOp op,
                                             const ConversionPlan &plan,
                                             Distributor &out) {
  if (!isAsynchronous(op) || out.sharedMemoryLeft == 0 ||
      plan.shared->bytes <= out.sharedMemoryLeft)
    return success();
  return out.refuse(op, "is copied asynchronously, for which all of its " +
                            Twine(plan.shared->bytes) +
                            " bytes have to fit into workgroup memory, of "
                            "which " +
                            Twine(out.sharedMemoryLeft) +
                            " are left; smaller vectors, or a plain "
                            "`shared_memory_conversion`, take less");
}

LogicalResult distaff::distribute(vector_ext::ToLayoutOp op, Distributor &out) {
  if (!isa<VectorType>(op.getType()))
    return out.refuse(op, "lays out a tensor; vectorize first");
  const Placement *to = out.place(op.getLayout());
  const Placement *from = out.placementOf(op.getInputMutable());
  OpBuilder b(op);
  Value value = out.get(b, op.getInputMutable());
  // An extended value moves before it is extended: that is fewer bytes, and an
  // MMA instruction that extends its operands finds the extension after the
  // move.
  SmallVector<Operation *> extensions;
  value = beforeExtensions(value, &extensions);

  Type element = cast<VectorType>(value.getType()).getElementType();
  FragmentOrder loadOrder = fragmentOrderOf(op, out);
  const ConversionPlan &plan = out.planOf(
      *from, *to, element.isIndex() ? 64 : element.getIntOrFloatBitWidth(),
      optionsFor(op, *from, {loadOrder.registers, loadOrder.perOperand}, out));
  if (plan.tier == Tier::SharedMemory &&
      (failed(requireSharedMove(op, *from, *to, out)) ||
       failed(out.requireRoom(op))))
    return failure();
  FailureOr<BlockRounds> rounds =
      plan.tier == Tier::SharedMemory && out.options.keepsBlocks
          ? planBlockRounds(op, element, *from, *to, out)
          : BlockRounds();
  if (failed(rounds))
    return failure();
  if (failed(requireAsynchronousRoom(op, plan, out)))
    return failure();
  recordConversion(op, plan, out);

  Location loc = op.getLoc();
  Value result;
  if (plan.moves)
    result = moveWithinSubgroup(b, loc, value, *plan.moves, *to, out);
  else if (plan.tier != Tier::SharedMemory)
    result = renameRegisters(b, loc, value, plan.registerSource, to->shape());
  else if (out.options.keepsBlocks)
    result = exchangeBlocks(b, loc, value, *from, *to, *rounds, out);
  else if (plan.byElement)
    result = exchangeScalars(b, loc, value, *from, *to, out);
  else
    result = exchange(b, loc, value, isAsynchronous(op), *plan.shared, *from,
                      *to, out);
  result = extendAgain(b, result, extensions, *to);
  if (out.options.keepsBlocks) {
    vector_ext::ToLayoutOp block = layOutBlock(b, loc, result, op);
    if (plan.tier == Tier::SharedMemory)
      block.removeSharedMemoryConversionAttr();
    out.keep(block);
    result = block;
  }
  out.replace(op, result);
  return success();
}
