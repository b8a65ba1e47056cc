//===- DistributeToLayout.cpp - to_layout ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the plan of a conversion (Layout/Conversion.h): nothing, a renaming of
// registers, or a round trip through workgroup memory. In the round trip the
// threads with the canonical copies store, everybody waits, everybody loads;
// the waiting is placed by Hazards.
//
//===----------------------------------------------------------------------===//
#include "BufferOffsets.h"
#include "Rules.h"
#include "distaff/Layout/Conversion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

namespace {
/// One side of the round trip.
struct Side {
  const SharedAccess &access;
  const Placement &placement;
  BufferOffsets offsets;
  Value buffer;
  int64_t elementBytes;

  Side(const SharedAccess &access, const Placement &placement,
       const SharedMemoryPlan &plan, Value buffer, Distributor &out)
      : access(access), placement(placement),
        offsets(plan.memory, placement, out), buffer(buffer),
        elementBytes(plan.elementBytes) {}

  int64_t count() const { return access.registers.size() / access.width; }
  Value position(OpBuilder &b, Location loc, int64_t at) const {
    return offsets.of(b, loc, access.registers[at * access.width]);
  }
  /// The plan has looked at every address of the access.
  llvm::MaybeAlign alignment() const {
    return llvm::MaybeAlign(access.width * elementBytes);
  }
  VectorType chunk() const {
    return VectorType::get({access.width},
                           cast<MemRefType>(buffer.getType()).getElementType());
  }
};
} // namespace

static void store(OpBuilder &b, Location loc, Value value, const Side &side) {
  Value ordered = renameRegisters(b, loc, value, side.access.registers,
                                  {side.count(), side.access.width});
  for (int64_t at = 0; at < side.count(); ++at) {
    Value chunk = vector::ExtractOp::create(b, loc, ordered, at);
    vector::StoreOp::create(b, loc, chunk, side.buffer,
                            side.position(b, loc, at),
                            /*nontemporal=*/false, side.alignment());
  }
}

static Value load(OpBuilder &b, Location loc, const Side &side,
                  Distributor &out) {
  int64_t loading = out.hazards.newGroup();
  VectorType chunk = side.chunk();
  auto type = VectorType::get({side.count(), side.access.width},
                              chunk.getElementType());
  Value ordered = undefined(b, loc, type);
  for (int64_t at = 0; at < side.count(); ++at) {
    Value part = vector::LoadOp::create(
        b, loc, chunk, side.buffer, side.position(b, loc, at),
        /*nontemporal=*/false, side.alignment());
    out.hazards.record(part.getDefiningOp(),
                       {side.buffer, /*writes=*/false, loading, {}});
    ordered = vector::InsertOp::create(b, loc, part, ordered, at);
  }
  SmallVector<int64_t> accessOf(side.access.registers.size());
  for (auto [at, reg] : llvm::enumerate(side.access.registers))
    accessOf[reg] = at;
  return renameRegisters(b, loc, ordered, accessOf, side.placement.shape());
}

/// As what elements lie in memory: integers that do not fill their bytes are
/// extended.
static Type storedAs(Type element, int64_t bytes) {
  bool fills = !isa<IntegerType>(element) || element.isInteger(8 * bytes);
  return fills ? element : IntegerType::get(element.getContext(), 8 * bytes);
}

/// T3.
static Value exchange(OpBuilder &b, Location loc, Value value,
                      const SharedMemoryPlan &plan, const Placement &from,
                      const Placement &to, Distributor &out) {
  Type element = cast<VectorType>(value.getType()).getElementType();
  Type stored = storedAs(element, plan.elementBytes);
  Value buffer = out.allocate(loc, {plan.memory.numElements}, stored);
  if (stored != element)
    value = arith::ExtUIOp::create(b, loc, from.type(stored), value);
  Operation *storing =
      emitGuarded(b, loc, isCanonical(out, from), [&](OpBuilder &b) {
        store(b, loc, value, {plan.store, from, plan, buffer, out});
      });
  Value result = load(b, loc, {plan.load, to, plan, buffer, out}, out);
  out.hazards.record(storing,
                     {buffer, /*writes=*/true, out.hazards.newGroup(), {}});
  if (stored != element)
    result = arith::TruncIOp::create(b, loc, to.type(element), result);
  return result;
}

LogicalResult distaff::distribute(vector_ext::ToLayoutOp op, Distributor &out) {
  if (!isa<VectorType>(op.getType()))
    return out.refuse(op, "lays out a tensor; vectorize first");
  const Placement *to = out.place(op.getLayout());
  const Placement *from = out.placementOf(op.getInputMutable());
  if (!from)
    return out.refuse(op, "has an input without a layout");

  OpBuilder b(op);
  Value value = out.get(b, op.getInputMutable());
  // An extended value moves before it is extended: that is fewer bytes, and an
  // MMA instruction that extends its operands finds the extension behind it.
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  if (extension)
    value = extension.getIn();

  Type element = cast<VectorType>(value.getType()).getElementType();
  ConversionOptions options;
  options.forceShared = bool(op.getSharedMemoryConversionAttr());
  ConversionPlan plan =
      planConversion(from->layout, to->layout, out.hardware(),
                     element.isIndex() ? 64 : element.getIntOrFloatBitWidth(),
                     out.options.costs, out.options.banks, options);
  if (plan.tier == Tier::SharedMemory &&
      failed(out.requireShared(op, "data of other threads")))
    return failure();

  Value result =
      plan.tier == Tier::SharedMemory
          ? exchange(b, op.getLoc(), value, *plan.shared, *from, *to, out)
          : renameRegisters(b, op.getLoc(), value, plan.registerSource,
                            to->shape());
  if (extension)
    result = arith::ExtFOp::create(
        b, op.getLoc(), to->type(getElementTypeOrSelf(op.getType())), result);
  out.replace(op, result);
  return success();
}
