//===- EmitMmaSync.cpp - mma.sync by NVVM or inline PTX -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync takes the elements of A and B in words of 32 bits: vector<2xf16> for
// f16, i32 for other narrow types; tf32 is an f32 rounded to it, ties away from
// zero, in an i32. Accumulators of f32, f64 and i32 are one operand per
// register. Integer sums wrap. Instructions without an NVVM op are emitted by
// the row's mnemonic (VX-103).
//
//===----------------------------------------------------------------------===//
#include "MmaEmitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;

/// Packs `values` into vectors of `count`, or words of as many; LLVM has no
/// floats of 8 bits.
static SmallVector<Value> packed(OpBuilder &builder, Location loc,
                                 ValueRange values, int64_t count,
                                 bool asWords) {
  auto type = VectorType::get({count}, values.front().getType());
  Type bits = type.clone(
      builder.getIntegerType(type.getElementType().getIntOrFloatBitWidth()));
  SmallVector<Value> operands;
  for (size_t i = 0; i < values.size(); i += count) {
    Value word = vector::FromElementsOp::create(builder, loc, type,
                                                values.slice(i, count));
    if (asWords && isa<FloatType>(type.getElementType()) && count == 4)
      word = arith::BitcastOp::create(builder, loc, bits, word);
    if (asWords)
      word = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), word);
    operands.push_back(word);
  }
  return operands;
}

/// Packs registers into the instruction's operands.
static SmallVector<Value> operandsOf(OpBuilder &builder, Location loc,
                                     ValueRange values, ScalarKind kind) {
  if (kind == ScalarKind::TF32)
    return llvm::map_to_vector(values, [&](Value value) -> Value {
      return NVVM::ConvertFloatToTF32Op::create(
          builder, loc, builder.getI32Type(), value, NVVM::FPRoundingMode::RNA,
          NVVM::SaturationMode::NONE, /*relu=*/false);
    });
  if (bitWidthOf(kind) >= 32)
    return SmallVector<Value>(values);
  return packed(builder, loc, values, 32 / bitWidthOf(kind),
                /*asWords=*/kind != ScalarKind::F16);
}

/// Returns the type of D, a struct of the accumulator's operands.
static Type structOf(ValueRange operands) {
  return LLVM::LLVMStructType::getLiteral(
      operands.front().getContext(), SmallVector<Type>(operands.getTypes()));
}

static NVVM::MMATypes ptxTypeOf(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::F16:
    return NVVM::MMATypes::f16;
  case ScalarKind::BF16:
    return NVVM::MMATypes::bf16;
  case ScalarKind::TF32:
    return NVVM::MMATypes::tf32;
  case ScalarKind::F64:
    return NVVM::MMATypes::f64;
  case ScalarKind::I8:
    return NVVM::MMATypes::s8;
  case ScalarKind::U8:
    return NVVM::MMATypes::u8;
  case ScalarKind::I4:
    return NVVM::MMATypes::s4;
  case ScalarKind::U4:
    return NVVM::MMATypes::u4;
  default:
    llvm_unreachable("no multiplicand of nvvm.mma.sync");
  }
}

static Value emitOp(OpBuilder &builder, Location loc, const MmaRow &row,
                    ValueRange a, ValueRange b, ValueRange c) {
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (isInteger(row.c))
    overflow = NVVM::MMAIntOverflow::wrapped;
  return NVVM::MmaOp::create(
      builder, loc, structOf(c), a, b, c,
      ArrayRef<int64_t>{row.m, row.n, row.k}, /*b1Op=*/std::nullopt, overflow,
      /*multiplicandPtxTypes=*/
      std::array<NVVM::MMATypes, 2>{ptxTypeOf(row.a), ptxTypeOf(row.b)},
      /*multiplicandLayouts=*/
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
}

/// Returns the constraint letter of a register in inline PTX.
static StringRef constraintOf(Type type) {
  if (type.isF32())
    return "f";
  return type.isF64() ? "d" : "r";
}

/// Emits `mnemonic {d}, {a}, {b}, {c};` with operands numbered in that order.
static Value emitPtx(OpBuilder &builder, Location loc, const MmaRow &row,
                     ValueRange a, ValueRange b, ValueRange c) {
  std::string text = row.instruction.str() + " ";
  SmallVector<std::string> constraints;
  unsigned next = 0;
  auto appendList = [&](ValueRange list, StringRef prefix) {
    text += next == 0 ? "{" : ", {";
    for (auto [i, value] : llvm::enumerate(list)) {
      text += (i == 0 ? "$" : ", $") + llvm::utostr(next++);
      constraints.push_back((prefix + constraintOf(value.getType())).str());
    }
    text += "}";
  };
  appendList(c, "=");
  for (ValueRange list : {a, b, c})
    appendList(list, "");
  text += ";";
  SmallVector<Value> operands;
  for (ValueRange list : {a, b, c})
    llvm::append_range(operands, list);
  // All lanes take part: the instruction must not move.
  return LLVM::InlineAsmOp::create(
             builder, loc, TypeRange(structOf(c)), operands, text,
             llvm::join(constraints, ","), /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             /*asm_dialect=*/LLVM::AsmDialectAttr(),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

SmallVector<Value> distaff::emitMmaSync(OpBuilder &builder, Operation *op,
                                        const MmaRow &row, ValueRange a,
                                        ValueRange b, ValueRange c) {
  Location loc = op->getLoc();
  SmallVector<Value> left = operandsOf(builder, loc, a, row.a);
  SmallVector<Value> right = operandsOf(builder, loc, b, row.b);
  SmallVector<Value> accumulator = operandsOf(builder, loc, c, row.c);
  Value result = row.emitter == MmaEmitter::PtxMmaSync
                     ? emitPtx(builder, loc, row, left, right, accumulator)
                     : emitOp(builder, loc, row, left, right, accumulator);
  SmallVector<Value> registers;
  for (size_t i = 0; i < accumulator.size(); ++i) {
    Value part = LLVM::ExtractValueOp::create(builder, loc, result, i);
    if (!isa<VectorType>(part.getType())) {
      registers.push_back(part);
      continue;
    }
    auto pair = vector::ToElementsOp::create(builder, loc, part);
    llvm::append_range(registers, pair.getElements());
  }
  return registers;
}
