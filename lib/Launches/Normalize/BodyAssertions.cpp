//===- BodyAssertions.cpp - cf.assert becomes a check of a value ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %i = arith.index_cast %in                %i = arith.index_cast %in
//   %c = arith.cmpi ult, %i, %n       ->     %c = arith.cmpi ult, %i, %n
//   cf.assert %c, "in range"                 %p = distaff.check %c, %i,
//   %x = tensor.extract %t[%i]                                  "in range"
//                                            %x = tensor.extract %t[%p]
//
// A value stays with the code that needs it, through tiles and vectors to the
// lanes. The op that creates points beyond the extents excepts them (TilePad).
//
//===----------------------------------------------------------------------===//
#include "BodyForms.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

/// Returns the ops of the body on which the yielded values depend.
static llvm::SetVector<Operation *> findNeeded(Block &body) {
  llvm::SetVector<Operation *> needed;
  needed.insert(body.getTerminator());
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && maker->getBlock() == &body)
        needed.insert(maker);
  return needed;
}

/// Returns the operand that may hold the check of an assertion: a use of a
/// value of the body after it. A computed position of a read is preferred.
static OpOperand *findChecked(linalg::GenericOp op, cf::AssertOp assertion) {
  Block &body = *op.getBlock();
  llvm::SetVector<Operation *> needed = findNeeded(body);
  auto isOutput = [&](Value value) {
    return llvm::is_contained(op.getRegionOutputArgs(), value);
  };
  OpOperand *other = nullptr;
  for (Operation *next = assertion->getNextNode(); next;
       next = next->getNextNode()) {
    if (!needed.contains(next))
      continue;
    for (OpOperand &operand : next->getOpOperands()) {
      Value value = operand.get();
      if (!value.getType().isIntOrIndexOrFloat() || isOutput(value))
        continue;
      bool isPosition = isa<tensor::ExtractOp>(next) &&
                        !value.getDefiningOp<linalg::IndexOp>();
      if (isPosition)
        return &operand;
      if (!other)
        other = &operand;
    }
  }
  return other;
}

LogicalResult distaff::attachBodyAssertions(func::FuncOp kernel) {
  SmallVector<cf::AssertOp> assertions;
  kernel.walk([&](cf::AssertOp assertion) {
    if (isa<linalg::GenericOp>(assertion->getParentOp()))
      assertions.push_back(assertion);
  });
  for (cf::AssertOp assertion : assertions) {
    auto op = cast<linalg::GenericOp>(assertion->getParentOp());
    if (!op.hasPureTensorSemantics())
      continue; // the assertion is refused as a whole
    OpOperand *checked = findChecked(op, assertion);
    if (!checked)
      return assertion.emitOpError(
          "stands in a body that computes nothing behind it which could be "
          "left undone; yield a value that depends on the inputs");
    OpBuilder b(assertion);
    // The value may be computed after the assertion.
    b.setInsertionPoint(checked->getOwner());
    checked->set(core::CheckOp::create(
        b, assertion.getLoc(), checked->get().getType(), assertion.getArg(),
        checked->get(), assertion.getMsgAttr()));
    assertion.erase();
  }
  return success();
}
