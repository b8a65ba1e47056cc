//===- Bufferize.cpp - Bufferization to out-arguments ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result becomes a memref argument first, and the returned tensor is
// materialized there. Upstream's empty-tensor elimination then lets the ops
// that compute the result work in that memref from the start, so that one-shot
// bufferization allocates and copies nothing. This is checked at the end, since
// memory inside a kernel would be one buffer for all workgroups.
// workgroups.
//
//===----------------------------------------------------------------------===//
#include "StackMemory.h"
#include "VectorsOnTensors.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Kernel/ExtentFormulas.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/Tiling/Bufferize/PCFBufferization.h"
#include "distaff/Tiling/Bufferize/VectorExtBufferization.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_BUFFERIZE
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using bufferization::BufferizationDialect;

//===----------------------------------------------------------------------===//
// Before: out-arguments
//===----------------------------------------------------------------------===//

/// Checks the border that form-launches gives every kernel.
static LogicalResult checkBorder(func::FuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError(
        "has several basic blocks; run distaff-form-launches "
        "first, which says what to do");
  for (Type type : kernel.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return kernel.emitOpError("returns ")
             << type << " beside tensors; run distaff-form-launches first";
  return success();
}

/// Marks inputs as read-only, even if the analysis could save copies by writing
/// to them.
static void protectInputs(func::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments())
    if (isa<TensorType>(argument.getType()))
      kernel.setArgAttr(argument.getArgNumber(),
                        BufferizationDialect::kWritableAttrName,
                        BoolAttr::get(kernel.getContext(), false));
}

/// Returns the dynamic extents of each result as formulas of the arguments'
/// extents.
static FailureOr<SmallVector<AffineMap>> extentsOf(func::FuncOp kernel,
                                                   ArrayRef<Value> results) {
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return failure();
  SmallVector<AffineMap> maps;
  for (auto [number, result] : llvm::enumerate(results)) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<AffineExpr> extents;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      extents.push_back(formulas->extentOf(result, dim));
      if (!extents.back())
        return kernel.emitOpError("result ")
               << number << " has an extent, dimension " << dim
               << ", that is no sum, product or quotient of its arguments' "
                  "extents, so that no launch can provide its memory";
    }
    maps.push_back(formulas->mapTo(extents));
  }
  return maps;
}

/// Returns the extents of a result, available before the result is computed.
static SmallVector<OpFoldResult> sizesOf(OpBuilder &builder, Value result) {
  while (auto loop = result.getDefiningOp<scf::ForallOp>())
    result = loop.getTiedOpOperand(cast<OpResult>(result))->get();
  if (auto empty = result.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes();
  return tensor::getMixedSizes(builder, result.getLoc(), result);
}

/// Replaces `out` by a view in the shape in which the result is computed, and
/// `result` by the value before its reshapes.
static void reshapeInPlace(OpBuilder &builder, Value &result, Value &out) {
  while (Operation *op = result.getDefiningOp()) {
    auto memref = cast<MemRefType>(out.getType());
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      out = memref::CollapseShapeOp::create(builder, op->getLoc(), out,
                                            expand.getReassociationIndices());
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      auto shape = cast<RankedTensorType>(collapse.getSrc().getType());
      out = memref::ExpandShapeOp::create(
          builder, op->getLoc(),
          MemRefType::get(shape.getShape(), memref.getElementType()), out,
          collapse.getReassociationIndices(),
          sizesOf(builder, collapse.getSrc()));
    } else {
      return;
    }
    result = op->getOperand(0);
  }
}

/// Returns the ABI attributes of each result.
static SmallVector<Attribute> marksOfResults(func::FuncOp kernel) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> marks;
  for (unsigned i = 0; i < kernel.getNumResults(); ++i) {
    SmallVector<NamedAttribute> kept;
    if (Attribute mark = kernel.getResultAttr(i, kUnpackedAttrName))
      kept.push_back(builder.getNamedAttr(kUnpackedAttrName, mark));
    marks.push_back(builder.getDictionaryAttr(kept));
  }
  return marks;
}

/// Makes workgroups fill the argument `out` directly, instead of an empty
/// tensor that becomes it.
static void fillFromStart(Value result, Value out) {
  auto loop = result.getDefiningOp<scf::ForallOp>();
  if (!loop || !isa<BlockArgument>(out)) // a view of it comes after the loop
    return;
  OpOperand *filled = loop.getTiedOpOperand(cast<OpResult>(result));
  auto empty = filled->get().getDefiningOp<tensor::EmptyOp>();
  if (!empty)
    return;
  OpBuilder builder(loop);
  filled->set(bufferization::ToTensorOp::create(
      builder, empty.getLoc(), empty.getType(), out, /*restrict=*/true,
      /*writable=*/true));
}

static LogicalResult turnResultsIntoArguments(func::FuncOp kernel) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  auto terminator =
      cast<func::ReturnOp>(kernel.getBody().front().getTerminator());
  OpBuilder builder(terminator);
  SmallVector<Value> results = llvm::to_vector(terminator.getOperands());
  FailureOr<SmallVector<AffineMap>> extents = extentsOf(kernel, results);
  if (failed(extents))
    return failure();
  terminator.getOperandsMutable().clear();
  SmallVector<Attribute> marks = marksOfResults(kernel);
  SmallVector<Type> inputs = llvm::to_vector(kernel.getArgumentTypes());
  for (Value result : results) {
    auto type = cast<RankedTensorType>(result.getType());
    inputs.push_back(MemRefType::get(type.getShape(), type.getElementType()));
    Value out = kernel.getBody().addArgument(inputs.back(), result.getLoc());
    reshapeInPlace(builder, result, out);
    bufferization::MaterializeInDestinationOp::create(
        builder, result.getLoc(), /*result=*/Type(), result, out,
        /*restrict=*/true, /*writable=*/true);
    fillFromStart(result, out);
  }
  kernel.setResAttrsAttr(nullptr);
  kernel.setFunctionType(builder.getFunctionType(inputs, {}));
  SmallVector<Attribute> all(inputs.size() - results.size(),
                             builder.getDictionaryAttr({}));
  if (ArrayAttr attributes = kernel.getArgAttrsAttr())
    all = llvm::to_vector(attributes);
  llvm::append_range(all, marks);
  kernel.setArgAttrsAttr(builder.getArrayAttr(all));
  SmallVector<unsigned> numbers;
  for (const KernelParameter &result : signature->results)
    if (result.isReturned)
      numbers.push_back(result.number);
  unsigned first = inputs.size() - numbers.size();
  markResults(kernel, first, numbers);
  for (auto [at, map] : llvm::enumerate(*extents))
    if (map.getNumResults() != 0)
      kernel.setArgAttr(first + at, kExtentsAttrName, AffineMapAttr::get(map));
  return success();
}

/// Returns whether a tensor starts as an empty tensor, or as a slice of one.
static bool isEmpty(Value value) {
  while (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>())
    value = slice.getSource();
  return static_cast<bool>(value.getDefiningOp<tensor::EmptyOp>());
}

/// Replaces the empty tensor that a workgroup writes slice by slice by its part
/// of the result. Upstream only handles the last write.
static void startTilesInPlace(func::FuncOp kernel) {
  DominanceInfo dominance(kernel);
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](tensor::ParallelInsertSliceOp insert) {
    OpOperand *first = nullptr;
    for (Value value = insert.getSource();; value = first->get()) {
      if (auto piece = value.getDefiningOp<tensor::InsertSliceOp>())
        first = &piece.getDestMutable();
      else if (auto write = value.getDefiningOp<vector::TransferWriteOp>())
        first = &write.getBaseMutable();
      else
        break;
    }
    if (!first || !isEmpty(first->get()))
      return;
    Operation *op = first->getOwner();
    if (!llvm::all_of(insert->getOperands().drop_front(),
                      [&](Value v) { return dominance.dominates(v, op); }))
      return;
    // A clipped slice is written first, then inserted.
    SmallVector<OpOperand *> uses = {first};
    if (auto piece = dyn_cast<tensor::InsertSliceOp>(op))
      if (auto write =
              piece.getSource().getDefiningOp<vector::TransferWriteOp>())
        if (auto slice =
                write.getBase().getDefiningOp<tensor::ExtractSliceOp>();
            slice && slice.getSource() == first->get()) {
          // Other results may begin with an equal slice.
          builder.setInsertionPoint(slice);
          auto own = cast<tensor::ExtractSliceOp>(builder.clone(*slice));
          write.getBaseMutable().assign(own);
          uses.push_back(&own.getSourceMutable());
          op = own;
        }
    if (!llvm::all_of(insert->getOperands().drop_front(),
                      [&](Value v) { return dominance.dominates(v, op); }))
      return;
    builder.setInsertionPoint(op);
    Value place = tensor::ExtractSliceOp::create(
        builder, op->getLoc(), insert.getSourceType(), insert.getDest(),
        insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides());
    for (OpOperand *use : uses)
      use->set(place);
  });
}

/// Returns whether a kernel still contains an empty tensor. Their elimination
/// requires an analysis of the whole kernel.
static bool hasEmptyTensors(func::FuncOp kernel) {
  return kernel
      ->walk([](tensor::EmptyOp empty) {
        return empty.use_empty() ? WalkResult::advance()
                                 : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Makes a loop whose result becomes a part of a tile start from that part of
/// the tile, not from separate memory. The tile itself is in place by now.
static void startInPlace(func::FuncOp kernel) {
  DominanceInfo dominance(kernel);
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](tensor::InsertSliceOp insert) {
    auto loop = insert.getSource().getDefiningOp<scf::ForOp>();
    if (!loop || !dominance.properlyDominates(insert.getDest(), loop))
      return;
    OpOperand *init = loop.getTiedLoopInit(cast<OpResult>(insert.getSource()));
    if (!isEmpty(init->get()))
      return;
    builder.setInsertionPoint(loop);
    init->set(tensor::ExtractSliceOp::create(
        builder, loop.getLoc(), insert.getSourceType(), insert.getDest(),
        insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides()));
  });
}

/// Returns whether the code at `op` runs in one workgroup: in a loop over
/// workgroups, or in a kernel of one workgroup, whose tensors have layouts.
static bool isOfOneWorkgroup(Operation *op, scf::ForallOp loop) {
  if (loop)
    return loop->isProperAncestor(op);
  return op->getParentOfType<func::FuncOp>()
      .walk([](vector_ext::ToLayoutOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Allocates the tensors that a workgroup moves by other ops than vector
/// accesses in workgroup memory (VX-182); results have their out-arguments by
/// now.
static void placeInWorkgroupMemory(func::FuncOp kernel) {
  auto space = gpu::AddressSpaceAttr::get(kernel.getContext(),
                                          gpu::AddressSpace::Workgroup);
  scf::ForallOp loop = findWorkgroupLoop(kernel);
  SmallVector<tensor::EmptyOp> ops;
  kernel.walk([&](tensor::EmptyOp empty) {
    if (empty.getType().hasStaticShape())
      ops.push_back(empty);
  });
  OpBuilder b(kernel.getContext());
  // Each user has a buffer of its own, in front of it.
  for (tensor::EmptyOp empty : ops)
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
      Operation *user = use.getOwner();
      if (user->hasTrait<OpTrait::IsTerminator>() ||
          !isOfOneWorkgroup(user, loop))
        continue;
      b.setInsertionPoint(user);
      auto alloc = bufferization::AllocTensorOp::create(
          b, empty.getLoc(), empty.getType(), ValueRange());
      alloc.setMemorySpaceAttr(space);
      use.set(alloc);
    }
}

//===----------------------------------------------------------------------===//
// After: subviews fold into transfers, and nothing was allocated
//===----------------------------------------------------------------------===//

static LogicalResult foldViews(func::FuncOp kernel) {
  avoidWrongFolds(kernel);
  MLIRContext *context = kernel.getContext();
  IRRewriter rewriter(context);
  // A tile that was computed in place is inserted into itself: the two views
  // are equal, CSE merges them, and the copy between them folds.
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  RewritePatternSet patterns(context);
  memref::populateFoldMemRefAliasOpPatterns(patterns);
  memref::CopyOp::getCanonicalizationPatterns(patterns, context);
  memref::SubViewOp::getCanonicalizationPatterns(patterns, context);
  memref::CastOp::getCanonicalizationPatterns(patterns, context);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  scf::ForOp::getCanonicalizationPatterns(patterns, context);
  scf::ForallOp::getCanonicalizationPatterns(patterns, context);
  // These patterns fold branches that all forward the same buffer.
  scf::IfOp::getCanonicalizationPatterns(patterns, context);
  if (failed(applyPatternsGreedily(kernel, guarded(std::move(patterns)))))
    return kernel.emitOpError("bufferizing left patterns that do not settle");
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  return success();
}

static LogicalResult checkMemory(func::FuncOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    // Constant data may be in any memory.
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (alloc &&
        gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(alloc.getType()))
      return WalkResult::advance();
    if (isa<memref::AllocOp, memref::AllocaOp>(op)) {
      op->emitOpError(
          "keeps a whole tensor of the kernel in global memory, "
          "which a kernel has of its arguments alone; compute it in "
          "the loop over workgroups or in the executor that uses "
          "it, or make two kernels");
      return WalkResult::interrupt();
    }
    if (isa<memref::CopyOp>(op)) {
      op->emitOpError("copies in global memory what should have been computed "
                      "in place");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Returns the buffer that a view refers to.
static Value viewedBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Refuses copies outside of the loop over workgroups: each workgroup makes
/// them, over results of the others. A copy of memory that the loop does not
/// write is idempotent, and allowed.
static LogicalResult checkBesideLoop(func::FuncOp kernel) {
  scf::ForallOp loop = findWorkgroupLoop(kernel);
  if (!loop)
    return success();
  llvm::SmallPtrSet<Value, 4> written;
  loop->walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
        written.insert(viewedBuffer(effect.getValue()));
  });
  for (auto copy : loop->getBlock()->getOps<memref::CopyOp>())
    if (written.contains(viewedBuffer(copy.getSource())) ||
        written.contains(viewedBuffer(copy.getTarget())))
      return copy.emitOpError(
          "copies all of what the loop over workgroups computes a part of; "
          "start the loop from a tensor.empty, and let it write all of it");
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult bufferizeModule(ModuleOp module) {
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(
      bufferization::LayoutMapOption::IdentityLayoutMap);
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotModuleBufferize(module, options, state)))
    return failure();
  bufferization::removeBufferizationAttributesInModule(module);
  return success();
}

namespace {
struct BufferizePass final : distaff::impl::BufferizeBase<BufferizePass> {
  using BufferizeBase::BufferizeBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    BufferizeBase::getDependentDialects(registry);
    arith::registerBufferizableOpInterfaceExternalModels(registry);
    bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
        registry);
    pcf::registerPCFBufferization(registry);
    scf::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerSubsetOpInterfaceExternalModels(registry);
    tensor::registerInferTypeOpInterfaceExternalModels(registry);
    vector::registerBufferizableOpInterfaceExternalModels(registry);
    vector::registerSubsetOpInterfaceExternalModels(registry);
    vector_ext::registerVectorExtBufferization(registry);
  }

  /// Returns the kernels to bufferize; none with `of-vectors` if the tensors of
  /// a kernel have other accesses than vectors.
  SmallVector<func::FuncOp> findKernels(ModuleOp module) {
    SmallVector<func::FuncOp> kernels;
    for (auto kernel : module.getOps<func::FuncOp>()) {
      if (!isKernel(kernel) || !mentionsTensors(kernel))
        continue;
      if (ofVectors && !isOfVectorsOnTensors(kernel))
        return {};
      kernels.push_back(kernel);
    }
    return kernels;
  }

  /// Assigns layouts of tensors to the vectors read from and written to them,
  /// in a user's loop over workgroups.
  LogicalResult layOutVectorsInLoops(ModuleOp module) {
    for (auto kernel : module.getOps<func::FuncOp>())
      if (isKernel(kernel) && findWorkgroupLoop(kernel) &&
          failed(layOutVectorsOfTensors(kernel)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (ofVectors && failed(layOutVectorsInLoops(module)))
      return signalPassFailure();
    SmallVector<func::FuncOp> kernels = findKernels(module);
    if (kernels.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (func::FuncOp kernel : kernels) {
      if (failed(checkBorder(kernel)) ||
          (ofVectors && failed(layOutVectorsOfTensors(kernel))))
        return signalPassFailure();
      if (ofVectors)
        startFromCopies(kernel);
      protectInputs(kernel);
      if (failed(turnResultsIntoArguments(kernel)))
        return signalPassFailure();
      startTilesInPlace(kernel);
      if (hasEmptyTensors(kernel) &&
          failed(bufferization::eliminateEmptyTensors(rewriter, kernel)))
        return signalPassFailure();
      startInPlace(kernel);
      if (!onStack)
        placeInWorkgroupMemory(kernel);
    }
    if (failed(bufferizeModule(module)))
      return signalPassFailure();
    for (func::FuncOp kernel : kernels)
      if (failed(foldViews(kernel)) ||
          (onStack && failed(checkBesideLoop(kernel))) ||
          failed(onStack ? moveToStack(kernel) : checkMemory(kernel)))
        return signalPassFailure();
  }
};
} // namespace
