//===- MatrixLoads.cpp - ldmatrix and stmatrix by words -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvgpu.ldmatrix returns a vector of two dims, which becomes an array of words;
// LLVM takes elements out of vectors of one dim. So the words are extracted
// first, and the elements from these. Upstream's pattern makes words of types
// that LLVM does not have, floats of 8 bits; this pattern uses the converted
// type. distaff.stmatrix already has words.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

static SmallVector<Value> elementsOf(nvgpu::LdMatrixOp op, OpBuilder &b) {
  SmallVector<Value> elements;
  auto type = cast<VectorType>(op.getRes().getType());
  for (int64_t word = 0; word < type.getDimSize(0); ++word) {
    Value part = vector::ExtractOp::create(b, op.getLoc(), op.getRes(), word);
    auto parts = vector::ToElementsOp::create(b, op.getLoc(), part);
    llvm::append_range(elements, parts.getElements());
  }
  return elements;
}

void distaff::splitMatrixLoads(ModuleOp module) {
  SmallVector<nvgpu::LdMatrixOp> loads;
  module.walk([&](nvgpu::LdMatrixOp op) { loads.push_back(op); });
  for (nvgpu::LdMatrixOp op : loads) {
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    for (Operation *user : llvm::make_early_inc_range(op.getRes().getUsers()))
      if (auto parts = dyn_cast<vector::ToElementsOp>(user)) {
        parts->replaceAllUsesWith(elementsOf(op, b));
        parts.erase();
      }
  }
}

static NVVM::MMALayout layoutOf(bool transposed) {
  return transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

namespace {
struct ConvertMatrixLoad final : ConvertOpToLLVMPattern<nvgpu::LdMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(nvgpu::LdMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = dyn_cast_if_present<LLVM::LLVMArrayType>(
        getTypeConverter()->convertType(op.getRes().getType()));
    if (!type)
      return rewriter.notifyMatchFailure(op, "the result has no words");
    int64_t words = type.getNumElements();
    Type word = rewriter.getI32Type();
    Type loaded =
        words == 1 ? word
                   : LLVM::LLVMStructType::getLiteral(
                         getContext(), SmallVector<Type>(size_t(words), word));
    Value address = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getSrcMemref().getType()),
        adaptor.getSrcMemref(), adaptor.getIndices());
    Value all = NVVM::LdMatrixOp::create(
        rewriter, loc, loaded, address, uint32_t(words),
        layoutOf(op.getTranspose()),
        NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
    Value result = LLVM::PoisonOp::create(rewriter, loc, type);
    for (int64_t i = 0; i < words; ++i) {
      Value part = words == 1
                       ? all
                       : LLVM::ExtractValueOp::create(rewriter, loc, all, i);
      part =
          LLVM::BitcastOp::create(rewriter, loc, type.getElementType(), part);
      result = LLVM::InsertValueOp::create(rewriter, loc, result, part, i);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ConvertMatrixStore final : ConvertOpToLLVMPattern<core::StMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(core::StMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getMemref().getType()),
        adaptor.getMemref(), adaptor.getIndices());
    SmallVector<Value> words;
    for (Value word : adaptor.getWords())
      words.push_back(
          LLVM::BitcastOp::create(rewriter, loc, rewriter.getI32Type(), word));
    rewriter.replaceOpWithNewOp<NVVM::StMatrixOp>(
        op, address, words, layoutOf(op.getTranspose()),
        NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
    return success();
  }
};
} // namespace

void distaff::populateMatrixLoadPatterns(const LLVMTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<ConvertMatrixLoad, ConvertMatrixStore>(converter,
                                                      /*benefit=*/2);
}
