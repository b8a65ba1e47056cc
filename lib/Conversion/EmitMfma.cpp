//===- EmitMfma.cpp - MFMA and WMMA by ROCDL ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are 1-D vectors, or scalars if a lane has one element. The forms of
// bf16 of up to four elements and of WMMA take bits as i16; elements of 8 bits
// come in words: MFMA in one of as many bits as there are or vectors of i32,
// WMMA in vectors of i32.
//
// The three trailing operands of MFMA (cbsz, abid, blgp) rearrange blocks and
// lanes; 0 is plain. In the scaled forms cbsz and blgp select the 8-bit float
// formats of A and B; scales of constant 0 make the instruction that has none.
//
//===----------------------------------------------------------------------===//
#include "MmaEmitters.h"
#include "distaff/Dialect/IREE/MfmaModifiers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Packs 8-bit elements into words of 32 bits, or into one of 64.
static Value wordsOf(OpBuilder &builder, Location loc, ValueRange registers,
                     bool inOneWord) {
  Value bytes = vectorOf(builder, loc, registers);
  auto plain =
      VectorType::get({int64_t(registers.size())}, builder.getI8Type());
  if (bytes.getType() != plain)
    bytes = arith::BitcastOp::create(builder, loc, plain, bytes);
  int64_t words = registers.size() / 4;
  Type type = VectorType::get({words}, builder.getI32Type());
  if (words == 1)
    type = builder.getI32Type();
  else if (words == 2 && inOneWord)
    type = builder.getI64Type();
  return LLVM::BitcastOp::create(builder, loc, type, bytes);
}

/// Packs the registers of a fragment into one operand.
static Value operandOf(OpBuilder &builder, Location loc, ValueRange registers,
                       ScalarKind kind, bool isMfma) {
  if (bitWidthOf(kind) == 8)
    return wordsOf(builder, loc, registers, /*inOneWord=*/isMfma);
  if (registers.size() == 1)
    return registers.front();
  Value vector = vectorOf(builder, loc, registers);
  bool asBits = kind == ScalarKind::BF16 && (!isMfma || registers.size() < 8);
  if (!asBits)
    return vector;
  auto bits =
      VectorType::get({int64_t(registers.size())}, builder.getI16Type());
  return LLVM::BitcastOp::create(builder, loc, bits, vector);
}

static SmallVector<Value> accumulatorParts(OpBuilder &builder, Location loc,
                                           Value result, Type element) {
  auto type = dyn_cast<VectorType>(result.getType());
  if (!type)
    return {result};
  if (type.getElementType() != element)
    result = LLVM::BitcastOp::create(builder, loc, type.clone(element), result);
  auto parts = vector::ToElementsOp::create(builder, loc, result);
  return SmallVector<Value>(parts.getElements());
}

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

/// Returns the code of an 8-bit format in the f8f6f4 forms.
static int64_t formatOf(ScalarKind kind) {
  return kind == ScalarKind::F8E5M2 ? 1 : 0;
}

static void addMfmaOperands(OpBuilder &builder, Location loc, const MmaRow &row,
                            const iree::MfmaModifiers &modifiers,
                            OperationState &state) {
  Value zero = constant(builder, loc, 0);
  if (row.emitter == MmaEmitter::RocdlMfma) {
    for (int64_t field : {modifiers.cbsz, modifiers.abid, modifiers.blgp})
      state.addOperands(field ? constant(builder, loc, field) : zero);
    return;
  }
  state.addOperands({constant(builder, loc, formatOf(row.a)),
                     constant(builder, loc, formatOf(row.b)), zero, zero, zero,
                     zero});
}

static void addWmmaAttributes(OpBuilder &builder, const MmaRow &row,
                              OperationState &state) {
  if (row.emitter == MmaEmitter::RocdlWmmaInteger) {
    state.addAttribute("signA", builder.getBoolAttr(!isUnsigned(row.a)));
    state.addAttribute("signB", builder.getBoolAttr(!isUnsigned(row.b)));
    state.addAttribute("clamp", builder.getBoolAttr(false));
  } else if (row.emitter != MmaEmitter::RocdlWmma) {
    state.addAttribute("opsel", builder.getBoolAttr(false));
  }
}

/// Puts every register's value in the lower half of a word.
static SmallVector<Value> spread(OpBuilder &builder, Location loc,
                                 ValueRange registers) {
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(registers.front().getType()));
  SmallVector<Value> halves;
  for (Value value : registers)
    halves.append({value, zero});
  return halves;
}

static SmallVector<Value> gather(ArrayRef<Value> halves) {
  SmallVector<Value> registers;
  for (size_t i = 0; i < halves.size(); i += 2)
    registers.push_back(halves[i]);
  return registers;
}

SmallVector<Value> distaff::emitMatrixCore(OpBuilder &builder, Operation *op,
                                           const MmaRow &row, ValueRange a,
                                           ValueRange b, ValueRange c) {
  Location loc = op->getLoc();
  bool isMfma = row.emitter == MmaEmitter::RocdlMfma ||
                row.emitter == MmaEmitter::RocdlMfmaScale;
  bool inHalves = row.emitter == MmaEmitter::RocdlWmmaHalves;
  Type element = c.front().getType();
  SmallVector<Value> sums(c);
  if (inHalves)
    sums = spread(builder, loc, c);
  Value accumulator = operandOf(builder, loc, sums, row.c, isMfma);
  // The table names the op, so a new row needs no code here.
  OperationState state(loc, row.instruction);
  state.addOperands({operandOf(builder, loc, a, row.a, isMfma),
                     operandOf(builder, loc, b, row.b, isMfma), accumulator});
  if (isMfma)
    addMfmaOperands(builder, loc, row, iree::MfmaModifiers::of(op), state);
  else
    addWmmaAttributes(builder, row, state);
  state.addTypes(accumulator.getType());
  SmallVector<Value> result = accumulatorParts(
      builder, loc, builder.create(state)->getResult(0), element);
  return inHalves ? gather(result) : result;
}
