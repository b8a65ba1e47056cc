//===- BlockExchange.cpp - Blocks that subgroups exchange -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BlockExchange.h"
#include "Combine.h"
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
  /// All of the memory: which part a subgroup touches is not known.
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

/// Where a subgroup's block begins.
static SmallVector<Value> beginOf(const Placement &placement,
                                  Distributor &out) {
  return llvm::map_to_vector(
      llvm::seq<int64_t>(0, placement.rank()),
      [&](int64_t dim) { return out.ids.base(placement, dim); });
}

Value distaff::exchangeBlocks(OpBuilder &b, Location loc, Value value,
                              const Placement &from, const Placement &to,
                              Distributor &out) {
  Type element = getElementTypeOrSelf(value.getType());
  BlockBuffer buffer(loc, from.layout.shape(), element, out);
  buffer.write(b, value, beginOf(from, out), isCanonical(out, from));
  return buffer.read(b, to.type(element), beginOf(to, out));
}

SmallVector<int64_t> distaff::shapeOfBlocks(const Reach &reach) {
  SmallVector<int64_t> shape{productOf(reach.reducedSubgroups)};
  if (reach.result)
    llvm::append_range(shape, reach.result->layout.shape());
  return shape;
}

Value distaff::reduceBlocks(OpBuilder &b, Location loc,
                            vector::CombiningKind kind, Value partial,
                            const Reach &reach, Distributor &out) {
  int64_t slots = productOf(reach.reducedSubgroups);
  SmallVector<int64_t> shape = shapeOfBlocks(reach);
  SmallVector<Value> position{
      out.ids.number(reach.reducedSubgroups, reach.subgroups)};
  if (reach.result)
    llvm::append_range(position, beginOf(*reach.result, out));
  BlockBuffer buffer(loc, shape, getElementTypeOrSelf(partial.getType()), out);
  // One subgroup per part of the source.
  buffer.write(b, partial, position,
               out.ids.isCanonical(reach.subgroups, ArrayRef<Digit>{}));
  Value all;
  for (int64_t slot = 0; slot < slots; ++slot) {
    position.front() = out.ids.constant(slot);
    Value part = buffer.read(b, partial.getType(), position);
    all = all ? combine(b, loc, kind, all, part) : part;
  }
  return all;
}
