//===- SizeLimits.cpp - Limits on the sizes in a kernel -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every type and attribute is checked once, and its error is cached: a kernel
// has few types, but many ops.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/SizeLimits.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/FormatVariadic.h"

using namespace distaff;

namespace {
/// The error of a type or an attribute; empty if there is none.
using Complaint = std::string;

class SizeVerifier {
public:
  LogicalResult verify(Operation *op);

private:
  template <typename T> const Complaint &lookAt(T typeOrAttribute);

  DenseMap<const void *, Complaint> complaints;
};
} // namespace

template <typename T> static std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> staticExtents(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> extents(shape);
  llvm::replace(extents, ShapedType::kDynamic, int64_t(1));
  return extents;
}

/// Returns the bytes of an element in memory, at least one; one for types that
/// are no numbers.
static int64_t elementBytes(Type elementType) {
  if (auto vector = dyn_cast<VectorType>(elementType))
    return checkedBytes(vector.getShape(),
                        elementBytes(vector.getElementType()))
        .value_or(largestArrayBytes);
  if (elementType.isIndex())
    return 8;
  return elementType.isIntOrFloat()
             ? llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8)
             : 1;
}

static Complaint checkStrides(MemRefType type) {
  auto layout = dyn_cast<StridedLayoutAttr>(type.getLayout());
  if (!layout)
    return "";
  int64_t limit = largestArrayBytes / elementBytes(type.getElementType());
  int64_t reach = 0;
  auto add = [&](int64_t count, int64_t stride) {
    if (ShapedType::isDynamic(stride) || ShapedType::isDynamic(count))
      return true;
    // A stride may be negative; its magnitude counts.
    if (stride < -limit || stride > limit)
      return false;
    std::optional<int64_t> part =
        checkedProduct(count, std::abs(stride), limit);
    reach = part ? reach + *part : limit + 1;
    return reach <= limit;
  };
  bool fits = add(1, layout.getOffset());
  for (auto [extent, stride] : llvm::zip(type.getShape(), layout.getStrides()))
    fits = fits && add(extent, stride);
  return fits ? ""
              : print(type) + " reaches beyond " +
                    std::to_string(largestArrayBytes) +
                    " bytes, more than the memory of any machine";
}

static constexpr unsigned registerBits = 64;

static Complaint checkType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (checkedElements(vector.getShape(), largestVectorElements))
      return "";
    return print(type) + " has more than " +
           std::to_string(largestVectorElements) +
           " elements, no workgroup has registers for it; read a part of the "
           "array at a time";
  }
  if (isa<TensorType, MemRefType>(type)) {
    auto shaped = cast<ShapedType>(type);
    if (!shaped.hasRank())
      return "";
    if (!checkedBytes(staticExtents(shaped.getShape()),
                      elementBytes(shaped.getElementType())))
      return print(type) + " takes more than " +
             std::to_string(largestArrayBytes) +
             " bytes, more than the memory of any machine";
    auto memref = dyn_cast<MemRefType>(type);
    return memref ? checkStrides(memref) : "";
  }
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() > registerBits)
    return print(type) + " is wider than the 64 bits of the widest register";
  return "";
}

/// Checks the constants of a map: positions in arrays are below this limit.
static Complaint checkMap(AffineMap map) {
  Complaint complaint;
  map.walkExprs([&](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && (constant.getValue() > largestArrayBytes ||
                     constant.getValue() < -largestArrayBytes))
      complaint = std::to_string(constant.getValue()) +
                  " in an affine map is a position beyond any array";
  });
  return complaint;
}

template <typename T> const Complaint &SizeVerifier::lookAt(T typeOrAttribute) {
  auto [it, isNew] =
      complaints.try_emplace(typeOrAttribute.getAsOpaquePointer());
  Complaint &complaint = it->second;
  if (!isNew)
    return complaint;
  auto keep = [&](Complaint part) {
    complaint = std::move(part);
    return complaint.empty() ? WalkResult::advance() : WalkResult::interrupt();
  };
  AttrTypeWalker walker;
  walker.addWalk([&](Type type) { return keep(checkType(type)); });
  walker.addWalk(
      [&](AffineMapAttr map) { return keep(checkMap(map.getValue())); });
  walker.walk(typeOrAttribute);
  return complaint;
}

/// Returns whether an op of converted code may have a result of this type: a
/// product of two registers is twice as wide until it is truncated.
static bool holdsProduct(Operation *op, Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  auto vector = dyn_cast<VectorType>(type);
  if (vector && !checkedElements(vector.getShape(), largestVectorElements))
    return false;
  return integer && integer.getWidth() > registerBits &&
         integer.getWidth() <= 2 * registerBits &&
         isa<LLVM::SExtOp, LLVM::ZExtOp, LLVM::MulOp, LLVM::LShrOp,
             LLVM::AShrOp, LLVM::ConstantOp>(op);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static LogicalResult verifyIterationSpace(Operation *op) {
  SmallVector<int64_t> bounds;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    bounds = linalgOp.getStaticLoopRanges();
  else if (auto contraction = dyn_cast<vector::ContractionOp>(op))
    contraction.getIterationBounds(bounds);
  else if (auto contraction = dyn_cast<core::ContractOp>(op))
    bounds = contraction.getBounds();
  if (checkedElements(staticExtents(bounds), largestIterationSpace))
    return success();
  return op->emitOpError("has more than ")
         << largestIterationSpace
         << " points to compute, more than any GPU does in a launch";
}

/// Verifies that loops go forward, between positions of some array.
static LogicalResult verifyLoop(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return success();
  for (auto bounds : {loop.getLoopLowerBounds(), loop.getLoopUpperBounds(),
                      loop.getLoopSteps()})
    for (OpFoldResult bound : bounds.value_or(SmallVector<OpFoldResult>()))
      if (std::optional<int64_t> value = getConstantIntValue(bound);
          value &&
          (*value > largestIterationSpace || *value < -largestIterationSpace))
        return op->emitOpError("goes to ")
               << *value << ", a position beyond any array";
  for (OpFoldResult step :
       loop.getLoopSteps().value_or(SmallVector<OpFoldResult>()))
    if (std::optional<int64_t> value = getConstantIntValue(step);
        value && *value < 1)
      return op->emitOpError("has the step ")
             << *value << "; loops go forward, by 1 at least";
  return success();
}

/// Memory of a GPU starts at multiples of this many bytes, so an offset alone
/// can satisfy an alignment.
static constexpr int64_t largestAlignment = 1024;

static LogicalResult verifyAlignment(Operation *op) {
  if (!isa<memref::AllocOp, memref::AllocaOp, memref::GlobalOp>(op))
    return success();
  auto alignment = op->getAttrOfType<IntegerAttr>("alignment");
  if (!alignment)
    return success();
  int64_t value = alignment.getValue().getSExtValue();
  if (value > 0 && value <= largestAlignment && llvm::isPowerOf2_64(value))
    return success();
  return op->emitOpError("has the alignment ")
         << value << ", which memory of a GPU does not have; it is a power of "
         << "two up to " << largestAlignment << ", or left out";
}

LogicalResult SizeVerifier::verify(Operation *op) {
  auto complain = [&](const Complaint &complaint) {
    return complaint.empty() ? success()
                             : LogicalResult(op->emitOpError(complaint));
  };
  bool isProduct = false;
  for (Type type : op->getResultTypes()) {
    if (holdsProduct(op, type)) {
      isProduct = true;
      continue;
    }
    if (failed(complain(lookAt(type))))
      return failure();
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(complain(lookAt(type))))
          return failure();
  // A constant factor has the type of the product.
  if (!isProduct)
    for (NamedAttribute attribute : op->getAttrs())
      if (failed(complain(lookAt(attribute.getValue()))))
        return failure();
  if (failed(verifyLoop(op)) || failed(verifyAlignment(op)))
    return failure();
  return verifyIterationSpace(op);
}

LogicalResult distaff::verifySizes(Operation *root) {
  SizeVerifier verifier;
  WalkResult result = root->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return WalkResult(verifier.verify(op)); });
  return failure(result.wasInterrupted());
}
