//===- HandleConversion.cpp - Lowering handles to their payloads ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HandleConversion.h"

#include "HandleCasts.h"
#include "distaff/PCF/Resolve/StructuralTypes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace distaff;
using namespace distaff::pcf;

bool HandleConversion::isConverted(Type handle) const {
  if (auto cluster = dyn_cast<ClusterType>(handle))
    return clusters.contains(cluster.getId());
  auto group = dyn_cast<ThreadgroupType>(handle);
  return group && threadgroupScope && group.getScope() == threadgroupScope;
}

ArrayRef<Value> HandleConversion::idsOf(Type handle) const {
  if (auto cluster = dyn_cast<ClusterType>(handle))
    if (auto it = clusters.find(cluster.getId()); it != clusters.end())
      return it->second;
  return threadgroupIds;
}

bool HandleConversion::isActive(Type handle) const {
  return isConverted(handle) &&
         (isa<ThreadgroupType>(handle) || !idsOf(handle).empty());
}

LogicalResult pcf::verifyHandleUsers(Region &region, bool allowsClusters) {
  WalkResult result = region.walk([&](Operation *op) {
    if (isa<RunThreadOp, TileGroupOp, BarrierOp, arith::SelectOp, scf::ForOp,
            scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
            scf::YieldOp, scf::ConditionOp, BranchOpInterface>(op) ||
        (allowsClusters && isa<RunClusterOp>(op)) || isHandleCast(op))
      return WalkResult::advance();
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    const Type *handle = llvm::find_if(types, isHandle);
    if (handle == types.end())
      return WalkResult::advance();
    auto cluster = dyn_cast<ClusterType>(*handle);
    op->emitError() << "cluster handle "
                    << (cluster ? cluster.getId().str() : "of all workers")
                    << " is used by " << op->getName()
                    << ", which cannot be converted";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
template <typename OpT> struct HandlePattern : OpConversionPattern<OpT> {
  HandlePattern(const TypeConverter &converter, MLIRContext *context,
                const HandleConversion &conversion)
      : OpConversionPattern<OpT>(converter, context), conversion(conversion) {}

  const HandleConversion &conversion;
};

/// Converts the initial handle of a group, before any phase.
struct ConvertHandleCast final : HandlePattern<UnrealizedConversionCastOp> {
  using HandlePattern::HandlePattern;

  LogicalResult
  matchAndRewrite(UnrealizedConversionCastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isHandleCast(op))
      return rewriter.notifyMatchFailure(op, "gives no handle");
    SmallVector<Value> values;
    if (conversion.telescopeTo && conversion.isActive(op.getType(0)))
      values.push_back(conversion.handle);
    rewriter.replaceOpWithMultiple(op, ArrayRef{ValueRange(values)});
    return success();
  }
};

/// Converts a phase; a phase of another cluster is erased.
struct PhasePattern : HandlePattern<RunThreadOp> {
  using HandlePattern::HandlePattern;

  LogicalResult
  matchAndRewrite(RunThreadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const final {
    SmallVector<Value> sources, results;
    for (ValueRange source : adaptor.getSources())
      llvm::append_range(sources, source);
    if (conversion.isActive(op.getGroupType()))
      results = runActive(op, sources, rewriter);
    if (op.getResult())
      rewriter.replaceOpWithMultiple(op, ArrayRef{ValueRange(results)});
    else
      rewriter.eraseOp(op);
    return success();
  }

  /// Emits the code of a phase of this cluster; returns the values that replace
  /// its handle.
  virtual SmallVector<Value>
  runActive(RunThreadOp op, ArrayRef<Value> sources,
            ConversionPatternRewriter &rewriter) const = 0;
};

/// Inlines a phase of this cluster, with the members' ids.
struct InlinePhase final : PhasePattern {
  using PhasePattern::PhasePattern;

  SmallVector<Value>
  runActive(RunThreadOp op, ArrayRef<Value> sources,
            ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> arguments(sources);
    llvm::append_range(arguments, conversion.idsOf(op.getGroupType()));
    ClusterYieldOp yield = op.getYield();
    SmallVector<Value> results(yield.getValues());
    rewriter.eraseOp(yield);
    // Results that are the body's own arguments are replaced by the values
    // passed for them.
    for (Value &result : results)
      if (auto argument = dyn_cast<BlockArgument>(result))
        if (argument.getOwner() == &op.getBody().front())
          result = arguments[argument.getArgNumber()];
    rewriter.inlineBlockBefore(&op.getBody().front(), op, arguments);
    return results;
  }
};

/// Converts a phase of this cluster to the finer scope: each member's part is a
/// collective of its own (5.5).
struct TelescopePhase final : PhasePattern {
  using PhasePattern::PhasePattern;

  SmallVector<Value>
  runActive(RunThreadOp op, ArrayRef<Value> sources,
            ConversionPatternRewriter &rewriter) const override {
    Type result;
    if (op.getResult())
      result = ThreadgroupType::get(conversion.telescopeTo,
                                    getPayload(op.getResult().getType()));
    auto phase = RunClusterOp::create(rewriter, op.getLoc(), result, sources,
                                      ValueRange());
    SmallVector<Value> arguments(phase.getBody().getArguments());
    llvm::append_range(arguments, conversion.idsOf(op.getGroupType()));
    Block *body = &phase.getBody().front();
    rewriter.inlineBlockBefore(&op.getBody().front(), body, body->end(),
                               arguments);
    SmallVector<Value> results;
    if (op.getResult())
      results.push_back(phase.getResult());
    return results;
  }
};

/// Converts a barrier. One with `among` is for its clusters only: a barrier
/// with a number and a count.
struct ConvertBarrier final : HandlePattern<BarrierOp> {
  using HandlePattern::HandlePattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto types = op.getClusters().getTypes();
    if (llvm::none_of(types,
                      [&](Type type) { return conversion.isActive(type); })) {
      rewriter.eraseOp(op);
      return success();
    }
    Location loc = op.getLoc();
    Value members;
    llvm::SmallDenseSet<Type> counted;
    for (Type type : types) {
      auto cluster =
          cast<ClusterType>(withPayload(type, {}, /*isPrivate=*/false));
      if (!counted.insert(cluster).second)
        continue;
      Value count = countMembers(rewriter, loc, cluster, conversion.frame,
                                 op.getRanges());
      members = members ? arith::AddIOp::create(rewriter, loc, members, count)
                        : count;
    }
    // Fences name srefs, since their memory is not known yet.
    SmallVector<Value> refs;
    llvm::SetVector<Attribute> spaces;
    for (Value ref : op.getRefs())
      if (auto memref = dyn_cast<BaseMemRefType>(ref.getType()))
        spaces.insert(memref.getMemorySpace());
      else
        refs.push_back(ref);
    if (!refs.empty())
      FenceOp::create(rewriter, loc, FenceKind::release, refs);
    auto scope = cast<ScopeAttrInterface>(op.getScope());
    assert(op.getId() && "replication gave the barrier an id");
    [[maybe_unused]] LogicalResult added = scope.addSubsetBarrier(
        rewriter, loc, *op.getId(), members, spaces.getArrayRef());
    assert(succeeded(added) && "the scope was asked before");
    if (!refs.empty())
      FenceOp::create(rewriter, loc, FenceKind::acquire, refs);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Converts arguments of the blocks of a body that branches.
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

void pcf::markLegalByTypes(ConversionTarget &target,
                           const TypeConverter &converter) {
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

/// Creates the converter from a handle to the types that replace it.
static TypeConverter makeConverter(const HandleConversion &conversion) {
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([&conversion](Type type, SmallVectorImpl<Type> &types)
                              -> std::optional<LogicalResult> {
    if (!isHandle(type) || !conversion.isConverted(type))
      return std::nullopt;
    if (!conversion.isActive(type))
      return success();
    if (conversion.telescopeTo)
      types.push_back(
          ThreadgroupType::get(conversion.telescopeTo, getPayload(type)));
    else
      llvm::append_range(types, getPayload(type));
    return success();
  });
  return converter;
}

LogicalResult HandleConversion::run(Block &block) const {
  MLIRContext *context = frame.ids.front().getContext();
  TypeConverter converter = makeConverter(*this);
  RewritePatternSet patterns(context);
  ConversionTarget target(*context);
  populateStructuralTypeConversions(converter, patterns);
  markLegalByTypes(target, converter);
  patterns.add<ConvertHandleCast, ConvertBarrier>(converter, context, *this);
  patterns.add<ConvertGenericBlocks>(converter, context);
  if (telescopeTo)
    patterns.add<TelescopePhase>(converter, context, *this);
  else
    patterns.add<InlinePhase>(converter, context, *this);
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  ConversionConfig config;
  config.allowPatternRollback = false;
  return applyPartialConversion(ops, target, std::move(patterns), config);
}
