//===- Multiplicand.cpp - Operand types of MMA instructions ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;

Type distaff::elementTypeOf(ScalarKind kind, MLIRContext *context) {
  switch (kind) {
  case ScalarKind::F16:
    return Float16Type::get(context);
  case ScalarKind::BF16:
    return BFloat16Type::get(context);
  case ScalarKind::F32:
  case ScalarKind::TF32:
  case ScalarKind::XF32:
    return Float32Type::get(context);
  case ScalarKind::F64:
    return Float64Type::get(context);
  case ScalarKind::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ScalarKind::F8E5M2:
    return Float8E5M2Type::get(context);
  case ScalarKind::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ScalarKind::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ScalarKind::I4:
  case ScalarKind::U4:
  case ScalarKind::I8:
  case ScalarKind::U8:
  case ScalarKind::I16:
  case ScalarKind::I32:
    return IntegerType::get(context, bitWidthOf(kind));
  }
  llvm_unreachable("unknown scalar kind");
}

bool distaff::isPart(Type part, ScalarKind kind) {
  auto integer = dyn_cast<IntegerType>(part);
  if (part.getIntOrFloatBitWidth() != bitWidthOf(kind))
    return false;
  if (isInteger(kind))
    return integer && integer.isUnsigned() == distaff::isUnsigned(kind);
  return integer ? integer.isSignless()
                 : part == elementTypeOf(kind, part.getContext());
}

bool distaff::isExactExtension(Operation *op) {
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op);
}

Value distaff::beforeExtensions(Value value,
                                SmallVectorImpl<Operation *> *extensions) {
  for (Operation *op = value.getDefiningOp(); isExactExtension(op);
       op = value.getDefiningOp()) {
    if (extensions)
      extensions->push_back(op);
    value = op->getOperand(0);
  }
  return value;
}

// VX-98.
bool Multiplicand::is(ScalarKind kind, bool mayDropBits) const {
  return isUnsigned == distaff::isUnsigned(kind) &&
         element == elementTypeOf(kind, element.getContext()) &&
         (mayDropBits || hasFewBits || !isReducedF32(kind));
}

/// Returns whether a kind represents every number of the type `from`.
static bool isExactIn(Type from, bool isUnsigned, ScalarKind kind) {
  if (auto integer = dyn_cast<IntegerType>(from)) {
    if (!isInteger(kind) || integer.getWidth() >= bitWidthOf(kind))
      return false;
    return isUnsigned || !distaff::isUnsigned(kind);
  }
  auto narrow = dyn_cast<FloatType>(from);
  if (!narrow || isInteger(kind))
    return false;
  // Instructions keep the exponent and 10 bits or more of 32 bits.
  if (isReducedF32(kind))
    return narrow.getWidth() <= 16;
  // Both types of 16 bits represent all numbers of 8-bit types.
  auto to = cast<FloatType>(elementTypeOf(kind, from.getContext()));
  return narrow.getWidth() < to.getWidth();
}

std::optional<Multiplicand> Multiplicand::as(ScalarKind kind,
                                             bool mayDropBits) const {
  if (is(kind, mayDropBits))
    return *this;
  if (extended().is(kind, mayDropBits))
    return extended();
  if (!isExactIn(element, isUnsigned, kind))
    return std::nullopt;
  Type wider = elementTypeOf(kind, element.getContext());
  return Multiplicand{{}, wider, distaff::isUnsigned(kind), whole, true};
}

Multiplicand Multiplicand::get(Value value) {
  Value inner = value;
  while (auto toLayout = inner.getDefiningOp<vector_ext::ToLayoutOp>())
    inner = toLayout.getInput();
  Operation *op = inner.getDefiningOp();
  Type whole = getElementTypeOrSelf(value.getType());
  if (!isExactExtension(op))
    return {value, whole, false, whole};
  Value extended = op->getOperand(0);
  Multiplicand before = get(extended);
  if (before.source == extended)
    before.isUnsigned = isa<arith::ExtUIOp>(op);
  else if (isa<arith::ExtUIOp>(op) && !before.isUnsigned)
    // The second extension treats the sign of the first as a digit.
    before = {extended, getElementTypeOrSelf(extended.getType()), true, {}};
  before.whole = whole;
  return before;
}

Multiplicand Multiplicand::get(Type element, ArrayRef<Operation *> chain) {
  Multiplicand factor{{}, element, false, {}};
  bool isExtended = false;
  for (Operation *op : chain) {
    bool isUnsigned = isa<arith::ExtUIOp>(op);
    if (!isExactExtension(op))
      factor = {{}, op->getResult(0).getType(), false, {}};
    else if (!isExtended)
      factor.isUnsigned = isUnsigned;
    else if (isUnsigned && !factor.isUnsigned)
      factor = {{}, op->getOperand(0).getType(), true, {}};
    isExtended = isExactExtension(op);
  }
  factor.whole = chain.empty() ? element : chain.back()->getResult(0).getType();
  return factor;
}

bool distaff::mayDropBits(Operation *op) { return op->hasAttr(allowTf32Name); }
