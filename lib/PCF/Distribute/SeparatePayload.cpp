//===- SeparatePayload.cpp - Splitting shared and private payload ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle with shared and private payload becomes two handles. A phase then
// takes the sources whose payload it uses, and payload that bypasses it stays
// in the handle that carried it; several such handles are joined by a phase of
// their kind that yields its payload unchanged.
//
//===----------------------------------------------------------------------===//
#include "SeparatePayload.h"

#include "../Resolve/HandleConversion.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Resolve/StructuralTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

namespace distaff {
#define GEN_PASS_DEF_PCFSEPARATEPAYLOAD
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether a type is a handle with payload of both kinds.
static bool isMixed(Type type) {
  return !getSharedPayload(type).empty() && !getPrivatePayload(type).empty();
}

/// Returns the range values that a phase of these sources takes.
static ValueRange leadingRanges(ArrayRef<Value> sources, ValueRange ranges) {
  unsigned count = 0;
  for (Value source : sources)
    count = std::max(count, getNumRangeOperands(source.getType()));
  return ranges.take_front(count);
}

/// Returns the handle of a group without payload, which a phase may run on.
static Value getPlainHandle(Operation *phase, Type group) {
  if (auto cluster = dyn_cast<ClusterType>(group))
    return lookupCluster(phase, cluster.getId());
  for (Operation *parent = phase->getParentOp(); parent;
       parent = parent->getParentOp())
    if (auto executor = dyn_cast<SharedExecutorOp>(parent))
      if (executor.getScope() == getHandleScope(group))
        return executor.getThreadgroup();
  return {};
}

namespace {
/// Converts a phase whose sources carry payload that it does not take.
template <typename OpT, typename OtherOpT>
struct SeparatePhase final : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;
  using typename OpConversionPattern<OpT>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(OpT op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> own, other, ranges;
    for (ValueRange source : adaptor.getSources())
      for (Value handle : source)
        (OpT::getOtherPayload(handle.getType()).empty() ? own : other)
            .push_back(handle);
    for (ValueRange range : adaptor.getRanges())
      llvm::append_range(ranges, range);
    if (own.empty())
      own.push_back(getPlainHandle(op, op.getGroupType()));
    Type type = op.getResult() ? op.getResult().getType() : Type();
    bool passesBy = type && !OpT::getOtherPayload(type).empty();
    // The phase has a result if it yields payload, or if nothing bypasses it.
    bool gives = type && (!passesBy || !OpT::getOwnPayload(type).empty());
    auto phase =
        OpT::create(rewriter, op.getLoc(),
                    gives ? ownType(type, OpT::getOwnPayload(type)) : Type(),
                    own, leadingRanges(own, ranges));
    phase->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    Block *body = &phase.getBody().front();
    rewriter.inlineBlockBefore(&op.getBody().front(), body, body->end(),
                               body->getArguments());
    if (!type) {
      rewriter.eraseOp(op);
      return success();
    }
    SmallVector<Value> results;
    if (gives)
      results.push_back(phase.getResult());
    if (passesBy)
      results.push_back(merge(op, type, other, ranges, rewriter));
    // Shared payload comes first.
    if (results.size() == 2 && std::is_same_v<OpT, RunThreadOp>)
      std::swap(results[0], results[1]);
    rewriter.replaceOpWithMultiple(op, ArrayRef{ValueRange(results)});
    return success();
  }

private:
  static constexpr bool takesPrivate = std::is_same_v<OpT, RunThreadOp>;

  static Type ownType(Type handle, ArrayRef<Type> payload) {
    return withPayload(handle, payload, takesPrivate);
  }

  /// Joins the handles that bypass the phase into one.
  static Value merge(OpT op, Type result, ArrayRef<Value> handles,
                     ValueRange ranges, ConversionPatternRewriter &rewriter) {
    if (handles.size() == 1)
      return handles.front();
    auto join = OtherOpT::create(
        rewriter, op.getLoc(),
        withPayload(result, OpT::getOtherPayload(result), !takesPrivate),
        handles, leadingRanges(handles, ranges));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(&join.getBody().front());
    ClusterYieldOp::create(rewriter, op.getLoc(),
                           llvm::to_vector_of<Value>(join.getPayloadArgs()));
    return join.getResult();
  }
};

/// Converts a barrier. Any handle of a cluster names it.
struct SeparateBarrier final : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> clusters;
    for (ValueRange handles : adaptor.getClusters())
      clusters.push_back(handles.front());
    rewriter.replaceOpWithNewOp<BarrierOp>(op, op.getScope(), clusters,
                                           op.getRanges(), op.getRefs(),
                                           op.getIdAttr());
    return success();
  }
};
} // namespace

/// Returns whether a phase takes and returns payload of its own kind alone.
template <typename OpT> static bool isSeparate(OpT op) {
  auto isOwn = [](Type type) { return OpT::getOtherPayload(type).empty(); };
  return llvm::all_of(op->getOperandTypes(), isOwn) &&
         llvm::all_of(op->getResultTypes(), isOwn);
}

static TypeConverter makePayloadConverter() {
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](Type type,
         SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        if (!isMixed(type))
          return std::nullopt;
        types.push_back(withPayload(type, getSharedPayload(type), false));
        types.push_back(withPayload(type, getPrivatePayload(type), true));
        return success();
      });
  return converter;
}

static bool needsSeparation(SharedExecutorOp executor) {
  return executor.getExecute()
      .walk([](Operation *op) {
        auto run = dyn_cast<RunClusterOp>(op);
        auto thread = dyn_cast<RunThreadOp>(op);
        bool isDone = llvm::none_of(op->getResultTypes(), isMixed) &&
                      (!run || isSeparate(run)) &&
                      (!thread || isSeparate(thread));
        return isDone ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

LogicalResult pcf::separatePayload(SharedExecutorOp executor) {
  if (!needsSeparation(executor))
    return success();
  if (failed(verifyHandleUsers(executor.getExecute(), /*allowsClusters=*/true)))
    return failure();
  MLIRContext *context = executor.getContext();
  TypeConverter converter = makePayloadConverter();
  RewritePatternSet patterns(context);
  ConversionTarget target(*context);
  populateStructuralTypeConversions(converter, patterns);
  markLegalByTypes(target, converter);
  target.addDynamicallyLegalOp<RunClusterOp>(
      [](RunClusterOp op) { return isSeparate(op); });
  target.addDynamicallyLegalOp<RunThreadOp>(
      [](RunThreadOp op) { return isSeparate(op); });
  patterns.add<SeparatePhase<RunClusterOp, RunThreadOp>,
               SeparatePhase<RunThreadOp, RunClusterOp>, SeparateBarrier>(
      converter, context);
  SmallVector<Operation *> ops;
  for (Operation &op : executor.getBody()->without_terminator())
    ops.push_back(&op);
  ConversionConfig config;
  config.allowPatternRollback = false;
  return applyPartialConversion(ops, target, std::move(patterns), config);
}

namespace {
struct SeparatePayload final
    : distaff::impl::PCFSeparatePayloadBase<SeparatePayload> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](SharedExecutorOp executor) {
      return failed(separatePayload(executor)) ? WalkResult::interrupt()
                                               : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
