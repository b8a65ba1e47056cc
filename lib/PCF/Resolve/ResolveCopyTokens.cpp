//===- ResolveCopyTokens.cpp - Lowering copy tokens to barriers -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy that a group starts becomes a read and a write, and the wait of a
// phase for it becomes a barrier of the group before the phase, with a fence of
// the copy's destination: the lowering makes the copy asynchronous if the
// target can, and awaits it at that barrier. A worker's own copies are in
// program order. Afterwards tokens are neither values nor payload.
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
/// Collects the possible definitions of a token, in the phase that creates it
/// or waits for it (PCF-184).
struct TokenSources {
  explicit TokenSources(Value token) { collect(token); }

  SmallVector<AsyncCopyOp> copies;
  SmallVector<BlockArgument> payload;
  /// An op that defines the token in another way; null without one.
  Operation *unknown = nullptr;

private:
  void collect(Value token);
  void collectCarried(scf::ForOp loop, unsigned number);

  llvm::SmallDenseSet<Value> visited;
};

/// Collects the refs that the copies of tokens write. For a token that is
/// selected, the copies of every choice are awaited: one that did not run is
/// complete.
class CopiedRefs {
public:
  explicit CopiedRefs(const PayloadClasses &classes) : classes(classes) {}

  /// Adds the destinations of the copies of a token that a phase takes. Returns
  /// an op that defines a token whose copies are not known; null if all are
  /// known.
  Operation *addPayload(BlockArgument token);

  ArrayRef<Value> get() const { return refs.getArrayRef(); }

private:
  const PayloadClasses &classes;
  llvm::SmallDenseSet<unsigned> visited;
  llvm::SetVector<Value> refs;
};
} // namespace

/// Collects the sources of a loop-carried token: the init, or the token of an
/// iteration.
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
  // Around a loop, tokens are selected among those of their own class.
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

/// Adds the destinations of the copies of a token that a phase waits for.
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

/// Inserts a barrier before a phase that waits.
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

/// A ref that is copied by one slice: the ref itself, or the one it is a view
/// of.
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

/// Verifies that every copy is one slice; collects the views that it goes
/// through in `views`.
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

/// Drops a selection among tokens.
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
  // Erase control flow that only selected among tokens.
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
