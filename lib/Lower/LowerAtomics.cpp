//===- LowerAtomics.cpp - Updates that no instruction does ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An update that the target has an instruction for stays. Any other is a loop
// around a compare-and-swap, which begins with an atomic load: a plain one
// would race with the updates of others.
//
//   %r = memref.atomic_rmw maximumf %x, %m[%i]
//   =>  %first = memref.generic_atomic_rmw %m[%i] {yield %old}
//       %r = scf.while (%expected = %first) {
//         %new = arith.maximumf %expected, %x
//         %seen = memref.generic_atomic_rmw %m[%i] {
//           yield (bits of %old == bits of %expected ? %new : %old)
//         }
//         scf.condition(bits of %seen != bits of %expected) %seen
//       } do {yield}
//
// Bits are compared: a NaN is equal to itself, and zeros of either sign differ.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/AccessWidth.h"
#include "distaff/Analysis/AtomicForm.h"
#include "distaff/Analysis/UnknownTarget.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERATOMICS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// Whether LLVM has an instruction for an update, or a loop of its own that no
/// machine of ours runs.
static bool hasInstruction(arith::AtomicRMWKind kind, Type type,
                           const Target &target) {
  using Update = arith::AtomicRMWKind;
  // Conversion makes patterns of the others: of bf16 on CPUs, and of 8 bits.
  bool isNumber = !isa<FloatType>(type) || type.isF16() || type.isF32() ||
                  type.isF64() || (type.isBF16() && !target.isHost());
  if (target.family != Family::NVPTX)
    return kind == Update::assign ||
           (isNumber && kind != Update::mulf && kind != Update::muli);
  switch (kind) {
  case Update::addf:
    return type.isF16() || type.isF32() || type.isF64() ||
           (type.isBF16() && target.capability.major >= 9);
  case Update::mulf:
  case Update::muli:
  case Update::maximumf:
  case Update::minimumf:
  case Update::maxnumf:
  case Update::minnumf:
    return false;
  default:
    return type.getIntOrFloatBitWidth() >= 32;
  }
}

/// Fails with a diagnostic where no instruction compares and swaps elements of
/// a type.
static LogicalResult checkSwaps(Operation *op, Type type,
                                const Target &target) {
  unsigned bits = type.getIntOrFloatBitWidth();
  if (!fillsItsBytes(type) || bits > 64)
    return op->emitOpError("has no code for ")
           << target.name << ": an element of " << type << " takes "
           << 8 * bytesInMemory(type)
           << " bits in memory, which no instruction updates as such; use "
              "elements of i32 or i64";
  if (bits == 8 && target.family == Family::NVPTX)
    return op->emitOpError("has no code for ")
           << target.name
           << ": no instruction compares and swaps 8 bits; use elements of 16, "
              "32 or 64 bits";
  return success();
}

/// The pattern of a number.
static Value bitsOf(ImplicitLocOpBuilder &b, Value value) {
  if (!isa<FloatType>(value.getType()))
    return value;
  Type integer = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return arith::BitcastOp::create(b, integer, value);
}

/// An update by what `next` makes of the element.
static Value update(ImplicitLocOpBuilder &b, Value memref, ValueRange indices,
                    function_ref<Value(Value)> next) {
  auto op = memref::GenericAtomicRMWOp::create(b, memref, indices);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  memref::AtomicYieldOp::create(b, next(op.getCurrentValue()));
  return op.getResult();
}

/// The loop; `compute` makes the new element of the old one.
static void
replaceByLoop(Operation *op, Value memref, ValueRange indices,
              function_ref<Value(ImplicitLocOpBuilder &, Value)> compute) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value first = update(b, memref, indices, [](Value old) { return old; });
  Type type = first.getType();
  auto loop = scf::WhileOp::create(
      b, type, first,
      [&](OpBuilder &inside, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder b(loc, inside);
        Value expected = arguments.front();
        Value wanted = bitsOf(b, expected), next = compute(b, expected);
        Value seen = update(b, memref, indices, [&](Value old) -> Value {
          Value same = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                             bitsOf(b, old), wanted);
          return arith::SelectOp::create(b, same, next, old);
        });
        Value again = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                            bitsOf(b, seen), wanted);
        scf::ConditionOp::create(b, again, seen);
      },
      [](OpBuilder &inside, Location loc, ValueRange arguments) {
        scf::YieldOp::create(inside, loc, arguments);
      });
  op->getResult(0).replaceAllUsesWith(loop.getResult(0));
  op->erase();
}

static void lowerUpdate(memref::AtomicRMWOp op) {
  replaceByLoop(op, op.getMemref(), op.getIndices(),
                [&](ImplicitLocOpBuilder &b, Value old) -> Value {
                  if (op.getKind() == arith::AtomicRMWKind::assign)
                    return op.getValue();
                  return arith::getReductionOp(op.getKind(), b, op.getLoc(),
                                               old, op.getValue());
                });
}

static void lowerUpdate(memref::GenericAtomicRMWOp op) {
  replaceByLoop(op, op.getMemref(), op.getIndices(),
                [&](ImplicitLocOpBuilder &b, Value old) {
                  IRMapping map;
                  map.map(op.getCurrentValue(), old);
                  for (Operation &inner : op.getBody()->without_terminator())
                    b.clone(inner, map);
                  return map.lookupOrDefault(
                      op.getBody()->getTerminator()->getOperand(0));
                });
}

namespace {
struct LowerAtomicsPass final
    : distaff::impl::LowerAtomicsBase<LowerAtomicsPass> {
  using LowerAtomicsBase::LowerAtomicsBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    SmallVector<Operation *> updates;
    getOperation()->walk([&](Operation *op) {
      auto update = dyn_cast<memref::AtomicRMWOp>(op);
      auto generic = dyn_cast<memref::GenericAtomicRMWOp>(op);
      if ((update || generic) && !(generic && AtomicForm::of(generic)))
        updates.push_back(op);
    });
    for (Operation *op : updates)
      if (failed(checkSwaps(op, op->getResult(0).getType(), *machine)))
        return signalPassFailure();
    for (Operation *op : updates) {
      auto update = dyn_cast<memref::AtomicRMWOp>(op);
      if (!update)
        lowerUpdate(cast<memref::GenericAtomicRMWOp>(op));
      else if (!hasInstruction(update.getKind(), update.getType(), *machine))
        lowerUpdate(update);
    }
  }
};
} // namespace
