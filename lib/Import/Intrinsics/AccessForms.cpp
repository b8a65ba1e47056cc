//===- AccessForms.cpp - LLVM's masked accesses as vector ops -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm.vp.load, store, gather and scatter, and llvm.masked.* of the same names,
// access elements by pointers. If those point to a memref's elements, the
// access is of the memref (VX-218):
//
//   %p = llvm.getelementptr %base[%i]            %base: of %m's first element
//   llvm.intr.vp.load %p, %mask, %n    =>   vector.maskedload %m[%i],
//                                             %mask and (step < %n), 0
//
// Masked-off elements of a result are undefined in vp, and 0 here.
//
//===----------------------------------------------------------------------===//
#include "IntrinsicForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

namespace {
/// An access by LLVM: `stored` is null for a read, `length` for an access with
/// a mask alone, and `otherwise` if masked-off elements are undefined.
struct MaskedForm {
  Value pointer, mask, length, stored, otherwise;
};

/// Elements of row-major memory: at an index, or at one per element of a
/// vector.
struct PointedElements {
  Value memory, index;
};
} // namespace

static std::optional<MaskedForm> maskedFormOf(Operation *op) {
  auto optional = [](ValueRange values) {
    return values.empty() ? Value() : values.front();
  };
  if (auto load = dyn_cast<LLVM::VPLoadOp>(op))
    return MaskedForm{load.getPtr(), load.getMask(), load.getEvl(), {}, {}};
  if (auto store = dyn_cast<LLVM::VPStoreOp>(op))
    return MaskedForm{
        store.getPtr(), store.getMask(), store.getEvl(), store.getVal(), {}};
  if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
    return MaskedForm{
        load.getData(), load.getMask(), {}, {}, load.getPassThru()};
  if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op))
    return MaskedForm{
        store.getData(), store.getMask(), {}, store.getValue(), {}};
  if (auto gather = dyn_cast<LLVM::masked_gather>(op))
    return MaskedForm{gather.getPtrs(),
                      gather.getMask(),
                      {},
                      {},
                      optional(gather.getPassThru())};
  if (auto scatter = dyn_cast<LLVM::masked_scatter>(op))
    return MaskedForm{
        scatter.getPtrs(), scatter.getMask(), {}, scatter.getValue(), {}};
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  if (!call)
    return std::nullopt;
  StringRef name = intrinsicOf(call);
  ValueRange args = call.getArgs();
  if (isIntrinsicNamed(name, "vp.gather") || isIntrinsicNamed(name, "vp.load"))
    return MaskedForm{args[0], args[1], args[2], {}, {}};
  if (isIntrinsicNamed(name, "vp.scatter") ||
      isIntrinsicNamed(name, "vp.store"))
    return MaskedForm{args[1], args[2], args[3], args[0], {}};
  return std::nullopt;
}

/// Returns the elements that a pointer, or a vector of pointers, points to:
/// elements of one type, counted from the first one of a memref.
static std::optional<PointedElements>
pointedElements(ImplicitLocOpBuilder &b, Value pointer, Type element) {
  auto asIndex = [&](Value number) -> Value {
    Type type = b.getIndexType();
    if (auto vector = dyn_cast<VectorType>(number.getType()))
      type = vector.clone(type);
    return arith::IndexCastOp::create(b, type, number);
  };
  Value base = pointer;
  LLVM::GEPOp at = pointer.getDefiningOp<LLVM::GEPOp>();
  if (at) {
    base = at.getBase();
    bool isOfElements = at.getElemType() == element &&
                        at.getRawConstantIndices().size() == 1 &&
                        isa<LLVM::LLVMPointerType>(base.getType());
    if (!isOfElements)
      return std::nullopt;
  }
  Value memory = memoryBehind(base);
  if (!memory || cast<MemRefType>(memory.getType()).getElementType() != element)
    return std::nullopt;
  memory = flatMemory(b, memory);
  if (!at)
    return PointedElements{memory, arith::ConstantIndexOp::create(b, 0)};
  if (at.getDynamicIndices().empty())
    return PointedElements{memory, arith::ConstantIndexOp::create(
                                       b, at.getRawConstantIndices().front())};
  return PointedElements{memory, asIndex(at.getDynamicIndices().front())};
}

static Value maskOf(ImplicitLocOpBuilder &b, const MaskedForm &form) {
  if (!form.length)
    return form.mask;
  Value end = arith::IndexCastUIOp::create(b, b.getIndexType(), form.length);
  Value below =
      vector::CreateMaskOp::create(b, form.mask.getType(), ValueRange(end));
  return arith::AndIOp::create(b, form.mask, below);
}

bool distaff::replaceMaskedAccess(ImplicitLocOpBuilder &b, Operation *op) {
  std::optional<MaskedForm> form = maskedFormOf(op);
  if (!form)
    return false;
  auto type = cast<VectorType>(form->stored ? form->stored.getType()
                                            : op->getResult(0).getType());
  if (type.isScalable() || !type.getElementType().isIntOrFloat())
    return false;
  std::optional<PointedElements> elements =
      pointedElements(b, form->pointer, type.getElementType());
  if (!elements)
    return false;
  Value mask = maskOf(b, *form), index = elements->index;
  bool isScattered = isa<VectorType>(index.getType());
  Value first =
      isScattered ? arith::ConstantIndexOp::create(b, 0).getResult() : index;
  if (form->stored) {
    if (isScattered)
      vector::ScatterOp::create(b, /*resultType=*/Type(), elements->memory,
                                first, index, mask, form->stored);
    else
      vector::MaskedStoreOp::create(b, elements->memory, first, mask,
                                    form->stored);
    op->erase();
    return true;
  }
  Value otherwise = form->otherwise;
  if (!otherwise)
    otherwise = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value read = isScattered
                   ? vector::GatherOp::create(b, type, elements->memory, first,
                                              index, mask, otherwise)
                         .getResult()
                   : vector::MaskedLoadOp::create(b, type, elements->memory,
                                                  first, mask, otherwise)
                         .getResult();
  op->getResult(0).replaceAllUsesWith(read);
  op->erase();
  return true;
}
