//===- FormMatmulPhases.cpp - Forming phases of a contraction -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage form-matmul-phases of the run-cluster pipeline (stage 4 of chapter 8 of
// the pcf specification) converts a contraction over a workgroup's tile to
// three phases, whose payload is the accumulator: fill it, add one step of the
// reduction, and write it. The accumulator and all intermediate values have the
// tile's full size, so that payloads are static: elements read past the edge
// are zero. Past the end of the reduction operands are zero, which adds
// nothing, also after ops that do not map 0 to 0, such as exp; past the other
// edges they are unspecified, for that part of the result is not written.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "MatmulPhases.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace distaff {
#define GEN_PASS_DEF_FORMMATMULPHASES
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

using Sizes = SmallVector<OpFoldResult>;

namespace {
/// Maps values to what has been emitted for them so far, by the loops of their
/// dimensions.
class Made {
public:
  Value lookup(Value value, ArrayRef<unsigned> dims) const {
    for (const auto &[along, made] : tiles.lookup(value))
      if (ArrayRef(along) == dims)
        return made;
    return {};
  }
  void add(Value value, ArrayRef<unsigned> dims, Value made) {
    tiles[value].push_back({llvm::to_vector(dims), made});
  }

private:
  DenseMap<Value, SmallVector<std::pair<SmallVector<unsigned>, Value>>> tiles;
};

class FlowEmitter {
public:
  FlowEmitter(SharedExecutorOp executor, MatmulPhases flow,
              IRRewriter &rewriter)
      : executor(executor), flow(std::move(flow)), rewriter(rewriter),
        loc(this->flow.contraction.getLoc()) {}

  void emit();

private:
  RunClusterOp makePhase(Value source, bool yields);
  Value emitSteps(Value handle);
  void emitStep(RunClusterOp phase, ArrayRef<Value> positions);
  Value emitChain(const FlowOperand &operand, ArrayRef<OpFoldResult> sizes,
                  ArrayRef<OpFoldResult> positions, Made &made);
  Value emitElementwise(linalg::LinalgOp op, ArrayRef<unsigned> dims,
                        ArrayRef<OpFoldResult> positions, const Made &made);
  OpFoldResult sizeOfStep(const FlowLoop &loop, Value position);
  Value pad(Value value, ArrayRef<unsigned> dims, ArrayRef<OpFoldResult> sizes);
  SmallVector<unsigned> cutLoops(ArrayRef<OpFoldResult> sizes);
  Value mask(Value value, ArrayRef<unsigned> dims, ArrayRef<unsigned> cut,
             ArrayRef<OpFoldResult> sizes);
  Value cut(Value value, ArrayRef<OpFoldResult> sizes);
  void emitInitial(RunClusterOp phase);
  void emitOutputs(RunClusterOp phase);
  void emitEpilogue(RunClusterOp phase);
  OpFoldResult subtract(OpFoldResult from, OpFoldResult what);
  SmallVector<unsigned> getResultLoops();
  Sizes allSizes() {
    return llvm::map_to_vector(flow.loops,
                               [](const FlowLoop &loop) { return loop.size; });
  }
  SmallVector<int64_t> tileOf(ArrayRef<unsigned> dims) {
    return llvm::map_to_vector(
        dims, [&](unsigned dim) { return flow.loops[dim].tile; });
  }
  Sizes pick(ArrayRef<OpFoldResult> sizes, ArrayRef<unsigned> dims) {
    return llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; });
  }

  SharedExecutorOp executor;
  MatmulPhases flow;
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
  Value first;
  if (flow.initial) {
    Value empty = tensor::EmptyOp::create(rewriter, loc, accumulator.getShape(),
                                          accumulator.getElementType());
    first =
        linalg::FillOp::create(rewriter, loc, flow.initial, empty).getResult(0);
  } else {
    Sizes sizes = allSizes();
    Sizes starts(sizes.size(), rewriter.getIndexAttr(0));
    Made made;
    first = emitChain(flow.start, sizes, starts, made);
  }
  ClusterYieldOp::create(rewriter, loc, first);
}

/// Pads a value with zeros to the size of the tile.
Value FlowEmitter::pad(Value value, ArrayRef<unsigned> dims,
                       ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape = tileOf(dims);
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

/// Returns the loop of the contraction for each loop of an op whose result has
/// the loops `dims`.
static SmallVector<unsigned> loopsOf(linalg::LinalgOp op,
                                     ArrayRef<unsigned> dims) {
  AffineMap map =
      op.getIndexingMapMatchingResult(cast<OpResult>(op->getResult(0)));
  SmallVector<unsigned> loops(op.getNumLoops());
  for (auto [expr, dim] : llvm::zip_equal(map.getResults(), dims))
    loops[cast<AffineDimExpr>(expr).getPosition()] = dim;
  return loops;
}

/// Emits the computation of a value, on one step of the reduction, on whole
/// tiles. Reuses values that are in `made`.
Value FlowEmitter::emitChain(const FlowOperand &operand,
                             ArrayRef<OpFoldResult> sizes,
                             ArrayRef<OpFoldResult> positions, Made &made) {
  AffineExpr s0, s1, s2;
  bindSymbols(rewriter.getContext(), s0, s1, s2);
  Value last;
  for (const auto &[op, dims] : operand.chain) {
    Value old = op->getResult(0);
    last = made.lookup(old, dims);
    if (last)
      continue;
    if (auto read = dyn_cast<ReadSliceOp>(op)) {
      Sizes boxSizes = pick(sizes, dims), offsets;
      for (auto [offset, stride, position] :
           llvm::zip_equal(read.getMixedOffsets(), read.getMixedStrides(),
                           pick(positions, dims)))
        offsets.push_back(affine::makeComposedFoldedAffineApply(
            rewriter, loc, s0 + s1 * s2, {offset, position, stride}));
      auto boxType = RankedTensorType::get(decomposeMixedValues(boxSizes).first,
                                           getElementTypeOrSelf(old.getType()));
      Value slice =
          ReadSliceOp::create(rewriter, loc, boxType, read.getSource(), offsets,
                              boxSizes, read.getMixedStrides());
      last = pad(slice, dims, sizes);
    } else {
      last = emitElementwise(cast<linalg::LinalgOp>(op), dims, positions, made);
    }
    made.add(old, dims, last);
  }
  return last;
}

/// Emits an elementwise op on whole tiles.
Value FlowEmitter::emitElementwise(linalg::LinalgOp op, ArrayRef<unsigned> dims,
                                   ArrayRef<OpFoldResult> positions,
                                   const Made &made) {
  auto type = RankedTensorType::get(
      tileOf(dims), getElementTypeOrSelf(op->getResult(0).getType()));
  SmallVector<unsigned> loops = loopsOf(op, dims);
  // An init that the op reads is an operand, too; otherwise it is dead.
  SmallVector<Value> operands;
  for (OpOperand &used : op->getOpOperands())
    if (isReadTensor(used))
      operands.push_back(made.lookup(
          used.get(),
          llvm::map_to_vector(
              op.getMatchingIndexingMap(&used).getResults(),
              [&](AffineExpr dim) {
                return loops[cast<AffineDimExpr>(dim).getPosition()];
              })));
    else if (op.isDpsInit(&used))
      operands.push_back(tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                                 type.getElementType()));
    else
      operands.push_back(used.get());
  Operation *copy = mlir::clone(rewriter, op.getOperation(), type, operands);
  Value result = copy->getResult(0);
  if (op.hasIndexSemantics()) {
    OpBuilder::InsertionGuard guard(rewriter);
    linalg::offsetIndices(rewriter, cast<linalg::LinalgOp>(copy),
                          pick(positions, loops));
  }
  return result;
}

/// Returns whether an elementwise op maps zeros to 0, whatever its other
/// operands.
static bool keepsZero(linalg::LinalgOp op) {
  // A scalar operand is treated like a constant.
  if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
    return false;
  Block *body = op.getBlock();
  return llvm::all_of(*body, [&](Operation &inner) {
    bool isOfBody = llvm::all_of(inner.getOperands(), [&](Value value) {
      return value.getParentBlock() == body;
    });
    return isOfBody &&
           (distaff::keepsZero(&inner) ||
            isa<linalg::YieldOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
                arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner));
  });
}

/// Returns the reductions of which a step may have less than a tile.
SmallVector<unsigned> FlowEmitter::cutLoops(ArrayRef<OpFoldResult> sizes) {
  SmallVector<unsigned> cut;
  for (auto [i, loop] : llvm::enumerate(flow.loops))
    if (loop.isReduction && getConstantIntValue(sizes[i]) != loop.tile)
      cut.push_back(i);
  return cut;
}

/// Returns whether an operand is 0 past the ends of `cut`: it is computed from
/// zeros there, by ops that keep them. A slice that is read along other loops
/// is not padded there.
static bool endsInZeros(const FlowOperand &operand, ArrayRef<unsigned> cut) {
  return llvm::all_of(operand.chain, [&](const FlowStep &step) {
    if (auto elementwise = dyn_cast<linalg::LinalgOp>(step.op))
      return keepsZero(elementwise);
    return llvm::all_of(cut, [&](unsigned loop) {
      return llvm::is_contained(step.dims, loop);
    });
  });
}

/// Replaces elements past the end of the reduced dimensions by zero.
Value FlowEmitter::mask(Value value, ArrayRef<unsigned> dims,
                        ArrayRef<unsigned> cut, ArrayRef<OpFoldResult> sizes) {
  SmallVector<std::pair<unsigned, Value>> ends;
  for (auto [dim, loop] : llvm::enumerate(dims))
    if (llvm::is_contained(cut, loop))
      ends.push_back(
          {dim, getValueOrCreateConstantIndexOp(rewriter, loc, sizes[loop])});
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  AffineMap all = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location loc, ValueRange elements) {
    Value zero = arith::ConstantOp::create(
        inner, loc, inner.getZeroAttr(type.getElementType()));
    Value result = elements.front();
    for (auto [dim, end] : ends) {
      Value at = linalg::IndexOp::create(inner, loc, dim);
      Value isInside =
          arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::slt, at, end);
      result = arith::SelectOp::create(inner, loc, isInside, result, zero);
    }
    linalg::YieldOp::create(inner, loc, result);
  };
  return linalg::GenericOp::create(rewriter, loc, type, value, empty,
                                   ArrayRef{all, all}, iterators, body)
      .getResult(0);
}

/// Returns the remaining size of a reduction at a step of it, at most one tile.
OpFoldResult FlowEmitter::sizeOfStep(const FlowLoop &loop, Value position) {
  MLIRContext *context = rewriter.getContext();
  // The reduction is one step, or a number of whole steps.
  if (std::optional<int64_t> size = getConstantIntValue(loop.size)) {
    if (*size <= loop.tile)
      return loop.size;
    if (*size % loop.tile == 0)
      return rewriter.getIndexAttr(loop.tile);
  }
  AffineExpr s0, s1;
  bindSymbols(context, s0, s1);
  OpFoldResult left = affine::makeComposedFoldedAffineMax(
      rewriter, loc,
      AffineMap::get(0, 2, {s0 - s1, getAffineConstantExpr(0, context)},
                     context),
      {loop.size, position});
  return affine::makeComposedFoldedAffineMin(
      rewriter, loc,
      AffineMap::get(0, 1, {s0, getAffineConstantExpr(loop.tile, context)},
                     context),
      {left});
}

void FlowEmitter::emitStep(RunClusterOp phase, ArrayRef<Value> positions) {
  Sizes sizes, starts;
  size_t next = 0;
  for (const FlowLoop &loop : flow.loops) {
    sizes.push_back(loop.size);
    starts.push_back(rewriter.getIndexAttr(0));
    if (!loop.isReduction)
      continue;
    Value position = positions[next++];
    sizes.back() = sizeOfStep(loop, position);
    starts.back() = position;
  }
  SmallVector<unsigned> cut = cutLoops(sizes);
  SmallVector<Value> operands;
  for (const FlowOperand &operand : flow.inputs) {
    Made made;
    Value value = emitChain(operand, sizes, starts, made);
    if (!cut.empty() && !endsInZeros(operand, cut))
      value = mask(value, operand.chain.back().dims, cut, sizes);
    operands.push_back(value);
  }
  operands.push_back(phase.getBody().getArgument(0));
  Operation *product = mlir::clone(rewriter, flow.contraction.getOperation(),
                                   accumulator, operands);
  ClusterYieldOp::create(rewriter, loc, product->getResult(0));
}

/// Emits one loop per reduction, around the phase of one step.
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

/// Returns the first `sizes` elements of a value.
Value FlowEmitter::cut(Value value, ArrayRef<OpFoldResult> sizes) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  if (decomposeMixedValues(Sizes(sizes)).first == shape)
    return value;
  Sizes zeros(sizes.size(), rewriter.getIndexAttr(0));
  Sizes ones(sizes.size(), rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, loc, value, zeros, sizes,
                                        ones);
}

/// Emits the outputs, computed on whole tiles and clipped.
void FlowEmitter::emitOutputs(RunClusterOp phase) {
  Sizes sizes = allSizes();
  Sizes starts(sizes.size(), rewriter.getIndexAttr(0));
  Value whole = phase.getBody().getArgument(0);
  Made made;
  made.add(flow.contraction->getResult(0), getResultLoops(), whole);
  for (const FlowOutput &output : flow.outputs) {
    WriteSliceOp write = output.write;
    Value value = output.made.chain.empty()
                      ? whole
                      : emitChain(output.made, sizes, starts, made);
    WriteSliceOp::create(rewriter, loc, cut(value, write.getMixedSizes()),
                         write.getDest(), write.getMixedOffsets(),
                         write.getMixedSizes(), write.getMixedStrides());
  }
  ClusterYieldOp::create(rewriter, loc);
  for (const FlowOutput &output : flow.outputs)
    rewriter.eraseOp(output.write);
}

void FlowEmitter::emitEpilogue(RunClusterOp phase) {
  if (!flow.outputs.empty())
    return emitOutputs(phase);
  // A general epilogue works on the clipped tile.
  Value left =
      cut(phase.getBody().getArgument(0), pick(allSizes(), getResultLoops()));
  rewriter.replaceAllUsesWith(flow.contraction->getResult(0), left);
  Operation *end = ClusterYieldOp::create(rewriter, loc);
  for (Operation *op : flow.epilogue)
    rewriter.moveOpBefore(op, end);
}

void FlowEmitter::emit() {
  accumulator = RankedTensorType::get(
      tileOf(getResultLoops()),
      getElementTypeOrSelf(flow.contraction->getResult(0).getType()));
  Operation *end = executor.getBody()->getTerminator();
  rewriter.setInsertionPoint(end);
  RunClusterOp initial = makePhase(executor.getThreadgroup(), true);
  emitInitial(initial);
  rewriter.setInsertionPoint(end);
  Value sum = emitSteps(initial.getResult());
  rewriter.setInsertionPoint(end);
  emitEpilogue(makePhase(sum, /*yields=*/false));
  // Ops that only the contraction used are dead. Erase them bottom up.
  SmallVector<Operation *> rest;
  for (Operation &op : executor.getBody()->without_terminator())
    rest.push_back(&op);
  for (Operation *op : llvm::reverse(rest))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

namespace {
struct FormMatmulPhases final
    : distaff::impl::FormMatmulPhasesBase<FormMatmulPhases> {
  void runOnOperation() override {
    SmallVector<SharedExecutorOp> executors;
    getOperation()->walk([&](SharedExecutorOp executor) {
      bool hasPhases = !executor.getBody()->getOps<RunClusterOp>().empty() ||
                       !executor.getBody()->getOps<TileGroupOp>().empty();
      if (isa<iree::SubgroupScopeAttr>(executor.getScope()) && !hasPhases &&
          hasConfiguredContraction(executor))
        executors.push_back(executor);
    });
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : executors) {
      FailureOr<MatmulPhases> flow = planMatmulPhases(executor);
      if (failed(flow))
        return signalPassFailure();
      FlowEmitter(executor, std::move(*flow), rewriter).emit();
    }
  }
};
} // namespace
