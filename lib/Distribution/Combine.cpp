//===- Combine.cpp - Combining kinds and their identities -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Identities are built in the width of the type, never truncated from 64 bits.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using vector::CombiningKind;

static APInt integerIdentity(CombiningKind kind, unsigned width) {
  switch (kind) {
  case CombiningKind::ADD:
  case CombiningKind::OR:
  case CombiningKind::XOR:
  case CombiningKind::MAXUI:
    return APInt::getZero(width);
  case CombiningKind::MUL:
    return APInt(width, 1);
  case CombiningKind::MINSI:
    return APInt::getSignedMaxValue(width);
  case CombiningKind::MAXSI:
    return APInt::getSignedMinValue(width);
  case CombiningKind::MINUI:
  case CombiningKind::AND:
    return APInt::getAllOnes(width);
  default:
    llvm_unreachable("the op's verifier refuses float kinds on integers");
  }
}

static APFloat floatIdentity(CombiningKind kind,
                             const llvm::fltSemantics &type) {
  switch (kind) {
  case CombiningKind::ADD:
    return APFloat::getZero(type, /*Negative=*/true);
  case CombiningKind::MUL:
    return APFloat::getOne(type);
  case CombiningKind::MINIMUMF:
    return APFloat::getInf(type);
  case CombiningKind::MAXIMUMF:
    return APFloat::getInf(type, /*Negative=*/true);
  case CombiningKind::MINNUMF:
  case CombiningKind::MAXNUMF:
    return APFloat::getQNaN(type);
  default:
    llvm_unreachable("the op's verifier refuses integer kinds on floats");
  }
}

TypedAttr distaff::identityOf(CombiningKind kind, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type,
                          floatIdentity(kind, floatType.getFloatSemantics()));
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, integerIdentity(kind, width));
}

Type distaff::typeToCombineIn(CombiningKind kind, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || floatType.getWidth() >= 16 || kind == CombiningKind::ADD ||
      kind == CombiningKind::MUL)
    return type;
  return Float32Type::get(type.getContext());
}

Value distaff::convertFloat(OpBuilder &b, Location loc, Value value,
                            Type elementType) {
  Type from = getElementTypeOrSelf(value.getType()), to = elementType;
  if (from == to)
    return value;
  if (auto vectorType = dyn_cast<VectorType>(value.getType()))
    to = vectorType.clone(elementType);
  if (from.getIntOrFloatBitWidth() < elementType.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, to, value);
  return arith::TruncFOp::create(b, loc, to, value);
}

Value distaff::combine(OpBuilder &b, Location loc, CombiningKind kind,
                       Value lhs, Value rhs) {
  return vector::makeArithReduction(b, loc, kind, lhs, rhs);
}

gpu::AllReduceOperation distaff::toAllReduce(CombiningKind kind) {
  using Op = gpu::AllReduceOperation;
  switch (kind) {
  case CombiningKind::ADD:
    return Op::ADD;
  case CombiningKind::MUL:
    return Op::MUL;
  case CombiningKind::MINUI:
    return Op::MINUI;
  case CombiningKind::MINSI:
    return Op::MINSI;
  case CombiningKind::MINNUMF:
    return Op::MINNUMF;
  case CombiningKind::MAXUI:
    return Op::MAXUI;
  case CombiningKind::MAXSI:
    return Op::MAXSI;
  case CombiningKind::MAXNUMF:
    return Op::MAXNUMF;
  case CombiningKind::AND:
    return Op::AND;
  case CombiningKind::OR:
    return Op::OR;
  case CombiningKind::XOR:
    return Op::XOR;
  case CombiningKind::MINIMUMF:
    return Op::MINIMUMF;
  case CombiningKind::MAXIMUMF:
    return Op::MAXIMUMF;
  }
  llvm_unreachable("all kinds are listed");
}

bool distaff::dependsOnOrder(CombiningKind kind, Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) &&
         (kind == CombiningKind::ADD || kind == CombiningKind::MUL);
}
