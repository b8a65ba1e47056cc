//===- MatrixLoads.cpp - Registers that matrix loads fill -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Registers.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

/// The instruction stays, and its registers get names.
static LogicalResult lowerMatrixLoad(nvgpu::LdMatrixOp op, Lowering &lowering) {
  if (!lowering.target.banks.loadsMatrices)
    return op.emitOpError("is no instruction of ") << lowering.target.name;
  Operation *load = lowering.builder.clone(*op);
  auto parts = vector::ToElementsOp::create(lowering.builder, op.getLoc(),
                                            load->getResult(0));
  lowering.setElements(op.getRes(), SmallVector<Value>(parts.getElements()));
  return success();
}

void registers::addMatrixLoadRules(RuleSet &rules) {
  rules.add(lowerMatrixLoad);
}
