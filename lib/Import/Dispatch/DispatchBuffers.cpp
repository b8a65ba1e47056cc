//===- DispatchBuffers.cpp - Bindings as memrefs of the kernel ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function on memrefs takes its bindings as arguments. The launch applies a
// binding's offset, so an argument begins with its array:
//
//   memref<13xi32, strided<[1], offset: ?>,
//   #hal.descriptor_type<storage_buffer>>
//
// becomes memref<13xi32>, and its views get new types. Memory spaces of IREE
// that are memory of the device are dropped.
//
//===----------------------------------------------------------------------===//
#include "DispatchInterface.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace distaff;
using namespace distaff::dispatch;

static bool isOfDevice(Attribute space) {
  auto amd = dyn_cast_or_null<amdgpu::AddressSpaceAttr>(space);
  return isa_and_nonnull<DescriptorTypeAttr>(space) ||
         (amd && amd.getValue() == amdgpu::AddressSpace::FatRawBuffer);
}

/// Drops memory spaces: memory of the device has none in a kernel.
static void dropMemorySpaces(func::FuncOp function) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
    if (!isOfDevice(type.getMemorySpace()))
      return std::nullopt;
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Returns the type of a view of a buffer whose type has changed; that of
/// others stays.
static Type retypedView(Operation *view) {
  auto type = dyn_cast<MemRefType>(view->getOperand(0).getType());
  if (auto slice = dyn_cast<memref::SubViewOp>(view))
    return memref::SubViewOp::inferRankReducedResultType(
        slice.getType().getShape(), type, slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
    FailureOr<MemRefType> expanded = memref::ExpandShapeOp::computeExpandedType(
        type, expand.getResultType().getShape(),
        expand.getReassociationIndices());
    return succeeded(expanded) ? *expanded : Type();
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view))
    return memref::CollapseShapeOp::computeCollapsedType(
        type, collapse.getReassociationIndices());
  return {};
}

/// Updates the types of a value's views to the value's type.
static void retypeViews(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (user->getNumResults() != 1 || user->getOperand(0) != buffer)
      continue;
    Value result = user->getResult(0);
    Type type = retypedView(user);
    if (!type || type == result.getType())
      continue;
    result.setType(type);
    retypeViews(result);
  }
}

/// Replaces a cast to a bounds-checked buffer by the buffer.
static void dropBufferCasts(func::FuncOp function) {
  SmallVector<amdgpu::FatRawBufferCastOp> casts;
  function.walk(
      [&](amdgpu::FatRawBufferCastOp cast) { casts.push_back(cast); });
  for (amdgpu::FatRawBufferCastOp cast : casts) {
    cast.replaceAllUsesWith(cast.getSource());
    cast.erase();
  }
}

/// Returns a buffer in another shape, with the same elements.
static Value viewAs(Value buffer, ShapedType type,
                    InterfaceBindingSubspanOp op) {
  auto from = cast<MemRefType>(buffer.getType());
  if (from.getShape() == type.getShape())
    return buffer;
  OpBuilder b(op);
  auto [strides, offset] = cast<MemRefType>(type).getStridesAndOffset();
  return memref::ReinterpretCastOp::create(b, op.getLoc(),
                                           cast<MemRefType>(type), buffer,
                                           offset, type.getShape(), strides);
}

/// Checks that the types of the accessed memory fit the ops; views whose type
/// cannot be derived are refused.
static LogicalResult checkBuffers(func::FuncOp function) {
  WalkResult walked = function.walk([](Operation *op) {
    if (!isa<iree::LoadFromBufferOp, iree::StoreToBufferOp,
             DispatchTensorLoadOp, DispatchTensorStoreOp>(op))
      return WalkResult::advance();
    op->emitOpError("reads or writes a tensor in a function that accesses "
                    "memrefs too; give it the dispatch as it is dumped before "
                    "or after bufferization");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Returns whether an op copies its input to its output, element by element.
static bool isCopy(linalg::GenericOp op) {
  return op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }) &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

/// Removes copies of a buffer to itself, which bufferization leaves.
static void dropSelfCopies(func::FuncOp function) {
  function.walk([](Operation *op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    bool copies = isa<memref::CopyOp>(op) || (generic && isCopy(generic));
    if (copies && op->getOperand(0) == op->getOperand(1))
      op->erase();
  });
}

LogicalResult distaff::importBuffers(func::FuncOp function,
                                     DispatchInterface &interface) {
  if (failed(checkBuffers(function)))
    return failure();
  dropMemorySpaces(function);
  dropSelfCopies(function);
  for (DispatchSpan &span : interface.getSpans())
    span.isArgument = true;
  interface.addArrays();
  SmallVector<Value> buffers;
  for (DispatchSpan &span : interface.getSpans())
    for (InterfaceBindingSubspanOp op : span.ops) {
      buffers.push_back(
          viewAs(span.argument, DispatchInterface::arrayTypeOf(op), op));
      op.replaceAllUsesWith(buffers.back());
    }
  dropBufferCasts(function);
  for (Value buffer : buffers)
    retypeViews(buffer);
  return success();
}
