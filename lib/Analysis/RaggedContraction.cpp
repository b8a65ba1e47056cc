//===- RaggedContraction.cpp - Kernels whose tiles may be cut -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/RaggedContraction.h"
#include "distaff/Analysis/TileSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;

static bool isDynamic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

static bool mentionsDynamicTensor(Operation *op) {
  return llvm::any_of(op->getResultTypes(), isDynamic) ||
         llvm::any_of(op->getOperandTypes(), isDynamic);
}

bool distaff::hasDynamicTensors(func::FuncOp kernel) {
  return llvm::any_of(kernel.getArgumentTypes(), isDynamic) ||
         kernel
             .walk([](Operation *op) {
               return mentionsDynamicTensor(op) ? WalkResult::interrupt()
                                                : WalkResult::advance();
             })
             .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// What keeps a kernel from it
//===----------------------------------------------------------------------===//

static constexpr StringLiteral whatIsSupported =
    "; of ops on dynamic extents one contraction by mul and add of the "
    "kernel's arguments is supported so far, beside linalg.fill";

/// Padding is zero before the chains, and has to be one behind them.
static LogicalResult checkChains(const RaggedContraction &ragged) {
  for (Operation *link : llvm::concat<Operation *const>(ragged.body.lhsChain,
                                                        ragged.body.rhsChain)) {
    if (keepsZero(link))
      continue;
    InFlightDiagnostic diagnostic = ragged.op->emitOpError(
        "applies to an operand, before it is multiplied, what need not be 0 of "
        "the 0 that tiles beyond a dynamic extent are padded with; apply it in "
        "a kernel of its own, or make the extents static");
    diagnostic.attachNote(link->getLoc()) << "applied here";
    return diagnostic;
  }
  return success();
}

static LogicalResult checkOp(Operation *op) {
  if (isa<tensor::EmptyOp, linalg::FillOp, func::ReturnOp>(op) ||
      matchContraction(op))
    return success();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!number)
      return op->emitOpError("asks for an extent by a computed number; the "
                             "dimensions of dynamic tensors are constants");
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (!type || *number < 0 || *number >= type.getRank())
      return op->emitOpError("asks for extent ")
             << *number << " of " << dim.getSource().getType();
    return success();
  }
  return op->emitOpError("stands in a kernel with dynamic extents")
         << whatIsSupported << "; make the extents static, or put this into a "
         << "kernel of its own";
}

static LogicalResult checkOperands(RaggedContraction &ragged) {
  for (OpOperand &operand : ragged.op->getOpOperands()) {
    if (isa<BlockArgument>(operand.get()))
      continue;
    auto fill = operand.get().getDefiningOp<linalg::FillOp>();
    if (fill && operand.getOperandNumber() == 2) {
      ragged.start = fill.value();
      continue;
    }
    InFlightDiagnostic diagnostic =
        ragged.op->emitOpError("has an operand ")
        << operand.getOperandNumber() << " that is "
        << (operand.getOperandNumber() == 2
                ? "neither an argument nor filled with a scalar"
                : "no argument")
        << whatIsSupported;
    diagnostic.attachNote(operand.get().getLoc()) << "made here";
    return diagnostic;
  }
  return success();
}

FailureOr<RaggedContraction>
distaff::matchRaggedContraction(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  RaggedContraction ragged;
  for (Operation &op : body) {
    bool isOnTensors =
        llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>) ||
        llvm::any_of(op.getOperandTypes(), llvm::IsaPred<TensorType>);
    if (isOnTensors && failed(checkOp(&op)))
      return failure();
    std::optional<ContractionBody> found = matchContraction(&op);
    if (!found)
      continue;
    if (ragged.op) {
      InFlightDiagnostic diagnostic = op.emitOpError("is a second contraction")
                                      << whatIsSupported;
      diagnostic.attachNote(ragged.op->getLoc()) << "the first one";
      return diagnostic;
    }
    ragged.op = cast<linalg::LinalgOp>(op);
    ragged.body = std::move(*found);
  }
  Operation *terminator = body.getTerminator();
  if (!ragged.op || terminator->getNumOperands() != 1 ||
      terminator->getOperand(0) != ragged.op->getResult(0))
    return terminator->emitOpError(
               "returns something else than the result of one contraction")
           << whatIsSupported;
  if (failed(checkChains(ragged)) || failed(checkOperands(ragged)))
    return failure();
  return ragged;
}

/// Whether the tiles that an op asks for leave a rest of its static extents,
/// and are of the kinds that may.
static bool leavesRest(linalg::LinalgOp op) {
  auto config = op->getAttrOfType<compat::LoweringConfigAttr>(
      compat::LoweringConfigAttr::attributeName);
  if (!config)
    return false;
  bool anyRest = false;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    bool isReduced =
        op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
    int64_t tile = tileOf(config, isReduced ? "reduction" : "workgroup", loop);
    if (tileOf(config, isReduced ? "workgroup" : "reduction", loop) > 0)
      return false;
    anyRest |= tile > 0 && tile < extent && extent % tile != 0;
  }
  return anyRest;
}

bool distaff::isRagged(func::FuncOp kernel) {
  if (hasDynamicTensors(kernel))
    return true;
  // Others are refused by those who read the tiles.
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  FailureOr<RaggedContraction> ragged = failure();
  if (kernel.getBody().hasOneBlock())
    ragged = matchRaggedContraction(kernel);
  return succeeded(ragged) && leavesRest(ragged->op);
}
