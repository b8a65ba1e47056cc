//===- LlvmArith.cpp - llvm arithmetic ------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table maps each op, and each intrinsic that the compiler emits, to the
// domain's function.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Functions of the domain
//===----------------------------------------------------------------------===//

template <typename Function>
static OpRegistry::Translate llvmFloat(Function function) {
  return [=](Operation *op, Translator &t) {
    FloatFormat format = t.reg(op->getResult(0)).kind.format;
    if constexpr (std::is_same_v<Function, FloatBinary>)
      return t.elementwise(op, t.domain().binary(function, format));
    else if constexpr (std::is_same_v<Function, FloatTernary>)
      return t.elementwise(op, t.domain().ternary(function, format));
    else
      return t.elementwise(op, t.domain().unary(function, format));
  };
}

template <typename Function>
static OpRegistry::Translate llvmInteger(Function function) {
  return [=](Operation *op, Translator &t) {
    unsigned width = t.reg(op->getResult(0)).kind.width;
    if constexpr (std::is_same_v<Function, IntegerBinary>)
      return t.elementwise(op, t.domain().binary(function, width));
    else
      return t.elementwise(op, t.domain().unary(function, width));
  };
}

/// Emits a check that no active lane divides by zero, or the smallest integer
/// by -1, which is undefined behavior in LLVM.
static void emitDivisorCheck(Operation *op, bool isSigned, Translator &t) {
  Reg a = t.reg(op->getOperand(0)), b = t.reg(op->getOperand(1));
  int64_t least = llvm::minIntN(a.kind.width);
  t.emit(op, [=](Agent &agent) {
    forEachLane(agent.mask(), [&](int64_t l) {
      for (int64_t e = 0; e < b.elements; ++e) {
        int64_t divisor = agent.integer(b, l, e);
        bool overflows =
            isSigned && divisor == -1 && agent.integer(a, l, e) == least;
        if (divisor == 0 || overflows)
          agent.fault(op, FaultKind::Undefined,
                      agent.describe(l) + " divides " +
                          Twine(agent.integer(a, l, e)) + " by " +
                          Twine(divisor),
                      agent.placeOf(l));
      }
    });
  });
}

static OpRegistry::Translate llvmDivision(IntegerBinary function,
                                          bool isSigned) {
  return [=](Operation *op, Translator &t) {
    emitDivisorCheck(op, isSigned, t);
    unsigned width = t.reg(op->getResult(0)).kind.width;
    return t.elementwise(op, t.domain().binary(function, width));
  };
}

static void registerLlvmFloats(OpRegistry &registry) {
  registry.add<LLVM::FAddOp>(llvmFloat(FloatBinary::Add));
  registry.add<LLVM::FSubOp>(llvmFloat(FloatBinary::Sub));
  registry.add<LLVM::FMulOp>(llvmFloat(FloatBinary::Mul));
  registry.add<LLVM::FDivOp>(llvmFloat(FloatBinary::Div));
  registry.add<LLVM::FRemOp>(llvmFloat(FloatBinary::Rem));
  registry.add<LLVM::FNegOp>(llvmFloat(FloatUnary::Negate));
  registry.add<LLVM::FAbsOp>(llvmFloat(FloatUnary::Abs));
  registry.add<LLVM::SqrtOp>(llvmFloat(FloatUnary::Sqrt));
  registry.add<LLVM::ExpOp>(llvmFloat(FloatUnary::Exp));
  registry.add<LLVM::Exp2Op>(llvmFloat(FloatUnary::Exp2));
  registry.add<LLVM::LogOp>(llvmFloat(FloatUnary::Log));
  registry.add<LLVM::Log2Op>(llvmFloat(FloatUnary::Log2));
  registry.add<LLVM::Log10Op>(llvmFloat(FloatUnary::Log10));
  registry.add<LLVM::SinOp>(llvmFloat(FloatUnary::Sin));
  registry.add<LLVM::CosOp>(llvmFloat(FloatUnary::Cos));
  registry.add<LLVM::TanOp>(llvmFloat(FloatUnary::Tan));
  registry.add<LLVM::SinhOp>(llvmFloat(FloatUnary::Sinh));
  registry.add<LLVM::CoshOp>(llvmFloat(FloatUnary::Cosh));
  registry.add<LLVM::TanhOp>(llvmFloat(FloatUnary::Tanh));
  registry.add<LLVM::ASinOp>(llvmFloat(FloatUnary::Asin));
  registry.add<LLVM::ACosOp>(llvmFloat(FloatUnary::Acos));
  registry.add<LLVM::ATanOp>(llvmFloat(FloatUnary::Atan));
  registry.add<LLVM::ATan2Op>(llvmFloat(FloatBinary::Atan2));
  registry.add<LLVM::FCeilOp>(llvmFloat(FloatUnary::Ceil));
  registry.add<LLVM::FFloorOp>(llvmFloat(FloatUnary::Floor));
  registry.add<LLVM::FTruncOp>(llvmFloat(FloatUnary::Trunc));
  registry.add<LLVM::RoundOp>(llvmFloat(FloatUnary::Round));
  registry.add<LLVM::RoundEvenOp>(llvmFloat(FloatUnary::RoundEven));
  registry.add<LLVM::RintOp>(llvmFloat(FloatUnary::RoundEven));
  registry.add<LLVM::NearbyintOp>(llvmFloat(FloatUnary::RoundEven));
  registry.add<LLVM::PowOp>(llvmFloat(FloatBinary::Pow));
  registry.add<LLVM::CopySignOp>(llvmFloat(FloatBinary::CopySign));
  registry.add<LLVM::MaximumOp>(llvmFloat(FloatBinary::Maximum));
  registry.add<LLVM::MinimumOp>(llvmFloat(FloatBinary::Minimum));
  registry.add<LLVM::MaxNumOp>(llvmFloat(FloatBinary::MaxNum));
  registry.add<LLVM::MinNumOp>(llvmFloat(FloatBinary::MinNum));
  registry.add<LLVM::FMAOp>(llvmFloat(FloatTernary::Fma));
  // It may round once or twice; the bound of a sum of products covers both.
  registry.add<LLVM::FMulAddOp>(llvmFloat(FloatTernary::Fma));
}

static void registerLlvmIntegers(OpRegistry &registry) {
  registry.add<LLVM::AddOp>(llvmInteger(IntegerBinary::Add));
  registry.add<LLVM::SubOp>(llvmInteger(IntegerBinary::Sub));
  registry.add<LLVM::MulOp>(llvmInteger(IntegerBinary::Mul));
  registry.add<LLVM::SDivOp>(
      llvmDivision(IntegerBinary::DivS, /*isSigned=*/true));
  registry.add<LLVM::UDivOp>(
      llvmDivision(IntegerBinary::DivU, /*isSigned=*/false));
  registry.add<LLVM::SRemOp>(
      llvmDivision(IntegerBinary::RemS, /*isSigned=*/true));
  registry.add<LLVM::URemOp>(
      llvmDivision(IntegerBinary::RemU, /*isSigned=*/false));
  registry.add<LLVM::AndOp>(llvmInteger(IntegerBinary::And));
  registry.add<LLVM::OrOp>(llvmInteger(IntegerBinary::Or));
  registry.add<LLVM::XOrOp>(llvmInteger(IntegerBinary::Xor));
  registry.add<LLVM::ShlOp>(llvmInteger(IntegerBinary::ShiftLeft));
  registry.add<LLVM::AShrOp>(llvmInteger(IntegerBinary::ShiftRightS));
  registry.add<LLVM::LShrOp>(llvmInteger(IntegerBinary::ShiftRightU));
  registry.add<LLVM::SMinOp>(llvmInteger(IntegerBinary::MinS));
  registry.add<LLVM::UMinOp>(llvmInteger(IntegerBinary::MinU));
  registry.add<LLVM::SMaxOp>(llvmInteger(IntegerBinary::MaxS));
  registry.add<LLVM::UMaxOp>(llvmInteger(IntegerBinary::MaxU));
  registry.add<LLVM::AbsOp>(llvmInteger(IntegerUnary::Abs));
  registry.add<LLVM::CtPopOp>(llvmInteger(IntegerUnary::CountOnes));
  registry.add<LLVM::CountLeadingZerosOp>(
      llvmInteger(IntegerUnary::CountLeadingZeros));
  registry.add<LLVM::CountTrailingZerosOp>(
      llvmInteger(IntegerUnary::CountTrailingZeros));
}

/// Returns the translator of a rounding that converts to an integer.
static OpRegistry::Translate llvmRounding(FloatUnary rounding) {
  return [=](Operation *op, Translator &t) {
    Reg in = t.reg(op->getOperand(0)), r = t.reg(op->getResult(0));
    Unary round = t.domain().unary(rounding, in.kind.format);
    Unary convert =
        t.domain().convert(Conversion::FloatToSigned, in.kind, r.kind);
    if (!round || !convert)
      return t.notModelled(op, "a rounding in this domain");
    Reg whole = t.scratch(in.kind, in.elements);
    t.emit(op, [=](Agent &agent) {
      round(agent.numCells(whole), agent.cells(in), agent.cells(whole));
      convert(agent.numCells(r), agent.cells(whole), agent.cells(r));
    });
    return success();
  };
}

static void registerLlvmConversions(OpRegistry &registry) {
  registry.add<LLVM::LrintOp>(llvmRounding(FloatUnary::RoundEven));
  registry.add<LLVM::LlrintOp>(llvmRounding(FloatUnary::RoundEven));
  registry.add<LLVM::LroundOp>(llvmRounding(FloatUnary::Round));
  registry.add<LLVM::LlroundOp>(llvmRounding(FloatUnary::Round));
  registry.add<LLVM::FPExtOp>(elementConversion(Conversion::FloatToFloat));
  registry.add<LLVM::FPTruncOp>(elementConversion(Conversion::FloatToFloat));
  registry.add<LLVM::FPToSIOp>(elementConversion(Conversion::FloatToSigned));
  registry.add<LLVM::FPToUIOp>(elementConversion(Conversion::FloatToUnsigned));
  registry.add<LLVM::SIToFPOp>(elementConversion(Conversion::SignedToFloat));
  registry.add<LLVM::UIToFPOp>(elementConversion(Conversion::UnsignedToFloat));
  registry.add<LLVM::SExtOp>(elementConversion(Conversion::SignExtend));
  registry.add<LLVM::ZExtOp>(elementConversion(Conversion::ZeroExtend));
  registry.add<LLVM::TruncOp>(elementConversion(Conversion::Truncate));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static arith::CmpIPredicate predicateOf(LLVM::ICmpPredicate predicate) {
  using From = LLVM::ICmpPredicate;
  using To = arith::CmpIPredicate;
  switch (predicate) {
  case From::eq:
    return To::eq;
  case From::ne:
    return To::ne;
  case From::slt:
    return To::slt;
  case From::sle:
    return To::sle;
  case From::sgt:
    return To::sgt;
  case From::sge:
    return To::sge;
  case From::ult:
    return To::ult;
  case From::ule:
    return To::ule;
  case From::ugt:
    return To::ugt;
  case From::uge:
    return To::uge;
  }
  llvm_unreachable("unknown predicate");
}

/// Returns the same predicate of arith, which has the same name.
static arith::CmpFPredicate predicateOf(LLVM::FCmpPredicate predicate) {
  StringRef name = LLVM::stringifyFCmpPredicate(predicate);
  name = name == "_false" ? "false" : name == "_true" ? "true" : name;
  return *arith::symbolizeCmpFPredicate(name);
}

static LogicalResult translateICmp(LLVM::ICmpOp op, Translator &t) {
  return t.elementwise(op, t.domain().compare(predicateOf(op.getPredicate()),
                                              t.reg(op.getLhs()).kind.width));
}

static LogicalResult translateFCmp(LLVM::FCmpOp op, Translator &t) {
  return t.elementwise(op, t.domain().compare(predicateOf(op.getPredicate()),
                                              t.reg(op.getLhs()).kind.format));
}

void distaff::simt::registerLlvmArith(OpRegistry &registry) {
  registerLlvmFloats(registry);
  registerLlvmIntegers(registry);
  registerLlvmConversions(registry);
  registry.add<LLVM::ICmpOp>(translateICmp);
  registry.add<LLVM::FCmpOp>(translateFCmp);
  addWideProducts(registry);
}
