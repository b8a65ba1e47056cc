//===- JamTiles.cpp - Unroll and jam of two tiles for two clusters --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unroll-and-jam of a workgroup's loop over two tiles, for ping-pong on vectors
// (PCF-143): every phase of a tile's program becomes one of a cluster for the
// first tile, and one of another cluster for the second, each with panels of
// its own. Barriers are of all workers, so they synchronize both clusters.
//
//   for %t = 0 to min(2, %left)          tile_group %all split [[%n]] (%e, %o)
//   {
//     %a = run_cluster(%all) { .. %t }     %a = run_cluster(%e) { .. 0 }
//     barrier                         =>   %b = run_cluster(%o) { .. 1 }
//     run_cluster(%a) { .. }               barrier
//                                          run_cluster(%a) ; run_cluster(%b) }
//
// If %left may be 1, the second cluster computes the first tile, too, and
// writes nothing (PCF-161). If it may be 0, a branch around the executor skips
// it then. The launch has twice as many subgroups.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Distribute/WorkerGrids.h"
#include "../Form/Panels.h"
#include "../Order/PhaseSlices.h"
#include "../Order/RefAccess.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {
#define GEN_PASS_DEF_PCFJAMTILES
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

static constexpr unsigned numTiles = 2;

static InFlightDiagnostic refuseJam(Operation *where, const Twine &why) {
  return where->emitError() << "cannot take turns: " << why;
}

//===----------------------------------------------------------------------===//
// Preconditions
//===----------------------------------------------------------------------===//

/// Returns whether a loop counts from 0, in steps of 1, to at most two.
static bool isOverTwo(scf::ForOp loop) {
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1 || loop.getNumResults() != 0)
    return false;
  if (std::optional<int64_t> bound = getConstantIntValue(loop.getUpperBound()))
    return *bound >= 1 && *bound <= int64_t(numTiles);
  auto least = loop.getUpperBound().getDefiningOp<affine::AffineMinOp>();
  return least && llvm::any_of(least.getMap().getResults(), [](AffineExpr e) {
           auto bound = dyn_cast<AffineConstantExpr>(e);
           return bound && bound.getValue() <= int64_t(numTiles);
         });
}

/// Returns the loop over tiles, which must be the only work of an executor.
static FailureOr<scf::ForOp> findTiles(SharedExecutorOp executor) {
  scf::ForOp tiles;
  for (Operation &op : executor.getBody()->without_terminator()) {
    if ((isPure(&op) && op.getNumRegions() == 0) ||
        isGroupAllocation(&op, executor))
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || tiles || !isOverTwo(loop))
      return refuseJam(&op, "its workgroup does not walk along two tiles");
    tiles = loop;
  }
  if (!tiles)
    return refuseJam(executor, "its workgroup does not walk along two tiles");
  return tiles;
}

/// Verifies that a tile's program is phases, barriers and loops that are the
/// same for both tiles.
static LogicalResult verifyBody(scf::ForOp tiles) {
  llvm::DenseSet<Value> ofTile{tiles.getInductionVar()};
  auto isOfTile = [&](Value value) { return ofTile.contains(value); };
  WalkResult result = tiles.getBody()->walk<WalkOrder::PreOrder>(
      [&](Operation *op) -> WalkResult {
        if (isa<RunClusterOp>(op))
          return WalkResult::skip();
        if (isa<BarrierOp, scf::YieldOp>(op))
          return WalkResult::advance();
        if (auto loop = dyn_cast<scf::ForOp>(op)) {
          if (llvm::none_of(ValueRange{loop.getLowerBound(),
                                       loop.getUpperBound(), loop.getStep()},
                            isOfTile))
            return WalkResult::advance();
          return refuseJam(op, "a loop runs as often as its tile says, so two "
                               "clusters would wait differently often");
        }
        if (!isPure(op) || op->getNumRegions() != 0)
          return refuseJam(op, "'" + op->getName().getStringRef() +
                                   "' is neither phase, barrier, loop nor "
                                   "arithmetic");
        if (llvm::any_of(op->getOperands(), isOfTile))
          ofTile.insert(op->result_begin(), op->result_end());
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

/// Verifies that phases read no memory that the kernel writes: a tile that is
/// computed twice would be read while it is written.
static LogicalResult verifyReads(SharedExecutorOp executor) {
  WalkResult result =
      executor.getExecute().walk([&](RunClusterOp phase) -> WalkResult {
        for (Value memref : PhaseSlices::of(phase).readMemrefs)
          if (!getGroupAllocation(memref, executor) &&
              mayWrite(executor, memref))
            return refuseJam(phase, "it reads memory that the kernel writes");
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

/// Verifies that a branch may skip an executor without tiles: the number of
/// tiles is computed before it, and it has no results.
static LogicalResult verifyBranch(SharedExecutorOp executor, scf::ForOp tiles) {
  Region *from = tiles.getUpperBound().getParentRegion();
  if (executor.getExecute().isAncestor(from))
    return refuseJam(tiles, "its workgroup may have no tile, which is computed "
                            "where its subgroups begin; compute the number of "
                            "tiles before");
  if (executor->getNumResults() != 0)
    return refuseJam(executor, "its workgroup may have no tile, and returns "
                               "tensors; let it write memory");
  return success();
}

/// Collects the ops of a phase, also in its branches and loops, that may write
/// memory of other workgroups. Panels and the group's allocations belong to the
/// cluster.
static void collectOutsideWrites(Block &block, SharedExecutorOp executor,
                                 SmallVectorImpl<Operation *> &writes) {
  for (Operation &op : block.without_terminator()) {
    if (isa<WriteSliceOp>(op))
      continue;
    if (isa<RegionBranchOpInterface>(op)) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          collectOutsideWrites(inner, executor, writes);
      continue;
    }
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
        getEffectsRecursively(&op);
    if (!effects || llvm::any_of(*effects, [&](const auto &effect) {
          return isa<MemoryEffects::Write>(effect.getEffect()) &&
                 !(effect.getValue() &&
                   getGroupAllocation(effect.getValue(), executor));
        }))
      writes.push_back(&op);
  }
}

/// Verifies that writes which are skipped for a missing tile have no results.
static LogicalResult verifyWrites(SharedExecutorOp executor) {
  WalkResult result =
      executor.getExecute().walk([&](RunClusterOp phase) -> WalkResult {
        SmallVector<Operation *> writes;
        collectOutsideWrites(phase.getBody().front(), executor, writes);
        for (Operation *write : writes)
          if (write->getNumResults() != 0)
            return refuseJam(write, "'" + write->getName().getStringRef() +
                                        "' writes memory and returns a value, "
                                        "and cannot be left out for a tile "
                                        "that is not there");
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
class TileJam {
public:
  TileJam(SharedExecutorOp executor, scf::ForOp tiles, int64_t subgroups,
          RewriterBase &rewriter)
      : executor(executor), tiles(tiles), subgroups(subgroups),
        rewriter(rewriter) {}

  void emit();

private:
  void makeGroup();
  void duplicatePanels();
  void duplicateAllocations();
  void duplicateViews();
  void mapTiles();
  void jam(Block &body);
  void jamArithmetic(Operation *op);
  void jamPhase(RunClusterOp phase);
  void jamBarrier(BarrierOp barrier);
  void jamLoop(scf::ForOp loop);
  void guardWrites(RunClusterOp phase);

  SharedExecutorOp executor;
  scf::ForOp tiles;
  int64_t subgroups;
  RewriterBase &rewriter;
  TileGroupOp group;
  Value half;
  /// The values for each of the tiles.
  IRMapping of[numTiles];
  /// The condition that there is a second tile; null if there always is.
  Value hasSecond;
};
} // namespace

void TileJam::makeGroup() {
  Location loc = tiles.getLoc();
  rewriter.setInsertionPoint(tiles);
  half = arith::ConstantIndexOp::create(rewriter, loc, subgroups);
  group = TileGroupOp::create(
      rewriter, loc, executor.getThreadgroup(), /*ranges=*/ValueRange(),
      /*split=*/{SmallVector<Value>{half}}, "pp", {"even", "odd"});
  for (auto [mapping, cluster] : llvm::zip_equal(of, group.getClusters()))
    mapping.map(executor.getThreadgroup(), cluster);
}

/// Duplicates panels for the second cluster.
void TileJam::duplicatePanels() {
  SmallVector<BlockArgument> panels(executor.getLeadingArgs());
  for (BlockArgument panel : panels) {
    auto type = cast<SRefType>(panel.getType());
    of[1].map(panel, addPanel(executor,
                              RankedTensorType::get(type.getShape(),
                                                    type.getElementType()),
                              rewriter));
  }
}

/// Duplicates memory that the group allocates for the second cluster (PCF-186).
void TileJam::duplicateAllocations() {
  for (auto alloc :
       llvm::to_vector(executor.getBody()->getOps<memref::AllocOp>())) {
    rewriter.setInsertionPointAfter(alloc);
    of[1].map(alloc.getResult(), rewriter.clone(*alloc)->getResult(0));
  }
}

/// Duplicates ops before the loop that use either of these (PCF-201).
void TileJam::duplicateViews() {
  auto isOfEach = [&](Value operand) { return of[1].contains(operand); };
  for (Operation &op : llvm::make_early_inc_range(*executor.getBody())) {
    if (&op == group)
      return;
    if (llvm::none_of(op.getOperands(), isOfEach))
      continue;
    rewriter.setInsertionPointAfter(&op);
    rewriter.clone(op, of[1]);
  }
}

void TileJam::mapTiles() {
  Location loc = tiles.getLoc();
  rewriter.setInsertionPoint(group);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  of[0].map(tiles.getInductionVar(), zero);
  of[1].map(tiles.getInductionVar(), one);
  Value bound = tiles.getUpperBound();
  if (getConstantIntValue(bound) == int64_t(numTiles))
    return;
  hasSecond = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                                    bound, one);
  Value second = arith::SelectOp::create(rewriter, loc, hasSecond, one, zero);
  of[1].map(tiles.getInductionVar(), second);
}

/// Copies arithmetic for both tiles; computes it once if its operands are the
/// same.
void TileJam::jamArithmetic(Operation *op) {
  bool isSame = llvm::all_of(op->getOperands(), [&](Value operand) {
    return of[0].lookupOrDefault(operand) == of[1].lookupOrDefault(operand);
  });
  rewriter.clone(*op, of[0]);
  if (!isSame) {
    rewriter.clone(*op, of[1]);
    return;
  }
  for (Value result : op->getResults())
    of[1].map(result, of[0].lookup(result));
}

/// Predicates the writes of a missing tile; panels belong to the cluster.
void TileJam::guardWrites(RunClusterOp phase) {
  SmallVector<Operation *> writes;
  collectOutsideWrites(phase.getBody().front(), executor, writes);
  OpBuilder::InsertionGuard restore(rewriter);
  for (Operation *write : writes) {
    rewriter.setInsertionPoint(write);
    auto branch = scf::IfOp::create(rewriter, write->getLoc(), hasSecond);
    rewriter.moveOpBefore(write, branch.thenBlock()->getTerminator());
  }
}

void TileJam::jamPhase(RunClusterOp phase) {
  for (auto [tile, cluster] : llvm::enumerate(group.getClusters())) {
    IRMapping &mapping = of[tile];
    SmallVector<Value> sources;
    for (Value source : phase.getSources())
      sources.push_back(mapping.lookup(source));
    Type result = phase.getResult()
                      ? withPayload(cluster.getType(),
                                    getPayload(phase.getResult().getType()),
                                    /*isPrivate=*/false)
                      : Type();
    auto copy = RunClusterOp::create(rewriter, phase.getLoc(), result, sources,
                                     ValueRange(half));
    for (auto [argument, there] :
         llvm::zip_equal(phase.getPayloadArgs(), copy.getPayloadArgs()))
      mapping.map(argument, there);
    OpBuilder::InsertionGuard restore(rewriter);
    rewriter.setInsertionPointToEnd(&copy.getBody().front());
    for (Operation &op : phase.getBody().front())
      rewriter.clone(op, mapping);
    if (phase.getResult())
      mapping.map(phase.getResult(), copy.getResult());
    if (tile == 1 && hasSecond)
      guardWrites(copy);
  }
}

/// Emits one barrier for both tiles, which fences the refs of each.
void TileJam::jamBarrier(BarrierOp barrier) {
  llvm::SetVector<Value> refs;
  for (IRMapping &mapping : of)
    for (Value ref : barrier.getRefs())
      refs.insert(mapping.lookupOrDefault(ref));
  BarrierOp::create(rewriter, barrier.getLoc(), barrier.getScope(),
                    ValueRange(), ValueRange(), refs.getArrayRef());
}

void TileJam::jamLoop(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (IRMapping &mapping : of)
    for (Value init : loop.getInitArgs())
      inits.push_back(mapping.lookupOrDefault(init));
  auto bound = [&](Value value) { return of[0].lookupOrDefault(value); };
  auto jammed = scf::ForOp::create(
      rewriter, loop.getLoc(), bound(loop.getLowerBound()),
      bound(loop.getUpperBound()), bound(loop.getStep()), inits);
  jammed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  unsigned size = loop.getInitArgs().size();
  for (auto [tile, mapping] : llvm::enumerate(of)) {
    mapping.map(loop.getInductionVar(), jammed.getInductionVar());
    mapping.map(loop.getRegionIterArgs(),
                jammed.getRegionIterArgs().slice(tile * size, size));
    mapping.map(loop.getResults(),
                jammed.getResults().slice(tile * size, size));
  }
  OpBuilder::InsertionGuard restore(rewriter);
  if (inits.empty())
    rewriter.eraseOp(jammed.getBody()->getTerminator());
  rewriter.setInsertionPointToEnd(jammed.getBody());
  jam(*loop.getBody());
  SmallVector<Value> yielded;
  for (IRMapping &mapping : of)
    for (Value value : loop.getYieldedValues())
      yielded.push_back(mapping.lookupOrDefault(value));
  scf::YieldOp::create(rewriter, loop.getLoc(), yielded);
}

void TileJam::jam(Block &body) {
  for (Operation &op : body.without_terminator())
    if (auto phase = dyn_cast<RunClusterOp>(op))
      jamPhase(phase);
    else if (auto barrier = dyn_cast<BarrierOp>(op))
      jamBarrier(barrier);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      jamLoop(loop);
    else
      jamArithmetic(&op);
}

void TileJam::emit() {
  makeGroup();
  duplicatePanels();
  duplicateAllocations();
  duplicateViews();
  mapTiles();
  rewriter.setInsertionPointToEnd(&group.getBody().front());
  jam(*tiles.getBody());
  ReturnOp::create(rewriter, tiles.getLoc());
  rewriter.eraseOp(tiles);
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

/// Returns a launch of twice as many subgroups.
static FailureOr<iree::TranslationInfoAttr>
doubleLaunch(SharedExecutorOp executor) {
  using iree::TranslationInfoAttr;
  auto function = executor->getParentOfType<FunctionOpInterface>();
  auto launch = function->getAttrOfType<TranslationInfoAttr>(
      TranslationInfoAttr::attributeName);
  if (!launch || launch.getSubgroupSize() <= 0 || launch.getNumThreads() <= 0)
    return refuseJam(executor, "its launch sizes are not known");
  SmallVector<int64_t> sizes(launch.getWorkgroupSize());
  sizes.front() *= numTiles;
  return TranslationInfoAttr::get(executor.getContext(), launch.getPipeline(),
                                  sizes, launch.getSubgroupSize(),
                                  launch.getConfiguration());
}

/// Skips the executor if there is no tile, so that none is read.
static void skipWithoutTile(SharedExecutorOp executor, Value count,
                            RewriterBase &rewriter) {
  Location loc = executor.getLoc();
  rewriter.setInsertionPoint(executor);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value hasFirst = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::sgt, count, zero);
  auto branch = scf::IfOp::create(rewriter, loc, hasFirst);
  rewriter.moveOpBefore(executor, branch.thenBlock()->getTerminator());
}

static LogicalResult jamTiles(SharedExecutorOp executor, IRRewriter &rewriter) {
  FailureOr<scf::ForOp> tiles = findTiles(executor);
  if (failed(tiles) || failed(verifyBody(*tiles)))
    return failure();
  bool mayBeOne = getConstantIntValue(tiles->getUpperBound()) != numTiles;
  if (mayBeOne &&
      (failed(verifyWrites(executor)) || failed(verifyReads(executor))))
    return failure();
  Value count = tiles->getUpperBound();
  bool mayBeNone = !getConstantIntValue(count);
  if (mayBeNone && failed(verifyBranch(executor, *tiles)))
    return failure();
  FailureOr<iree::TranslationInfoAttr> launch = doubleLaunch(executor);
  if (failed(launch))
    return failure();
  int64_t subgroups = *getLaunchCount(executor, executor.getScope());
  TileJam(executor, *tiles, subgroups, rewriter).emit();
  if (mayBeNone)
    skipWithoutTile(executor, count, rewriter);
  executor->getParentOfType<FunctionOpInterface>()->setAttr(
      iree::TranslationInfoAttr::attributeName, *launch);
  return success();
}

namespace {
struct JamTiles final : distaff::impl::PCFJamTilesBase<JamTiles> {
  void runOnOperation() override {
    SmallVector<SharedExecutorOp> executors;
    getOperation()->walk([&](SharedExecutorOp executor) {
      if (isa<iree::SubgroupScopeAttr>(executor.getScope()))
        executors.push_back(executor);
    });
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : executors)
      if (failed(jamTiles(executor, rewriter)))
        return signalPassFailure();
  }
};
} // namespace
