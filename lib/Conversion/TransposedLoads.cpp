//===- TransposedLoads.cpp - Loads of AMD that transpose ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amdgpu.transpose_load of four elements of 16 bits is ds_read_b64_tr_b16, of
// eight of 8 bits ds_read_b64_tr_b8.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
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
    // Of bits: instructions tell types by their width alone.
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
} // namespace

void distaff::populateTransposedLoadPatterns(const LLVMTypeConverter &converter,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertTransposedLoad>(converter, /*benefit=*/2);
}
