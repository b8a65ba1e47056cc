//===- CarriedLoads.cpp - Values that are read early and used late --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CarriedLoads.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::simt;

static bool isNumber(Value value) {
  return isa<VectorType, FloatType>(value.getType());
}

bool simt::movesElements(Operation *op) {
  return isa<vector::ShapeCastOp, vector::TransposeOp, vector::BroadcastOp,
             vector::BitCastOp, vector::ExtractOp, vector::InsertOp,
             vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
             vector::FromElementsOp, vector::ToElementsOp, vector::ShuffleOp>(
             op) &&
         llvm::all_of(op->getResults(), isNumber);
}

bool simt::movesTensors(Operation *op) {
  return isa<linalg::TransposeOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, tensor::CastOp, tensor::ExtractSliceOp,
             tensor::InsertSliceOp>(op);
}

/// Whether an operand goes to a block argument or an iteration's, or a region's
/// result.
static bool isHandedOn(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<scf::YieldOp, scf::ForOp, scf::WhileOp, cf::BranchOp>(op))
    return true;
  return isa<scf::ConditionOp, cf::CondBranchOp>(op) &&
         use.getOperandNumber() > 0;
}

bool simt::isCarriedLoad(Operation *op) {
  if (!isa<vector::LoadOp, vector::TransferReadOp, memref::LoadOp,
           pcf::ReadSliceOp>(op) ||
      !isNumber(op->getResult(0)) || op->use_empty())
    return false;
  SmallVector<Value> values{op->getResult(0)};
  while (!values.empty())
    for (OpOperand &use : values.pop_back_val().getUses()) {
      if (movesElements(use.getOwner()))
        llvm::append_range(values, use.getOwner()->getResults());
      else if (!isHandedOn(use))
        return false;
    }
  return true;
}

bool simt::mayBeCarried(Value value) {
  if (!isNumber(value))
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return !isa<FunctionOpInterface>(value.getParentBlock()->getParentOp()) ||
           !value.getParentBlock()->isEntryBlock();
  return isa<scf::SCFDialect>(op->getDialect()) || isCarriedLoad(op) ||
         (movesElements(op) && llvm::any_of(op->getOperands(), mayBeCarried));
}
