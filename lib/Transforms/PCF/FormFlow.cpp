//===- FormFlow.cpp - A contraction as phases -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage form-flow of the lower road (stage 4 of chapter 8 of the pcf
// specification): a contraction over a workgroup's tile becomes three phases,
// whose payload is the accumulator: fill it, add one step of the reduction, and
// write it. The accumulator has the tile's full size, so that payloads are
// static; what is read beyond the edge is zero, which adds nothing. What is
// done to operands on the way is done before they are padded, for exp(0) is not
// zero.
//
//===----------------------------------------------------------------------===//
#include "distaff/Transforms/PCF/Passes.h"

#include "MatmulFlow.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace distaff {
#define GEN_PASS_DEF_FORMFLOW
#include "distaff/Transforms/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

using Sizes = SmallVector<OpFoldResult>;

namespace {
class FlowEmitter {
public:
  FlowEmitter(SharedExecutorOp executor, MatmulFlow flow, IRRewriter &rewriter)
      : executor(executor), flow(std::move(flow)), rewriter(rewriter),
        loc(this->flow.contraction.getLoc()) {}

  void emit();

private:
  RunClusterOp makePhase(Value source, bool yields);
  Value emitSteps(Value handle);
  void emitStep(RunClusterOp phase, ArrayRef<Value> positions);
  Value emitOperand(const FlowOperand &operand, ArrayRef<OpFoldResult> sizes,
                    ArrayRef<OpFoldResult> positions);
  Value pad(Value value, ArrayRef<unsigned> dims, ArrayRef<OpFoldResult> sizes);
  void emitInitial(RunClusterOp phase);
  void emitEpilogue(RunClusterOp phase);
  OpFoldResult subtract(OpFoldResult from, OpFoldResult what);
  SmallVector<unsigned> getResultLoops();
  Sizes pick(ArrayRef<OpFoldResult> sizes, ArrayRef<unsigned> dims) {
    return llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; });
  }

  SharedExecutorOp executor;
  MatmulFlow flow;
  IRRewriter &rewriter;
  Location loc;
  RankedTensorType accumulator;
};
} // namespace

SmallVector<unsigned> FlowEmitter::getResultLoops() {
  AffineMap map = flow.contraction.getIndexingMapMatchingResult(
      cast<OpResult>(flow.contraction->getResult(0)));
  return llvm::map_to_vector(map.getResults(), [](AffineExpr dim) {
    return cast<AffineDimExpr>(dim).getPosition();
  });
}

OpFoldResult FlowEmitter::subtract(OpFoldResult from, OpFoldResult what) {
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  return affine::makeComposedFoldedAffineApply(rewriter, loc, s0 - s1,
                                               {from, what});
}

RunClusterOp FlowEmitter::makePhase(Value source, bool yields) {
  Type scope = executor.getThreadgroup().getType();
  Type result = yields ? withPayload(scope, {accumulator}, false) : Type();
  auto phase = RunClusterOp::create(rewriter, loc, result, source, {});
  rewriter.setInsertionPointToStart(&phase.getBody().front());
  return phase;
}

void FlowEmitter::emitInitial(RunClusterOp phase) {
  if (!flow.initial) {
    Sizes sizes = llvm::map_to_vector(
        flow.loops, [](const FlowLoop &loop) { return loop.size; });
    Sizes starts(sizes.size(), rewriter.getIndexAttr(0));
    Value first = emitOperand(flow.start, sizes, starts);
    ClusterYieldOp::create(rewriter, loc, pad(first, getResultLoops(), sizes));
    return;
  }
  Value empty = tensor::EmptyOp::create(rewriter, loc, accumulator.getShape(),
                                        accumulator.getElementType());
  Value filled =
      linalg::FillOp::create(rewriter, loc, flow.initial, empty).getResult(0);
  ClusterYieldOp::create(rewriter, loc, filled);
}

/// A value as large as the tile; zeros follow it.
Value FlowEmitter::pad(Value value, ArrayRef<unsigned> dims,
                       ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape = llvm::map_to_vector(
      dims, [&](unsigned dim) { return flow.loops[dim].tile; });
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == ArrayRef(shape))
    return value;
  Sizes low(dims.size(), rewriter.getIndexAttr(0)), high;
  for (auto [tile, dim] : llvm::zip_equal(shape, dims))
    high.push_back(subtract(rewriter.getIndexAttr(tile), sizes[dim]));
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(rewriter, loc, type.clone(shape), value, low,
                               high, zero);
}

/// What is given per dimension of an op's result, per loop of the op.
static Sizes inOrderOfLoops(linalg::LinalgOp op,
                            ArrayRef<OpFoldResult> values) {
  AffineMap map =
      op.getIndexingMapMatchingResult(cast<OpResult>(op->getResult(0)));
  Sizes ordered(values.size());
  for (auto [dim, value] : llvm::zip_equal(map.getResults(), values))
    ordered[cast<AffineDimExpr>(dim).getPosition()] = value;
  return ordered;
}

/// An operand's chain on one step of the reduction.
Value FlowEmitter::emitOperand(const FlowOperand &operand,
                               ArrayRef<OpFoldResult> sizes,
                               ArrayRef<OpFoldResult> positions) {
  AffineExpr s0, s1, s2;
  bindSymbols(rewriter.getContext(), s0, s1, s2);
  IRMapping mapping;
  Value last;
  for (Operation *op : operand.chain) {
    ArrayRef<unsigned> dims = operand.dims.find(op)->second;
    Sizes boxSizes = pick(sizes, dims);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto boxType = RankedTensorType::get(decomposeMixedValues(boxSizes).first,
                                         type.getElementType());
    if (auto read = dyn_cast<ReadSliceOp>(op)) {
      Sizes offsets;
      for (auto [offset, stride, position] :
           llvm::zip_equal(read.getMixedOffsets(), read.getMixedStrides(),
                           pick(positions, dims)))
        offsets.push_back(affine::makeComposedFoldedAffineApply(
            rewriter, loc, s0 + s1 * s2, {offset, position, stride}));
      last = ReadSliceOp::create(rewriter, loc, boxType, read.getSource(),
                                 offsets, boxSizes, read.getMixedStrides());
    } else {
      auto linalgOp = cast<linalg::LinalgOp>(op);
      // What is written to may be what is read, too; its old value is not.
      SmallVector<Value> operands;
      for (OpOperand &used : op->getOpOperands())
        if (linalgOp.isDpsInit(&used) && !isReadTensor(used))
          operands.push_back(tensor::EmptyOp::create(rewriter, loc, boxSizes,
                                                     type.getElementType()));
        else
          operands.push_back(mapping.lookupOrDefault(used.get()));
      Operation *copy = mlir::clone(rewriter, op, boxType, operands);
      if (linalgOp.hasIndexSemantics())
        linalg::offsetIndices(rewriter, cast<linalg::LinalgOp>(copy),
                              inOrderOfLoops(linalgOp, pick(positions, dims)));
      last = copy->getResult(0);
    }
    mapping.map(op->getResult(0), last);
  }
  return last;
}

void FlowEmitter::emitStep(RunClusterOp phase, ArrayRef<Value> positions) {
  MLIRContext *context = rewriter.getContext();
  AffineExpr s0, s1;
  bindSymbols(context, s0, s1);
  Sizes sizes, starts;
  size_t next = 0;
  for (const FlowLoop &loop : flow.loops) {
    sizes.push_back(loop.size);
    starts.push_back(rewriter.getIndexAttr(0));
    if (!loop.isReduction)
      continue;
    // What is left of the reduction, and never less than nothing.
    Value position = positions[next++];
    OpFoldResult left = affine::makeComposedFoldedAffineMax(
        rewriter, loc,
        AffineMap::get(0, 2, {s0 - s1, getAffineConstantExpr(0, context)},
                       context),
        {loop.size, position});
    sizes.back() = affine::makeComposedFoldedAffineMin(
        rewriter, loc,
        AffineMap::get(0, 1, {s0, getAffineConstantExpr(loop.tile, context)},
                       context),
        {left});
    starts.back() = position;
  }
  SmallVector<Value> operands;
  for (auto [operand, input] :
       llvm::zip_equal(flow.inputs, flow.contraction.getDpsInputOperands())) {
    AffineMap map = flow.contraction.getMatchingIndexingMap(input);
    SmallVector<unsigned> dims =
        llvm::map_to_vector(map.getResults(), [](AffineExpr dim) {
          return cast<AffineDimExpr>(dim).getPosition();
        });
    operands.push_back(pad(emitOperand(operand, sizes, starts), dims, sizes));
  }
  operands.push_back(phase.getBody().getArgument(0));
  Operation *product = mlir::clone(rewriter, flow.contraction.getOperation(),
                                   accumulator, operands);
  ClusterYieldOp::create(rewriter, loc, product->getResult(0));
}

/// One loop per reduction, around the phase that takes a step.
Value FlowEmitter::emitSteps(Value handle) {
  SmallVector<Value> positions;
  SmallVector<scf::ForOp> nest;
  for (const FlowLoop &loop : flow.loops) {
    if (!loop.isReduction)
      continue;
    Value from = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value to = getValueOrCreateConstantIndexOp(rewriter, loc, loop.size);
    Value step = arith::ConstantIndexOp::create(rewriter, loc, loop.tile);
    auto steps = scf::ForOp::create(rewriter, loc, from, to, step, handle);
    handle = steps.getRegionIterArg(0);
    positions.push_back(steps.getInductionVar());
    nest.push_back(steps);
    rewriter.setInsertionPointToStart(steps.getBody());
  }
  RunClusterOp phase = makePhase(handle, /*yields=*/true);
  emitStep(phase, positions);
  Value result = phase.getResult();
  for (scf::ForOp steps : llvm::reverse(nest)) {
    rewriter.setInsertionPointToEnd(steps.getBody());
    scf::YieldOp::create(rewriter, loc, result);
    result = steps.getResult(0);
  }
  if (!nest.empty())
    rewriter.setInsertionPointAfter(nest.front());
  return result;
}

void FlowEmitter::emitEpilogue(RunClusterOp phase) {
  Sizes all = llvm::map_to_vector(
      flow.loops, [](const FlowLoop &loop) { return loop.size; });
  Sizes sizes = pick(all, getResultLoops());
  Value whole = phase.getBody().getArgument(0);
  if (decomposeMixedValues(sizes).first != accumulator.getShape()) {
    Sizes zeros(sizes.size(), rewriter.getIndexAttr(0));
    Sizes ones(sizes.size(), rewriter.getIndexAttr(1));
    whole = tensor::ExtractSliceOp::create(rewriter, loc, whole, zeros, sizes,
                                           ones);
  }
  rewriter.replaceAllUsesWith(flow.contraction->getResult(0), whole);
  Operation *end = ClusterYieldOp::create(rewriter, loc);
  for (Operation *op : flow.epilogue)
    rewriter.moveOpBefore(op, end);
}

void FlowEmitter::emit() {
  SmallVector<int64_t> shape = llvm::map_to_vector(
      getResultLoops(), [&](unsigned dim) { return flow.loops[dim].tile; });
  accumulator = RankedTensorType::get(
      shape, getElementTypeOrSelf(flow.contraction->getResult(0).getType()));
  Operation *end = executor.getBody()->getTerminator();
  rewriter.setInsertionPoint(end);
  RunClusterOp initial = makePhase(executor.getThreadgroup(), true);
  emitInitial(initial);
  rewriter.setInsertionPoint(end);
  Value sum = emitSteps(initial.getResult());
  rewriter.setInsertionPoint(end);
  emitEpilogue(makePhase(sum, /*yields=*/false));
  // What only the contraction needed is dead, the last op first.
  SmallVector<Operation *> rest;
  for (Operation &op : executor.getBody()->without_terminator())
    rest.push_back(&op);
  for (Operation *op : llvm::reverse(rest))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

namespace {
struct FormFlow final : distaff::impl::FormFlowBase<FormFlow> {
  void runOnOperation() override {
    SmallVector<SharedExecutorOp> executors;
    getOperation()->walk([&](SharedExecutorOp executor) {
      bool hasPhases = !executor.getBody()->getOps<RunClusterOp>().empty() ||
                       !executor.getBody()->getOps<TileGroupOp>().empty();
      if (isa<compat::SubgroupScopeAttr>(executor.getScope()) && !hasPhases)
        executors.push_back(executor);
    });
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : executors) {
      FailureOr<MatmulFlow> flow = planMatmulFlow(executor);
      if (failed(flow))
        return signalPassFailure();
      FlowEmitter(executor, std::move(*flow), rewriter).emit();
    }
  }
};
} // namespace
