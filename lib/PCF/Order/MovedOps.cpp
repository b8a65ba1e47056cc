//===- MovedOps.cpp - Moving ops with their operands' ops -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MovedOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

bool pcf::collectOps(Value value, function_ref<bool(Value)> isThere,
                     SetVector<Operation *> &ops) {
  if (isThere(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (ops.contains(op))
    return true;
  if (!op || op->getNumRegions() > 0 || !isPure(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return collectOps(operand, isThere, ops);
      }))
    return false;
  ops.insert(op);
  return true;
}

bool pcf::areEqual(Value a, Value b) {
  if (a == b)
    return true;
  auto resultA = dyn_cast<OpResult>(a), resultB = dyn_cast<OpResult>(b);
  return resultA && resultB &&
         resultA.getResultNumber() == resultB.getResultNumber() &&
         isPure(resultA.getOwner()) &&
         OperationEquivalence::isEquivalentTo(
             resultA.getOwner(), resultB.getOwner(),
             OperationEquivalence::IgnoreLocations);
}

void pcf::eraseIfDead(RewriterBase &rewriter, ArrayRef<Value> values) {
  SetVector<Operation *> ops;
  auto add = [&](ValueRange operands) {
    for (Value operand : operands)
      if (Operation *op = operand.getDefiningOp())
        ops.insert(op);
  };
  add(values);
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    rewriter.eraseOp(op);
    add(operands);
  }
}

void pcf::simplifyBetween(RewriterBase &rewriter, Operation *after,
                          Operation *before, ValueRange values) {
  SmallVector<Operation *> ops;
  for (Operation *op = before->getPrevNode(); op != after;
       op = op->getPrevNode())
    ops.push_back(op);
  for (Operation *op : ops) {
    for (Value value : values)
      if (op->getNumResults() == 1 && value.getDefiningOp() != op &&
          areEqual(op->getResult(0), value))
        rewriter.replaceAllUsesWith(op->getResult(0), value);
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  }
}
