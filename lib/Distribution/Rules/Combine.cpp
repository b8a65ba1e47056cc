//===- Combine.cpp - Combining kinds --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using vector::CombiningKind;

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
