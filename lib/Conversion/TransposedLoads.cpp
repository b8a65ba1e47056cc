//===- TransposedLoads.cpp - Loads of AMD that transpose ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amdgpu.transpose_load of four elements of 16 bits is ds_read_b64_tr_b16.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"

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
    auto bits = VectorType::get({4}, rewriter.getI16Type());
    auto call = LLVM::CallIntrinsicOp::create(
        rewriter, loc, bits,
        rewriter.getStringAttr("llvm.amdgcn.ds.read.tr16.b64.v4i16"), address);
    rewriter.replaceOp(
        op, LLVM::BitcastOp::create(rewriter, loc, type, call.getResult(0))
                .getResult());
    return success();
  }
};
} // namespace

void distaff::populateTransposedLoadPatterns(const LLVMTypeConverter &converter,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertTransposedLoad>(converter, /*benefit=*/2);
}
