//===- ResolveTokens.cpp - Synchronization of refs as values --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An sref with a synchronization attribute becomes one without it, and the
// values that the attribute defines represent its state. An owner of refs keeps
// operands and results, so only its arguments change, in place; other ops of
// the dialect that take a ref use the first of the values that replace it.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/PCF/Resolve/StructuralTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

namespace distaff {
#define GEN_PASS_DEF_PCFRESOLVETOKENS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static SyncScopeAttrInterface getSync(Type type) {
  auto ref = dyn_cast<SRefType>(type);
  return dyn_cast_or_null<SyncScopeAttrInterface>(ref ? ref.getSyncScope()
                                                      : Attribute());
}

static LogicalResult checkSync(Operation *op, TypeRange types) {
  for (Type type : types) {
    auto ref = dyn_cast<SRefType>(type);
    if (ref && ref.getSyncScope() && !getSync(ref))
      return op->emitOpError() << "sync attribute " << ref.getSyncScope()
                               << " does not implement SyncScopeAttrInterface";
  }
  return success();
}

/// Checks that every synchronization attribute of a value defines the types
/// that replace it.
static LogicalResult checkSync(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (failed(checkSync(op, op->getResultTypes())))
      return WalkResult::interrupt();
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      if (failed(checkSync(op, function.getArgumentTypes())) ||
          failed(checkSync(op, function.getResultTypes())))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(checkSync(op, block.getArgumentTypes())))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct TokenTypes final : TypeConverter {
  TokenTypes() {
    addConversion([](Type type) { return type; });
    addConversion(
        [](SRefType type,
           SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
          types.push_back(type.withoutSync());
          if (SyncScopeAttrInterface sync = getSync(type))
            llvm::append_range(types, sync.getConcreteTypes(type.getContext()));
          return success();
        });
  }
};

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

template <typename OpT> struct ConvertOwner final : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const TypeConverter &converter = *this->getTypeConverter();
    auto owner = cast<RefOwnerOpInterface>(op.getOperation());
    bool sync = llvm::any_of(owner.getRefArgs(), [](BlockArgument ref) {
      return cast<SRefType>(ref.getType()).isReturnOnlySync();
    });
    SmallVector<Type> leading;
    if (failed(converter.convertTypes(
            SmallVector<Type>(ValueRange(owner.getLeadingArgs()).getTypes()),
            leading)))
      return failure();
    if (failed(rewriter.convertRegionTypes(&op.getExecute(), converter)))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (sync)
        op.setSyncOnReturn(true);
      if constexpr (requires { op.setNumLeadingArgs(0); })
        op.setNumLeadingArgs(leading.size());
    });
    return success();
  }
};

struct ConvertAlloc final : OpConversionPattern<AllocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AllocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SRefType type = op.getResult().getType();
    SmallVector<Value> values{AllocOp::create(
        rewriter, op.getLoc(), type.withoutSync(), adaptor.getDynamicSizes())};
    if (SyncScopeAttrInterface sync = getSync(type))
      llvm::append_range(values, sync.allocate(rewriter, op.getLoc()));
    rewriter.replaceOpWithMultiple(op, ArrayRef(ValueRange(values)));
    return success();
  }
};

struct ConvertWrite final : OpConversionPattern<WriteSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WriteSliceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SyncScopeAttrInterface sync = getSync(op.getRefType());
    rewriter.modifyOpInPlace(
        op, [&] { op.getDestMutable().assign(adaptor.getDest().front()); });
    rewriter.setInsertionPointAfter(op);
    sync.enqueueWrite(rewriter, adaptor.getDest().drop_front(), op);
    return success();
  }
};

/// Converts a view, which has the state of the viewed ref.
template <typename OpT> struct ConvertView final : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult matchAndRewrite(
      OpT op,
      typename OpT::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    Operation *view = rewriter.clone(*op);
    view->setOperand(0, adaptor.getSource().front());
    view->getResult(0).setType(
        cast<SRefType>(op.getResult().getType()).withoutSync());
    SmallVector<Value> values{view->getResult(0)};
    llvm::append_range(values, adaptor.getSource().drop_front());
    rewriter.replaceOpWithMultiple(op, ArrayRef(ValueRange(values)));
    return success();
  }
};

/// Returns the attributes of arguments or results after conversion: those of
/// each are at the first value that replaces it.
static ArrayAttr spread(ArrayAttr attributes, TypeRange types,
                        const TypeConverter &converter) {
  if (!attributes)
    return {};
  SmallVector<Attribute> all;
  for (auto [attribute, type] : llvm::zip_equal(attributes, types)) {
    SmallVector<Type> converted;
    if (failed(converter.convertType(type, converted)) || converted.empty())
      continue;
    all.push_back(attribute);
    all.resize(all.size() + converted.size() - 1,
               DictionaryAttr::get(attributes.getContext()));
  }
  return ArrayAttr::get(attributes.getContext(), all);
}

/// Converts all blocks of a function; upstream's pattern converts the entry
/// block alone.
struct ConvertFunction final : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const TypeConverter &converter = *getTypeConverter();
    SmallVector<Type> arguments, results;
    if (failed(converter.convertTypes(op.getArgumentTypes(), arguments)) ||
        failed(converter.convertTypes(op.getResultTypes(), results)) ||
        failed(rewriter.convertRegionTypes(&op.getBody(), converter)))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (ArrayAttr all =
              spread(op.getArgAttrsAttr(), op.getArgumentTypes(), converter))
        op.setArgAttrsAttr(all);
      if (ArrayAttr all =
              spread(op.getResAttrsAttr(), op.getResultTypes(), converter))
        op.setResAttrsAttr(all);
      op.setFunctionType(rewriter.getFunctionType(arguments, results));
    });
    return success();
  }
};

/// Converts an op that neither writes nor creates a ref: it takes only the ref
/// itself.
template <typename OpT> struct ConvertUser final : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult matchAndRewrite(
      OpT op,
      typename OpT::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    rewriter.modifyOpInPlace(op, [&] {
      for (auto [operand, values] :
           llvm::zip(op->getOpOperands(), adaptor.getOperands()))
        if (isa<SRefType>(operand.get().getType()))
          operand.set(values.front());
    });
    return success();
  }
};

/// Converts a terminator: it forwards all values that replace an operand.
template <typename OpT>
struct ConvertTerminator final : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult matchAndRewrite(
      OpT op,
      typename OpT::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> operands;
    for (ValueRange values : adaptor.getOperands())
      llvm::append_range(operands, values);
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(operands); });
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool isResolved(Operation *op, const TypeConverter &converter) {
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (!converter.isLegal(function.getArgumentTypes()) ||
        !converter.isLegal(function.getResultTypes()))
      return false;
  return converter.isLegal(op) &&
         llvm::all_of(op->getRegions(), [&](Region &region) {
           return converter.isLegal(&region);
         });
}

LogicalResult pcf::resolveTokens(ModuleOp module) {
  if (failed(checkSync(module)))
    return failure();
  MLIRContext *context = module.getContext();
  TokenTypes converter;
  RewritePatternSet patterns(context);
  populateStructuralTypeConversions(converter, patterns);
  populateCallOpTypeConversionPattern(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  patterns.add<ConvertOwner<GenericOp>, ConvertOwner<LoopOp>,
               ConvertOwner<SharedExecutorOp>, ConvertAlloc, ConvertWrite,
               ConvertView<SubviewOp>, ConvertView<ExpandShapeOp>,
               ConvertUser<ReadSliceOp>, ConvertUser<GetMemrefOp>,
               ConvertUser<BarrierOp>, ConvertUser<FenceOp>, ConvertFunction,
               ConvertTerminator<YieldOp>, ConvertTerminator<CondReturnOp>>(
      converter, context);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return isResolved(op, converter); });
  ConversionConfig config;
  config.allowPatternRollback = false;
  return applyPartialConversion(module, target, std::move(patterns), config);
}

namespace {
struct ResolveTokens final
    : distaff::impl::PCFResolveTokensBase<ResolveTokens> {
  void getDependentDialects(DialectRegistry &registry) const override {
    PCFResolveTokensBase::getDependentDialects(registry);
    registerScopeDialects<
        &PCFConversionDialectInterface::loadTokenLoweringDependentDialects>(
        registry);
  }

  void runOnOperation() override {
    if (failed(resolveTokens(getOperation())))
      signalPassFailure();
  }
};
} // namespace
