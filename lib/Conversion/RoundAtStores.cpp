//===- RoundAtStores.cpp - Rounding to tf32 at staging stores -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mma.sync of tf32 takes rounded operands, and several lanes load every
// fragment of an operand. If all readers of an element of shared memory round
// it, it is rounded once, where it is stored, and no op is between a load and
// its instruction (VX-274):
//
//   store %x, %buffer[%i]                store (round %x), %buffer[%i]
//   %y = load %buffer[%j]                %y = load %buffer[%j]
//   mma (round %y)                       mma (bits %y)
//
// Rounding is a function of the element alone, so the instruction receives the
// same number. It ignores the 13 bits that tf32 does not have, and they are
// stored as they are in the sum: adding half of a unit takes two instructions,
// and clearing the bits would be a third. A buffer that has other readers, or
// that asynchronous copies fill, is not changed.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <limits>

using namespace distaff;
using NVVM::ConvertFloatToTF32Op;

/// Returns whether the op rounds as the operands of mma.sync are rounded.
static bool roundsAsOperand(ConvertFloatToTF32Op op) {
  return op.getRnd() == NVVM::FPRoundingMode::RNA &&
         op.getSat() == NVVM::SaturationMode::NONE && !op.getRelu();
}

/// Returns the number rounded to tf32, ties away from zero, with arbitrary bits
/// where tf32 has none. Half of a unit in the last place, added to the bits,
/// carries into the remaining bits; infinities and NaNs do not change.
static Value roundedElement(OpBuilder &b, Location loc, Value number) {
  auto ofBits = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value infinity = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(std::numeric_limits<float>::infinity()));
  Value size = math::AbsFOp::create(b, loc, number);
  Value isFinite =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size, infinity);
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), number);
  Value sum = arith::AddIOp::create(b, loc, bits, ofBits(1 << 12));
  Value chosen = arith::SelectOp::create(b, loc, isFinite, sum, bits);
  return arith::BitcastOp::create(b, loc, b.getF32Type(), chosen);
}

/// Returns an f32 or a vector of f32 rounded.
static Value rounded(OpBuilder &b, Location loc, Value value) {
  auto round = [&](Value element) { return roundedElement(b, loc, element); };
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return round(value);
  auto parts = vector::ToElementsOp::create(b, loc, value);
  return vector::FromElementsOp::create(
      b, loc, type, llvm::map_to_vector(parts.getElements(), round));
}

namespace {
/// The accesses of an allocation of which each reader rounds.
class StagedOperand {
public:
  /// Returns nothing if an access is of another kind.
  static std::optional<StagedOperand> get(memref::AllocOp alloc);

  void roundAtStores();

private:
  bool addUses(Value buffer);
  bool addStore(OpOperand &value);
  bool addReader(Value value);

  SmallVector<OpOperand *> stored;
  SmallVector<ConvertFloatToTF32Op> roundings;
};
} // namespace

/// Returns whether each element of the results is one of the op's only operand.
static bool keepsElements(Operation *op) {
  return isa<vector::BroadcastOp, vector::ExtractOp, vector::ShapeCastOp,
             vector::ToElementsOp>(op);
}

/// Adds the rounding ops of a loaded value's elements. Returns false if an
/// element has another use.
bool StagedOperand::addReader(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto rounding = dyn_cast<ConvertFloatToTF32Op>(user)) {
      roundings.push_back(rounding);
      return roundsAsOperand(rounding);
    }
    return keepsElements(user) &&
           llvm::all_of(user->getResults(),
                        [&](Value part) { return addReader(part); });
  });
}

/// Adds a store. Returns false unless it stores f32.
bool StagedOperand::addStore(OpOperand &value) {
  stored.push_back(&value);
  return getElementTypeOrSelf(value.get().getType()).isF32();
}

/// Adds the accesses through a buffer or a view of it. Returns false if one is
/// neither a plain store nor a load that is rounded.
bool StagedOperand::addUses(Value buffer) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto store = dyn_cast<vector::StoreOp>(user))
      return addStore(store.getValueToStoreMutable());
    if (auto store = dyn_cast<memref::StoreOp>(user))
      return addStore(store.getValueMutable());
    if (auto load = dyn_cast<nvgpu::LdMatrixOp>(user))
      return !load.getTranspose() && addReader(load.getRes());
    if (isa<vector::LoadOp, memref::LoadOp>(user))
      return addReader(user->getResult(0));
    if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1)
      return addUses(user->getResult(0));
    return isa<memref::DeallocOp>(user);
  });
}

std::optional<StagedOperand> StagedOperand::get(memref::AllocOp alloc) {
  StagedOperand operand;
  if (!operand.addUses(alloc) || operand.roundings.empty())
    return std::nullopt;
  return operand;
}

void StagedOperand::roundAtStores() {
  for (OpOperand *operand : stored) {
    OpBuilder b(operand->getOwner());
    operand->set(rounded(b, operand->getOwner()->getLoc(), operand->get()));
  }
  for (ConvertFloatToTF32Op rounding : roundings) {
    OpBuilder b(rounding);
    rounding.replaceAllUsesWith(arith::BitcastOp::create(b, rounding.getLoc(),
                                                         b.getI32Type(),
                                                         rounding.getSrc())
                                    .getResult());
    rounding.erase();
  }
}

void distaff::roundAtStores(func::FuncOp kernel) {
  kernel.walk([](memref::AllocOp alloc) {
    if (std::optional<StagedOperand> operand = StagedOperand::get(alloc))
      operand->roundAtStores();
  });
}
