//===- NvvmMma.cpp - nvvm.mma.sync ----------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MmaFragments.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

static StringRef nameOf(NVVM::MMATypes type) {
  switch (type) {
  case NVVM::MMATypes::f16:
    return "F16";
  case NVVM::MMATypes::bf16:
    return "BF16";
  case NVVM::MMATypes::tf32:
    return "TF32";
  case NVVM::MMATypes::f64:
    return "F64";
  case NVVM::MMATypes::s8:
    return "I8";
  case NVVM::MMATypes::u8:
    return "U8";
  case NVVM::MMATypes::s4:
    return "I4";
  case NVVM::MMATypes::u4:
    return "U4";
  default:
    return "";
  }
}

/// Returns the type of multiplicands: explicit if the registers do not
/// determine it.
static StringRef inputName(std::optional<NVVM::MMATypes> written, Value held) {
  if (written)
    return nameOf(*written);
  Type type = getElementTypeOrSelf(held.getType());
  return type.isF16() ? "F16" : type.isF64() ? "F64" : "";
}

/// Returns "F16", or "I8_U8" for different types.
static std::string inputNames(StringRef a, StringRef b) {
  return a == b ? a.str() : (a + "_" + b).str();
}

static std::string accumulatorName(Value c) {
  Type held = getElementTypeOrSelf(c.getType());
  return held.isF16()   ? "F16"
         : held.isF32() ? "F32"
         : held.isF64() ? "F64"
                        : "I32";
}

static LogicalResult translateMma(NVVM::MmaOp op, Translator &t) {
  NVVM::MMAShapeAttr shape = op.getShapeAttr();
  if (op.getB1Op() || op.getLayoutA() != NVVM::MMALayout::row ||
      op.getLayoutB() != NVVM::MMALayout::col)
    return t.notModelled(op, "operands of this form");
  std::string name =
      ("NV_MMA_SYNC_" + accumulatorName(op.getOperandC().front()) + "_" +
       Twine(shape.getM()) + "x" + Twine(shape.getN()) + "x" +
       Twine(shape.getK()) + "_" +
       inputNames(
           inputName(op.getMultiplicandAPtxType(), op.getOperandA().front()),
           inputName(op.getMultiplicandBPtxType(), op.getOperandB().front())))
          .str();
  const MmaInstruction *mma = lookupMmaInstruction(name);
  if (!mma)
    return t.notModelled(op, name + ", which is no known matrix instruction");
  return emitMma(op, *mma, t.regs(op.getOperandA()), t.regs(op.getOperandB()),
                 t.regs(op.getOperandC()), t.parts(t.reg(op.getResult())), t,
                 op.getIntOverflowBehavior() ==
                     NVVM::MMAIntOverflow::satfinite);
}

namespace {
/// A matrix instruction in inline assembly, for lack of an op:
///
///   mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {$0, $1, $2, $3},
///       {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};
///
/// with D's registers first, then those of A, B and C.
struct PtxMma {
  std::string name;
  size_t a, b, c; // registers

  static std::optional<PtxMma> parse(StringRef text) {
    auto [mnemonic, operands] = text.split(' ');
    SmallVector<StringRef> words;
    mnemonic.split(words, '.');
    if (words.size() != 10 || !mnemonic.starts_with("mma.sync.aligned.m") ||
        words[4] != "row" || words[5] != "col" || words[6] != words[9])
      return std::nullopt;
    std::string shape = words[3].drop_front().str();
    for (char &letter : shape)
      letter = letter == 'n' || letter == 'k' ? 'x' : letter;
    StringRef first = formatOf(words[7]), second = formatOf(words[8]);
    if (first.empty() || second.empty() || !operands.consume_back(";"))
      return std::nullopt;
    PtxMma mma;
    mma.name = "NV_MMA_SYNC_" + words[6].upper() + "_" + shape + "_" +
               inputNames(first, second);
    std::optional<SmallVector<size_t>> counts = countRegisters(operands);
    if (!counts || counts->size() != 4 || (*counts)[0] != (*counts)[3])
      return std::nullopt;
    mma.a = (*counts)[1];
    mma.b = (*counts)[2];
    mma.c = (*counts)[3];
    return mma;
  }

private:
  static StringRef formatOf(StringRef type) {
    return llvm::StringSwitch<StringRef>(type)
        .Case("e4m3", "F8E4M3FN")
        .Case("e5m2", "F8E5M2")
        .Case("f64", "F64")
        .Default("");
  }

  /// Returns the lengths of lists of operands that are numbered in order.
  static std::optional<SmallVector<size_t>> countRegisters(StringRef text) {
    SmallVector<size_t> counts;
    unsigned next = 0;
    while (text.consume_front("{")) {
      auto [list, rest] = text.split('}');
      SmallVector<StringRef> names;
      list.split(names, ", ");
      for (StringRef name : names)
        if (name != "$" + std::to_string(next++))
          return std::nullopt;
      counts.push_back(names.size());
      text = rest;
      text.consume_front(", ");
    }
    if (!text.empty())
      return std::nullopt;
    return counts;
  }
};
} // namespace

/// Returns whether the constraints of inline assembly pass registers in order:
/// '=' for a result, and each one's letter is that of its type.
static bool fitsConstraints(LLVM::InlineAsmOp op, ArrayRef<Reg> results,
                            ArrayRef<Reg> operands) {
  SmallVector<StringRef> constraints;
  op.getConstraints().split(constraints, ',');
  if (constraints.size() != results.size() + operands.size())
    return false;
  for (auto [number, reg] :
       llvm::enumerate(llvm::concat<const Reg>(results, operands))) {
    StringRef constraint = constraints[number];
    if (number < results.size() && !constraint.consume_front("="))
      return false;
    StringRef letter = reg.kind == Kind::ofFloat(FloatFormat::F32)   ? "f"
                       : reg.kind == Kind::ofFloat(FloatFormat::F64) ? "d"
                       : reg.kind.width == 32                        ? "r"
                                                                     : "";
    if (letter.empty() || constraint != letter)
      return false;
  }
  return true;
}

static LogicalResult translateInlineAsm(LLVM::InlineAsmOp op, Translator &t) {
  if (op.getAsmString() == "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;" &&
      op.getConstraints() == "=r,r" && op->getNumOperands() == 1 &&
      op->getNumResults() == 1)
    return translateMovMatrix(op, t.reg(op->getOperand(0)),
                              t.reg(op->getResult(0)), t);
  std::optional<PtxMma> ptx = PtxMma::parse(op.getAsmString());
  const MmaInstruction *mma = ptx ? lookupMmaInstruction(ptx->name) : nullptr;
  SmallVector<Reg> registers = t.regs(op.getOperands());
  if (!mma || registers.size() != ptx->a + ptx->b + ptx->c ||
      op->getNumResults() != 1)
    return t.notModelled(op, "this inline assembly");
  SmallVector<Reg> results = t.parts(t.reg(op->getResult(0)));
  if (!fitsConstraints(op, results, registers))
    return t.notModelled(op, "inline assembly with these constraints");
  ArrayRef<Reg> all = registers;
  return emitMma(op, *mma, all.take_front(ptx->a), all.slice(ptx->a, ptx->b),
                 all.take_back(ptx->c), results, t);
}

/// Rounds to 10 bits of mantissa, ties away from zero (rna) or to even (rn).
static LogicalResult translateToTF32(NVVM::ConvertFloatToTF32Op op,
                                     Translator &t) {
  bool isAway = op.getRnd() == NVVM::FPRoundingMode::RNA;
  Reg a = t.reg(op.getSrc()), r = t.reg(op.getRes());
  Regroup bits = t.domain().bitcast(a.kind, r.kind);
  if ((!isAway && op.getRnd() != NVVM::FPRoundingMode::RN) || op.getRelu() ||
      op.getSat() != NVVM::SaturationMode::NONE || !bits)
    return t.notModelled(op, "a conversion of this kind");
  t.emit(op, [=](Agent &agent) {
    bits(agent.lanes(), 1, agent.cells(a), 1, agent.cells(r));
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      uint32_t word = uint32_t(agent.integer(r, l));
      bool isFinite = (word >> 23 & 0xFF) != 0xFF;
      uint32_t half = isAway ? 0x1000 : 0xFFF + (word >> 13 & 1);
      word = isFinite ? (word + half) & ~0x1FFFu : word;
      agent.setInteger(r, int32_t(word), l);
    }
  });
  return success();
}

void distaff::simt::registerNvvmMma(OpRegistry &registry) {
  registry.add<NVVM::MmaOp>(translateMma);
  registry.add<LLVM::InlineAsmOp>(translateInlineAsm);
  registry.add<NVVM::ConvertFloatToTF32Op>(translateToTF32);
}
