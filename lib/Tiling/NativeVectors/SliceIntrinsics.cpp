//===- SliceIntrinsics.cpp - Slices of LLVM intrinsics --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM itself defines which intrinsics are element-wise: those that its
// vectorizers widen, and those that it scalarizes.
//
//===----------------------------------------------------------------------===//
#include "SliceIntrinsics.h"
#include "Slicer.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Intrinsics.h"

using namespace distaff;
using namespace distaff::vectortiles;

static llvm::Intrinsic::ID intrinsicIdOf(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return llvm::Intrinsic::lookupIntrinsicID(call.getIntrin());
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("llvm.intr."))
    return llvm::Intrinsic::not_intrinsic;
  return llvm::Intrinsic::lookupIntrinsicID(("llvm." + name).str());
}

/// Returns the types of the vectors that an op returns: one, or the fields of a
/// struct.
static SmallVector<VectorType> returnedVectors(Operation *op) {
  SmallVector<VectorType> vectors;
  Type type = op->getResult(0).getType();
  auto fields = dyn_cast<LLVM::LLVMStructType>(type);
  if (!fields)
    return {dyn_cast<VectorType>(type)};
  for (Type field : fields.getBody())
    vectors.push_back(dyn_cast<VectorType>(field));
  return vectors;
}

bool vectortiles::isElementwiseIntrinsic(Operation *op) {
  llvm::Intrinsic::ID id = intrinsicIdOf(op);
  if (id == llvm::Intrinsic::not_intrinsic || op->getNumResults() != 1 ||
      !llvm::isTriviallyScalarizable(id, /*TTI=*/nullptr))
    return false;
  SmallVector<VectorType> vectors = returnedVectors(op);
  for (Type type : op->getOperandTypes())
    if (auto vector = dyn_cast<VectorType>(type))
      vectors.push_back(vector);
  return llvm::all_of(vectors, [&](VectorType vector) {
    return vector && !vector.isScalable() && vector.getRank() == 1 &&
           vector.getShape() == vectors.front().getShape();
  });
}

Operation *vectortiles::elementwiseIntrinsicOf(Operation *op) {
  if (!op)
    return nullptr;
  if (auto field = dyn_cast<LLVM::ExtractValueOp>(op)) {
    op = field.getContainer().getDefiningOp();
    return op && field.getPosition().size() == 1 &&
                   isa<LLVM::LLVMStructType>(field.getContainer().getType()) &&
                   isElementwiseIntrinsic(op)
               ? op
               : nullptr;
  }
  return op->getNumResults() == 1 &&
                 isa<VectorType>(op->getResult(0).getType()) &&
                 isElementwiseIntrinsic(op)
             ? op
             : nullptr;
}

Value Slicer::intrinsic(Operation *op, const Slice &part) {
  Operation *whole = elementwiseIntrinsicOf(op);
  SmallVector<Value> operands;
  for (Value operand : whole->getOperands())
    operands.push_back(isa<VectorType>(operand.getType()) ? slice(operand, part)
                                                          : operand);
  auto sliced = [&](Type type) -> Type {
    return VectorType::get(part.sizes, cast<VectorType>(type).getElementType());
  };
  Operation *made = builder.clone(*whole);
  made->setOperands(operands);
  // The suffix with the types of the whole vector does not fit the slice.
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(made))
    call.setIntrin(llvm::Intrinsic::getBaseName(intrinsicIdOf(whole)));
  Type type = whole->getResult(0).getType();
  auto fields = dyn_cast<LLVM::LLVMStructType>(type);
  if (!fields) {
    made->getResult(0).setType(sliced(type));
    return made->getResult(0);
  }
  made->getResult(0).setType(LLVM::LLVMStructType::getLiteral(
      op->getContext(), llvm::map_to_vector(fields.getBody(), sliced)));
  return LLVM::ExtractValueOp::create(
      builder, op->getLoc(), made->getResult(0),
      cast<LLVM::ExtractValueOp>(op).getPosition());
}
