//===- ApplyPromotions.cpp - Promotion to shared memory -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers a promotion attribute: the promoted value has the attribute's layout
// first, and the conversion goes through shared memory.
//
//   %b = to_layout %a to layout(#b) {shared_memory_conversion = #p}
//   =>
//   %c = to_layout %a to layout(copy layout of #p)
//   %b = to_layout %c to layout(#b) {shared_memory_conversion}
//
// The pass form-async-copies decides whether that copy is asynchronous; one
// that must be, and cannot, is refused here, and keeps its attribute for
// distribution.
//
//===----------------------------------------------------------------------===//
#include "AssignLayouts.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Dialect/VectorExt/PromotionAttrInterface.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using vector_ext::PromotionAttrInterface;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

/// Returns the bytes that a lane copies at a time.
static int64_t bytesOfPiece(VectorLayoutInterface layout, VectorType type) {
  auto nested = dyn_cast<vector_ext::NestedLayoutAttr>(layout);
  if (!nested || type.getRank() == 0)
    return 0;
  return nested.getNested().dims.back().elementTile *
         type.getElementTypeBitWidth() / 8;
}

/// Returns why a promotion cannot be asynchronous; nothing if it can.
static std::optional<std::string>
whyNotAsync(ToLayoutOp op, VectorLayoutInterface layout, const Target &target) {
  if (target.asyncCopyBytes.empty())
    return "which " + target.name.str() + " has no instruction for";
  auto read = op.getInput().getDefiningOp<vector::TransferReadOp>();
  if (!read || !read->hasOneUse() || !isa<MemRefType>(read.getBase().getType()))
    return "and its value is not read from memory for it alone";
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
          cast<MemRefType>(read.getBase().getType())))
    return "and its value lies in workgroup memory already";
  if (read.getMask() || !read.getPermutationMap().isMinorIdentity())
    return "and its value is read masked or in another order";
  if (read.hasOutOfBoundsDim())
    return "and its value may lie outside of its memory";
  int64_t bytes =
      layout ? bytesOfPiece(layout, cast<VectorType>(read.getType())) : 0;
  if (!llvm::is_contained(target.asyncCopyBytes, bytes))
    return "and a lane's pieces have " + std::to_string(bytes) + " bytes";
  return std::nullopt;
}

LogicalResult distaff::applyPromotions(FunctionOpInterface function,
                                       const Target &target,
                                       int64_t workgroupSize,
                                       int64_t subgroupSize) {
  WalkResult walk = function->walk([&](ToLayoutOp op) -> WalkResult {
    auto promotion = dyn_cast_if_present<PromotionAttrInterface>(
        op.getSharedMemoryConversionAttr());
    auto type = dyn_cast<VectorType>(op.getInput().getType());
    if (!promotion || !type)
      return WalkResult::advance();
    VectorLayoutInterface layout =
        promotion.getCopyLayout(type, workgroupSize, subgroupSize);
    if (promotion.isAsynchronous())
      if (std::optional<std::string> why = whyNotAsync(op, layout, target))
        return op.emitOpError("has the shared_memory_conversion ")
               << Attribute(promotion) << ", an asynchronous copy, " << *why
               << "; a plain `shared_memory_conversion` is copied either way";
    OpBuilder builder(op);
    // Distribution does not split the unit of an asynchronous copy.
    if (!promotion.isAsynchronous())
      op.setSharedMemoryConversionAttr(builder.getUnitAttr());
    if (layout && !op.getInput().getDefiningOp<ToLayoutOp>())
      op.getInputMutable().assign(
          ToLayoutOp::create(builder, op.getLoc(), op.getInput(), layout));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
