//===- PCFBufferization.cpp - Bufferization of pcf ops --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements BufferizableOpInterface. Tensors are the operands and results of
// ops that own refs, and are read from and written to refs; refs themselves
// stay, so that the analysis does not model their memory. A slice that is read
// is therefore never written in place, and mayChangeWhileNeeded decides whether
// it may change before its last use.
//
//===----------------------------------------------------------------------===//
#include "distaff/Tiling/Bufferize/PCFBufferization.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/UnstructuredControlFlow.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace distaff;
using namespace distaff::pcf;
using namespace mlir::bufferization;

//===----------------------------------------------------------------------===//
// Ops that own refs
//===----------------------------------------------------------------------===//

/// Returns the buffer type of result `result`.
static FailureOr<BufferLikeType>
getResultBufferType(RefOwnerOpInterface op, unsigned result,
                    const BufferizationOptions &options,
                    const BufferizationState &state,
                    SmallVector<Value> &invocationStack) {
  if (OpOperand *init = op.getTiedInit(result))
    return bufferization::getBufferType(init->get(), options, state,
                                        invocationStack);
  auto scope = cast<ScopeAttrInterface>(op.getScope());
  FailureOr<Attribute> space = scope.getAllocMemSpace(op->getContext());
  if (failed(space))
    return op->emitOpError() << "scope " << op.getScope() << " cannot allocate";
  auto type = cast<RankedTensorType>(op->getResult(result).getType());
  return cast<BufferLikeType>(
      cast<Type>(MemRefType::get(type.getShape(), type.getElementType(),
                                 MemRefLayoutAttrInterface(), *space)));
}

/// Recreates the op with memrefs in place of tensors, and with the same
/// regions.
static FailureOr<RefOwnerOpInterface>
rebuild(RefOwnerOpInterface op, RewriterBase &rewriter,
        const BufferizationOptions &options, BufferizationState &state) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isa<TensorType>(operand.getType())) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operand = *buffer;
    }
    operands.push_back(operand);
  }
  SmallVector<Type> types;
  for (OpResult result : op->getResults()) {
    if (!isa<TensorType>(result.getType())) {
      types.push_back(result.getType());
      continue;
    }
    unsigned number = result.getResultNumber();
    if (OpOperand *init = op.getTiedInit(number)) {
      types.push_back(operands[init->getOperandNumber()].getType());
      continue;
    }
    SmallVector<Value> stack;
    FailureOr<BufferLikeType> type =
        getResultBufferType(op, number, options, state, stack);
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  OperationState newOp(op.getLoc(), op->getName(), operands, types);
  newOp.propertiesAttr = op->getPropertiesAsAttribute();
  newOp.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  for (Region &region : op->getRegions())
    newOp.addRegion()->takeBody(region);
  return cast<RefOwnerOpInterface>(rewriter.create(newOp));
}

/// Returns whether the write covers every element of its ref.
static bool isOfAll(WriteSliceOp write) {
  SRefType ref = write.getRefType();
  return ref.hasStaticShape() && write.getStaticSizes() == ref.getShape() &&
         llvm::all_of(write.getStaticOffsets(), [](int64_t o) { return !o; }) &&
         llvm::all_of(write.getStaticStrides(),
                      [](int64_t t) { return t == 1; });
}

/// Returns whether a ref's initial content is neither kept nor read. Elements
/// that no worker writes keep their values, so that all elements must be
/// written for certain.
static bool isOverwritten(RefOwnerOpInterface op, BlockArgument ref) {
  if (auto loop = dyn_cast<LoopOp>(op.getOperation()))
    if (!llvm::all_of(loop.getCounts(), [](Value count) {
          return getConstantIntValue(count).value_or(0) > 0;
        }))
      return false;
  bool isCovered = false;
  for (OpOperand &use : ref.getUses()) {
    auto write = dyn_cast<WriteSliceOp>(use.getOwner());
    if (!write || &use != &write.getDestMutable())
      return false;
    isCovered |= write->getBlock() == ref.getOwner() && isOfAll(write);
  }
  return isCovered;
}

namespace {
template <typename OpT>
struct OwnerModel final
    : OpWithUnstructuredControlFlowBufferizableOpInterfaceExternalModel<
          OwnerModel<OpT>, OpT> {
  static bool supportsUnstructuredControlFlow() { return true; }

  // Workers run the body once each, at the same time.
  bool isRepetitiveRegion(Operation *op, unsigned index) const {
    return &op->getRegion(index) == &cast<RefOwnerOpInterface>(op).getExecute();
  }
  bool isParallelRegion(Operation *op, unsigned index) const {
    return isRepetitiveRegion(op, index);
  }

  bool bufferizesToAllocation(Operation *op, Value value) const {
    auto result = dyn_cast<OpResult>(value);
    return result &&
           !cast<RefOwnerOpInterface>(op).getTiedInit(result.getResultNumber());
  }

  /// Returns whether an init is read: the body does not overwrite all of it
  /// before any read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto owner = cast<RefOwnerOpInterface>(op);
    std::optional<unsigned> result = owner.getTiedResult(operand);
    return !result || !isOverwritten(owner, owner.getRefOfResult(*result));
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return cast<RefOwnerOpInterface>(op).getTiedResult(operand).has_value();
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    auto owner = cast<RefOwnerOpInterface>(op);
    if (std::optional<unsigned> result = owner.getTiedResult(operand))
      return {{op->getResult(*result), BufferRelation::Equivalent}};
    return {};
  }

  AliasingOpOperandList
  getAliasingOpOperands(Operation *op, Value value,
                        const AnalysisState &state) const {
    auto owner = cast<RefOwnerOpInterface>(op);
    if (auto result = dyn_cast<OpResult>(value)) {
      OpOperand *init = owner.getTiedInit(result.getResultNumber());
      if (!init)
        return {};
      return {{init, BufferRelation::Equivalent}};
    }
    auto argument = cast<BlockArgument>(value);
    if (!argument.getOwner()->isEntryBlock())
      return this->getAliasingBranchOpOperands(op, argument, state);
    Operation *yield = owner.getInitializerOrNull()->front().getTerminator();
    return {{&yield->getOpOperand(argument.getArgNumber()),
             BufferRelation::Equivalent}};
  }

  /// Returns whether a value is writable; the leading arguments of the entry
  /// block, which all workers share, are not.
  bool isWritable(Operation *, Value value, const AnalysisState &) const {
    auto argument = dyn_cast<BlockArgument>(value);
    return !argument || !argument.getOwner()->isEntryBlock();
  }

  FailureOr<BufferLikeType>
  getBufferType(Operation *op, Value value, const BufferizationOptions &options,
                const BufferizationState &state,
                SmallVector<Value> &invocationStack) const {
    auto owner = cast<RefOwnerOpInterface>(op);
    if (auto result = dyn_cast<OpResult>(value))
      return getResultBufferType(owner, result.getResultNumber(), options,
                                 state, invocationStack);
    auto argument = cast<BlockArgument>(value);
    if (!argument.getOwner()->isEntryBlock())
      return OpWithUnstructuredControlFlowBufferizableOpInterfaceExternalModel<
          OwnerModel, OpT>::getBufferType(op, value, options, state,
                                          invocationStack);
    Value yielded =
        owner.getInitializerOrNull()->front().getTerminator()->getOperand(
            argument.getArgNumber());
    if (auto buffer = dyn_cast<BufferLikeType>(yielded.getType()))
      return buffer;
    return bufferization::getBufferType(yielded, options, state,
                                        invocationStack);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto owner = cast<RefOwnerOpInterface>(op);
    // Types of arguments derive from operands and yielded values, so they are
    // set before the op changes from the form that was analyzed.
    for (Block &block : owner.getExecute())
      if (failed(bufferizeBlockSignature(&block, rewriter, options, state)))
        return failure();
    FailureOr<RefOwnerOpInterface> newOp =
        rebuild(owner, rewriter, options, state);
    if (failed(newOp))
      return failure();
    SmallVector<Value> values;
    for (OpResult result : newOp->getOperation()->getResults()) {
      OpOperand *init = newOp->getTiedInit(result.getResultNumber());
      bool wasTensor =
          isa<TensorType>(op->getResult(result.getResultNumber()).getType());
      values.push_back(init && wasTensor ? init->get() : Value(result));
    }
    replaceOpWithBufferizedValues(rewriter, op, values);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Models an op that reads its operands and writes none.
template <typename Model, typename OpT>
struct ReaderModel : BufferizableOpInterface::ExternalModel<Model, OpT> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
};

struct WriteModel final : ReaderModel<WriteModel, WriteSliceOp> {
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto write = cast<WriteSliceOp>(op);
    FailureOr<Value> buffer =
        getBuffer(rewriter, write.getSource(), options, state);
    if (failed(buffer))
      return failure();
    rewriter.modifyOpInPlace(write,
                             [&] { write.getSourceMutable().assign(*buffer); });
    return success();
  }
};
} // namespace

/// Returns whether two refs are different memory: refs of one op, made from
/// different values, and refs of `pcf.alloc`.
static bool areDifferent(Value a, Value b) {
  a = getViewedRef(a);
  b = getViewedRef(b);
  if (a == b)
    return false;
  auto isOwned = [](Value ref) {
    auto argument = dyn_cast<BlockArgument>(ref);
    auto owner =
        argument
            ? dyn_cast<RefOwnerOpInterface>(argument.getOwner()->getParentOp())
            : RefOwnerOpInterface();
    return owner && llvm::is_contained(owner.getRefArgs(), argument);
  };
  if (isOwned(a) && isOwned(b))
    return a.getParentBlock() == b.getParentBlock();
  return a.getDefiningOp<AllocOp>() && b.getDefiningOp<AllocOp>();
}

/// Returns whether the op may write to the memory of the ref.
static bool mayWriteBuffer(Operation *op, Value ref) {
  if (isa<AllocTensorOp>(op))
    return false;
  if (op->hasTrait<::mlir::OpTrait::HasRecursiveMemoryEffects>())
    for (Region &region : op->getRegions())
      for (Operation &nested : region.getOps())
        if (mayWriteBuffer(&nested, ref))
          return true;
  if (auto write = dyn_cast<WriteSliceOp>(op))
    return !areDifferent(write.getDest(), ref);
  if (isa<MemoryEffectOpInterface>(op))
    return hasEffect<MemoryEffects::Write>(op);
  return !op->hasTrait<::mlir::OpTrait::HasRecursiveMemoryEffects>() &&
         !isMemoryEffectFree(op);
}

/// Returns the last op of the block of `op` that uses its result, or an alias
/// of it; null where that is unknown.
static Operation *getLastUser(Operation *op) {
  Operation *last = op;
  SmallVector<Value> values(op->getResults());
  DenseSet<Value> seen(values.begin(), values.end());
  while (!values.empty())
    for (OpOperand &use : values.pop_back_val().getUses()) {
      Operation *user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!user || user->hasTrait<::mlir::OpTrait::IsTerminator>())
        return nullptr;
      if (last->isBeforeInBlock(user))
        last = user;
      // Copies and computed values are separate buffers: the slice is never
      // written in place.
      Operation *direct = use.getOwner();
      if (isa<DestinationStyleOpInterface, AllocTensorOp>(direct))
        continue;
      for (Value result : user->getResults())
        if (isa<ShapedType>(result.getType()) &&
            !isa<VectorType>(result.getType()) && seen.insert(result).second)
          values.push_back(result);
    }
  return last;
}

/// Returns whether a slice that is read may be written to before its last use.
static bool mayChangeWhileNeeded(ReadSliceOp read) {
  if (isReadonlyRef(read.getSource()))
    return false;
  Operation *last = getLastUser(read);
  if (!last)
    return true;
  for (Operation *op = read; op != last;) {
    op = op->getNextNode();
    // The last use itself may write to memory that overlaps the slice.
    if (mayWriteBuffer(op, read.getSource()))
      return true;
  }
  return false;
}

namespace {
struct ReadModel final
    : BufferizableOpInterface::ExternalModel<ReadModel, ReadSliceOp> {
  bool isWritable(Operation *, Value, const AnalysisState &) const {
    return false;
  }

  FailureOr<BufferLikeType> getBufferType(Operation *op, Value,
                                          const BufferizationOptions &,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    return cast<BufferLikeType>(cast<Type>(getMemRefTypeWithFullyDynamicLayout(
        cast<TensorType>(op->getResult(0).getType()))));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &) const {
    auto read = cast<ReadSliceOp>(op);
    auto tensor = cast<TensorType>(read.getResult().getType());
    auto type = cast<MemRefType>(
        static_cast<Type>(getMemRefTypeWithFullyDynamicLayout(tensor)));
    Location loc = op->getLoc();
    Value slice = GetMemrefOp::create(
        rewriter, loc, type, read.getSource(), read.getMixedOffsets(),
        read.getMixedSizes(), read.getMixedStrides());
    if (mayChangeWhileNeeded(read)) {
      FailureOr<Value> copy = options.createAlloc(
          rewriter, loc,
          MemRefType::get(type.getShape(), type.getElementType()),
          read.getSizes());
      if (failed(copy) ||
          failed(options.createMemCpy(rewriter, loc, slice, *copy)))
        return failure();
      slice = memref::CastOp::create(rewriter, loc, type, *copy);
    }
    replaceOpWithBufferizedValues(rewriter, op, slice);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Terminators, and ops that must be resolved before
//===----------------------------------------------------------------------===//

struct YieldModel final : ReaderModel<YieldModel, YieldOp> {
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    auto owner = cast<RefOwnerOpInterface>(op->getParentOp());
    return {{owner.getLeadingArgs()[operand.getOperandNumber()],
             BufferRelation::Equivalent}};
  }
  bool mustBufferizeInPlace(Operation *, OpOperand &,
                            const AnalysisState &) const {
    return true;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<TensorType>(operand.get().getType()))
        continue;
      FailureOr<Value> buffer =
          getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      rewriter.modifyOpInPlace(op, [&] { operand.set(*buffer); });
    }
    return success();
  }
};

/// Models a terminator whose operands change with the signature of the block.
struct CondReturnModel final
    : BranchOpBufferizableOpInterfaceExternalModel<CondReturnModel,
                                                   CondReturnOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return false;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  LogicalResult bufferize(Operation *, RewriterBase &,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    return success();
  }
};

/// Refuses handles of payload tensors, which must be resolved before.
template <typename OpT>
struct HandleModel final
    : BufferizableOpInterface::ExternalModel<HandleModel<OpT>, OpT> {
  LogicalResult verifyAnalysis(Operation *op, const AnalysisState &) const {
    return op->emitOpError() << "PCF handle reached bufferization; distribute "
                                "and resolve clusters first";
  }
};
} // namespace

void pcf::registerPCFBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, PCFDialect *) {
    GenericOp::attachInterface<OwnerModel<GenericOp>>(*context);
    LoopOp::attachInterface<OwnerModel<LoopOp>>(*context);
    SharedExecutorOp::attachInterface<OwnerModel<SharedExecutorOp>>(*context);
    WriteSliceOp::attachInterface<WriteModel>(*context);
    ReadSliceOp::attachInterface<ReadModel>(*context);
    YieldOp::attachInterface<YieldModel>(*context);
    CondReturnOp::attachInterface<CondReturnModel>(*context);
    TileGroupOp::attachInterface<HandleModel<TileGroupOp>>(*context);
    RunClusterOp::attachInterface<HandleModel<RunClusterOp>>(*context);
    RunThreadOp::attachInterface<HandleModel<RunThreadOp>>(*context);
  });
}
