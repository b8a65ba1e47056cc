//===- PhaseVectors.cpp - Vectorization of tensors in a phase -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op that produces a tensor is followed by a write of a vector into an
// empty one, every op that takes a tensor is preceded by a read, and linalg ops
// are vectorized one by one. Then a read of a written tensor folds to the
// vector.
//
//===----------------------------------------------------------------------===//
#include "PhaseVectors.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;

static bool isTensor(Type type) { return isa<TensorType>(type); }

static bool hasTensors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// Returns the type of a vector with all elements of a static tensor.
static VectorType vectorOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return VectorType::get(tensor.getShape(), tensor.getElementType());
}

static bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

namespace {
class Vectorizer {
public:
  explicit Vectorizer(Operation *function)
      : function(function), rewriter(function->getContext()) {}

  void run(ArrayRef<BlockArgument> payload);

private:
  Value read(Value tensor);
  Value write(Value vector);
  void visit(Operation *op);
  void visitRead(pcf::ReadSliceOp op);
  void visitPad(tensor::PadOp op);
  void visitWrite(pcf::WriteSliceOp op);
  void visitElementwise(Operation *op);
  void visitConstant(arith::ConstantOp op);
  void visitLinalg(linalg::LinalgOp op);
  void fold();

  Operation *function;
  IRRewriter rewriter;
};
} // namespace

static SmallVector<Value> zeros(OpBuilder &b, Location loc, int64_t rank) {
  if (rank == 0)
    return {};
  return SmallVector<Value>(rank, arith::ConstantIndexOp::create(b, loc, 0));
}

Value Vectorizer::read(Value tensor) {
  Location loc = tensor.getLoc();
  VectorType type = vectorOf(tensor.getType());
  Value padding = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(
      rewriter, loc, type, tensor, zeros(rewriter, loc, type.getRank()),
      padding, SmallVector<bool>(type.getRank(), true));
}

Value Vectorizer::write(Value vector) {
  Location loc = vector.getLoc();
  auto type = cast<VectorType>(vector.getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  return vector::TransferWriteOp::create(
             rewriter, loc, vector, empty, zeros(rewriter, loc, type.getRank()),
             SmallVector<bool>(type.getRank(), true))
      .getResult();
}

void Vectorizer::visitRead(pcf::ReadSliceOp op) {
  if (!isStatic(op.getType()))
    return;
  rewriter.setInsertionPoint(op);
  Value vector = pcf::ReadSliceOp::create(
      rewriter, op.getLoc(), vectorOf(op.getType()), op.getSource(),
      op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides());
  rewriter.replaceOp(op, write(vector));
}

/// Replaces a padded slice by a larger vector: elements beyond the slice are
/// zero.
void Vectorizer::visitPad(tensor::PadOp op) {
  auto slice = op.getSource().getDefiningOp<pcf::ReadSliceOp>();
  Value padding = op.getConstantPaddingValue();
  bool padsZero = padding && (matchPattern(padding, m_Zero()) ||
                              matchPattern(padding, m_PosZeroFloat()));
  if (!slice || !padsZero || !isStatic(op.getType()) ||
      !llvm::all_of(op.getMixedLowPad(), isZeroInteger))
    return;
  // Read at the place of the slice: later ops may write the memory.
  rewriter.setInsertionPoint(slice);
  Value vector = pcf::ReadSliceOp::create(
      rewriter, op.getLoc(), vectorOf(op.getType()), slice.getSource(),
      slice.getMixedOffsets(), slice.getMixedSizes(), slice.getMixedStrides());
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, write(vector));
}

/// Replaces a write of a corner by one of the whole with the slice's sizes.
void Vectorizer::visitWrite(pcf::WriteSliceOp op) {
  Value source = op.getSource();
  auto corner = source.getDefiningOp<tensor::ExtractSliceOp>();
  if (corner && corner.hasUnitStride() &&
      corner.getType().getRank() == corner.getSourceType().getRank() &&
      llvm::all_of(corner.getMixedOffsets(), isZeroInteger) &&
      llvm::equal(corner.getMixedSizes(), op.getMixedSizes()))
    source = corner.getSource();
  if (!isStatic(source.getType()))
    return;
  rewriter.setInsertionPoint(op);
  Value vector = read(source);
  rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(vector); });
}

/// Vectorizes elementwise ops; scalar operands stay.
void Vectorizer::visitElementwise(Operation *op) {
  auto hasVector = [](Type type) { return !isTensor(type) || isStatic(type); };
  if (!llvm::all_of(op->getOperandTypes(), hasVector) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) {
        return isTensor(operand.getType()) ? read(operand) : operand;
      });
  SmallVector<Type> types = llvm::map_to_vector(
      op->getResultTypes(), [](Type type) { return Type(vectorOf(type)); });
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getAttrs());
  Operation *made = rewriter.create(state);
  SmallVector<Value> results = llvm::map_to_vector(
      made->getResults(), [&](Value result) { return write(result); });
  rewriter.replaceOp(op, results);
}

void Vectorizer::visitConstant(arith::ConstantOp op) {
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!values || !isStatic(op.getType()))
    return;
  rewriter.setInsertionPoint(op);
  VectorType type = vectorOf(op.getType());
  DenseElementsAttr asVector =
      values.isSplat() ? values.resizeSplat(type) : values.reshape(type);
  rewriter.replaceOp(
      op, write(arith::ConstantOp::create(rewriter, op.getLoc(), asVector)));
}

void Vectorizer::visit(Operation *op) {
  if (!hasTensors(op))
    return;
  if (auto read = dyn_cast<pcf::ReadSliceOp>(op))
    return visitRead(read);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return visitPad(pad);
  if (auto write = dyn_cast<pcf::WriteSliceOp>(op))
    return visitWrite(write);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return visitConstant(constant);
  if (isa<vector_ext::ToLayoutOp>(op) ||
      OpTrait::hasElementwiseMappableTraits(op))
    return visitElementwise(op);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    visitLinalg(linalgOp);
}

void Vectorizer::visitLinalg(linalg::LinalgOp op) {
  if (op.hasDynamicShape())
    return;
  // Keeps the attribute that chooses a product's instruction.
  Attribute config;
  if (linalg::isaContractionOpInterface(op))
    config = op->getAttr(iree::LoweringConfigAttr::attributeName);
  rewriter.setInsertionPoint(op);
  if (auto generic = dyn_cast<linalg::GenericOp>(*op); generic && config) {
    FailureOr<linalg::LinalgOp> named =
        linalg::specializeGenericOp(rewriter, generic);
    if (succeeded(named))
      op = *named;
  }
  Operation *before = op->getPrevNode();
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::VectorizationResult> result = linalg::vectorize(
      rewriter, op, /*inputVectorSizes=*/{}, /*inputScalableVecDims=*/{},
      /*vectorizeNDExtract=*/false, /*flatten1DDepthwiseConv=*/false,
      /*assumeDynamicDimsMatchVecSizes=*/false,
      /*createNamedContraction=*/true);
  if (failed(result))
    return;
  for (Operation *made = op->getPrevNode(); config && made != before;
       made = made->getPrevNode())
    if (isa<vector::ContractionOp>(made))
      made->setDiscardableAttr(iree::LoweringConfigAttr::attributeName, config);
  rewriter.replaceOp(op, result->replacements);
}

void Vectorizer::fold() {
  MLIRContext *context = function->getContext();
  RewritePatternSet patterns(context);
  vector::TransferReadOp::getCanonicalizationPatterns(patterns, context);
  vector::TransferWriteOp::getCanonicalizationPatterns(patterns, context);
  vector::BroadcastOp::getCanonicalizationPatterns(patterns, context);
  vector::TransposeOp::getCanonicalizationPatterns(patterns, context);
  vector::populateVectorReductionToContractPatterns(patterns);
  (void)applyPatternsGreedily(function, guarded(std::move(patterns)));
}

void Vectorizer::run(ArrayRef<BlockArgument> payload) {
  Block &block = function->getRegion(0).front();
  SmallVector<Operation *> ops;
  block.walk([&](Operation *op) {
    if (isa<linalg::LinalgOp, tensor::PadOp>(op->getParentOp()))
      return;
    ops.push_back(op);
  });
  rewriter.setInsertionPointToStart(&block);
  for (BlockArgument argument : payload) {
    if (!isStatic(argument.getType()))
      continue;
    SmallVector<OpOperand *> uses = llvm::map_to_vector(
        argument.getUses(), [](OpOperand &use) { return &use; });
    argument.setType(vectorOf(argument.getType()));
    Value tensor = write(argument);
    for (OpOperand *use : uses)
      use->set(tensor);
  }
  for (Operation *op : ops)
    visit(op);
  Operation *yield = block.getTerminator();
  rewriter.setInsertionPoint(yield);
  for (OpOperand &operand : yield->getOpOperands())
    if (isStatic(operand.get().getType()))
      operand.set(read(operand.get()));
  fold();
}

LogicalResult distaff::vectorizeTensors(Operation *function,
                                        ArrayRef<BlockArgument> payload,
                                        std::string &why) {
  auto isOne = [](Operation *op) {
    return hasTensors(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  bool found = function->walk(isOne).wasInterrupted() ||
               llvm::any_of(payload, [](BlockArgument argument) {
                 return isTensor(argument.getType());
               });
  if (!found)
    return success();
  Vectorizer(function).run(payload);
  // Finds the first op that is not dead, and prefers ops of the source.
  Operation *left = nullptr;
  auto isOurs = [](Operation *op) {
    return isa<vector::TransferReadOp, vector::TransferWriteOp>(op);
  };
  function->walk([&](Operation *op) {
    bool isNeeded = !isOpTriviallyDead(op) && !isa<tensor::EmptyOp>(op);
    if (hasTensors(op) && isNeeded && (!left || (isOurs(left) && !isOurs(op))))
      left = op;
  });
  if (!left)
    return success();
  why = "'" + left->getName().getStringRef().str() +
        "' is on tensors that are no vectors: of static shapes, in linalg ops "
        "that have a vector form, elementwise ops, slices and padded slices";
  return failure();
}
