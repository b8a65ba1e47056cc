//===- InstructionForms.cpp - LLVM instructions as ops of arith, vector ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flags of an instruction (nsw, exact, nneg) are dropped: without them fewer
// results are undefined.
//
//===----------------------------------------------------------------------===//
#include "IntrinsicForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;

namespace {
/// An instruction that is equivalent to one op of arith.
struct InstructionRow {
  StringLiteral instruction, op;
};
} // namespace

static constexpr InstructionRow instructionRows[] = {
    {"llvm.add", "arith.addi"},       {"llvm.and", "arith.andi"},
    {"llvm.ashr", "arith.shrsi"},     {"llvm.fadd", "arith.addf"},
    {"llvm.fdiv", "arith.divf"},      {"llvm.fmul", "arith.mulf"},
    {"llvm.fneg", "arith.negf"},      {"llvm.fpext", "arith.extf"},
    {"llvm.fptosi", "arith.fptosi"},  {"llvm.fptoui", "arith.fptoui"},
    {"llvm.fptrunc", "arith.truncf"}, {"llvm.frem", "arith.remf"},
    {"llvm.fsub", "arith.subf"},      {"llvm.lshr", "arith.shrui"},
    {"llvm.mul", "arith.muli"},       {"llvm.or", "arith.ori"},
    {"llvm.sdiv", "arith.divsi"},     {"llvm.select", "arith.select"},
    {"llvm.sext", "arith.extsi"},     {"llvm.shl", "arith.shli"},
    {"llvm.sitofp", "arith.sitofp"},  {"llvm.srem", "arith.remsi"},
    {"llvm.sub", "arith.subi"},       {"llvm.trunc", "arith.trunci"},
    {"llvm.udiv", "arith.divui"},     {"llvm.uitofp", "arith.uitofp"},
    {"llvm.urem", "arith.remui"},     {"llvm.xor", "arith.xori"},
    {"llvm.zext", "arith.extui"},
};

static bool isNumeric(Type type) {
  return getElementTypeOrSelf(type).isIntOrFloat();
}

/// Returns a predicate's name: both dialects use the same, but for words of
/// C++.
static StringRef predicateName(StringRef name) {
  (void)name.consume_front("_");
  return name;
}

static Value emitConstantForm(ImplicitLocOpBuilder &b, LLVM::ConstantOp op) {
  auto value = dyn_cast<TypedAttr>(op.getValue());
  if (!value || value.getType() != op.getType() || !isNumeric(op.getType()))
    return nullptr;
  return arith::ConstantOp::create(b, value);
}

/// Emits a bitcast; in a vector, another element width changes the element
/// count.
static Value emitBitcastForm(ImplicitLocOpBuilder &b, LLVM::BitcastOp op) {
  Type from = op.getArg().getType(), to = op.getType();
  if (!isNumeric(from) || !isNumeric(to) ||
      isa<VectorType>(from) != isa<VectorType>(to))
    return nullptr;
  if (isa<VectorType>(from))
    return vector::BitCastOp::create(b, to, op.getArg());
  return arith::BitcastOp::create(b, to, op.getArg());
}

static Value emitShuffleForm(ImplicitLocOpBuilder &b,
                             LLVM::ShuffleVectorOp op) {
  SmallVector<int64_t> mask(op.getMask().begin(), op.getMask().end());
  return vector::ShuffleOp::create(b, op.getV1(), op.getV2(), mask);
}

static OpFoldResult positionOf(ImplicitLocOpBuilder &b, Value position) {
  return arith::IndexCastUIOp::create(b, b.getIndexType(), position)
      .getResult();
}

static bool isUndefined(Operation *op) {
  return isa<LLVM::UndefOp, LLVM::PoisonOp>(op) &&
         isNumeric(op->getResult(0).getType());
}

Value distaff::emitInstructionForm(ImplicitLocOpBuilder &b, Operation *op) {
  for (const InstructionRow &row : instructionRows)
    if (row.instruction == op->getName().getStringRef())
      return llvm::all_of(op->getOperandTypes(), isNumeric)
                 ? createWithFlagsOf(b, op, row.op, op->getOperands())
                 : Value();
  if (isUndefined(op))
    return ub::PoisonOp::create(b, op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](LLVM::ConstantOp op) { return emitConstantForm(b, op); })
      .Case([&](LLVM::BitcastOp op) { return emitBitcastForm(b, op); })
      .Case([&](LLVM::ShuffleVectorOp op) { return emitShuffleForm(b, op); })
      .Case([&](LLVM::ExtractElementOp op) -> Value {
        return vector::ExtractOp::create(b, op.getVector(),
                                         positionOf(b, op.getPosition()));
      })
      .Case([&](LLVM::InsertElementOp op) -> Value {
        return vector::InsertOp::create(b, op.getValue(), op.getVector(),
                                        positionOf(b, op.getPosition()));
      })
      .Case([&](LLVM::ICmpOp op) -> Value {
        if (!isNumeric(op.getLhs().getType()))
          return nullptr;
        return arith::CmpIOp::create(
            b,
            *arith::symbolizeCmpIPredicate(
                LLVM::stringifyICmpPredicate(op.getPredicate())),
            op.getLhs(), op.getRhs());
      })
      .Case([&](LLVM::FCmpOp op) -> Value {
        return arith::CmpFOp::create(
            b,
            *arith::symbolizeCmpFPredicate(
                predicateName(LLVM::stringifyFCmpPredicate(op.getPredicate()))),
            op.getLhs(), op.getRhs());
      })
      .Default(Value());
}
