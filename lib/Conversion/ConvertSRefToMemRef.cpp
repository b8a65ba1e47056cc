//===- ConvertSRefToMemRef.cpp - Conversion of srefs to memrefs -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SRefLayouts computes the memref type of each sref, one type per value. Then
// ops that pass srefs on (loops, branches, calls) change type in place, with
// casts on the edges where a layout gets less static; ops of the dialect are
// rewritten one by one, and the new ops replace their results.
//
//===----------------------------------------------------------------------===//
#include "distaff/Conversion/Passes.h"

#include "SRefLayouts.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {
#define GEN_PASS_DEF_PCFCONVERTSREFTOMEMREF
#include "distaff/Conversion/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {

class SRefConverter {
public:
  SRefConverter(const SRefLayouts &layouts, bool clampZeroSize)
      : layouts(layouts), clampZeroSize(clampZeroSize) {}

  LogicalResult run(ModuleOp module);

private:
  MemRefType typeOf(Value ref) const {
    auto type = dyn_cast<MemRefType>(ref.getType());
    return type ? type : layouts.getType(ref);
  }
  void insertCasts();
  void retype(Operation *op);
  LogicalResult convert(Operation *op);

  Value createAlloc(Operation *op, MemRefType type, ValueRange dims,
                    Attribute scope);
  SmallVector<OpFoldResult> getOffsets(OpBuilder &builder,
                                       OffsetSizeAndStrideOpInterface slice,
                                       ArrayRef<int64_t> extents);
  Value createSubview(OpBuilder &builder, OffsetSizeAndStrideOpInterface slice,
                      Value ref, MemRefType result = {});

  LogicalResult convertOwner(RefOwnerOpInterface op);
  void convertWrite(WriteSliceOp op);
  void convertRead(ReadSliceOp op);
  void convertGetMemref(GetMemrefOp op);
  void convertExpandShape(ExpandShapeOp op);
  LogicalResult convertFence(FenceOp op);

  const SRefLayouts &layouts;
  bool clampZeroSize;
  SmallVector<memref::AllocOp> allocs;
  DenseMap<Operation *, SmallVector<Attribute>> fenceScopes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Allocations and owners
//===----------------------------------------------------------------------===//

Value SRefConverter::createAlloc(Operation *op, MemRefType type,
                                 ValueRange dims, Attribute scope) {
  OpBuilder builder(op);
  auto alloc = memref::AllocOp::create(
      builder, op->getLoc(), type, dims,
      cast<ScopeAttrInterface>(scope).getPreferredAllocAlignment(
          op->getContext()));
  allocs.push_back(alloc);
  return alloc;
}

/// Hoists allocations of workgroup memory to the kernel's entry: in a worker's
/// code they would be allocated once per worker.
static void hoist(ArrayRef<memref::AllocOp> allocs) {
  for (memref::AllocOp alloc : llvm::reverse(allocs)) {
    auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(
        alloc.getType().getMemorySpace());
    auto function = alloc->getParentOfType<FunctionOpInterface>();
    if (function && space && space.getValue() == gpu::AddressSpace::Workgroup &&
        alloc.getType().hasStaticShape())
      alloc->moveBefore(&function.getFunctionBody().front().front());
  }
}

/// Inlines the initializer before the op.
static void inlineInitializer(RefOwnerOpInterface op) {
  Region *region = op.getInitializerOrNull();
  if (!region)
    return;
  Operation *yield = region->front().getTerminator();
  for (auto [argument, value] :
       llvm::zip(op.getLeadingArgs(), yield->getOperands()))
    argument.replaceAllUsesWith(value);
  yield->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         region->front().getOperations());
}

static RefOwnerOpInterface createWithoutRefs(RefOwnerOpInterface op) {
  OpBuilder builder(op);
  RefOwnerParts parts{op.getScope(), op.getSyncOnReturn(), {}};
  if (auto loop = dyn_cast<LoopOp>(op.getOperation()))
    return LoopOp::create(builder, op->getLoc(), parts, loop.getCounts());
  auto generic = cast<GenericOp>(op.getOperation());
  return GenericOp::create(builder, op->getLoc(), parts, generic.getNumIds());
}

LogicalResult SRefConverter::convertOwner(RefOwnerOpInterface op) {
  auto scope = cast<ScopeAttrInterface>(op.getScope());
  RefOwnerParts parts = RefOwnerParts::of(op);
  unsigned result = 0;
  for (auto [ref, argument] : llvm::zip(parts.refs, op.getRefArgs())) {
    Value memory = ref.source;
    if (!memory && failed(scope.getAllocMemSpace(op->getContext())))
      return op->emitOpError()
             << "scope " << op.getScope() << " cannot allocate";
    if (!memory)
      memory = createAlloc(op, cast<MemRefType>(ref.result), ref.dims,
                           op.getScope());
    argument.replaceAllUsesWith(memory);
    if (!ref.isReadonly)
      op->getResult(result++).replaceAllUsesWith(memory);
  }
  inlineInitializer(op);
  RefOwnerOpInterface newOp = createWithoutRefs(op);
  newOp->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  unsigned dropped = op.getNumLeadingArgs() + parts.refs.size();
  newOp.getExecute().takeBody(op.getExecute());
  newOp.getExecute().front().eraseArguments(0, dropped);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult>
SRefConverter::getOffsets(OpBuilder &builder,
                          OffsetSizeAndStrideOpInterface slice,
                          ArrayRef<int64_t> extents) {
  Location loc = slice->getLoc();
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  for (auto [offset, type] :
       llvm::zip(offsets, getStaticOffsets(slice, extents)))
    if (ShapedType::isDynamic(type))
      offset = getValueOrCreateConstantIndexOp(builder, loc, offset);
  if (!clampZeroSize)
    return offsets;
  Value zero, isEmpty;
  for (OpFoldResult size : slice.getMixedSizes()) {
    auto value = dyn_cast<Value>(size);
    if (!value)
      continue;
    if (!zero)
      zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     value, zero);
    isEmpty = isEmpty ? arith::OrIOp::create(builder, loc, isEmpty, is) : is;
  }
  if (isEmpty)
    for (OpFoldResult &offset : offsets)
      if (auto value = dyn_cast<Value>(offset))
        offset = arith::SelectOp::create(builder, loc, isEmpty, zero, value)
                     .getResult();
  return offsets;
}

Value SRefConverter::createSubview(OpBuilder &builder,
                                   OffsetSizeAndStrideOpInterface slice,
                                   Value ref, MemRefType result) {
  MemRefType source = typeOf(ref);
  return memref::SubViewOp::create(
      builder, slice->getLoc(), result ? result : getSliceType(slice, source),
      ref, getOffsets(builder, slice, source.getShape()), slice.getMixedSizes(),
      slice.getMixedStrides());
}

static bool isStaticallyEmpty(OffsetSizeAndStrideOpInterface slice) {
  return llvm::is_contained(slice.getStaticSizes(), 0);
}

/// Returns, per dim, whether an access of this vector needs no bounds check.
static SmallVector<bool> getInBounds(OffsetSizeAndStrideOpInterface slice,
                                     VectorType vector) {
  return llvm::map_to_vector(
      llvm::zip(slice.getStaticSizes(), vector.getShape()),
      [](auto pair) { return std::get<0>(pair) == std::get<1>(pair); });
}

static SmallVector<Value> getOrigin(OpBuilder &builder, Location loc,
                                    int64_t rank) {
  if (rank == 0)
    return {};
  return SmallVector<Value>(rank,
                            arith::ConstantIndexOp::create(builder, loc, 0));
}

void SRefConverter::convertWrite(WriteSliceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value source = op.getSource();
  if (!isStaticallyEmpty(op)) {
    Value slice = createSubview(builder, op, op.getDestMutable().get());
    if (auto vector = dyn_cast<VectorType>(source.getType()))
      vector::TransferWriteOp::create(builder, loc, source, slice,
                                      getOrigin(builder, loc, vector.getRank()),
                                      ArrayRef<bool>(getInBounds(op, vector)));
    else if (isa<TensorType>(source.getType()))
      bufferization::MaterializeInDestinationOp::create(
          builder, loc, /*result=*/Type(), source, slice, /*restrict=*/false,
          /*writable=*/true);
    else
      memref::CopyOp::create(builder, loc, source, slice);
  }
  op.erase();
}

void SRefConverter::convertRead(ReadSliceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value value;
  auto vector = dyn_cast<VectorType>(op.getResult().getType());
  if (vector && isStaticallyEmpty(op)) {
    value =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
  } else {
    Value slice = createSubview(builder, op, op.getSourceMutable().get());
    if (vector)
      value = vector::TransferReadOp::create(
          builder, loc, vector, slice,
          getOrigin(builder, loc, vector.getRank()),
          arith::ConstantOp::create(
              builder, loc, builder.getZeroAttr(vector.getElementType())),
          ArrayRef<bool>(getInBounds(op, vector)));
    else
      value = bufferization::ToTensorOp::create(
          builder, loc, op.getResult().getType(), slice);
  }
  op.getResult().replaceAllUsesWith(value);
  op.erase();
}

/// Returns whether an op accesses a memref of any memory space and layout
/// without passing it on.
static bool isPlainAccess(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp,
             vector::TransferReadOp, vector::TransferWriteOp>(op);
}

void SRefConverter::convertGetMemref(GetMemrefOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value memory = op.getSourceMutable().get();
  // If all users are plain accesses, they can use the actual memory.
  if (llvm::all_of(op->getUsers(), isPlainAccess)) {
    op.getResult().replaceAllUsesWith(createSubview(builder, op, memory));
    op.erase();
    return;
  }
  MemRefType type = typeOf(memory);
  if (type.getMemorySpace()) {
    type = MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
    memory = memref::MemorySpaceCastOp::create(builder, loc, type, memory);
  }
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(op.getContext(), ShapedType::kDynamic, strides);
  auto dynamic =
      MemRefType::get(type.getShape(), type.getElementType(), layout);
  if (dynamic != type)
    memory = memref::CastOp::create(builder, loc, dynamic, memory);
  Value view = createSubview(builder, op, memory, op.getResultType());
  op.getResult().replaceAllUsesWith(view);
  op.erase();
}

void SRefConverter::convertExpandShape(ExpandShapeOp op) {
  OpBuilder builder(op);
  MemRefType type = layouts.getType(op.getResult());
  Value view = memref::ExpandShapeOp::create(
      builder, op.getLoc(), type, op.getSourceMutable().get(),
      op.getReassociationIndices(), op.getMixedOutputShape());
  op->getResult(0).replaceAllUsesWith(view);
  op.erase();
}

LogicalResult SRefConverter::convertFence(FenceOp op) {
  llvm::MapVector<Attribute, SmallVector<Attribute>> spaces;
  for (auto [ref, scope] : llvm::zip(op->getOperands(), fenceScopes[op])) {
    Attribute space = typeOf(ref).getMemorySpace();
    if (!llvm::is_contained(spaces[scope], space))
      spaces[scope].push_back(space);
  }
  OpBuilder builder(op);
  for (auto &[scope, ofScope] : spaces)
    if (failed(cast<ScopeAttrInterface>(scope).addFence(builder, op.getLoc(),
                                                        op.getKind(), ofScope)))
      return op.emitOpError() << "scope " << scope << " has no fence";
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

LogicalResult SRefConverter::convert(Operation *op) {
  if (auto owner = dyn_cast<RefOwnerOpInterface>(op))
    return convertOwner(owner);
  if (auto fence = dyn_cast<FenceOp>(op))
    return convertFence(fence);
  if (auto write = dyn_cast<WriteSliceOp>(op))
    convertWrite(write);
  else if (auto read = dyn_cast<ReadSliceOp>(op))
    convertRead(read);
  else if (auto get = dyn_cast<GetMemrefOp>(op))
    convertGetMemref(get);
  else if (auto expand = dyn_cast<ExpandShapeOp>(op))
    convertExpandShape(expand);
  else if (auto alloc = dyn_cast<AllocOp>(op)) {
    Value memory = createAlloc(op, layouts.getType(alloc.getResult()),
                               alloc.getDynamicSizes(),
                               alloc.getResult().getType().getScope());
    op->getResult(0).replaceAllUsesWith(memory);
    op->erase();
  } else if (auto view = dyn_cast<SubviewOp>(op)) {
    OpBuilder builder(op);
    Value subview = createSubview(builder, view, view.getSourceMutable().get(),
                                  layouts.getType(view.getResult()));
    op->getResult(0).replaceAllUsesWith(subview);
    op->erase();
  }
  return success();
}

void SRefConverter::insertCasts() {
  for (const SRefLayouts::Edge &edge : layouts.getEdges()) {
    MemRefType from = typeOf(edge.from->get()), to = layouts.getType(edge);
    // An operand with several targets already has its cast: they agree on a
    // type.
    if (from == to)
      continue;
    Operation *op = edge.from->getOwner();
    OpBuilder builder(op);
    edge.from->set(
        memref::CastOp::create(builder, op->getLoc(), to, edge.from->get()));
  }
}

/// Changes the types of srefs that an op passes on.
void SRefConverter::retype(Operation *op) {
  if (op->getDialect() != op->getContext()->getLoadedDialect<PCFDialect>())
    for (Value result : op->getResults())
      if (isa<SRefType>(result.getType()))
        result.setType(layouts.getType(result));
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      // Refs and leading arguments are rewritten with their owner.
      if (isa<RefOwnerOpInterface>(op) && block.isEntryBlock())
        continue;
      for (Value argument : block.getArguments())
        if (isa<SRefType>(argument.getType()))
          argument.setType(layouts.getType(argument));
    }
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || function.isExternal())
    return;
  SmallVector<Type> results(function.getResultTypes());
  for (auto [i, type] : llvm::enumerate(results))
    if (isa<SRefType>(type))
      type = layouts.getResultType(function, i);
  function.setFunctionType(FunctionType::get(
      op->getContext(), function.getBody().getArgumentTypes(), results));
}

LogicalResult SRefConverter::run(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op->getDialect() == op->getContext()->getLoadedDialect<PCFDialect>())
      ops.push_back(op);
    if (auto fence = dyn_cast<FenceOp>(op))
      for (Type type : fence->getOperandTypes())
        fenceScopes[op].push_back(cast<SRefType>(type).getScope());
  });
  insertCasts();
  module.walk([&](Operation *op) { retype(op); });
  for (Operation *op : ops)
    if (failed(convert(op)))
      return failure();
  hoist(allocs);
  avoidWrongFolds(module);
  return success();
}

LogicalResult distaff::convertSRefToMemRef(ModuleOp module,
                                           bool clampZeroSize) {
  FailureOr<SRefLayouts> layouts = SRefLayouts::compute(module);
  if (failed(layouts))
    return failure();
  return SRefConverter(*layouts, clampZeroSize).run(module);
}

namespace {
struct ConvertSRefToMemRef final
    : distaff::impl::PCFConvertSRefToMemRefBase<ConvertSRefToMemRef> {
  using PCFConvertSRefToMemRefBase::PCFConvertSRefToMemRefBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PCFConvertSRefToMemRefBase::getDependentDialects(registry);
    registerScopeDialects<
        &PCFConversionDialectInterface::loadSRefLoweringDependentDialects>(
        registry);
  }

  void runOnOperation() override {
    if (failed(convertSRefToMemRef(getOperation(), clampZeroSize)))
      signalPassFailure();
  }
};
} // namespace
