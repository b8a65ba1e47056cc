//===- ScalableVectors.cpp - Reject vectors of scalable size --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/ScalableVectors.h"
#include "distaff/Target/ThisMachine.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Returns why vectors of a target have a fixed size.
static std::string whyFixed(const Target &target) {
  if (!target.isHost())
    return ("a lane of " + target.name + " has a fixed number of registers")
        .str();
  return thisCpu().architecture == CpuArchitecture::AArch64
             ? "code for AArch64 is of NEON, whose vectors have a fixed size, "
               "and not of SVE"
             : "vectors of x86-64 have a fixed size";
}

static bool isScale(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return call.getIntrin().starts_with("llvm.vscale");
  return isa<vector::VectorScaleOp, LLVM::vscale>(op);
}

LogicalResult distaff::checkFixedSizes(Operation *op, const Target &target) {
  if (isScale(op))
    return op->emitOpError("is the scale of scalable vectors, and ")
           << whyFixed(target) << "; take sizes without it";
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
      return op->emitOpError()
             << type << " is scalable, and " << whyFixed(target)
             << "; take one such as "
             << VectorType::get(vector.getShape(), vector.getElementType());
  return success();
}
