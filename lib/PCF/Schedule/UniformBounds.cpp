//===- UniformBounds.cpp - Bounds that all clusters agree on --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "UniformBounds.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

bool pcf::isUniformBound(Value value) {
  Operation *around = value.getParentRegion()->getParentOp();
  if (!isa<SharedExecutorOp>(around) &&
      !around->getParentOfType<SharedExecutorOp>())
    return true;
  if (scf::ForOp loop = scf::getForInductionVarOwner(value))
    return isUniformBound(loop.getLowerBound()) &&
           isUniformBound(loop.getUpperBound()) &&
           isUniformBound(loop.getStep());
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), isUniformBound);
}
