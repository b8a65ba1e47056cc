//===- Calls.cpp - Vectors passed to and from functions -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These rules are for CPUs; a lane of a GPU has no stack. Vectors are passed
// flattened: all elements of one, of any rank, are one vector (VX-120), which
// LLVM's calling convention assigns to registers and memory. So caller and
// callee agree even if their vectors have different chunks. Instructions of the
// CPU that an author calls by their names take vectors in the same way.
//
//===----------------------------------------------------------------------===//
#include "Pieces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace distaff;
using namespace distaff::registers;

static SmallVector<Value> passed(ValueRange values, Lowering &lowering) {
  SmallVector<Value> result;
  for (Value value : values)
    if (isa<VectorType>(value.getType()))
      llvm::append_range(result,
                         regroup(SmallVector<Value>(lowering.pieces(value)),
                                 passedAs(value.getType()), lowering.builder));
    else
      result.push_back(value);
  return result;
}

/// Sets the chunks of results that a call has passed as whole vectors.
static void takeApart(ValueRange results, ValueRange whole,
                      Lowering &lowering) {
  for (auto [result, value] : llvm::zip_equal(results, whole))
    if (isa<VectorType>(result.getType()))
      lowering.setPieces(result,
                         regroup(value, lowering.pieceTypes(result.getType()),
                                 lowering.builder));
    else
      result.replaceAllUsesWith(value);
}

static LogicalResult lowerCall(func::CallOp op, Lowering &lowering) {
  if (failed(verifyPassed(op, op.getOperandTypes())) ||
      failed(verifyPassed(op, op.getResultTypes())))
    return failure();
  auto call =
      func::CallOp::create(lowering.builder, op.getLoc(), op.getCallee(),
                           llvm::map_to_vector(op.getResultTypes(), passedAs),
                           passed(op.getOperands(), lowering));
  call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  takeApart(op.getResults(), call.getResults(), lowering);
  return success();
}

LogicalResult registers::lowerCpuInstruction(Operation *op,
                                             Lowering &lowering) {
  if (failed(verifyPassed(op, op->getOperandTypes())) ||
      failed(verifyPassed(op, op->getResultTypes())))
    return failure();
  Operation *whole =
      lowering.recreate(op, llvm::map_to_vector(op->getResultTypes(), passedAs),
                        passed(op->getOperands(), lowering));
  takeApart(op->getResults(), whole->getResults(), lowering);
  return success();
}

static LogicalResult lowerReturn(func::ReturnOp op, Lowering &lowering) {
  func::ReturnOp::create(lowering.builder, op.getLoc(),
                         passed(op.getOperands(), lowering));
  return success();
}

void registers::addCallRules(RuleSet &rules) {
  rules.add(lowerCall);
  rules.add(lowerReturn);
}
