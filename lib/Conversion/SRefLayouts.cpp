//===- SRefLayouts.cpp - Dataflow analysis of sref layouts ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis is a worklist algorithm: types start at the origins of memory,
// and every change is propagated to the views of a value and along its edges. A
// component only changes from static to dynamic, so the algorithm terminates.
//
//===----------------------------------------------------------------------===//
#include "SRefLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

SmallVector<int64_t>
distaff::getStaticOffsets(OffsetSizeAndStrideOpInterface slice,
                          ArrayRef<int64_t> extents) {
  SmallVector<int64_t> offsets(slice.getStaticOffsets());
  for (auto [offset, extent] : llvm::zip(offsets, extents))
    if (!ShapedType::isDynamic(offset) && !ShapedType::isDynamic(extent) &&
        offset >= extent)
      offset = ShapedType::kDynamic;
  return offsets;
}

MemRefType distaff::getSliceType(OffsetSizeAndStrideOpInterface slice,
                                 MemRefType source) {
  return memref::SubViewOp::inferResultType(
      source, getStaticOffsets(slice, source.getShape()),
      slice.getStaticSizes(), slice.getStaticStrides());
}

/// Returns the most static type that covers both types; null if there is none.
static MemRefType meetTypes(MemRefType a, MemRefType b) {
  if (a == b)
    return a;
  if (a.getMemorySpace() != b.getMemorySpace())
    return {};
  auto [strides, offset] = a.getStridesAndOffset();
  auto [otherStrides, otherOffset] = b.getStridesAndOffset();
  if (offset != otherOffset)
    offset = ShapedType::kDynamic;
  for (auto [stride, other] : llvm::zip(strides, otherStrides))
    if (stride != other)
      stride = ShapedType::kDynamic;
  return MemRefType::get(
      a.getShape(), a.getElementType(),
      StridedLayoutAttr::get(a.getContext(), offset, strides),
      a.getMemorySpace());
}

static void printSpace(InFlightDiagnostic &diagnostic, Attribute space) {
  if (space)
    diagnostic << space;
  else
    diagnostic << "'default'";
}

//===----------------------------------------------------------------------===//
// Nodes and edges
//===----------------------------------------------------------------------===//

LogicalResult SRefLayouts::addNode(Value value) {
  auto type = dyn_cast<SRefType>(value.getType());
  if (!type)
    return success();
  if (type.getSyncScope())
    return emitError(value.getLoc())
           << "synchronization of " << type << " must be resolved first";
  ids[value] = nodes.size();
  nodes.push_back({value.getLoc(), value, {}, {}});
  return success();
}

unsigned SRefLayouts::addResultNode(func::FuncOp function, unsigned result) {
  resultIds[{function, result}] = nodes.size();
  nodes.push_back({function.getLoc(), {}, {}, {}});
  return nodes.size() - 1;
}

LogicalResult SRefLayouts::addNodes(ModuleOp module) {
  WalkResult walked = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      if (failed(addNode(result)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (failed(addNode(argument)))
            return WalkResult::interrupt();
    if (auto function = dyn_cast<func::FuncOp>(op))
      for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
        if (isa<SRefType>(type))
          addResultNode(function, i);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

void SRefLayouts::addEdge(OpOperand &from, unsigned to) {
  assert(ids.contains(from.get()) && to < nodes.size() &&
         "an sref goes from a node to another");
  edges.push_back({&from, to});
  nodes[ids.lookup(from.get())].targets.push_back(to);
}

void SRefLayouts::addEdge(OpOperand &from, Value to) {
  if (isa<SRefType>(from.get().getType()))
    addEdge(from, ids.lookup(to));
}

void SRefLayouts::addCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee)
    return;
  for (auto [result, type] : llvm::enumerate(callee.getResultTypes()))
    if (isa<SRefType>(type))
      nodes[resultIds.lookup({callee, result})].targets.push_back(
          ids.lookup(call.getResult(result)));
  if (callee.isExternal())
    return;
  for (auto [operand, argument] :
       llvm::zip(call->getOpOperands(), callee.getArguments()))
    addEdge(operand, argument);
}

/// Returns whether an op is of the dialect, and rewritten in its own way.
static bool isRewritten(Operation *op) {
  return isa<GenericOp, LoopOp, AllocOp, WriteSliceOp, ReadSliceOp, GetMemrefOp,
             SubviewOp, ExpandShapeOp, BarrierOp, FenceOp>(op);
}

LogicalResult SRefLayouts::addEdges(Operation *op) {
  bool isKnown = isRewritten(op);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    isKnown = true;
    addCall(call);
  } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    isKnown = true;
    for (OpOperand &operand : ret->getOpOperands())
      if (isa<SRefType>(operand.get().getType()))
        addEdge(operand, resultIds.lookup(
                             {op->getParentOp(), operand.getOperandNumber()}));
  } else if (isa<arith::SelectOp>(op)) {
    isKnown = true;
    for (OpOperand &operand : op->getOpOperands().drop_front())
      addEdge(operand, op->getResult(0));
  } else if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    isKnown = true;
    for (auto [i, block] : llvm::enumerate(op->getSuccessors())) {
      SuccessorOperands operands = branch.getSuccessorOperands(i);
      for (unsigned argument : llvm::seq<unsigned>(
               operands.getProducedOperandCount(), block->getNumArguments()))
        addEdge(op->getOpOperand(operands.getOperandIndex(argument)),
                block->getArgument(argument));
    }
  }
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    isKnown = true;
    RegionBranchSuccessorMapping mapping;
    branch.getSuccessorOperandInputMapping(mapping);
    for (auto &[operand, inputs] : mapping)
      for (Value input : inputs)
        addEdge(*operand, input);
  }
  // The terminator of such an op's region is handled with the op.
  isKnown |= op->hasTrait<::mlir::OpTrait::IsTerminator>() &&
             isa<RegionBranchOpInterface>(op->getParentOp());
  bool mentionsRefs =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<SRefType>) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<SRefType>);
  if (mentionsRefs && !isKnown)
    return op->emitOpError() << "uses an sref and cannot be converted";
  return success();
}

//===----------------------------------------------------------------------===//
// Origins of memory
//===----------------------------------------------------------------------===//

LogicalResult SRefLayouts::seedOwner(RefOwnerOpInterface op) {
  if (isa<SharedExecutorOp>(op))
    return op->emitOpError()
           << "is collective; resolve clusters before srefs are converted";
  RefOwnerParts parts = RefOwnerParts::of(op);
  for (auto [ref, argument] : llvm::zip(parts.refs, op.getRefArgs())) {
    auto type =
        dyn_cast<MemRefType>(ref.source ? ref.source.getType() : ref.result);
    if (!type)
      return op->emitOpError()
             << "has a ref to a tensor; bufferize before srefs are converted";
    if (!type.isStrided())
      return op->emitOpError()
             << "has a ref to memory that is not strided: " << type;
    if (failed(meet(ids.lookup(argument), type)))
      return failure();
  }
  return success();
}

LogicalResult SRefLayouts::seed(ModuleOp module) {
  WalkResult walked = module.walk([&](Operation *op) {
    if (auto owner = dyn_cast<RefOwnerOpInterface>(op))
      return WalkResult(seedOwner(owner));
    auto alloc = dyn_cast<AllocOp>(op);
    if (!alloc)
      return WalkResult::advance();
    SRefType ref = alloc.getResult().getType();
    auto scope = cast<ScopeAttrInterface>(ref.getScope());
    FailureOr<Attribute> space = scope.getAllocMemSpace(op->getContext());
    if (failed(space)) {
      op->emitOpError() << "scope " << ref.getScope() << " cannot allocate";
      return WalkResult::interrupt();
    }
    return WalkResult(
        meet(ids.lookup(alloc.getResult()),
             MemRefType::get(ref.getShape(), ref.getElementType(),
                             MemRefLayoutAttrInterface(), *space)));
  });
  return failure(walked.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

LogicalResult SRefLayouts::meet(unsigned id, MemRefType type) {
  Node &node = nodes[id];
  MemRefType met = node.type ? meetTypes(node.type, type) : type;
  if (!met) {
    InFlightDiagnostic error = emitError(node.loc);
    error << "sref may refer to memory spaces ";
    printSpace(error, node.type.getMemorySpace());
    error << " and ";
    printSpace(error, type.getMemorySpace());
    return error;
  }
  if (met == node.type)
    return success();
  node.type = met;
  worklist.push_back(id);
  return success();
}

LogicalResult SRefLayouts::propagateToView(Operation *view, MemRefType source) {
  MemRefType type;
  if (auto subview = dyn_cast<SubviewOp>(view)) {
    type = memref::SubViewOp::inferRankReducedResultType(
        subview.getResult().getType().getShape(), source,
        getStaticOffsets(subview, source.getShape()), subview.getStaticSizes(),
        subview.getStaticStrides());
  } else if (auto expand = dyn_cast<ExpandShapeOp>(view)) {
    FailureOr<MemRefType> expanded = memref::ExpandShapeOp::computeExpandedType(
        source, expand.getResult().getType().getShape(),
        expand.getReassociationIndices());
    if (failed(expanded))
      return view->emitOpError() << "has no layout over " << source;
    type = *expanded;
  } else {
    return success();
  }
  return meet(ids.lookup(view->getResult(0)), type);
}

LogicalResult SRefLayouts::propagate() {
  while (!worklist.empty()) {
    Node node = nodes[worklist.pop_back_val()];
    for (unsigned target : node.targets)
      if (failed(meet(target, node.type)))
        return failure();
    if (!node.value)
      continue;
    for (Operation *user : node.value.getUsers())
      if (failed(propagateToView(user, node.type)))
        return failure();
  }
  return success();
}

LogicalResult SRefLayouts::checkKnown(func::FuncOp function) const {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isa<SRefType>(type))
      continue;
    if (function.isExternal())
      return function.emitOpError()
             << "takes an sref and has no body that says of which layout";
    if (!getType(function.getArgument(i)))
      return function.emitOpError()
             << "sref argument #" << i << " of @" << function.getName()
             << " has no known layout";
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (isa<SRefType>(type) && !getResultType(function, i))
      return function.emitOpError()
             << "sref result #" << i << " of @" << function.getName()
             << " has no known layout";
  return success();
}

LogicalResult SRefLayouts::checkAllKnown(ModuleOp module) const {
  WalkResult walked = module.walk(
      [&](func::FuncOp function) { return WalkResult(checkKnown(function)); });
  if (walked.wasInterrupted())
    return failure();
  for (const Node &node : nodes)
    if (!node.type)
      return emitError(node.loc) << "sref has no known layout";
  return success();
}

FailureOr<SRefLayouts> SRefLayouts::compute(ModuleOp module) {
  SRefLayouts layouts;
  if (failed(layouts.addNodes(module)))
    return failure();
  WalkResult walked = module.walk(
      [&](Operation *op) { return WalkResult(layouts.addEdges(op)); });
  if (walked.wasInterrupted() || failed(layouts.seed(module)) ||
      failed(layouts.propagate()) || failed(layouts.checkAllKnown(module)))
    return failure();
  return layouts;
}
