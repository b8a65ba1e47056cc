//===- DispatchLaneTensors.cpp - Bufferization of tensors of lanes --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors of a dispatch that are distributed among lanes get memory before
// its loops are lowered: the iterations of such a loop write one tensor, the
// loop's result. MLIR's one-shot bufferization decides which tensors are one
// buffer:
//
//   %0 = iree_codegen.load_from_buffer %a       read in place
//   iree_codegen.store_to_buffer %r, %b         %r is computed in %b
//   tensor.empty outside of the loops           workgroup memory
//   tensor.empty inside of them                 private memory of a lane
//   iree_gpu.barrier_region ins(%t) {...}       in %t's memory, between
//   barriers
//
//===----------------------------------------------------------------------===//
#include "DispatchLanes.h"
#include "distaff/Import/Dispatch/ImportDispatches.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;

void distaff::registerDispatchBufferization(DialectRegistry &registry) {
  registry.insert<bufferization::BufferizationDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerSubsetOpInterfaceExternalModels(registry);
}

static bool isTensor(Type type) { return isa<TensorType>(type); }

static bool hasTensors(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), isTensor)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

/// Returns the buffer at the root of views.
static Value baseOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (isa<dispatch::InterfaceBindingSubspanOp>(op) ||
        op->getNumOperands() == 0)
      return buffer;
    buffer = op->getOperand(0);
  }
  return buffer;
}

static void openBindings(func::FuncOp function) {
  SmallVector<iree::LoadFromBufferOp> loads;
  SmallVector<iree::StoreToBufferOp> stores;
  DenseSet<Value> written;
  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<iree::LoadFromBufferOp>(op))
      loads.push_back(load);
    if (auto store = dyn_cast<iree::StoreToBufferOp>(op)) {
      stores.push_back(store);
      written.insert(baseOf(store.getBuffer()));
    }
  });
  IRRewriter b(function.getContext());
  for (iree::LoadFromBufferOp load : loads) {
    b.setInsertionPoint(load);
    bool isWritable = written.contains(baseOf(load.getBuffer()));
    b.replaceOpWithNewOp<bufferization::ToTensorOp>(
        load, load.getType(), load.getBuffer(), /*restrict=*/true, isWritable);
  }
  for (iree::StoreToBufferOp store : stores) {
    b.setInsertionPoint(store);
    bufferization::MaterializeInDestinationOp::create(
        b, store.getLoc(), /*result=*/Type(), store.getTensor(),
        store.getBuffer(), /*restrict=*/true, /*writable=*/true);
    b.eraseOp(store);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Attribute memorySpaceAt(Operation *op) {
  return gpu::AddressSpaceAttr::get(
      op->getContext(), isInLaneCode(op) ? gpu::AddressSpace::Private
                                         : gpu::AddressSpace::Workgroup);
}

/// Assigns a memory space to each empty tensor.
static void placeTensors(func::FuncOp function) {
  IRRewriter b(function.getContext());
  function.walk([&](tensor::EmptyOp empty) {
    b.setInsertionPoint(empty);
    b.replaceOpWithNewOp<bufferization::AllocTensorOp>(empty, empty.getType(),
                                                       empty.getDynamicSizes());
  });
  function.walk([&](bufferization::AllocTensorOp alloc) {
    if (!alloc.getMemorySpace())
      alloc.setMemorySpaceAttr(memorySpaceAt(alloc));
  });
}

/// Lowers a barrier region: all lanes write to its operands, and read all of
/// its result after it.
static LogicalResult lowerBarrierRegion(iree::BarrierRegionOp region) {
  OpBuilder b(region);
  Location loc = region.getLoc();
  SmallVector<Value> buffers;
  for (Value input : region.getInputs()) {
    auto alloc = input.getDefiningOp<bufferization::AllocTensorOp>();
    auto view = input.getDefiningOp<bufferization::ToTensorOp>();
    if (!view &&
        (!alloc || alloc.getCopy() || !alloc.getDynamicSizes().empty()))
      return region.emitOpError("shares a tensor that is no allocation of its "
                                "own with a static shape; give it the dispatch "
                                "as it is dumped before "
                                "GPUFuseAndHoistParallelLoopsPass");
    if (view) {
      buffers.push_back(view.getBuffer());
      continue;
    }
    RankedTensorType type = alloc.getType();
    OpBuilder at(alloc);
    auto memory = memref::AllocOp::create(
        at, loc,
        MemRefType::get(
            type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
            alloc.getMemorySpace().value_or(gpu::AddressSpaceAttr::get(
                b.getContext(), gpu::AddressSpace::Workgroup))));
    auto tensor = bufferization::ToTensorOp::create(
        at, loc, type, memory, /*restrict=*/true, /*writable=*/true);
    alloc->replaceAllUsesWith(ValueRange{tensor.getResult()});
    alloc.erase();
    buffers.push_back(memory);
  }
  gpu::BarrierOp::create(b, loc);
  Block &body = region.getBody().front();
  auto tensorOf = [&](Value buffer, Type type) -> Value {
    return bufferization::ToTensorOp::create(b, loc, type, buffer,
                                             /*restrict=*/true,
                                             /*writable=*/true);
  };
  for (auto [argument, buffer] : llvm::zip_equal(body.getArguments(), buffers))
    argument.replaceAllUsesWith(tensorOf(buffer, argument.getType()));
  SmallVector<Value> yielded(body.getTerminator()->getOperands());
  body.getTerminator()->erase();
  region->getBlock()->getOperations().splice(region->getIterator(),
                                             body.getOperations());
  SmallVector<Value> results;
  for (auto [value, buffer] : llvm::zip_equal(yielded, buffers))
    bufferization::MaterializeInDestinationOp::create(
        b, loc, /*result=*/Type(), value, buffer, /*restrict=*/true,
        /*writable=*/true);
  gpu::BarrierOp::create(b, loc);
  for (auto [value, buffer] : llvm::zip_equal(yielded, buffers))
    results.push_back(tensorOf(buffer, value.getType()));
  region->replaceAllUsesWith(results);
  region.erase();
  return success();
}

static LogicalResult lowerBarrierRegions(func::FuncOp function) {
  SmallVector<iree::BarrierRegionOp> regions;
  function.walk(
      [&](iree::BarrierRegionOp region) { regions.push_back(region); });
  for (iree::BarrierRegionOp region : regions)
    if (failed(lowerBarrierRegion(region)))
      return failure();
  return success();
}

/// Lowers pads to empty tensors, fills and writes.
static LogicalResult lowerPads(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  // A pad with dynamic extents is cast to static ones, which become its own.
  RewritePatternSet patterns(context);
  tensor::PadOp::getCanonicalizationPatterns(patterns, context);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(function, guarded(std::move(patterns)), config);
  SmallVector<tensor::PadOp> pads;
  function.walk([&](tensor::PadOp pad) { pads.push_back(pad); });
  IRRewriter b(context);
  for (tensor::PadOp pad : pads) {
    b.setInsertionPoint(pad);
    if (!pad.getResultType().hasStaticShape() ||
        failed(linalg::rewriteInDestinationPassingStyle(b, pad)))
      return pad.emitOpError("in a dispatch whose lanes share tensors out has "
                             "a result whose extents are not static; give it "
                             "the dispatch as it is dumped before "
                             "GPUApplyTilingLevelPass, or behind "
                             "GPUDistributeForallPass");
  }
  return success();
}

LogicalResult distaff::bufferizeLaneLoops(func::FuncOp function) {
  if (!hasTensors(function))
    return success();
  function.getContext()
      ->loadDialect<bufferization::BufferizationDialect, gpu::GPUDialect,
                    linalg::LinalgDialect, memref::MemRefDialect,
                    tensor::TensorDialect>();
  openBindings(function);
  if (failed(lowerPads(function)))
    return failure();
  IRRewriter rewriter(function.getContext());
  if (failed(lowerBarrierRegions(function)) ||
      failed(bufferization::eliminateEmptyTensors(rewriter, function)))
    return failure();
  placeTensors(function);
  bufferization::OneShotBufferizationOptions options;
  options.allowUnknownOps = true;
  bufferization::BufferizationState state;
  if (failed(bufferization::insertTensorCopies(function, options, state)))
    return failure();
  placeTensors(function);
  if (failed(bufferization::bufferizeOp(function, options, state)))
    return failure();
  return success();
}
