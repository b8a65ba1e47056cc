//===- LowerAtomics.cpp - Atomic updates as compare-and-swap loops --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An update that the target has an instruction for stays, and a body of one op
// that is such an update becomes it. Any other is a loop around a
// compare-and-swap, which begins with an atomic load: a plain one would race
// with other updates.
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
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Kernel/AtomicForm.h"
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

/// Returns whether LLVM has an instruction for an update, or a loop of its own
/// that no machine of ours runs.
static bool hasInstruction(arith::AtomicRMWKind kind, Type type,
                           const Target &target) {
  using Update = arith::AtomicRMWKind;
  // Conversion has patterns for the others: of bf16 on CPUs, and of 8 bits.
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

/// Checks that an instruction loads the op's element and, if the op does more,
/// that one compares and swaps it; emits a diagnostic otherwise.
static LogicalResult checkElement(Operation *op, const Target &target) {
  Type type = op->getResult(0).getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (!fillsItsBytes(type))
    return op->emitOpError("has no code for ")
           << target.name << ": an element of " << type << " fills only "
           << bits << " of the " << 8 * bytesInMemory(type)
           << " bits of its bytes, and atomic instructions access whole bytes; "
              "use elements of i32 or i64";
  if (bits > 64)
    return op->emitOpError("has no code for ")
           << target.name << ": an element of " << type
           << " is wider than the 64 bits of an update; use elements of i32 or "
              "i64";
  auto generic = dyn_cast<memref::GenericAtomicRMWOp>(op);
  std::optional<AtomicForm> form =
      generic ? AtomicForm::of(generic) : std::nullopt;
  if (bits == 8 && target.family == Family::NVPTX && !(form && form->isLoad()))
    return op->emitOpError("has no code for ")
           << target.name
           << ": no instruction compares and swaps 8 bits; use elements of 16, "
              "32 or 64 bits";
  return success();
}

/// Returns the bits of a number.
static Value bitsOf(ImplicitLocOpBuilder &b, Value value) {
  if (!isa<FloatType>(value.getType()))
    return value;
  Type integer = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return arith::BitcastOp::create(b, integer, value);
}

/// Creates an update of an element to `next` of it.
static Value update(ImplicitLocOpBuilder &b, Value memref, ValueRange indices,
                    function_ref<Value(Value)> next) {
  auto op = memref::GenericAtomicRMWOp::create(b, memref, indices);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  memref::AtomicYieldOp::create(b, next(op.getCurrentValue()));
  return op.getResult();
}

/// Replaces an op by the loop; `compute` makes the new element from the old
/// one.
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

static void lower(memref::AtomicRMWOp op, const Target &target) {
  if (!hasInstruction(op.getKind(), op.getType(), target))
    lowerUpdate(op);
}

/// Replaces an op with a body by the op of that kind.
static memref::AtomicRMWOp replaceByUpdate(memref::GenericAtomicRMWOp op,
                                           const AtomicUpdate &update) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value operand = update.operand;
  if (update.isNegated && isa<FloatType>(operand.getType())) {
    operand = arith::NegFOp::create(b, operand);
  } else if (update.isNegated) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(operand.getType()));
    operand = arith::SubIOp::create(b, zero, operand);
  }
  auto replaced =
      memref::AtomicRMWOp::create(b, operand.getType(), update.kind, operand,
                                  op.getMemref(), op.getIndices());
  op.replaceAllUsesWith(replaced.getResult());
  op.erase();
  return replaced;
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

static void lower(memref::GenericAtomicRMWOp op, const Target &target) {
  std::optional<AtomicForm> form = AtomicForm::of(op);
  if (form && form->isLoad() && isConstantMemory(op.getMemref())) {
    // No op writes it, and LLVM has no atomic load of it for NVIDIA.
    OpBuilder b(op);
    op.replaceAllUsesWith(
        memref::LoadOp::create(b, op.getLoc(), op.getMemref(), op.getIndices())
            .getResult());
    op.erase();
  } else if (std::optional<AtomicUpdate> update = AtomicUpdate::of(op)) {
    lower(replaceByUpdate(op, *update), target);
  } else if (!form) {
    lowerUpdate(op);
  }
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
      if (isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op))
        updates.push_back(op);
    });
    for (Operation *op : updates)
      if (failed(checkElement(op, *machine)))
        return signalPassFailure();
    for (Operation *op : updates)
      if (auto generic = dyn_cast<memref::GenericAtomicRMWOp>(op))
        lower(generic, *machine);
      else
        lower(cast<memref::AtomicRMWOp>(op), *machine);
  }
};
} // namespace
