//===- DispatchTensors.cpp - Tensors in bindings as values ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function on tensors loads them from its bindings, computes, and stores:
//
//   %x = iree_tensor_ext.dispatch.tensor.load %a, ... -> tensor<64x48xf32>
//   ...
//   iree_tensor_ext.dispatch.tensor.store %y, %b, ...
//
// While its body is read in order, each span has a current value: the argument,
// and after a store the result of the store. A load is a slice of the current
// value; the last values of stored spans are the results. A buffer with views
// of it, as the function has them after configuration, is handled alike: the
// views of a memref are slices and reshapes of its tensor.
//
//===----------------------------------------------------------------------===//
#include "DispatchInterface.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::dispatch;

/// Returns whether the op's result is a buffer that views its first operand.
static bool isView(Operation *op) {
  return isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
             memref::CastOp, amdgpu::FatRawBufferCastOp>(op);
}

static bool accessesTensorsOf(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [](Operation *user) {
    if (isView(user))
      return accessesTensorsOf(user->getResult(0));
    return isa<DispatchTensorLoadOp, DispatchTensorStoreOp,
               iree::LoadFromBufferOp, iree::StoreToBufferOp>(user);
  });
}

bool distaff::accessesTensors(func::FuncOp function) {
  return !function
              .walk([](InterfaceBindingSubspanOp op) {
                return accessesTensorsOf(op.getResult())
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// A slice of a tensor, as the op specifies it.
struct BindingSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

/// A load or a store of a part of a span.
struct BindingAccess {
  DispatchSpan *span = nullptr;
  RankedTensorType seen;             // the span, in the accessed op's type
  SmallVector<Operation *> views;    // views of the buffer, outermost first
  std::optional<BindingSlice> slice; // the slice of a dispatch.tensor
  Value stored;                      // null for a load
};

class TensorImporter {
public:
  TensorImporter(func::FuncOp function, DispatchInterface &interface)
      : function(function), interface(interface) {}

  LogicalResult run();

private:
  std::optional<BindingAccess> accessOf(Operation *op);
  void findViewed(Value buffer, BindingAccess &access);
  LogicalResult chooseArguments();
  LogicalResult importAccess(Operation *op);
  Value read(const BindingAccess &access, Type type, OpBuilder &b,
             Location loc);
  Value write(const BindingAccess &access, OpBuilder &b, Location loc);
  void addResults();

  func::FuncOp function;
  DispatchInterface &interface;
};
} // namespace

void TensorImporter::findViewed(Value buffer, BindingAccess &access) {
  while (!buffer.getDefiningOp<InterfaceBindingSubspanOp>()) {
    access.views.push_back(buffer.getDefiningOp());
    buffer = access.views.back()->getOperand(0);
  }
  std::reverse(access.views.begin(), access.views.end());
  auto op = buffer.getDefiningOp<InterfaceBindingSubspanOp>();
  access.span = &interface.spanOf(op);
  ShapedType seen = DispatchInterface::arrayTypeOf(op);
  access.seen = RankedTensorType::get(seen.getShape(), seen.getElementType());
}

template <typename OpT> static BindingSlice sliceOf(OpT op) {
  return {op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides()};
}

std::optional<BindingAccess> TensorImporter::accessOf(Operation *op) {
  BindingAccess access;
  if (auto load = dyn_cast<DispatchTensorLoadOp>(op)) {
    findViewed(load.getSource(), access);
    access.slice = sliceOf(load);
  } else if (auto store = dyn_cast<DispatchTensorStoreOp>(op)) {
    findViewed(store.getTarget(), access);
    access.slice = sliceOf(store);
    access.stored = store.getValue();
  } else if (auto load = dyn_cast<iree::LoadFromBufferOp>(op)) {
    findViewed(load.getBuffer(), access);
  } else if (auto store = dyn_cast<iree::StoreToBufferOp>(op)) {
    findViewed(store.getBuffer(), access);
    access.stored = store.getTensor();
  } else {
    return std::nullopt;
  }
  return access;
}

/// Returns whether a slice covers a span of type `seen`.
static bool isWhole(const BindingSlice &slice, RankedTensorType seen,
                    const DispatchSpan &span, Type type) {
  if (cast<RankedTensorType>(type).getRank() != seen.getRank())
    return false;
  unsigned nextDim = 0;
  for (auto [offset, size, stride, extent] : llvm::zip_equal(
           slice.offsets, slice.sizes, slice.strides, seen.getShape())) {
    OpFoldResult all = ShapedType::isDynamic(extent)
                           ? OpFoldResult(span.dims[nextDim++])
                           : Builder(type.getContext()).getIndexAttr(extent);
    if (getConstantIntValue(offset) != 0 || getConstantIntValue(stride) != 1 ||
        !isEqualConstantIntOrValue(size, all))
      return false;
  }
  return true;
}

/// Returns whether an access covers a span. One through a collapsed shape
/// counts as partial: the span's extents are needed to undo it.
static bool isWhole(const BindingAccess &access, Type type) {
  bool isAll = llvm::none_of(access.views, [](Operation *view) {
    return isa<memref::SubViewOp, memref::CollapseShapeOp>(view);
  });
  return access.slice ? isWhole(*access.slice, access.seen, *access.span, type)
                      : isAll;
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

/// Makes spans arguments that are read before they are written completely.
LogicalResult TensorImporter::chooseArguments() {
  llvm::SmallPtrSet<DispatchSpan *, 4> written;
  WalkResult walked = function.walk([&](Operation *op) {
    std::optional<BindingAccess> access = accessOf(op);
    if (!access)
      return WalkResult::advance();
    DispatchSpan *span = access->span;
    if (!access->stored) {
      span->isArgument |= !written.contains(span);
      return WalkResult::advance();
    }
    if (op->getParentOp() != function) {
      op->emitOpError("writes to a binding inside of '")
          << op->getParentOp()->getName()
          << "'; a result of a kernel is written once, at the end, so give it "
             "the dispatch as it is dumped before its loops";
      return WalkResult::interrupt();
    }
    span->isResult = true;
    if (isWhole(*access, access->stored.getType()))
      written.insert(span);
    span->isArgument |= !written.contains(span);
    return WalkResult::advance();
  });
  for (DispatchSpan &span : interface.getSpans()) {
    // The tensor of a memref.
    span.type =
        RankedTensorType::get(span.type.getShape(), span.type.getElementType());
  }
  return failure(walked.wasInterrupted());
}

void TensorImporter::addResults() {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  for (DispatchSpan &span : interface.getSpans())
    if (span.isResult)
      results.push_back(span.current);
  terminator->setOperands(results);
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             function.getArgumentTypes(),
                                             ValueRange(results).getTypes()));
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

static RankedTensorType tensorOf(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// Returns a tensor's elements in row-major order in another shape of as many
/// elements; types of which one has dynamic extents are equal.
static Value reshapeTensor(Value tensor, ShapedType type, OpBuilder &b,
                           Location loc) {
  auto from = cast<RankedTensorType>(tensor.getType());
  if (from.getShape() == type.getShape() || !from.hasStaticShape() ||
      !type.hasStaticShape())
    return tensor;
  auto allOf = [](int64_t rank) {
    return SmallVector<ReassociationIndices>(
        rank > 0, llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
  };
  auto flat =
      RankedTensorType::get({from.getNumElements()}, from.getElementType());
  if (from.getRank() == 0)
    tensor = tensor::ExpandShapeOp::create(b, loc, flat, tensor,
                                           ArrayRef<ReassociationIndices>());
  else if (from.getRank() > 1)
    tensor = tensor::CollapseShapeOp::create(b, loc, flat, tensor,
                                             allOf(from.getRank()));
  auto result = RankedTensorType::get(type.getShape(), from.getElementType());
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, loc, result, tensor,
                                           ArrayRef<ReassociationIndices>());
  if (type.getRank() == 1)
    return tensor;
  return tensor::ExpandShapeOp::create(b, loc, result, tensor,
                                       allOf(type.getRank()));
}

/// Returns the part of a tensor that a view shows.
static Value readView(Operation *view, Value tensor, OpBuilder &b,
                      Location loc) {
  if (auto slice = dyn_cast<memref::SubViewOp>(view))
    return tensor::ExtractSliceOp::create(
        b, loc, tensorOf(slice.getResult()), tensor, slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view))
    return tensor::ExpandShapeOp::create(
        b, loc, tensorOf(expand.getResult()), tensor,
        expand.getReassociationIndices(), expand.getMixedOutputShape());
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view))
    return tensor::CollapseShapeOp::create(b, loc, tensor,
                                           collapse.getReassociationIndices());
  if (auto cast = dyn_cast<memref::CastOp>(view))
    return tensor::CastOp::create(b, loc, tensorOf(cast.getResult()), tensor);
  return tensor;
}

/// Returns a tensor with `part` at the place of the view.
static Value writeView(Operation *view, Value part, Value tensor, OpBuilder &b,
                       Location loc) {
  if (auto slice = dyn_cast<memref::SubViewOp>(view))
    return tensor::InsertSliceOp::create(
        b, loc, part, tensor, slice.getMixedOffsets(), slice.getMixedSizes(),
        slice.getMixedStrides());
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view))
    return tensor::CollapseShapeOp::create(b, loc, tensorOf(expand.getSrc()),
                                           part,
                                           expand.getReassociationIndices());
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view))
    return tensor::ExpandShapeOp::create(b, loc, tensorOf(collapse.getSrc()),
                                         part,
                                         collapse.getReassociationIndices(),
                                         tensor::getMixedSizes(b, loc, tensor));
  if (auto cast = dyn_cast<memref::CastOp>(view))
    return tensor::CastOp::create(b, loc, tensorOf(cast.getSource()), part);
  return part;
}

Value TensorImporter::read(const BindingAccess &access, Type type, OpBuilder &b,
                           Location loc) {
  Value tensor = reshapeTensor(access.span->current, access.seen, b, loc);
  for (Operation *view : access.views)
    tensor = readView(view, tensor, b, loc);
  if (!access.slice || isWhole(access, type))
    return tensor;
  return tensor::ExtractSliceOp::create(
      b, loc, cast<RankedTensorType>(type), tensor, access.slice->offsets,
      access.slice->sizes, access.slice->strides);
}

Value TensorImporter::write(const BindingAccess &access, OpBuilder &b,
                            Location loc) {
  DispatchSpan &span = *access.span;
  Value part = access.stored;
  if (access.slice && isWhole(access, part.getType()))
    return reshapeTensor(part, span.type, b, loc);
  if (access.slice) {
    Value whole = reshapeTensor(span.current, access.seen, b, loc);
    Value written = tensor::InsertSliceOp::create(
        b, loc, part, whole, access.slice->offsets, access.slice->sizes,
        access.slice->strides);
    return reshapeTensor(written, span.type, b, loc);
  }
  // The parts that the views show, from the outermost on; then, from the last
  // on, these parts with the written part inserted.
  SmallVector<Value> shown = {
      span.current ? reshapeTensor(span.current, access.seen, b, loc)
                   : Value()};
  for (Operation *view :
       ArrayRef(access.views).drop_back(!access.views.empty()))
    shown.push_back(shown.back() ? readView(view, shown.back(), b, loc)
                                 : Value());
  for (auto [view, whole] : llvm::reverse(llvm::zip(access.views, shown)))
    part = writeView(view, part, whole, b, loc);
  return reshapeTensor(part, span.type, b, loc);
}

LogicalResult TensorImporter::importAccess(Operation *op) {
  std::optional<BindingAccess> access = accessOf(op);
  if (!access)
    return success();
  OpBuilder b(op);
  if (access->stored) {
    access->span->current = write(*access, b, op->getLoc());
  } else {
    Value tensor = read(*access, op->getResult(0).getType(), b, op->getLoc());
    // The memref has other static extents than its tensor.
    if (tensor.getType() != op->getResult(0).getType())
      tensor = tensor::CastOp::create(b, op->getLoc(),
                                      op->getResult(0).getType(), tensor);
    op->getResult(0).replaceAllUsesWith(tensor);
  }
  op->erase();
  return success();
}

LogicalResult TensorImporter::run() {
  if (failed(chooseArguments()))
    return failure();
  interface.addArrays();
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (failed(importAccess(op)))
      return failure();
  addResults();
  return success();
}

LogicalResult distaff::importTensors(func::FuncOp function,
                                     DispatchInterface &interface) {
  return TensorImporter(function, interface).run();
}
