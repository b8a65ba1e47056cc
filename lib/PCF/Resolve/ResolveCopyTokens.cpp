//===- ResolveCopyTokens.cpp - From copies with tokens to barriers --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy that a group starts becomes a read and a write, and the wait of a
// phase for it a barrier of the group in front of the phase, with a fence of
// what was copied to: what the lowering makes asynchronous where the target
// can, and awaits at that barrier. Of a worker's own copies the order is that
// of its program. Tokens are no values any more, and no payload.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Form/Panels.h"
#include "HandleConversion.h"
#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/PCF/Resolve/StructuralTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace distaff {
#define GEN_PASS_DEF_PCFRESOLVECOPYTOKENS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Waits of a group
//===----------------------------------------------------------------------===//

namespace {
/// What a token may be, in the phase that makes it or waits for it (PCF-184).
struct TokenSources {
  explicit TokenSources(Value token) { collect(token); }

  SmallVector<AsyncCopyOp> copies;
  SmallVector<BlockArgument> payload;
  /// What makes a token in another way; null if nothing does.
  Operation *unknown = nullptr;

private:
  void collect(Value token);
  void collectCarried(scf::ForOp loop, unsigned number);

  llvm::SmallDenseSet<Value> visited;
};

/// The refs that the copies behind tokens copy to. Of a token that is chosen,
/// the copies of every choice are waited for: one that did not run is complete.
class CopiedRefs {
public:
  explicit CopiedRefs(const PayloadClasses &classes) : classes(classes) {}

  /// Adds what is copied to for a token that a phase takes. Returns the op that
  /// makes a token of which this is not known; null if all is known.
  Operation *addPayload(BlockArgument token);

  ArrayRef<Value> get() const { return refs.getArrayRef(); }

private:
  const PayloadClasses &classes;
  llvm::SmallDenseSet<unsigned> visited;
  llvm::SetVector<Value> refs;
};
} // namespace

/// A token that a loop carries is that before the loop, or that of a step.
void TokenSources::collectCarried(scf::ForOp loop, unsigned number) {
  collect(loop.getInitArgs()[number]);
  collect(loop.getYieldedValues()[number]);
}

void TokenSources::collect(Value token) {
  if (!visited.insert(token).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(token)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<RunClusterOp>(parent))
      payload.push_back(argument);
    else if (auto loop = dyn_cast<scf::ForOp>(parent))
      collectCarried(loop, argument.getArgNumber() - 1);
    else
      unknown = parent;
    return;
  }
  Operation *op = token.getDefiningOp();
  unsigned number = cast<OpResult>(token).getResultNumber();
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    copies.push_back(copy);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    collect(select.getTrueValue());
    collect(select.getFalseValue());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    collectCarried(loop, number);
  } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    for (Region &region : op->getRegions())
      collect(region.front().getTerminator()->getOperand(number));
  } else {
    unknown = op;
  }
}

Operation *CopiedRefs::addPayload(BlockArgument token) {
  unsigned cls = classes.of(token);
  // Around a loop, tokens are chosen among those of their own class.
  if (!visited.insert(cls).second)
    return nullptr;
  for (OpOperand *yield : classes.yields(cls)) {
    TokenSources sources(yield->get());
    if (sources.unknown)
      return sources.unknown;
    for (AsyncCopyOp copy : sources.copies)
      refs.insert(getViewedRef(copy.getDest()));
    for (BlockArgument argument : sources.payload)
      if (Operation *unknown = addPayload(argument))
        return unknown;
  }
  return nullptr;
}

/// Adds what is copied to for a token that a phase waits for.
static LogicalResult addAwaited(WaitOp wait, Value token, CopiedRefs &copied) {
  TokenSources sources(token);
  Operation *unknown = sources.unknown;
  for (BlockArgument argument : sources.payload)
    if (!unknown)
      unknown = copied.addPayload(argument);
  if (unknown) {
    InFlightDiagnostic error = wait.emitOpError(
        "waits for a token of which the copies are not known; tokens are "
        "followed through 'arith.select', 'scf.if', 'scf.index_switch' and "
        "'scf.for'");
    error.attachNote(unknown->getLoc())
        << "this '" << unknown->getName() << "' makes it";
    return error;
  }
  if (sources.copies.empty())
    return success();
  InFlightDiagnostic error = wait.emitOpError(
      "is of a phase, which can wait for copies of its payload only; yield the "
      "token, and wait in a later phase");
  error.attachNote(sources.copies.front().getLoc())
      << "the phase starts this copy";
  return error;
}

/// Puts a barrier in front of a phase that waits; nothing where it does not.
static LogicalResult waitBefore(RunClusterOp phase,
                                const PayloadClasses &classes) {
  CopiedRefs copied(classes);
  bool waits = false;
  WalkResult result = phase.getBody().walk([&](WaitOp wait) {
    waits = true;
    for (Value token : wait.getTokens())
      if (failed(addAwaited(wait, token, copied)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (!waits || result.wasInterrupted())
    return failure(result.wasInterrupted());
  OpBuilder builder(phase);
  SmallVector<Value> clusters;
  if (isa<ClusterType>(phase.getGroupType()))
    clusters.push_back(phase.getSources().front());
  BarrierOp::create(builder, phase.getLoc(), phase.getScope(), clusters,
                    clusters.empty() ? ValueRange() : phase.getRanges(),
                    copied.get());
  return success();
}

static LogicalResult placeBarriers(SharedExecutorOp executor) {
  bool waits = executor.getExecute()
                   .walk([](WaitOp) { return WalkResult::interrupt(); })
                   .wasInterrupted();
  if (!waits)
    return success();
  FailureOr<PayloadClasses> classes = PayloadClasses::compute(executor);
  if (failed(classes))
    return failure();
  SmallVector<RunClusterOp> phases;
  executor.getExecute().walk([&](RunClusterOp phase) {
    if (phase->getParentOfType<SharedExecutorOp>() == executor)
      phases.push_back(phase);
  });
  for (RunClusterOp phase : phases)
    if (failed(waitBefore(phase, *classes)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Copies, and values without tokens
//===----------------------------------------------------------------------===//

static bool isToken(Type type) { return isa<CopyTokenType>(type); }

static SmallVector<Type> withoutTokens(ArrayRef<Type> types) {
  return llvm::filter_to_vector(types,
                                [](Type type) { return !isToken(type); });
}

/// A ref to copy by one slice: itself, or what it is a view of.
namespace {
struct CopiedSlice {
  Value ref;
  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

static FailureOr<CopiedSlice> findSlice(Value ref) {
  if (auto view = ref.getDefiningOp<SubviewOp>();
      view && view.getDroppedDims().none())
    return CopiedSlice{view.getSource(), view.getMixedOffsets(),
                       view.getMixedSizes(), view.getMixedStrides()};
  if (!cast<SRefType>(ref.getType()).hasStaticShape())
    return failure();
  WholeSlice whole(ref);
  return CopiedSlice{ref, whole.offsets, whole.sizes, whole.strides};
}

/// Every copy must be one slice; the views that it goes through are `views`.
static LogicalResult verifySlices(Operation *root,
                                  SmallVectorImpl<SubviewOp> &views) {
  WalkResult result = root->walk([&](AsyncCopyOp copy) {
    for (Value ref : copy->getOperands()) {
      if (failed(findSlice(ref))) {
        copy.emitOpError() << "copies a ref of dynamic shape; copy a slice of "
                              "it through 'pcf.subview'";
        return WalkResult::interrupt();
      }
      if (auto view = ref.getDefiningOp<SubviewOp>();
          view && !llvm::is_contained(views, view))
        views.push_back(view);
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct CopyByValue final : OpConversionPattern<AsyncCopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AsyncCopyOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<CopiedSlice> from = findSlice(op.getSource()),
                           to = findSlice(op.getDest());
    assert(succeeded(from) && succeeded(to) && "this was verified");
    SmallVector<int64_t> shape;
    for (OpFoldResult size : from->sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto type = RankedTensorType::get(
        shape, cast<SRefType>(op.getSource().getType()).getElementType());
    Value value =
        ReadSliceOp::create(rewriter, op.getLoc(), type, from->ref,
                            from->offsets, from->sizes, from->strides);
    WriteSliceOp::create(rewriter, op.getLoc(), value, to->ref, to->offsets,
                         to->sizes, to->strides);
    rewriter.replaceOpWithMultiple(op, ArrayRef{ValueRange()});
    return success();
  }
};

/// A choice among tokens.
struct DropSelect final : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isToken(op.getType()))
      return failure();
    rewriter.replaceOpWithMultiple(op, ArrayRef{ValueRange()});
    return success();
  }
};

struct DropWait final : OpConversionPattern<WaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

struct DropYieldedTokens final : OpConversionPattern<ClusterYieldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ClusterYieldOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    for (ValueRange value : adaptor.getValues())
      llvm::append_range(values, value);
    rewriter.replaceOpWithNewOp<ClusterYieldOp>(op, TypeRange(), values);
    return success();
  }
};

template <typename OpT>
struct DropPhaseTokens final : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;
  using typename OpConversionPattern<OpT>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(OpT op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> sources;
    for (ValueRange source : adaptor.getSources())
      sources.push_back(source.front());
    Type result;
    if (op.getResult())
      result = this->getTypeConverter()->convertType(op.getResult().getType());
    auto phase =
        OpT::create(rewriter, op.getLoc(), result, sources, op.getRanges());
    phase->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.eraseBlock(&phase.getBody().front());
    rewriter.inlineRegionBefore(op.getBody(), phase.getBody(),
                                phase.getBody().end());
    if (failed(rewriter.convertRegionTypes(&phase.getBody(),
                                           *this->getTypeConverter())))
      return failure();
    rewriter.replaceOp(op, phase);
    return success();
  }
};

struct RenameBarrier final : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> clusters;
    for (ValueRange handle : adaptor.getClusters())
      clusters.push_back(handle.front());
    rewriter.replaceOpWithNewOp<BarrierOp>(op, op.getScope(), clusters,
                                           op.getRanges(), op.getRefs(),
                                           op.getIdAttr());
    return success();
  }
};
} // namespace

static TypeConverter makeTokenConverter() {
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](CopyTokenType, SmallVectorImpl<Type> &) { return success(); });
  converter.addConversion([](Type type) -> std::optional<Type> {
    if (!isHandle(type))
      return std::nullopt;
    return withPayloads(type, withoutTokens(getSharedPayload(type)),
                        withoutTokens(getPrivatePayload(type)));
  });
  return converter;
}

static LogicalResult dropTokens(Operation *root) {
  SmallVector<SubviewOp> views;
  if (failed(verifySlices(root, views)))
    return failure();
  MLIRContext *context = root->getContext();
  TypeConverter converter = makeTokenConverter();
  RewritePatternSet patterns(context);
  ConversionTarget target(*context);
  populateStructuralTypeConversions(converter, patterns);
  markLegalByTypes(target, converter);
  target.addIllegalOp<AsyncCopyOp, WaitOp>();
  target.addDynamicallyLegalOp<arith::SelectOp>(
      [](arith::SelectOp op) { return !isToken(op.getType()); });
  patterns.add<CopyByValue, DropSelect, DropWait, DropYieldedTokens,
               DropPhaseTokens<RunClusterOp>, DropPhaseTokens<RunThreadOp>,
               RenameBarrier>(converter, context);
  ConversionConfig config;
  config.allowPatternRollback = false;
  if (failed(applyPartialConversion(root, target, std::move(patterns), config)))
    return failure();
  for (SubviewOp view : views)
    if (view->use_empty())
      view->erase();
  // What chose among tokens and did nothing else.
  root->walk([](Operation *op) {
    if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ForOp>(op) &&
        isOpTriviallyDead(op))
      op->erase();
  });
  return success();
}

namespace {
struct ResolveCopyTokens final
    : distaff::impl::PCFResolveCopyTokensBase<ResolveCopyTokens> {
  void runOnOperation() override {
    bool hasTokens = false;
    WalkResult result = getOperation()->walk([&](Operation *op) {
      hasTokens |= isa<AsyncCopyOp, WaitOp>(op);
      auto executor = dyn_cast<SharedExecutorOp>(op);
      return executor && failed(placeBarriers(executor))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted() ||
        (hasTokens && failed(dropTokens(getOperation()))))
      signalPassFailure();
  }
};
} // namespace
