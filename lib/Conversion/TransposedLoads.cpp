//===- TransposedLoads.cpp - Transposing loads on AMD ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amdgpu.transpose_load becomes ds_read_b64_tr_b16 for four elements of 16
// bits, and ds_read_b64_tr_b8 for eight of 8 bits;
// distaff.global_transpose_load becomes global_load_tr_b128.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace distaff;

namespace {
struct ConvertTransposedLoad final
    : ConvertOpToLLVMPattern<amdgpu::TransposeLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(amdgpu::TransposeLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    Value address = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getSrc().getType()),
        adaptor.getSrc(), adaptor.getSrcIndices());
    // Types are bits: instructions differ only by the width.
    Type i16 = rewriter.getI16Type(), i32 = rewriter.getI32Type();
    Value read = cast<VectorType>(type).getElementTypeBitWidth() == 16
                     ? ROCDL::ds_read_tr16_b64::create(
                           rewriter, loc, VectorType::get({4}, i16), address)
                           .getResult()
                     : ROCDL::ds_read_tr8_b64::create(
                           rewriter, loc, VectorType::get({2}, i32), address)
                           .getResult();
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, read);
    return success();
  }
};

struct ConvertGlobalTransposeLoad final
    : ConvertOpToLLVMPattern<core::GlobalTransposeLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(core::GlobalTransposeLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    Value address = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getMemref().getType()),
        adaptor.getMemref(), adaptor.getIndices());
    auto global = LLVM::LLVMPointerType::get(
        getContext(), ROCDL::ROCDLDialect::kGlobalMemoryAddressSpace);
    if (address.getType() != global)
      address = LLVM::AddrSpaceCastOp::create(rewriter, loc, global, address);
    Value read = ROCDL::GlobalLoadTr8_B128::create(
        rewriter, loc, VectorType::get({8}, rewriter.getI16Type()), address);
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, read);
    return success();
  }
};
} // namespace

void distaff::populateTransposedLoadPatterns(const LLVMTypeConverter &converter,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertTransposedLoad, ConvertGlobalTransposeLoad>(
      converter, /*benefit=*/2);
}
