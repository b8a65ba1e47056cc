//===- PredicatedForms.cpp - LLVM's predicated ops without predicates -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An intrinsic llvm.vp.* takes, after its operands, a mask and a number of
// elements; where the mask is false, and from that number on, the result is
// undefined. So the form computes all elements, by the op without a mask
// (VX-171). If a mask decides more than that, it stays: a reduction skips
// masked-off elements, and a division by zero there does not happen.
//
//===----------------------------------------------------------------------===//
#include "IntrinsicForms.h"
#include "distaff/Analysis/Linalg/CombiningIdentity.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using vector::CombiningKind;

namespace {
struct PredicatedRow {
  StringLiteral intrinsic, op;
  unsigned operands;
  bool divides = false; // whether its last operand must not be 0
};
struct PredicatedReduction {
  StringLiteral intrinsic;
  CombiningKind kind;
};
} // namespace

static constexpr PredicatedRow predicatedRows[] = {
    {"vp.abs", "math.absi", 1},
    {"vp.add", "arith.addi", 2},
    {"vp.and", "arith.andi", 2},
    {"vp.ashr", "arith.shrsi", 2},
    {"vp.ceil", "math.ceil", 1},
    {"vp.copysign", "math.copysign", 2},
    {"vp.ctlz", "math.ctlz", 1},
    {"vp.ctpop", "math.ctpop", 1},
    {"vp.cttz", "math.cttz", 1},
    {"vp.fabs", "math.absf", 1},
    {"vp.fadd", "arith.addf", 2},
    {"vp.fdiv", "arith.divf", 2},
    {"vp.floor", "math.floor", 1},
    {"vp.fma", "math.fma", 3},
    {"vp.fmul", "arith.mulf", 2},
    {"vp.fmuladd", "math.fma", 3},
    {"vp.fneg", "arith.negf", 1},
    {"vp.fpext", "arith.extf", 1},
    {"vp.fptosi", "arith.fptosi", 1},
    {"vp.fptoui", "arith.fptoui", 1},
    {"vp.fptrunc", "arith.truncf", 1},
    {"vp.frem", "arith.remf", 2},
    {"vp.fsub", "arith.subf", 2},
    {"vp.lshr", "arith.shrui", 2},
    {"vp.maximum", "arith.maximumf", 2},
    {"vp.maxnum", "arith.maxnumf", 2},
    {"vp.minimum", "arith.minimumf", 2},
    {"vp.minnum", "arith.minnumf", 2},
    {"vp.mul", "arith.muli", 2},
    {"vp.nearbyint", "math.roundeven", 1},
    {"vp.or", "arith.ori", 2},
    {"vp.rint", "math.roundeven", 1},
    {"vp.round", "math.round", 1},
    {"vp.roundeven", "math.roundeven", 1},
    {"vp.roundtozero", "math.trunc", 1},
    {"vp.sdiv", "arith.divsi", 2, /*divides=*/true},
    {"vp.sext", "arith.extsi", 1},
    {"vp.shl", "arith.shli", 2},
    {"vp.sitofp", "arith.sitofp", 1},
    {"vp.smax", "arith.maxsi", 2},
    {"vp.smin", "arith.minsi", 2},
    {"vp.sqrt", "math.sqrt", 1},
    {"vp.srem", "arith.remsi", 2, /*divides=*/true},
    {"vp.sub", "arith.subi", 2},
    {"vp.trunc", "arith.trunci", 1},
    {"vp.udiv", "arith.divui", 2, /*divides=*/true},
    {"vp.uitofp", "arith.uitofp", 1},
    {"vp.umax", "arith.maxui", 2},
    {"vp.umin", "arith.minui", 2},
    {"vp.urem", "arith.remui", 2, /*divides=*/true},
    {"vp.xor", "arith.xori", 2},
    {"vp.zext", "arith.extui", 1},
};

static constexpr PredicatedReduction predicatedReductions[] = {
    {"vp.reduce.add", CombiningKind::ADD},
    {"vp.reduce.and", CombiningKind::AND},
    {"vp.reduce.fadd", CombiningKind::ADD},
    {"vp.reduce.fmax", CombiningKind::MAXNUMF},
    {"vp.reduce.fmaximum", CombiningKind::MAXIMUMF},
    {"vp.reduce.fmin", CombiningKind::MINNUMF},
    {"vp.reduce.fminimum", CombiningKind::MINIMUMF},
    {"vp.reduce.fmul", CombiningKind::MUL},
    {"vp.reduce.mul", CombiningKind::MUL},
    {"vp.reduce.or", CombiningKind::OR},
    {"vp.reduce.smax", CombiningKind::MAXSI},
    {"vp.reduce.smin", CombiningKind::MINSI},
    {"vp.reduce.umax", CombiningKind::MAXUI},
    {"vp.reduce.umin", CombiningKind::MINUI},
    {"vp.reduce.xor", CombiningKind::XOR},
};

static constexpr StringLiteral choices[] = {"vp.merge", "vp.select"};

StringRef distaff::predicatedIntrinsicOf(StringRef called) {
  for (const PredicatedRow &row : predicatedRows)
    if (isIntrinsicNamed(called, row.intrinsic))
      return row.intrinsic;
  for (const PredicatedReduction &row : predicatedReductions)
    if (isIntrinsicNamed(called, row.intrinsic))
      return row.intrinsic;
  for (StringRef known : choices)
    if (isIntrinsicNamed(called, known))
      return known;
  return "";
}

/// Returns the mask of the elements below the last operand.
static Value elementsBelow(ImplicitLocOpBuilder &b, Operation *op,
                           Type maskType) {
  Value end = arith::IndexCastUIOp::create(
      b, b.getIndexType(), op->getOperand(op->getNumOperands() - 1));
  return vector::CreateMaskOp::create(b, maskType, ValueRange(end));
}

/// Returns the mask of the elements whose result is defined.
static Value activeElements(ImplicitLocOpBuilder &b, Operation *op) {
  Value mask = op->getOperand(op->getNumOperands() - 2);
  return arith::AndIOp::create(b, mask, elementsBelow(b, op, mask.getType()));
}

static Value constantLike(ImplicitLocOpBuilder &b, VectorType type,
                          Attribute value) {
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, value));
}

static Value emitElements(ImplicitLocOpBuilder &b, Operation *op,
                          const PredicatedRow &row) {
  SmallVector<Value> operands(op->getOperands().take_front(row.operands));
  if (row.divides) {
    Value &divisor = operands.back();
    auto type = cast<VectorType>(divisor.getType());
    Value one =
        constantLike(b, type, b.getIntegerAttr(type.getElementType(), 1));
    divisor = arith::SelectOp::create(b, activeElements(b, op), divisor, one);
  }
  return createWithFlagsOf(b, op, row.op, operands);
}

static Value emitReduction(ImplicitLocOpBuilder &b, Operation *op,
                           CombiningKind kind) {
  Value vector = op->getOperand(1);
  auto type = cast<VectorType>(vector.getType());
  Value identity =
      constantLike(b, type, identityOf(kind, type.getElementType()));
  Value active =
      arith::SelectOp::create(b, activeElements(b, op), vector, identity);
  return vector::ReductionOp::create(b, kind, active, op->getOperand(0));
}

static Value emitChoice(ImplicitLocOpBuilder &b, Operation *op,
                        StringRef intrinsic) {
  Value condition = op->getOperand(0);
  if (intrinsic == "vp.merge") // from the last operand on it is the second one
    condition = arith::AndIOp::create(
        b, condition, elementsBelow(b, op, condition.getType()));
  return arith::SelectOp::create(b, condition, op->getOperand(1),
                                 op->getOperand(2));
}

Value distaff::emitPredicatedForm(ImplicitLocOpBuilder &b, StringRef intrinsic,
                                  Operation *op) {
  for (const PredicatedRow &row : predicatedRows)
    if (row.intrinsic == intrinsic)
      return emitElements(b, op, row);
  for (const PredicatedReduction &row : predicatedReductions)
    if (row.intrinsic == intrinsic)
      return emitReduction(b, op, row.kind);
  if (llvm::is_contained(choices, intrinsic))
    return emitChoice(b, op, intrinsic);
  return nullptr;
}
