//===- CpuInstructions.cpp - CPU instructions on bf16 operands ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CpuInstructions.h"
#include "distaff/Analysis/Legality/CpuInstructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;

static bool isOfBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

InstructionTypes::InstructionTypes(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (isCpuInstruction(op) &&
        (llvm::any_of(op->getOperandTypes(), isOfBF16) ||
         llvm::any_of(op->getResultTypes(), isOfBF16)))
      instructions.push_back({op, llvm::to_vector(op->getOperandTypes()),
                              llvm::to_vector(op->getResultTypes())});
  });
}

void InstructionTypes::restore() {
  for (const Typed &each : instructions) {
    OpBuilder b(each.op);
    Location loc = each.op->getLoc();
    for (auto [operand, type] :
         llvm::zip_equal(each.op->getOpOperands(), each.operands)) {
      if (operand.get().getType() == type)
        continue;
      operand.set(LLVM::BitcastOp::create(b, loc, type, operand.get()));
    }
    b.setInsertionPointAfter(each.op);
    for (auto [result, type] :
         llvm::zip_equal(each.op->getResults(), each.results)) {
      Type bits = result.getType();
      if (bits == type)
        continue;
      result.setType(type);
      auto cast = LLVM::BitcastOp::create(b, loc, bits, result);
      result.replaceAllUsesExcept(cast, cast);
    }
  }
}
