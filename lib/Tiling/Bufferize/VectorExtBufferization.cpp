//===- VectorExtBufferization.cpp - Bufferization of gathers --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements BufferizableOpInterface. A gather reads its base. A scatter writes
// into its base and keeps the other elements, so that the base is read too.
//
//===----------------------------------------------------------------------===//
#include "distaff/Tiling/Bufferize/VectorExtBufferization.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"

using namespace distaff;
using namespace distaff::vector_ext;
using namespace mlir::bufferization;

/// Clones the op in front of it, on the memref of its base.
template <typename OpTy>
static FailureOr<OpTy> cloneOnBuffer(OpTy op, RewriterBase &rewriter,
                                     const BufferizationOptions &options,
                                     const BufferizationState &state) {
  FailureOr<Value> buffer = getBuffer(rewriter, op.getBase(), options, state);
  if (failed(buffer))
    return failure();
  rewriter.setInsertionPoint(op);
  OperationState clone(op.getLoc(), op->getName(), op->getOperands(),
                       isa<TransferGatherOp>(op.getOperation())
                           ? TypeRange(op->getResultTypes())
                           : TypeRange());
  clone.operands[op.getBaseMutable().getOperandNumber()] = *buffer;
  clone.propertiesAttr = op->getPropertiesAsAttribute();
  clone.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  return cast<OpTy>(rewriter.create(clone));
}

static bool isBase(OpOperand &operand) {
  return isa<TensorType>(operand.get().getType());
}

namespace {

struct GatherModel final
    : BufferizableOpInterface::ExternalModel<GatherModel, TransferGatherOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &operand,
                              const AnalysisState &) const {
    return isBase(operand);
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    FailureOr<TransferGatherOp> clone =
        cloneOnBuffer(cast<TransferGatherOp>(op), rewriter, options, state);
    if (failed(clone))
      return failure();
    rewriter.replaceOp(op, *clone);
    return success();
  }
};

struct ScatterModel final
    : BufferizableOpInterface::ExternalModel<ScatterModel, TransferScatterOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &operand,
                              const AnalysisState &) const {
    return isBase(operand);
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &operand,
                               const AnalysisState &) const {
    return isBase(operand);
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    if (!isBase(operand))
      return {};
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    FailureOr<TransferScatterOp> clone =
        cloneOnBuffer(cast<TransferScatterOp>(op), rewriter, options, state);
    if (failed(clone))
      return failure();
    replaceOpWithBufferizedValues(rewriter, op, clone->getBase());
    return success();
  }
};

} // namespace

void vector_ext::registerVectorExtBufferization(DialectRegistry &registry) {
  registry.insert<VectorExtDialect>();
  registry.addExtension(+[](MLIRContext *context, VectorExtDialect *) {
    TransferGatherOp::attachInterface<GatherModel>(*context);
    TransferScatterOp::attachInterface<ScatterModel>(*context);
  });
}
