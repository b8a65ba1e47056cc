//===- WrittenChecks.cpp - Checks for uses of unwritten values ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Machine/Workgroup.h"
#include "Translator.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::simt;

/// Returns whether an op forwards values: ops with regions, and terminators;
/// linalg computes.
static bool passesOn(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() ||
         (op->getNumRegions() != 0 && !isa<linalg::LinalgOp>(op));
}

/// Returns whether an op's results are elements of its operands, in other
/// places.
static bool isMovement(Operation *op) {
  return isa<vector::InsertOp, vector::ExtractOp, vector::ShapeCastOp,
             vector::InsertStridedSliceOp, vector::ExtractStridedSliceOp,
             vector::BroadcastOp, vector::TransposeOp, vector::ShuffleOp,
             vector::InterleaveOp, vector::DeinterleaveOp,
             vector::FromElementsOp, vector::ToElementsOp, vector::BitCastOp,
             vector_ext::ToLayoutOp, vector_ext::ToSimdOp, vector_ext::ToSimtOp,
             LLVM::BitcastOp>(op);
}

/// Returns whether an op renames parts of registers, and propagates marks
/// itself.
static bool renames(Operation *op) {
  return isa<LLVM::ExtractElementOp, LLVM::InsertElementOp,
             LLVM::ShuffleVectorOp, LLVM::ExtractValueOp, LLVM::InsertValueOp,
             LLVM::FreezeOp>(op);
}

/// Returns whether an op moves elements of tensors.
static bool isTensorMovement(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::PadOp, linalg::TransposeOp, linalg::BroadcastOp,
             linalg::CopyOp>(op);
}

/// Returns whether an operand is a condition or a loop bound, or a result of
/// the kernel.
static bool isUsed(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (op->hasTrait<OpTrait::ReturnLike>() &&
      isa<FunctionOpInterface>(op->getParentOp()))
    return true;
  if (isa<cf::CondBranchOp, cf::SwitchOp, scf::ConditionOp, LLVM::CondBrOp,
          LLVM::SwitchOp>(op))
    return operand.getOperandNumber() == 0;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return llvm::none_of(loop.getInitsMutable(),
                         [&](OpOperand &init) { return &init == &operand; });
  return isa<vector::MaskOp>(op) ||
         (op->getNumRegions() != 0 && operand.get().getType().isIntOrIndex());
}

/// Returns whether a value may come from a read without an op that computes.
static bool mayBeUnwritten(Value value, int depth = 0) {
  constexpr int deepest = 40; // for vectors built element by element
  if (Operation *op = value.getDefiningOp(); op && renames(op))
    return depth == deepest || llvm::any_of(op->getOperands(), [&](Value from) {
             return mayBeUnwritten(from, depth + 1);
           });
  if (Operation *op = value.getDefiningOp())
    return passesOn(op) || isMovement(op) || hasEffect<MemoryEffects::Read>(op);
  auto loop = dyn_cast_or_null<LoopLikeOpInterface>(
      cast<BlockArgument>(value).getOwner()->getParentOp());
  std::optional<SmallVector<Value>> counted;
  if (loop)
    counted = loop.getLoopInductionVars();
  return !counted || !llvm::is_contained(*counted, value);
}

void Translator::passMarks(Operation *op, ArrayRef<Reg> to) {
  SmallVector<Reg> from;
  for (Value operand : op->getOperands())
    if (reg(operand).storage == Reg::Storage::Cells && mayBeUnwritten(operand))
      from.push_back(reg(operand));
  if (from.empty())
    return;
  emit(op, [from, to = SmallVector<Reg>(to)](Agent &agent) {
    agent.unwritten().move(from, to, agent.mask());
  });
}

void Translator::passMarks(Operation *op) {
  if (!isTensorMovement(op) || !translationOptions.hasSlices)
    return;
  SmallVector<Reg> from;
  for (Value operand : op->getOperands())
    if (reg(operand).isTensor())
      from.push_back(reg(operand));
  Reg to = reg(op->getResult(0));
  emit(op, [=](Agent &agent) {
    for (Reg tensor : from)
      if (const auto &fault = agent.tensor(tensor).unwritten)
        agent.tensor(to).unwritten = fault;
  });
}

void Translator::checkWritten(Operation *op) {
  if (renames(op))
    return;
  SmallVector<Reg> tensors, cells, results;
  for (OpOperand &operand : op->getOpOperands()) {
    Reg used = reg(operand.get());
    if (passesOn(op) && !isUsed(operand))
      continue;
    if (used.isTensor() && translationOptions.hasSlices &&
        !isTensorMovement(op))
      tensors.push_back(used);
    else if (used.storage == Reg::Storage::Cells &&
             mayBeUnwritten(operand.get()))
      cells.push_back(used);
  }
  if (!tensors.empty())
    emit(op, [=](Agent &agent) {
      // A later write to its memory is a race.
      std::optional<Fault> &first = agent.workgroup().unwritten;
      for (Reg tensor : tensors)
        if (const Fault *fault = agent.tensor(tensor).unwritten.get();
            fault && !first)
          first = *fault;
    });
  if (cells.empty())
    return;
  if (isMovement(op)) {
    for (Value result : op->getResults())
      results.push_back(reg(result));
    emit(op, [=](Agent &agent) {
      agent.unwritten().move(cells, results, agent.mask());
    });
    return;
  }
  emit(op, [=](Agent &agent) { agent.checkWritten(cells); });
}
