//===- PhaseHazards.cpp - Memory hazards between phases -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseHazards.h"

#include "../Distribute/CollectiveOps.h"
#include "BarriersBetween.h"
#include "PhaseSlices.h"
#include "RefAccess.h"
#include "RefBox.h"
#include "distaff/Analysis/Access/IndexFacts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Describes an effect of an op on memory.
struct Effect {
  Operation *op;
  /// The ref of a slice, or a memref; null for other memory.
  Value ref;
  bool isWrite;
};
} // namespace

/// Adds an op's effects on memrefs; returns false if it may have others.
static bool noteMemrefs(Operation *op, SmallVectorImpl<Effect> &effects) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  interface.getEffects(instances);
  auto isAccess = [](const MemoryEffects::EffectInstance &effect) {
    return effect.getValue() && isa<MemRefType>(effect.getValue().getType()) &&
           isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect());
  };
  if (!llvm::all_of(instances, isAccess))
    return false;
  for (const MemoryEffects::EffectInstance &effect : instances)
    effects.push_back(
        {op, effect.getValue(), isa<MemoryEffects::Write>(effect.getEffect())});
  return true;
}

/// Returns the slice whose element a uniform load reads.
static GetMemrefOp getLoadedSlice(Operation *load) {
  return cast<memref::LoadOp>(load).getMemRef().getDefiningOp<GetMemrefOp>();
}

static void collectEffects(Operation *root, SmallVectorImpl<Effect> &effects) {
  root->walk([&](Operation *op) {
    if (auto read = dyn_cast<ReadSliceOp>(op))
      effects.push_back({op, read.getSource(), false});
    else if (auto write = dyn_cast<WriteSliceOp>(op))
      effects.push_back({op, write.getDest(), true});
    else if (isUniformLoad(op))
      effects.push_back({op, getLoadedSlice(op).getSource(), false});
    else if (!isa<RunClusterOp, RunThreadOp>(op) && noteMemrefs(op, effects))
      return;
    else if (op != root
                 ? !op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>() &&
                       !isMemoryEffectFree(op)
                 : !isa<RunClusterOp, RunThreadOp>(op) &&
                       !isMemoryEffectFree(op))
      effects.push_back({op, Value(), true});
  });
}

/// Returns the slice of a ref that an op accesses.
static OffsetSizeAndStrideOpInterface getAccessedSlice(Operation *op) {
  if (isUniformLoad(op))
    op = getLoadedSlice(op);
  return cast<OffsetSizeAndStrideOpInterface>(op);
}

static bool isHazard(const Effect &a, const Effect &b) {
  if (!a.isWrite && !b.isWrite)
    return false;
  if (!a.ref || !b.ref)
    return true;
  bool areSlices =
      isa<SRefType>(a.ref.getType()) && isa<SRefType>(b.ref.getType());
  return mayAlias(a.ref, b.ref) &&
         (!areSlices || getViewedRef(a.ref) != getViewedRef(b.ref) ||
          !areDisjoint(getAccessedSlice(a.op), a.ref, getAccessedSlice(b.op),
                       b.ref));
}

bool pcf::hasHazard(ArrayRef<Operation *> earlier, Operation *op) {
  SmallVector<Effect> before, own;
  for (Operation *each : earlier)
    collectEffects(each, before);
  collectEffects(op, own);
  return llvm::any_of(own, [&](const Effect &later) {
    return llvm::any_of(
        before, [&](const Effect &first) { return isHazard(first, later); });
  });
}

/// Returns whether two executions of a write write equal slices, or slices
/// without a common element: its offsets are constants, or multiples of its
/// sizes. A member has the same elements of both, so it overwrites none of
/// another's.
static bool isAligned(Operation *op, IndexFacts &facts) {
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  if (!slice || !slice.hasUnitStride())
    return false;
  return llvm::all_of(
      llvm::zip_equal(slice.getMixedOffsets(), slice.getMixedSizes()),
      [&](auto dim) {
        auto [offset, size] = dim;
        std::optional<int64_t> extent = getConstantIntValue(size);
        return getConstantIntValue(offset) ||
               (extent && *extent > 0 &&
                facts.divisor(cast<Value>(offset)) % *extent == 0);
      });
}

/// Returns whether `second` may run after `first` without a barrier for `ref`
/// between them.
static bool mayFollow(Operation *first, Operation *second, Value ref) {
  ref = ref ? getViewedRef(ref) : ref;
  return (first != second && mayMeet(first, second, ref)) ||
         mayMeetAround(first, second, ref);
}

/// Returns the step of an index from one iteration of a loop to the next; none
/// if it is not known.
static std::optional<int64_t> strideAlong(scf::ForOp loop, Value index) {
  AffineMap map = AffineMap::getMultiDimIdentityMap(1, index.getContext());
  SmallVector<Value> operands{index};
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  SmallVector<int64_t> flat;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step ||
      failed(getFlattenedAffineExpr(map.getResult(0), map.getNumDims(),
                                    map.getNumSymbols(), &flat)) ||
      flat.size() != operands.size() + 1)
    return std::nullopt;
  int64_t stride = 0;
  for (auto [operand, factor] : llvm::zip(operands, flat)) {
    if (operand == loop.getInductionVar())
      stride += factor * *step;
    else if (factor != 0 && !loop.isDefinedOutsideOfLoop(operand))
      return std::nullopt;
  }
  return stride;
}

/// Returns whether a vector that is written in a loop around its phase is
/// disjoint from those of other iterations: along some dim its offset advances
/// by its extent at least.
static bool writesApart(Operation *phase, const Effect &write) {
  auto transfer = dyn_cast<vector::TransferWriteOp>(write.op);
  auto loop = dyn_cast<scf::ForOp>(phase->getParentOp());
  if (!transfer || !loop || !loop.isDefinedOutsideOfLoop(transfer.getBase()) ||
      loop->getParentOfType<LoopLikeOpInterface>())
    return false;
  AffineMap map = transfer.getPermutationMap();
  for (auto [number, place] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(place);
    if (!dim)
      continue;
    std::optional<int64_t> stride =
        strideAlong(loop, transfer.getIndices()[dim.getPosition()]);
    if (stride && *stride >= transfer.getVectorType().getDimSize(number))
      return true;
  }
  return false;
}

/// Returns the barrier before a phase, of the group that runs it; creates one
/// if there is none.
static BarrierOp getBarrierBefore(Operation *phase, RewriterBase &rewriter) {
  Attribute scope = phase->getParentOfType<SharedExecutorOp>().getScope();
  SmallVector<Value> clusters;
  ValueRange ranges;
  if (auto group = phase->getParentOfType<TileGroupOp>();
      group && isa<ClusterType>(group.getSource().getType())) {
    clusters.push_back(group.getSource());
    ranges = group.getRanges();
  }
  if (auto barrier = dyn_cast_or_null<BarrierOp>(phase->getPrevNode());
      barrier && barrier.getScope() == scope &&
      llvm::equal(barrier.getClusters(), clusters))
    return barrier;
  rewriter.setInsertionPoint(phase);
  return BarrierOp::create(rewriter, phase->getLoc(), scope, clusters, ranges,
                           ValueRange());
}

static void fence(BarrierOp barrier, Value ref, RewriterBase &rewriter) {
  if (!ref)
    return;
  Value memory = getViewedRef(ref);
  auto isFenced = [&](Value other) { return getViewedRef(other) == memory; };
  if (llvm::none_of(barrier.getRefs(), isFenced))
    rewriter.modifyOpInPlace(barrier,
                             [&] { barrier.getRefsMutable().append(memory); });
}

void pcf::orderPhases(SharedExecutorOp executor, ArrayRef<RunClusterOp> formed,
                      RewriterBase &rewriter) {
  llvm::SmallPtrSet<Operation *, 8> isFormed(formed.begin(), formed.end());
  SmallVector<std::pair<Operation *, SmallVector<Effect>>> phases;
  executor.getExecute().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<RunClusterOp, RunThreadOp>(op) || isUniformLoad(op)) {
      phases.push_back({op, {}});
      collectEffects(op, phases.back().second);
    }
    return isa<RefOwnerOpInterface>(op) ? WalkResult::skip()
                                        : WalkResult::advance();
  });
  IndexFacts facts;
  for (auto &[second, own] : phases)
    for (auto &[first, before] : phases) {
      if (!isFormed.contains(first) && !isFormed.contains(second))
        continue;
      for (const Effect &later : own)
        for (const Effect &earlier : before) {
          if (!isHazard(earlier, later) ||
              (earlier.op == later.op &&
               (isAligned(later.op, facts) ||
                (later.isWrite && writesApart(second, later)))) ||
              !mayFollow(first, second, earlier.ref))
            continue;
          BarrierOp barrier = getBarrierBefore(second, rewriter);
          fence(barrier, earlier.ref, rewriter);
          fence(barrier, later.ref, rewriter);
        }
    }
}
