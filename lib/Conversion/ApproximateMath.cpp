//===- ApproximateMath.cpp - Instructions for exp2 and reciprocals --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of f32 with the flag `afn` become instructions:
//
//                    NVIDIA                 AMD
//   math.exp2 x      ex2.approx.ftz.f32     v_exp_f32
//   arith.divf 1, x  rcp.approx.ftz.f32     v_rcp_f32
//
// All four treat subnormal inputs and results as zeros. LLVM's own lowering of
// these ops multiplies before and after the instruction to keep subnormal
// numbers.
//
// Sources: PTX ISA, "Floating Point Instructions: ex2" and "rcp"; AMD's "CDNA3
// ISA" and "RDNA4 ISA", V_EXP_F32 and V_RCP_F32.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

namespace {

constexpr unsigned kApproximationBenefit = 20; // over upstream's

template <typename Op> bool mayApproximate(Op op) {
  return op.getType().isF32() &&
         arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
}

struct ConvertExp2 final : ConvertOpToLLVMPattern<math::Exp2Op> {
  ConvertExp2(const LLVMTypeConverter &converter, Family family)
      : ConvertOpToLLVMPattern(converter, kApproximationBenefit),
        family(family) {}

  LogicalResult
  matchAndRewrite(math::Exp2Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!mayApproximate(op))
      return rewriter.notifyMatchFailure(op, "is no approximation in f32");
    if (family == Family::AMDGPU)
      rewriter.replaceOpWithNewOp<ROCDL::ROCDLExp2>(op, op.getType(),
                                                    adaptor.getOperand());
    else
      rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
          op, op.getType(),
          rewriter.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
          adaptor.getOperand());
    return success();
  }

  Family family;
};

struct ConvertReciprocal final : ConvertOpToLLVMPattern<arith::DivFOp> {
  ConvertReciprocal(const LLVMTypeConverter &converter, Family family)
      : ConvertOpToLLVMPattern(converter, kApproximationBenefit),
        family(family) {}

  LogicalResult
  matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    APFloat dividend(0.0f);
    if (!mayApproximate(op) ||
        !matchPattern(op.getLhs(), m_ConstantFloat(&dividend)) ||
        !dividend.isExactlyValue(1))
      return rewriter.notifyMatchFailure(op, "is no reciprocal in f32");
    if (family == Family::AMDGPU)
      rewriter.replaceOpWithNewOp<ROCDL::ROCDLRcp>(op, op.getType(),
                                                   adaptor.getRhs());
    else
      rewriter.replaceOpWithNewOp<NVVM::RcpApproxFtzF32Op>(op, op.getType(),
                                                           adaptor.getRhs());
    return success();
  }

  Family family;
};

} // namespace

void distaff::populateApproximationPatterns(const LLVMTypeConverter &converter,
                                            RewritePatternSet &patterns,
                                            Family family) {
  patterns.add<ConvertExp2, ConvertReciprocal>(converter, family);
}
