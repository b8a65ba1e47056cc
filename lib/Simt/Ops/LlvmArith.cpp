//===- LlvmArith.cpp - llvm operations that compute -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table gives each op, and each intrinsic that we emit, the domain's
// function.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Functions of the domain
//===----------------------------------------------------------------------===//

template <typename Op, typename Function>
static void addLlvmFloat(OpRegistry &registry, Function function) {
  registry.add(Op::getOperationName(), [=](Operation *op, Translator &t) {
    FloatFormat format = t.reg(op->getResult(0)).kind.format;
    if constexpr (std::is_same_v<Function, FloatBinary>)
      return t.elementwise(op, t.domain().binary(function, format));
    else if constexpr (std::is_same_v<Function, FloatTernary>)
      return t.elementwise(op, t.domain().ternary(function, format));
    else
      return t.elementwise(op, t.domain().unary(function, format));
  });
}

template <typename Op, typename Function>
static void addLlvmInteger(OpRegistry &registry, Function function) {
  registry.add(Op::getOperationName(), [=](Operation *op, Translator &t) {
    unsigned width = t.reg(op->getResult(0)).kind.width;
    if constexpr (std::is_same_v<Function, IntegerBinary>)
      return t.elementwise(op, t.domain().binary(function, width));
    else
      return t.elementwise(op, t.domain().unary(function, width));
  });
}

/// Emits: no active lane divides by zero, or by -1 what has no negative, which
/// LLVM gives no meaning.
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

template <typename Op>
static void addDivision(OpRegistry &registry, IntegerBinary function,
                        bool isSigned) {
  registry.add(Op::getOperationName(), [=](Operation *op, Translator &t) {
    emitDivisorCheck(op, isSigned, t);
    unsigned width = t.reg(op->getResult(0)).kind.width;
    return t.elementwise(op, t.domain().binary(function, width));
  });
}

static void registerLlvmFloats(OpRegistry &registry) {
  addLlvmFloat<LLVM::FAddOp>(registry, FloatBinary::Add);
  addLlvmFloat<LLVM::FSubOp>(registry, FloatBinary::Sub);
  addLlvmFloat<LLVM::FMulOp>(registry, FloatBinary::Mul);
  addLlvmFloat<LLVM::FDivOp>(registry, FloatBinary::Div);
  addLlvmFloat<LLVM::FRemOp>(registry, FloatBinary::Rem);
  addLlvmFloat<LLVM::FNegOp>(registry, FloatUnary::Negate);
  addLlvmFloat<LLVM::FAbsOp>(registry, FloatUnary::Abs);
  addLlvmFloat<LLVM::SqrtOp>(registry, FloatUnary::Sqrt);
  addLlvmFloat<LLVM::ExpOp>(registry, FloatUnary::Exp);
  addLlvmFloat<LLVM::Exp2Op>(registry, FloatUnary::Exp2);
  addLlvmFloat<LLVM::LogOp>(registry, FloatUnary::Log);
  addLlvmFloat<LLVM::Log2Op>(registry, FloatUnary::Log2);
  addLlvmFloat<LLVM::Log10Op>(registry, FloatUnary::Log10);
  addLlvmFloat<LLVM::SinOp>(registry, FloatUnary::Sin);
  addLlvmFloat<LLVM::CosOp>(registry, FloatUnary::Cos);
  addLlvmFloat<LLVM::FCeilOp>(registry, FloatUnary::Ceil);
  addLlvmFloat<LLVM::FFloorOp>(registry, FloatUnary::Floor);
  addLlvmFloat<LLVM::FTruncOp>(registry, FloatUnary::Trunc);
  addLlvmFloat<LLVM::RoundOp>(registry, FloatUnary::Round);
  addLlvmFloat<LLVM::RoundEvenOp>(registry, FloatUnary::RoundEven);
  addLlvmFloat<LLVM::RintOp>(registry, FloatUnary::RoundEven);
  addLlvmFloat<LLVM::NearbyintOp>(registry, FloatUnary::RoundEven);
  addLlvmFloat<LLVM::PowOp>(registry, FloatBinary::Pow);
  addLlvmFloat<LLVM::CopySignOp>(registry, FloatBinary::CopySign);
  addLlvmFloat<LLVM::MaximumOp>(registry, FloatBinary::Maximum);
  addLlvmFloat<LLVM::MinimumOp>(registry, FloatBinary::Minimum);
  addLlvmFloat<LLVM::MaxNumOp>(registry, FloatBinary::MaxNum);
  addLlvmFloat<LLVM::MinNumOp>(registry, FloatBinary::MinNum);
  addLlvmFloat<LLVM::FMAOp>(registry, FloatTernary::Fma);
}

static void registerLlvmIntegers(OpRegistry &registry) {
  addLlvmInteger<LLVM::AddOp>(registry, IntegerBinary::Add);
  addLlvmInteger<LLVM::SubOp>(registry, IntegerBinary::Sub);
  addLlvmInteger<LLVM::MulOp>(registry, IntegerBinary::Mul);
  addDivision<LLVM::SDivOp>(registry, IntegerBinary::DivS, /*isSigned=*/true);
  addDivision<LLVM::UDivOp>(registry, IntegerBinary::DivU, /*isSigned=*/false);
  addDivision<LLVM::SRemOp>(registry, IntegerBinary::RemS, /*isSigned=*/true);
  addDivision<LLVM::URemOp>(registry, IntegerBinary::RemU, /*isSigned=*/false);
  addLlvmInteger<LLVM::AndOp>(registry, IntegerBinary::And);
  addLlvmInteger<LLVM::OrOp>(registry, IntegerBinary::Or);
  addLlvmInteger<LLVM::XOrOp>(registry, IntegerBinary::Xor);
  addLlvmInteger<LLVM::ShlOp>(registry, IntegerBinary::ShiftLeft);
  addLlvmInteger<LLVM::AShrOp>(registry, IntegerBinary::ShiftRightS);
  addLlvmInteger<LLVM::LShrOp>(registry, IntegerBinary::ShiftRightU);
  addLlvmInteger<LLVM::SMinOp>(registry, IntegerBinary::MinS);
  addLlvmInteger<LLVM::UMinOp>(registry, IntegerBinary::MinU);
  addLlvmInteger<LLVM::SMaxOp>(registry, IntegerBinary::MaxS);
  addLlvmInteger<LLVM::UMaxOp>(registry, IntegerBinary::MaxU);
  addLlvmInteger<LLVM::AbsOp>(registry, IntegerUnary::Abs);
  addLlvmInteger<LLVM::CtPopOp>(registry, IntegerUnary::CountOnes);
  addLlvmInteger<LLVM::CountLeadingZerosOp>(registry,
                                            IntegerUnary::CountLeadingZeros);
  addLlvmInteger<LLVM::CountTrailingZerosOp>(registry,
                                             IntegerUnary::CountTrailingZeros);
}

static void registerLlvmConversions(OpRegistry &registry) {
  addConversion<LLVM::FPExtOp>(registry, Conversion::FloatToFloat);
  addConversion<LLVM::FPTruncOp>(registry, Conversion::FloatToFloat);
  addConversion<LLVM::FPToSIOp>(registry, Conversion::FloatToSigned);
  addConversion<LLVM::FPToUIOp>(registry, Conversion::FloatToUnsigned);
  addConversion<LLVM::SIToFPOp>(registry, Conversion::SignedToFloat);
  addConversion<LLVM::UIToFPOp>(registry, Conversion::UnsignedToFloat);
  addConversion<LLVM::SExtOp>(registry, Conversion::SignExtend);
  addConversion<LLVM::ZExtOp>(registry, Conversion::ZeroExtend);
  addConversion<LLVM::TruncOp>(registry, Conversion::Truncate);
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

/// Both dialects name them alike.
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

//===----------------------------------------------------------------------===//
// Intrinsics of several steps
//===----------------------------------------------------------------------===//

/// fmuladd may round once or twice; both are within what a sum of products is
/// given.
static LogicalResult translateMulAdd(LLVM::FMulAddOp op, Translator &t) {
  return t.elementwise(
      op,
      t.domain().ternary(FloatTernary::Fma, t.reg(op.getResult()).kind.format));
}

void distaff::simt::registerLlvmArith(OpRegistry &registry) {
  registerLlvmFloats(registry);
  registerLlvmIntegers(registry);
  registerLlvmConversions(registry);
  registry.add<LLVM::ICmpOp>(translateICmp);
  registry.add<LLVM::FCmpOp>(translateFCmp);
  registry.add<LLVM::FMulAddOp>(translateMulAdd);
}
