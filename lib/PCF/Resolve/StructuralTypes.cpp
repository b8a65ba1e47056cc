//===- StructuralTypes.cpp - 1:N types through control flow ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Resolve/StructuralTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

using namespace distaff;

namespace {

/// Converts an execute_region. Upstream's patterns convert any `scf.yield`.
struct ConvertExecuteRegion final : OpConversionPattern<scf::ExecuteRegionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(scf::ExecuteRegionOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<size_t> ends;
    for (Value result : op.getResults()) {
      if (failed(getTypeConverter()->convertType(result, types)))
        return rewriter.notifyMatchFailure(op, "a result has no new type");
      ends.push_back(types.size());
    }
    auto newOp = scf::ExecuteRegionOp::create(rewriter, op.getLoc(), types,
                                              op.getNoInline());
    rewriter.inlineRegionBefore(op.getRegion(), newOp.getRegion(),
                                newOp.getRegion().end());
    if (failed(rewriter.convertRegionTypes(&newOp.getRegion(),
                                           *getTypeConverter())))
      return failure();
    SmallVector<ValueRange> results;
    size_t start = 0;
    for (size_t end : ends) {
      results.push_back(newOp.getResults().slice(start, end - start));
      start = end;
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// Converts a select to one select per value.
struct ConvertSelect final : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getTrueValue().size() != adaptor.getFalseValue().size())
      return rewriter.notifyMatchFailure(op,
                                         "the values become unequally many");
    Value condition = adaptor.getCondition().front();
    SmallVector<Value> values;
    for (auto [ifTrue, ifFalse] :
         llvm::zip(adaptor.getTrueValue(), adaptor.getFalseValue()))
      values.push_back(arith::SelectOp::create(rewriter, op.getLoc(), condition,
                                               ifTrue, ifFalse));
    rewriter.replaceOpWithMultiple(op, ArrayRef(ValueRange(values)));
    return success();
  }
};

} // namespace

void pcf::populateStructuralTypeConversions(const TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  cf::populateCFStructuralTypeConversions(converter, patterns);
  patterns.add<ConvertExecuteRegion, ConvertSelect>(converter,
                                                    patterns.getContext());
}
