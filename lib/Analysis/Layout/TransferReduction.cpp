//===- TransferReduction.cpp - Layouts through ops that drop dims ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// multi_reduction, reduction, contract over any semiring, outerproduct, scan,
// arg_compare.
//
//===----------------------------------------------------------------------===//

#include "TransferRules.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;

vector_ext::ToLayoutOp distaff::anchorOf(Value operand) {
  return beforeExtensions(operand).getDefiningOp<vector_ext::ToLayoutOp>();
}

vector_ext::ToLayoutOp distaff::mmaAnchorOf(Value operand) {
  vector_ext::ToLayoutOp anchor = anchorOf(operand);
  return anchor && anchor.getMmaKindAttr() ? anchor : nullptr;
}

bool distaff::isMmaContraction(vector::ContractionOp op) {
  vector_ext::ToLayoutOp lhs = mmaAnchorOf(op.getLhs());
  vector_ext::ToLayoutOp rhs = mmaAnchorOf(op.getRhs());
  return lhs && rhs && lhs.getMmaKindAttr() == rhs.getMmaKindAttr();
}

static LogicalResult infer(vector::MultiDimReductionOp op,
                           Inference &inference) {
  Slot source = inference.operand(op.getSourceMutable());
  Slot result = inference.result(op.getResult());
  llvm::SmallBitVector reduced(op.getSourceVectorType().getRank());
  for (int64_t dim : op.getReductionDims())
    reduced.set(dim);
  if (failed(inference.projects(source, reduced, result)) ||
      failed(inference.equal(inference.operand(op.getAccMutable()), result)))
    return failure();
  // Without a vector result the accumulator is a scalar.
  return inference.equal(inference.outerMask(), source);
}

static LogicalResult infer(vector::ReductionOp op, Inference &inference) {
  return inference.equal(inference.outerMask(),
                         inference.operand(op.getVectorMutable()));
}

/// Relates the operands of an MMA. It has fragments of its operands: on M and N
/// these need not have the accumulator's layout, only the same split over
/// subgroups and batches.
static LogicalResult inferMma(vector::ContractionOp op, Inference &inference) {
  Slot lhs = inference.operand(op.getLhsMutable());
  Slot rhs = inference.operand(op.getRhsMutable());
  Slot acc = inference.operand(op.getAccMutable());
  if (failed(inference.equal(acc, inference.result(op.getResult()))))
    return failure();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (failed(inference.agreeOnReduced(lhs, rhs, maps)) ||
      failed(inference.splitAlike(lhs, maps[0], acc, maps[2])))
    return failure();
  return inference.splitAlike(rhs, maps[1], acc, maps[2]);
}

/// Relates multiply-adds of the elements of each lane.
static LogicalResult inferPlain(vector::ContractionOp op,
                                Inference &inference) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Slot result = inference.result(op.getResult());
  Slot acc = inference.operand(op.getAccMutable());
  if (failed(inference.equal(acc, result)))
    return failure();
  SmallVector<Slot> slots = {inference.operand(op.getLhsMutable()),
                             inference.operand(op.getRhsMutable()), result};
  if (Slot mask = inference.outerMask()) {
    slots.push_back(mask);
    maps.push_back(AffineMap::getMultiDimIdentityMap(maps[0].getNumDims(),
                                                     op.getContext()));
  }
  if (failed(inference.shareIterationSpace(slots, maps)))
    return failure();
  return inference.equal(acc, result);
}

LogicalResult distaff::inferContraction(vector::ContractionOp op,
                                        bool byInstruction, OpLayouts &slots,
                                        std::string &why) {
  Inference inference(slots, why);
  return byInstruction ? inferMma(op, inference) : inferPlain(op, inference);
}

static LogicalResult infer(vector::ContractionOp op, Inference &inference) {
  return isMmaContraction(op) ? inferMma(op, inference)
                              : inferPlain(op, inference);
}

static LogicalResult infer(core::ContractOp op, Inference &inference) {
  SmallVector<AffineMap> maps = op.getMaps();
  Slot result = inference.result(op.getResult());
  Slot acc = inference.operand(op.getAccMutable());
  if (failed(inference.equal(acc, result)))
    return failure();
  SmallVector<Slot> slots = {inference.operand(op.getLhsMutable()),
                             inference.operand(op.getRhsMutable()), result};
  if (Slot mask = inference.operand(op.getMaskMutable())) {
    slots.push_back(mask);
    maps.push_back(AffineMap::getMultiDimIdentityMap(maps[0].getNumDims(),
                                                     op.getContext()));
  }
  if (failed(inference.shareIterationSpace(slots, maps)))
    return failure();
  return inference.equal(acc, result);
}

static LogicalResult infer(vector::OuterProductOp op, Inference &inference) {
  MLIRContext *context = op.getContext();
  AffineExpr m = getAffineDimExpr(0, context);
  AffineExpr n = getAffineDimExpr(1, context);
  Slot result = inference.result(op.getResult());
  Slot acc = inference.operand(op.getAccMutable());
  if (failed(inference.equal(acc, result)))
    return failure();
  Slot mask = inference.outerMask();
  bool axpy = !hasLayout(op.getRhs().getType()); // vector times scalar
  if (axpy) {
    if (failed(inference.equal(inference.operand(op.getLhsMutable()), result)))
      return failure();
    if (failed(inference.equal(acc, result)))
      return failure();
    return inference.equal(result, mask);
  }
  if (failed(inference.shareIterationSpace(
          {inference.operand(op.getLhsMutable()),
           inference.operand(op.getRhsMutable()), result},
          {AffineMap::get(2, 0, m), AffineMap::get(2, 0, n),
           AffineMap::get(2, 0, {m, n}, context)})))
    return failure();
  if (failed(inference.equal(acc, result)))
    return failure();
  return inference.equal(result, mask);
}

static LogicalResult infer(vector::ScanOp op, Inference &inference) {
  Slot source = inference.operand(op.getSourceMutable());
  Slot init = inference.operand(op.getInitialValueMutable());
  llvm::SmallBitVector scanned(op.getSourceType().getRank());
  scanned.set(op.getReductionDim());
  if (failed(inference.equal(source, inference.result(op.getDest()))) ||
      failed(inference.projects(source, scanned, init)))
    return failure();
  return inference.equal(init, inference.result(op.getAccumulatedValue()));
}

static LogicalResult infer(vector_ext::ArgCompareOp op, Inference &inference) {
  Slot input = inference.operand(op.getInputValueMutable());
  Slot init = inference.operand(op.getInitValueMutable());
  llvm::SmallBitVector compared(
      cast<VectorType>(op.getInputValue().getType()).getRank());
  compared.set(op.getDimension());
  if (failed(inference.equal(input,
                             inference.operand(op.getInputIndexMutable()))) ||
      failed(inference.projects(input, compared, init)))
    return failure();
  // Twice, as the last slot may be the known one.
  for (int turn = 0; turn < 2; ++turn)
    for (Slot other : {inference.operand(op.getInitIndexMutable()),
                       inference.result(op.getResultValue()),
                       inference.result(op.getResultIndex())})
      if (failed(inference.equal(init, other)))
        return failure();
  return success();
}

std::optional<LogicalResult> distaff::inferReductionOp(Operation *op,
                                                       Inference &inference) {
  return TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case<vector::MultiDimReductionOp, vector::ReductionOp,
            vector::ContractionOp, core::ContractOp, vector::OuterProductOp,
            vector::ScanOp, vector_ext::ArgCompareOp>(
          [&](auto reductionOp) { return infer(reductionOp, inference); })
      .Default(std::nullopt);
}
