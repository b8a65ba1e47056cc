//===- NoCode.cpp - Ops that no target supports ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/NoCode.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Target/NarrowFloat.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;

/// Returns whether the op computes with numbers, and does not only move them.
static bool computes(Operation *op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
    return false;
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) ||
         isa<core::ContractOp, vector::ContractionOp, vector::FMAOp,
             vector::MultiDimReductionOp, vector::ReductionOp, vector::ScanOp>(
             op);
}

/// Returns whether elements are floats that can be stored but not computed
/// with.
static bool isUnknownFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!element || element.getWidth() >= 16)
    return false;
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return !lookupNarrowFloat(name);
}

std::optional<std::string> distaff::whyNoCode(Operation *op) {
  if (isa<vector::PrintOp, gpu::PrintfOp>(op))
    return "no launch prints; remove it, what a kernel computes is written to "
           "files by distaff run --output";
  if (!computes(op))
    return std::nullopt;
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    if (isa<FloatTF32Type>(getElementTypeOrSelf(type)))
      return "it has numbers of type tf32, which only instructions round to; "
             "compute in f32";
    if (isUnknownFloat(type)) {
      std::string why;
      llvm::raw_string_ostream(why)
          << "nothing converts " << getElementTypeOrSelf(type)
          << "; of the floats below 16 bits there are f8E4M3FN, f8E5M2, "
             "f8E4M3FNUZ and f8E5M2FNUZ, so convert the data to one of them "
             "beforehand";
      return why;
    }
  }
  return std::nullopt;
}
