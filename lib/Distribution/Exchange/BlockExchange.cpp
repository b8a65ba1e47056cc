//===- BlockExchange.cpp - Exchange of blocks between subgroups -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BlockExchange.h"
#include "../Rules/Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace distaff;

namespace {
/// Memory for values in so many slots: [slot][index], without slots [index].
/// Integers take whole bytes.
class BlockBuffer {
public:
  BlockBuffer(Location loc, ArrayRef<int64_t> shape, Type element,
              Distributor &out)
      : loc(loc), element(element), stored(storedAs(element)), out(out) {
    memory = out.allocate(shape, stored);
  }

  void write(OpBuilder &b, Value value, ArrayRef<Value> position,
             Value condition);
  Value read(OpBuilder &b, Type type, ArrayRef<Value> position);

private:
  Type storedType(Type type) const {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(stored)) : stored;
  }
  /// Returns an access of all of the memory: the part of a subgroup is not
  /// known.
  MemoryAccess access(bool writes) {
    return {memory, writes, out.hazards.newGroup(), MemoryBox()};
  }

  Location loc;
  Type element, stored;
  Distributor &out;
  Value memory;
};
} // namespace

static SmallVector<bool> allInside(Type type) {
  return SmallVector<bool>(cast<VectorType>(type).getRank(), true);
}

void BlockBuffer::write(OpBuilder &b, Value value, ArrayRef<Value> position,
                        Value condition) {
  if (stored != element)
    value = arith::ExtUIOp::create(b, loc, storedType(value.getType()), value);
  Operation *writing = emitGuarded(b, loc, condition, [&](OpBuilder &b) {
    if (isa<VectorType>(value.getType()))
      vector::TransferWriteOp::create(b, loc, value, memory, position,
                                      allInside(value.getType()));
    else
      memref::StoreOp::create(b, loc, value, memory, position);
  });
  out.hazards.record(writing, access(/*writes=*/true));
}

Value BlockBuffer::read(OpBuilder &b, Type type, ArrayRef<Value> position) {
  Value value;
  if (auto vector = dyn_cast<VectorType>(storedType(type)))
    value = vector::TransferReadOp::create(b, loc, vector, memory, position,
                                           /*padding=*/std::nullopt,
                                           allInside(vector));
  else
    value = memref::LoadOp::create(b, loc, memory, position);
  out.hazards.record(value.getDefiningOp(), access(/*writes=*/false));
  if (stored != element)
    value = arith::TruncIOp::create(b, loc, type, value);
  return value;
}

/// Returns the first index of a subgroup's block.
static SmallVector<Value> beginOf(const Placement &placement,
                                  Distributor &out) {
  return llvm::map_to_vector(
      llvm::seq<int64_t>(0, placement.rank()),
      [&](int64_t dim) { return out.ids.base(placement, dim); });
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

static int64_t blockSize(const Placement &placement, int64_t dim) {
  int64_t size = 1;
  for (const Digit &digit : placement.layout.digits(dim))
    size *= digit.axis == Axis::Register ? digit.size : 1;
  return size;
}

static bool isSplit(const Placement &placement, int64_t dim) {
  return blockSize(placement, dim) < placement.layout.shape()[dim];
}

/// Returns the number that slices of a block must be multiples of along a dim,
/// so that lanes have the same parts of each: all but the outermost register
/// digit.
static int64_t granuleOf(const Placement &placement, int64_t dim) {
  int64_t block = blockSize(placement, dim);
  Layout whole = placement.attr.getLayout();
  for (const Digit &digit : whole.digits(dim))
    if (digit.axis != Axis::Subgroup)
      return digit.axis == Axis::Register ? block / digit.size : block;
  return block;
}

/// Returns whether blocks lie in slices of so many elements, or slices in
/// blocks.
static bool suits(const Placement &placement, int64_t dim, int64_t slice) {
  return isSplit(placement, dim) ? slice % blockSize(placement, dim) == 0
                                 : slice % granuleOf(placement, dim) == 0;
}

FailureOr<BlockRounds> distaff::planBlockRounds(Operation *op, Type element,
                                                const Placement &from,
                                                const Placement &to,
                                                Distributor &out) {
  SmallVector<int64_t> shape = from.layout.shape();
  std::optional<BlockRounds> best;
  for (auto [dim, extent] : llvm::enumerate(shape))
    for (int64_t count = 1; count <= extent; ++count) {
      if (best && best->count <= count)
        break;
      SmallVector<int64_t> slice(shape);
      slice[dim] = extent / count;
      if (extent % count == 0 && out.hasRoomFor(slice, element) &&
          (count == 1 ||
           (suits(from, dim, slice[dim]) && suits(to, dim, slice[dim]))))
        best = {int64_t(dim), count};
    }
  if (best)
    return *best;
  (void)out.requireRoomFor(op, shape, element);
  return failure();
}

namespace {
/// Describes one side of an exchange in rounds: the places of its blocks in the
/// slices.
class BlockSlices {
public:
  BlockSlices(const Placement &placement, const BlockRounds &rounds,
              Distributor &out)
      : dim(rounds.dim), slice(placement.layout.shape()[dim] / rounds.count),
        inParts(rounds.count > 1 && !isSplit(placement, dim)),
        isOneOf(rounds.count > 1 && isSplit(placement, dim)),
        begin(beginOf(placement, out)) {}

  /// Returns the type of the part of a block that a round moves.
  VectorType typeOf(VectorType block) const {
    SmallVector<int64_t> shape(block.getShape());
    if (inParts)
      shape[dim] = slice;
    return VectorType::get(shape, block.getElementType());
  }
  /// Returns the part's position in memory, as if the block were of this round.
  SmallVector<Value> position(OpBuilder &b, Location loc) const {
    SmallVector<Value> at(begin);
    if (isOneOf)
      at[dim] = arith::RemUIOp::create(
          b, loc, at[dim], arith::ConstantIndexOp::create(b, loc, slice));
    return at;
  }
  /// Returns whether the block is of this round; null: a part of it is.
  Value isIn(OpBuilder &b, Location loc, int64_t round) const {
    if (!isOneOf)
      return {};
    Value number = arith::DivUIOp::create(
        b, loc, begin[dim], arith::ConstantIndexOp::create(b, loc, slice));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number,
                                 arith::ConstantIndexOp::create(b, loc, round));
  }
  Value take(OpBuilder &b, Location loc, Value block, int64_t round) const {
    if (!inParts)
      return block;
    ArrayRef<int64_t> shape = cast<VectorType>(block.getType()).getShape();
    SmallVector<int64_t> offsets(shape.size(), 0), sizes(shape),
        strides(shape.size(), 1);
    offsets[dim] = round * slice;
    sizes[dim] = slice;
    return vector::ExtractStridedSliceOp::create(b, loc, block, offsets, sizes,
                                                 strides);
  }
  /// Returns the block with the part that this round has read.
  Value put(OpBuilder &b, Location loc, Value part, Value block,
            int64_t round) const {
    if (isOneOf)
      return block ? arith::SelectOp::create(b, loc, isIn(b, loc, round), part,
                                             block)
                   : part;
    if (!inParts)
      return part;
    SmallVector<int64_t> offsets(begin.size(), 0), strides(begin.size(), 1);
    offsets[dim] = round * slice;
    return vector::InsertStridedSliceOp::create(b, loc, part, block, offsets,
                                                strides);
  }
  bool hasParts() const { return inParts; }

private:
  int64_t dim, slice;
  bool inParts, isOneOf;
  SmallVector<Value> begin;
};
} // namespace

static Value bothOf(OpBuilder &b, Location loc, Value x, Value y) {
  return x && y ? arith::AndIOp::create(b, loc, x, y).getResult() : x ? x : y;
}

Value distaff::exchangeBlocks(OpBuilder &b, Location loc, Value value,
                              const Placement &from, const Placement &to,
                              const BlockRounds &rounds, Distributor &out) {
  Type element = getElementTypeOrSelf(value.getType());
  VectorType type = to.type(element);
  SmallVector<int64_t> shape = from.layout.shape();
  shape[rounds.dim] /= rounds.count;
  BlockSlices written(from, rounds, out), read(to, rounds, out);
  BlockBuffer buffer(loc, shape, element, out);
  Value result;
  if (read.hasParts())
    result = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  for (int64_t round = 0; round < rounds.count; ++round) {
    Value mine =
        bothOf(b, loc, isCanonical(out, from), written.isIn(b, loc, round));
    buffer.write(b, written.take(b, loc, value, round),
                 written.position(b, loc), mine);
    Value part = buffer.read(b, read.typeOf(type), read.position(b, loc));
    result = read.put(b, loc, part, result, round);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

SmallVector<int64_t> distaff::shapeOfBlocks(const Reach &reach) {
  SmallVector<int64_t> shape{productOf(reach.reducedSubgroups)};
  if (reach.result)
    llvm::append_range(shape, reach.result->layout.shape());
  return shape;
}

SmallVector<Value> distaff::shareBlocks(OpBuilder &b, Location loc,
                                        Value partial, const Reach &reach,
                                        Distributor &out) {
  SmallVector<int64_t> shape = shapeOfBlocks(reach);
  SmallVector<Value> position{
      out.ids.number(reach.reducedSubgroups, reach.subgroups)};
  if (reach.result)
    llvm::append_range(position, beginOf(*reach.result, out));
  BlockBuffer buffer(loc, shape, getElementTypeOrSelf(partial.getType()), out);
  // One subgroup per part of the source writes.
  buffer.write(b, partial, position,
               out.ids.isCanonical(reach.subgroups, ArrayRef<Digit>{}));
  SmallVector<Value> parts;
  for (int64_t slot = 0; slot < shape.front(); ++slot) {
    position.front() = out.ids.constant(slot);
    parts.push_back(buffer.read(b, partial.getType(), position));
  }
  return parts;
}

Value distaff::reduceBlocks(OpBuilder &b, Location loc,
                            vector::CombiningKind kind, Value partial,
                            const Reach &reach, Distributor &out) {
  Value all;
  for (Value part : shareBlocks(b, loc, partial, reach, out))
    all = all ? combine(b, loc, kind, all, part) : part;
  return all;
}
