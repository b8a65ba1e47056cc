//===- Slices.cpp - Reads and writes of slices ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and effects of write_slice, read_slice and get_memref.
//
//===----------------------------------------------------------------------===//
#include "Slices.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns the sref that a slice op slices.
static Value getSlicedRef(Operation *op) {
  if (auto write = dyn_cast<WriteSliceOp>(op))
    return write.getDest();
  return op->getOperand(0);
}

LogicalResult pcf::OpTrait::detail::verifySliceLists(Operation *op) {
  auto type = dyn_cast<SRefType>(getSlicedRef(op).getType());
  if (!type)
    return success(); // The op's own constraint reports this.
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  size_t rank = type.getRank();
  size_t offsets = slice.getStaticOffsets().size();
  size_t sizes = slice.getStaticSizes().size();
  size_t strides = slice.getStaticStrides().size();
  if (offsets == rank && sizes == rank && strides == rank)
    return success();
  return op->emitOpError() << "expected " << rank
                           << " offsets, sizes and strides, got " << offsets
                           << ", " << sizes << ", " << strides;
}

StaticSlice StaticSlice::of(OffsetSizeAndStrideOpInterface op) {
  return {llvm::to_vector(op.getStaticOffsets()),
          llvm::to_vector(op.getStaticSizes()),
          llvm::to_vector(op.getStaticStrides())};
}

std::optional<unsigned> pcf::findExcess(const StaticSlice &slice,
                                        ArrayRef<int64_t> extents) {
  if (llvm::is_contained(slice.sizes, 0))
    return std::nullopt; // Nothing is accessed.
  for (unsigned dim : llvm::seq<unsigned>(0, extents.size())) {
    int64_t offset = slice.offsets[dim], size = slice.sizes[dim],
            stride = slice.strides[dim];
    if (llvm::any_of(ArrayRef{offset, size, stride, extents[dim]},
                     ShapedType::isDynamic))
      continue;
    int64_t span = 0, last = 0;
    if (llvm::MulOverflow(size - 1, stride, span) ||
        llvm::AddOverflow(offset, span, last) || last < 0 ||
        std::max(offset, last) >= extents[dim])
      return dim;
  }
  return std::nullopt;
}

std::optional<unsigned> pcf::findMisfit(ShapedType value,
                                        ArrayRef<int64_t> sizes) {
  for (auto [dim, extent, size] : llvm::enumerate(value.getShape(), sizes)) {
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(extent))
      continue;
    // Additional elements of a vector are ignored or zero.
    if (isa<VectorType>(value) ? extent < size : extent != size)
      return dim;
  }
  return std::nullopt;
}

LogicalResult pcf::verifySliceInside(Operation *op) {
  auto type = cast<SRefType>(getSlicedRef(op).getType());
  StaticSlice slice = StaticSlice::of(cast<OffsetSizeAndStrideOpInterface>(op));
  if (std::optional<unsigned> dim = findExcess(slice, type.getShape()))
    return op->emitOpError() << "slice exceeds extent " << type.getShape()[*dim]
                             << " in dim " << *dim;
  return success();
}

/// Verifies that the slice can hold a value of this type; `role` names the
/// value in messages.
static LogicalResult verifyContent(Operation *op, ShapedType value,
                                   StringRef role) {
  auto type = cast<SRefType>(getSlicedRef(op).getType());
  if (value.getRank() != type.getRank())
    return op->emitOpError() << role << " rank " << value.getRank()
                             << " does not match sref rank " << type.getRank();
  if (value.getElementType() != type.getElementType())
    return op->emitOpError()
           << role << " element type " << value.getElementType()
           << " does not match sref element type " << type.getElementType();
  ArrayRef<int64_t> sizes =
      cast<OffsetSizeAndStrideOpInterface>(op).getStaticSizes();
  std::optional<unsigned> dim = findMisfit(value, sizes);
  if (!dim)
    return success();
  if (isa<VectorType>(value))
    return op->emitOpError()
           << role << " dim " << *dim << " is " << value.getDimSize(*dim)
           << ", smaller than the slice size " << sizes[*dim];
  return op->emitOpError() << role << " dim " << *dim << " is "
                           << value.getDimSize(*dim)
                           << " but the slice size is " << sizes[*dim];
}

/// Verifies that tensors and memrefs are dynamic exactly where the size is.
static LogicalResult verifyDynamicDims(OffsetSizeAndStrideOpInterface op,
                                       ShapedType result) {
  for (auto [dim, extent, size] :
       llvm::enumerate(result.getShape(), op.getStaticSizes()))
    if (ShapedType::isDynamic(extent) != ShapedType::isDynamic(size))
      return op->emitOpError()
             << "result dim " << dim << " must be "
             << (ShapedType::isDynamic(size) ? "dynamic" : "static")
             << " like the slice size";
  return success();
}

//===----------------------------------------------------------------------===//
// pcf.write_slice
//===----------------------------------------------------------------------===//

void WriteSliceOp::build(OpBuilder &builder, OperationState &state,
                         Value source, Value dest,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes,
                         ArrayRef<OpFoldResult> strides) {
  auto [staticOffsets, dynamicOffsets] = decomposeMixedValues(offsets);
  auto [staticSizes, dynamicSizes] = decomposeMixedValues(sizes);
  auto [staticStrides, dynamicStrides] = decomposeMixedValues(strides);
  build(builder, state, source, dest, dynamicOffsets, dynamicSizes,
        dynamicStrides, staticOffsets, staticSizes, staticStrides);
}

LogicalResult WriteSliceOp::verify() {
  if (isReadonlyRef(getDest()))
    return emitOpError() << "cannot write to a readonly ref";
  if (failed(verifyContent(*this, getSourceType(), "source")))
    return failure();
  return verifySliceInside(*this);
}

void WriteSliceOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
  if (isa<MemRefType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

//===----------------------------------------------------------------------===//
// pcf.read_slice
//===----------------------------------------------------------------------===//

template <typename OpT>
static void buildReader(OpBuilder &builder, OperationState &state, Type result,
                        Value source, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        ArrayRef<OpFoldResult> strides) {
  auto [staticOffsets, dynamicOffsets] = decomposeMixedValues(offsets);
  auto [staticSizes, dynamicSizes] = decomposeMixedValues(sizes);
  auto [staticStrides, dynamicStrides] = decomposeMixedValues(strides);
  OpT::build(builder, state, result, source, dynamicOffsets, dynamicSizes,
             dynamicStrides, staticOffsets, staticSizes, staticStrides);
}

void ReadSliceOp::build(OpBuilder &builder, OperationState &state, Type result,
                        Value source, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        ArrayRef<OpFoldResult> strides) {
  buildReader<ReadSliceOp>(builder, state, result, source, offsets, sizes,
                           strides);
}

LogicalResult ReadSliceOp::verify() {
  ShapedType result = getResultType();
  if (failed(verifyContent(*this, result, "result")))
    return failure();
  if (isa<TensorType>(result) && failed(verifyDynamicDims(*this, result)))
    return failure();
  return verifySliceInside(*this);
}

//===----------------------------------------------------------------------===//
// pcf.get_memref
//===----------------------------------------------------------------------===//

void GetMemrefOp::build(OpBuilder &builder, OperationState &state, Type result,
                        Value source, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        ArrayRef<OpFoldResult> strides) {
  buildReader<GetMemrefOp>(builder, state, result, source, offsets, sizes,
                           strides);
}

LogicalResult GetMemrefOp::verify() {
  MemRefType result = getResultType();
  if (result.getMemorySpace())
    return emitOpError() << "result must have no memory space";
  if (failed(verifyContent(*this, result, "result")) ||
      failed(verifyDynamicDims(*this, result)))
    return failure();
  auto layout = dyn_cast<StridedLayoutAttr>(result.getLayout());
  if (!layout || !ShapedType::isDynamic(layout.getOffset()) ||
      !llvm::all_of(layout.getStrides(), ShapedType::isDynamic))
    return emitOpError()
           << "result layout must be strided with dynamic offset and strides";
  return verifySliceInside(*this);
}

//===----------------------------------------------------------------------===//
// pcf.subview
//===----------------------------------------------------------------------===//

void SubviewOp::build(OpBuilder &builder, OperationState &state, Type result,
                      Value source, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes,
                      ArrayRef<OpFoldResult> strides) {
  buildReader<SubviewOp>(builder, state, result, source, offsets, sizes,
                         strides);
}
