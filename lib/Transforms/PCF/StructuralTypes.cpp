//===- StructuralTypes.cpp - Types that become several, in control flow ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StructuralTypes.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// One select per value that each side becomes.
struct ConvertSelect final : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value condition = adaptor.getCondition().front();
    SmallVector<Value> selected;
    for (auto [yes, no] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      selected.push_back(
          arith::SelectOp::create(rewriter, op.getLoc(), condition, yes, no));
    rewriter.replaceOpWithMultiple(op, ArrayRef{ValueRange(selected)});
    return success();
  }
};

/// Results become several; yields are converted as everywhere.
struct ConvertExecuteRegion final : OpConversionPattern<scf::ExecuteRegionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(scf::ExecuteRegionOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<unsigned> counts;
    for (Type type : op.getResultTypes()) {
      size_t before = types.size();
      if (failed(getTypeConverter()->convertType(type, types)))
        return failure();
      counts.push_back(types.size() - before);
    }
    auto converted = scf::ExecuteRegionOp::create(rewriter, op.getLoc(), types,
                                                  op.getNoInline());
    rewriter.inlineRegionBefore(op.getRegion(), converted.getRegion(),
                                converted.getRegion().end());
    if (failed(rewriter.convertRegionTypes(&converted.getRegion(),
                                           *getTypeConverter())))
      return failure();
    SmallVector<ValueRange> results;
    ValueRange rest = converted.getResults();
    for (unsigned count : counts) {
      results.push_back(rest.take_front(count));
      rest = rest.drop_front(count);
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }
};

/// Arguments of the blocks of a body that branches.
struct ConvertGenericBlocks final : OpConversionPattern<GenericOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GenericOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto isConverted = [&](Value operand) {
      return !getTypeConverter()->isLegal(operand.getType());
    };
    if (llvm::any_of(op->getOperands(), isConverted))
      return rewriter.notifyMatchFailure(op, "an operand is converted too");
    LogicalResult result = success();
    rewriter.modifyOpInPlace(op, [&] {
      result =
          rewriter.convertRegionTypes(&op.getExecute(), *getTypeConverter());
    });
    return result;
  }
};
} // namespace

void pcf::populateStructuralTypeConversions(const TypeConverter &converter,
                                            RewritePatternSet &patterns,
                                            ConversionTarget &target) {
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  cf::populateCFStructuralTypeConversions(converter, patterns);
  patterns.add<ConvertSelect, ConvertExecuteRegion, ConvertGenericBlocks>(
      converter, patterns.getContext());
  target.markUnknownOpDynamicallyLegal([&converter](Operation *op) {
    if (!converter.isLegal(op->getOperandTypes()) ||
        !converter.isLegal(op->getResultTypes()))
      return false;
    return llvm::all_of(op->getRegions(), [&](Region &region) {
      return llvm::all_of(region, [&](Block &block) {
        return converter.isLegal(block.getArgumentTypes());
      });
    });
  });
}
