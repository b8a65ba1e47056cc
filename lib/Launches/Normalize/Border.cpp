//===- Border.cpp - Arguments and results in memory -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch passes pointers and scalars. A vector argument becomes a memref that
// is read at entry, and a vector or scalar result a memref that is written at
// the end, after all arguments:
//
//   func.func @f(%v: vector<8xf32>) -> f32
//   func.func @f(%v: memref<8xf32>, %r: memref<f32>)
//
//===----------------------------------------------------------------------===//
#include "../PreparedLaunch.h"
#include "InputLegality.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;

static MemRefType memoryFor(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return MemRefType::get(vector.getShape(), vector.getElementType());
  return MemRefType::get({}, type);
}

static SmallVector<Value> zeros(OpBuilder &builder, Location loc,
                                int64_t rank) {
  if (rank == 0)
    return {};
  return SmallVector<Value>(rank,
                            arith::ConstantIndexOp::create(builder, loc, 0));
}

/// Reads a vector argument; `layout` is the user's layout, may be null.
static void readArgument(BlockArgument argument, Attribute layout) {
  auto type = cast<VectorType>(argument.getType());
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Location loc = argument.getLoc();
  argument.setType(memoryFor(type));
  Value padding = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  auto read = vector::TransferReadOp::create(
      builder, loc, type, argument, zeros(builder, loc, type.getRank()),
      padding, SmallVector<bool>(type.getRank(), true));
  argument.replaceAllUsesExcept(
      vector_ext::layOutAs(builder, read.getResult(), layout), read);
}

static void writeResult(func::FuncOp kernel, Value result, Attribute layout,
                        func::ReturnOp terminator) {
  Location loc = result.getLoc();
  BlockArgument out =
      kernel.getBody().addArgument(memoryFor(result.getType()), loc);
  OpBuilder builder(terminator);
  result = vector_ext::layOutAs(builder, result, layout);
  if (auto type = dyn_cast<VectorType>(result.getType()))
    vector::TransferWriteOp::create(builder, loc, result, out,
                                    zeros(builder, loc, type.getRank()),
                                    SmallVector<bool>(type.getRank(), true));
  else
    memref::StoreOp::create(builder, loc, result, out);
}

LogicalResult distaff::passVectorsInMemory(func::FuncOp kernel) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  auto terminator =
      cast<func::ReturnOp>(kernel.getBody().front().getTerminator());
  for (BlockArgument argument : kernel.getArguments())
    if (isa<VectorType>(argument.getType()))
      readArgument(argument,
                   kernel.removeArgAttr(argument.getArgNumber(),
                                        vector_ext::layoutAttributeName));
  // An argument that is returned is the value that was read of it.
  SmallVector<Value> results = llvm::to_vector(terminator.getOperands());
  SmallVector<Value> kept;
  SmallVector<unsigned> written;
  for (const KernelParameter &result : signature->results) {
    if (!result.isReturned)
      continue;
    Value value = results[result.position];
    if (isa<TensorType>(value.getType())) {
      kept.push_back(value);
      continue;
    }
    writeResult(
        kernel, value,
        kernel.getResultAttr(result.position, vector_ext::layoutAttributeName),
        terminator);
    written.push_back(result.number);
  }
  if (kept.size() != terminator.getNumOperands())
    kernel.setResAttrsAttr(nullptr);
  terminator.getOperandsMutable().assign(kept);
  size_t count = kernel.getBody().getNumArguments();
  if (ArrayAttr attributes = kernel.getArgAttrsAttr()) {
    SmallVector<Attribute> all = llvm::to_vector(attributes);
    all.resize(count, DictionaryAttr::get(kernel.getContext()));
    kernel.setArgAttrsAttr(ArrayAttr::get(kernel.getContext(), all));
  }
  kernel.setFunctionType(FunctionType::get(kernel.getContext(),
                                           kernel.getBody().getArgumentTypes(),
                                           ValueRange(kept).getTypes()));
  markResults(kernel, count - written.size(), written);
  return success();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void distaff::eraseUnread(func::FuncOp kernel) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Replaces splat constants by fills, which can be tiled.
static void fillSplats(func::FuncOp kernel) {
  for (auto constant : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<arith::ConstantOp>())) {
    auto value = dyn_cast<SplatElementsAttr>(constant.getValue());
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    if (!value || !type)
      continue;
    OpBuilder builder(constant);
    Location loc = constant.getLoc();
    Value scalar = arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(value.getSplatValue<Attribute>()));
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
    constant.replaceAllUsesWith(
        linalg::FillOp::create(builder, loc, scalar, empty).getResult(0));
    constant.erase();
  }
}

/// Copies results that no op computes, or that are returned twice.
static void copyResults(func::FuncOp kernel) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  llvm::SmallPtrSet<Value, 4> seen;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    Value computed = withoutReshapes(value);
    // A prepared launch returns its results unchanged.
    bool isReadBeside =
        llvm::count_if(computed.getUsers(), [](Operation *user) {
          return !isa<tensor::DimOp>(user);
        }) > 1;
    bool isPrepared = preparedLaunchOf(computed.getDefiningOp()) &&
                      (computed == value || !isReadBeside);
    bool isComputed =
        isPrepared || isa_and_nonnull<linalg::LinalgOp, linalg::SoftmaxOp>(
                          computed.getDefiningOp());
    if (!type || hasNoElements(type) ||
        (isComputed && seen.insert(computed).second))
      continue;
    Location loc = terminator->getLoc();
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, value),
        type.getElementType());
    operand.set(
        linalg::CopyOp::create(builder, loc, value, empty).getResult(0));
  }
}

LogicalResult distaff::normalizeTensors(func::FuncOp kernel) {
  eraseUnread(kernel);
  fillSplats(kernel);
  RewritePatternSet patterns(kernel.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  if (failed(applyPatternsGreedily(kernel, guarded(std::move(patterns)))))
    return kernel.emitOpError(
        "elementwise ops on tensors do not become linalg");
  // Common subexpressions are eliminated before tiles are chosen for these
  // ops. Not after copyResults: equal copies may be results.
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  copyResults(kernel);
  return success();
}
