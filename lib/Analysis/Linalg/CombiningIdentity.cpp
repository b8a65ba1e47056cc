//===- CombiningIdentity.cpp - Neutral element of a reduction -------------===//
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
#include "distaff/Analysis/Linalg/CombiningIdentity.h"

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
  assert(typeToCombineIn(kind, type) == type && "the type holds the identity");
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

bool distaff::dependsOnOrder(vector::CombiningKind kind, Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) &&
         (kind == vector::CombiningKind::ADD ||
          kind == vector::CombiningKind::MUL);
}

bool distaff::dependsOnOrder(Operation *combiner) {
  return isa_and_nonnull<arith::AddFOp, arith::MulFOp>(combiner);
}
