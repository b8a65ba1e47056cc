//===- TargetOp.cpp - Instructions of a target, one issue each ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Registers.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

static LogicalResult lowerTargetOp(core::TargetOpOp op, Lowering &lowering) {
  if (!lowering.target.findOp(op.getKind().getName()))
    return op.emitOpError("is no instruction of ")
           << lowering.target.name << ": " << op.getKind().getName();
  OpBuilder &b = lowering.builder;
  Location loc = op.getLoc();
  auto ofOneIssue = [](VectorType type) {
    return VectorType::get({1, type.getDimSize(1)}, type.getElementType());
  };
  SmallVector<Value> results;
  for (int64_t issue = 0; issue < op.getIssues(); ++issue) {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      VectorType type = ofOneIssue(cast<VectorType>(input.getType()));
      int64_t count = type.getNumElements();
      inputs.push_back(vector::FromElementsOp::create(
          b, loc, type, lowering.elements(input).slice(issue * count, count)));
    }
    Value issued = core::TargetOpOp::create(
        b, loc, ofOneIssue(op.getResult().getType()), op.getKind(), inputs);
    llvm::append_range(
        results, vector::ToElementsOp::create(b, loc, issued).getElements());
  }
  lowering.setElements(op.getResult(), results);
  return success();
}

void registers::addTargetOpRules(RuleSet &rules) { rules.add(lowerTargetOp); }
