//===- StageReads.cpp - Staging global reads in shared memory -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage promote-to-shared-memory for phases on vectors: a vector that a phase
// reads from global memory in one layout and uses in another goes through a
// panel. A phase of its own copies it there, in the order of memory, so that
// the copy takes whole rows; a barrier publishes it, and one after the phase
// keeps the next step from overwriting it.
//
//   %k = transfer_read %arg1[%j]          phase: write_slice %k into %panel
//   %a = to_layout %k to A           =>   barrier
//   %b = to_layout %a to B, shared        phase: %b = to_layout (read_slice
//                                                       %panel) to B
//                                         barrier
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Order/RefAccess.h"
#include "Panels.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Registers/Resources.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace distaff {
#define GEN_PASS_DEF_STAGEREADS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;
using vector_ext::ToLayoutOp;

static int64_t bytesOf(ShapedType type) {
  return saturatingProduct(type.getNumElements(),
                           bytesInMemory(type.getElementType()));
}

namespace {
/// Describes a read that goes through a panel.
struct StagedRead {
  /// A transfer_read or a transfer_gather.
  Operation *read;
  /// The ops that compute its operands in the phase, in order.
  llvm::SetVector<Operation *> makers;
  /// The conversion through shared memory that the panel replaces, if any.
  ToLayoutOp conversion;

  /// The tile in the order of memory: without dims that it is broadcast along.
  VectorType tile;
  /// The dims of the vector that are no dims of the tile, then those of the
  /// tile in their order.
  SmallVector<int64_t> order;

  VectorType getType() const {
    return cast<VectorType>(read->getResult(0).getType());
  }
  int64_t bytes() const { return bytesOf(tile); }
};

struct StagedPhase {
  RunClusterOp phase;
  SmallVector<StagedRead> reads;
  /// The reads that stay in registers, and why they are not copied ahead.
  SmallVector<std::pair<Operation *, StringRef>> left;
};
} // namespace

//===----------------------------------------------------------------------===//
// Choice of reads
//===----------------------------------------------------------------------===//

static bool isGlobal(Value memory) {
  auto type = dyn_cast<MemRefType>(memory.getType());
  if (!type)
    return false;
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space ? space.getValue() == gpu::AddressSpace::Global
               : !type.getMemorySpace();
}

/// Returns the memory that a read accesses.
static Value getMemory(Operation *read) {
  if (auto transfer = dyn_cast<vector::TransferReadOp>(read))
    return transfer.getBase();
  auto gather = dyn_cast<vector_ext::TransferGatherOp>(read);
  return gather ? gather.getBase() : Value();
}

/// Returns whether a read has the same result in every step: its memory is not
/// written.
static bool readsConstantMemory(Operation *read, SharedExecutorOp executor) {
  Value memory = getMemory(read);
  return memory && isGlobal(memory) && !mayWrite(executor, memory);
}

/// Collects the ops that compute the operands of a read in its phase: numbers,
/// masks and indices. Returns false if these are read from memory, are payload,
/// or need two layouts.
static bool collectMakers(StagedRead &staged, RunClusterOp phase) {
  Block *body = &phase.getBody().front();
  SmallVector<Value> pending(staged.read->getOperands());
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == body)
      return false;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != body || staged.makers.contains(op))
      continue;
    if (!isPure(op) || op->getNumRegions() != 0)
      return false;
    staged.makers.insert(op);
    llvm::append_range(pending, op->getOperands());
  }
  // In the copy every value has the layout of the read; a value in two layouts
  // would need a conversion.
  auto isInTwoLayouts = [&](Operation *op) {
    auto layout = dyn_cast<ToLayoutOp>(op);
    return layout && !LayoutMap::isLayoutFree(layout.getInput()) &&
           llvm::any_of(layout.getInput().getUsers(), [&](Operation *user) {
             return user != op &&
                    (user == staged.read || staged.makers.contains(user));
           });
  };
  if (llvm::any_of(staged.makers, isInTwoLayouts))
    return false;
  staged.makers = mlir::topologicalSort(staged.makers);
  return true;
}

/// Computes the shape of a read in the order of memory's dims. A gathered
/// vector keeps its order of dims.
static bool findTile(StagedRead &staged) {
  VectorType type = staged.getType();
  if (type.getRank() == 0 || type.isScalable() ||
      !type.getElementType().isIntOrFloat())
    return false;
  SmallVector<int64_t> kept;
  auto read = dyn_cast<vector::TransferReadOp>(staged.read);
  AffineMap map = read ? read.getPermutationMap()
                       : AffineMap::getMultiDimIdentityMap(type.getRank(),
                                                           type.getContext());
  for (auto [dim, place] : llvm::enumerate(map.getResults()))
    (isa<AffineDimExpr>(place) ? kept : staged.order).push_back(dim);
  llvm::sort(kept, [&](int64_t a, int64_t b) {
    return map.getDimPosition(a) < map.getDimPosition(b);
  });
  llvm::append_range(staged.order, kept);
  staged.tile = VectorType::get(
      llvm::map_to_vector(kept,
                          [&](int64_t dim) { return type.getDimSize(dim); }),
      type.getElementType());
  return !kept.empty();
}

/// Returns the conversion through shared memory at the end of the chain of
/// layouts that a value is converted to; null without one.
static ToLayoutOp findConversion(Value value) {
  while (value.hasOneUse()) {
    auto next = dyn_cast<ToLayoutOp>(*value.user_begin());
    if (!next)
      return {};
    if (next.getSharedMemoryConversion())
      return next;
    value = next.getResult();
  }
  return {};
}

/// Returns the reason why a read of global memory cannot move to another phase;
/// empty if it can.
static StringRef planRead(StagedRead &staged, RunClusterOp phase,
                          SharedExecutorOp executor) {
  if (!readsConstantMemory(staged.read, executor))
    return "the kernel writes the memory that is read here";
  if (!findTile(staged))
    return "what is read here is no vector of numbers";
  if (!collectMakers(staged, phase))
    return "where this reads is read itself, of payload, or in two layouts";
  return {};
}

/// Returns whether every step of a loop reads the same: the indices and the
/// mask of the read are loop-invariant.
static bool isTheSameInEveryStep(Operation *read, scf::ForOp loop) {
  llvm::SetVector<Operation *> pending;
  pending.insert(read);
  for (size_t i = 0; i < pending.size(); ++i)
    for (Value operand : pending[i]->getOperands()) {
      if (loop.isDefinedOutsideOfLoop(operand))
        continue;
      Operation *maker = operand.getDefiningOp();
      if (!maker || maker->getNumRegions() != 0 || !isPure(maker))
        return false;
      pending.insert(maker);
    }
  return true;
}

/// Leaves loop-invariant reads in registers, if there is another read to copy
/// ahead (PCF-171).
static void dropWhatStepsShare(SmallVectorImpl<StagedPhase> &plans) {
  auto isShared = [](const StagedPhase &plan, const StagedRead &read) {
    auto loop = dyn_cast<scf::ForOp>(plan.phase->getParentOp());
    return loop && !read.conversion && isTheSameInEveryStep(read.read, loop);
  };
  bool isAllShared = llvm::all_of(plans, [&](const StagedPhase &plan) {
    return llvm::all_of(plan.reads, [&](const StagedRead &read) {
      return isShared(plan, read);
    });
  });
  if (isAllShared)
    return;
  for (StagedPhase &plan : plans) {
    for (const StagedRead &read : plan.reads)
      if (isShared(plan, read))
        plan.left.push_back({read.read, "every step reads the same here"});
    llvm::erase_if(plan.reads, [&](const StagedRead &read) {
      return isShared(plan, read);
    });
  }
}

/// Plans the reads of a phase that go through panels; with `all`, every read in
/// a loop does.
static StagedPhase planPhase(RunClusterOp phase, SharedExecutorOp executor,
                             bool all) {
  StagedPhase plan{phase, {}, {}};
  bool isInLoop = isa<scf::ForOp>(phase->getParentOp());
  // A read in only some steps of a loop is not copied ahead.
  auto loop = phase->getParentOfType<scf::ForOp>();
  bool isInBranch = !isInLoop && loop && executor->isProperAncestor(loop);
  for (Operation &read : phase.getBody().front()) {
    Value memory = getMemory(&read);
    if (!memory || !isGlobal(memory))
      continue;
    StagedRead staged;
    staged.read = &read;
    staged.conversion = findConversion(read.getResult(0));
    if (!isInLoop && (!staged.conversion || (all && isInBranch))) {
      plan.left.push_back({&read, isInBranch ? "this is read in some steps only"
                                             : "no loop has this as a step"});
      continue;
    }
    if (!staged.conversion && !all)
      continue;
    if (StringRef why = planRead(staged, phase, executor); !why.empty())
      plan.left.push_back({&read, why});
    else
      plan.reads.push_back(std::move(staged));
  }
  return plan;
}

namespace {
/// Holds the panels of an executor by their types. If no step is copied ahead,
/// phases run one after the other and share panels (PCF-135).
class PanelPool {
public:
  explicit PanelPool(bool isShared) : isShared(isShared) {}

  /// Returns whether the next read of a phase has a panel that other phases
  /// use.
  bool hasNext(RunClusterOp phase, VectorType tile) const {
    return used.lookup(keyOf(phase, tile)) < panels.lookup(tile).size();
  }
  /// Returns the panel of the next read of a phase; null until it is created.
  Value &takeNext(RunClusterOp phase, VectorType tile) {
    SmallVector<Value> &ofType = panels[tile];
    size_t number = used[keyOf(phase, tile)]++;
    if (number == ofType.size())
      ofType.emplace_back();
    return ofType[number];
  }

private:
  std::pair<Operation *, Type> keyOf(RunClusterOp phase,
                                     VectorType tile) const {
    return {isShared ? phase.getOperation() : nullptr, tile};
  }

  bool isShared;
  llvm::DenseMap<std::pair<Operation *, Type>, size_t> used;
  llvm::DenseMap<Type, SmallVector<Value>> panels;
};
} // namespace

static constexpr StringLiteral tooFewBytes = "too few bytes are left for this";

/// Leaves as many reads in registers as needed for the panels of the others to
/// fit: first those that replace no conversion, the largest ones first. Returns
/// false if all fit.
static bool dropWhatDoesNotFit(SmallVectorImpl<StagedPhase> &plans,
                               int64_t bytes, PanelPool pool) {
  SmallVector<std::pair<RunClusterOp, const StagedRead *>> byNeed;
  for (const StagedPhase &plan : plans)
    for (const StagedRead &read : plan.reads)
      byNeed.push_back({plan.phase, &read});
  llvm::stable_sort(byNeed, [](const auto &a, const auto &b) {
    if (!a.second->conversion != !b.second->conversion)
      return bool(a.second->conversion);
    return a.second->bytes() < b.second->bytes();
  });
  llvm::DenseSet<Operation *> kept;
  for (auto [phase, read] : byNeed) {
    int64_t size =
        pool.hasNext(phase, read->tile) ? 0 : llvm::alignTo(read->bytes(), 16);
    if (size > bytes)
      continue;
    bytes -= size;
    pool.takeNext(phase, read->tile);
    kept.insert(read->read);
  }
  for (StagedPhase &plan : plans) {
    for (const StagedRead &read : plan.reads)
      if (!kept.contains(read.read))
        plan.left.push_back({read.read, tooFewBytes});
    llvm::erase_if(plan.reads, [&](const StagedRead &read) {
      return !kept.contains(read.read);
    });
  }
  return kept.size() < byNeed.size();
}

/// Drops reads whose results the phase itself does not use any more, since only
/// copied reads use them: the copying phase reads them again.
static void dropWhatCopiesRepeat(StagedPhase &plan) {
  llvm::SmallPtrSet<Operation *, 8> staged;
  for (const StagedRead &read : plan.reads)
    staged.insert(read.read);
  llvm::SetVector<Operation *> used;
  Block &body = plan.phase.getBody().front();
  auto use = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          if (Operation *op = body.findAncestorOpInBlock(*maker))
            used.insert(op);
    });
  };
  for (Operation &op : body)
    if (!wouldOpBeTriviallyDead(&op))
      use(&op);
  for (size_t i = 0; i < used.size(); ++i)
    if (!staged.contains(used[i]))
      use(used[i]);
  llvm::erase_if(plan.reads, [&](const StagedRead &read) {
    return !used.contains(read.read);
  });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Emits the read of the tile in the copying phase, without a layout:
/// distribution chooses the lanes that read each part.
static Value emitCopiedRead(const StagedRead &staged, IRMapping &mapping,
                            OpBuilder &builder) {
  for (Operation *maker : staged.makers) {
    if (auto layout = dyn_cast<ToLayoutOp>(maker))
      mapping.map(layout.getResult(),
                  mapping.lookupOrDefault(layout.getInput()));
    else
      builder.clone(*maker, mapping);
  }
  Operation *copy = builder.clone(*staged.read, mapping);
  auto read = dyn_cast<vector::TransferReadOp>(copy);
  if (!read)
    return copy->getResult(0);
  AffineMap map = read.getPermutationMap();
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> inBounds;
  for (int64_t dim : ArrayRef(staged.order).take_back(staged.tile.getRank())) {
    exprs.push_back(map.getResult(dim));
    inBounds.push_back(read.isDimInBounds(dim));
  }
  read.setPermutationMap(
      AffineMap::get(map.getNumDims(), 0, exprs, builder.getContext()));
  read.setInBoundsAttr(builder.getBoolArrayAttr(inBounds));
  read.getResult().setType(staged.tile);
  return read.getResult();
}

/// Replaces the read by a read of the panel.
static void emitPanelRead(const StagedRead &staged, Value panel,
                          IRRewriter &rewriter) {
  Operation *read = staged.read;
  Location loc = read->getLoc();
  rewriter.setInsertionPoint(read);
  WholeSlice whole(panel);
  Value value = ReadSliceOp::create(rewriter, loc, staged.tile, panel,
                                    whole.offsets, whole.sizes, whole.strides);
  VectorType type = staged.getType();
  if (type.getRank() != staged.tile.getRank())
    value = vector::BroadcastOp::create(
        rewriter, loc,
        VectorType::get(llvm::map_to_vector(
                            staged.order,
                            [&](int64_t dim) { return type.getDimSize(dim); }),
                        type.getElementType()),
        value);
  if (!llvm::is_sorted(staged.order))
    value = vector::TransposeOp::create(rewriter, loc, value,
                                        invertPermutationVector(staged.order));
  if (ToLayoutOp conversion = staged.conversion) {
    rewriter.setInsertionPoint(conversion);
    auto laidOut = ToLayoutOp::create(rewriter, conversion.getLoc(), value,
                                      conversion.getLayout());
    laidOut.setMmaKindAttr(conversion.getMmaKindAttr());
    rewriter.replaceOp(conversion, laidOut);
  } else {
    rewriter.replaceAllUsesWith(read->getResult(0), value);
  }
}

/// Returns whether a phase is in a loop, so that it writes its panels
/// repeatedly.
static bool isRepeated(RunClusterOp phase, SharedExecutorOp executor) {
  auto loop = phase->getParentOfType<LoopLikeOpInterface>();
  return loop && executor->isProperAncestor(loop);
}

static void stage(const StagedPhase &plan, SharedExecutorOp executor,
                  PanelPool &pool, IRRewriter &rewriter) {
  RunClusterOp phase = plan.phase;
  Location loc = phase.getLoc();
  SmallVector<Value> panels;
  bool isReused = false;
  for (const StagedRead &read : plan.reads) {
    Value &panel = pool.takeNext(phase, read.tile);
    isReused |= bool(panel);
    if (!panel)
      panel = addPanel(executor, read.tile, rewriter);
    panels.push_back(panel);
  }
  rewriter.setInsertionPoint(phase);
  auto copy = RunClusterOp::create(
      rewriter, loc, Type(), Value(executor.getThreadgroup()), ValueRange());
  auto addBarrier = [&] {
    BarrierOp::create(rewriter, loc, executor.getScope(),
                      /*clusters=*/ValueRange(), /*ranges=*/ValueRange(),
                      panels);
  };
  addBarrier();
  if (isReused) {
    rewriter.setInsertionPoint(copy);
    addBarrier();
  }
  rewriter.setInsertionPointToStart(&copy.getBody().front());
  for (auto [read, panel] : llvm::zip_equal(plan.reads, panels)) {
    // Each read clones its operands' ops: they get its layout.
    IRMapping mapping;
    Value value = emitCopiedRead(read, mapping, rewriter);
    WholeSlice whole(panel);
    WriteSliceOp::create(rewriter, loc, value, panel, whole.offsets,
                         whole.sizes, whole.strides);
  }
  ClusterYieldOp::create(rewriter, loc);
  for (auto [read, panel] : llvm::zip_equal(plan.reads, panels))
    emitPanelRead(read, panel, rewriter);
  SmallVector<Operation *> rest;
  for (Operation &op : phase.getBody().front())
    rest.push_back(&op);
  for (Operation *op : llvm::reverse(rest))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  rewriter.setInsertionPointAfter(phase);
  if (isRepeated(phase, executor))
    addBarrier();
}

/// Returns the bytes of memory for panels, where the reads in `planned` replace
/// conversions. The kernel's own memory is kept, and so is that of the phases:
/// their largest conversion through shared memory, and the memory through which
/// their lanes exchange data, but at most half (PCF-134).
static int64_t memoryForPanels(SharedExecutorOp executor,
                               ArrayRef<StagedPhase> planned,
                               const Target &target) {
  llvm::DenseSet<Operation *> replaced;
  for (const StagedPhase &plan : planned)
    for (const StagedRead &read : plan.reads)
      replaced.insert(read.conversion);
  int64_t exchanged = target.workgroupAlignment();
  executor.getExecute().walk([&](ToLayoutOp op) {
    if (op.getSharedMemoryConversion() && !replaced.contains(op))
      exchanged = std::max(exchanged, bytesOf(op.getType()));
  });
  auto kernel = executor->getParentOfType<FunctionOpInterface>();
  int64_t left = target.dynamicSharedMemoryBytes -
                 workgroupMemoryWithPanels(kernel, target.workgroupAlignment());
  return left - std::min(exchanged + exchanged / 3, left / 2);
}

static bool hasPanels(SharedExecutorOp executor) {
  return llvm::any_of(executor.getLeadingArgs(), [&](BlockArgument ref) {
    return isPanel(ref, executor);
  });
}

/// Warns that the program stays one of all subgroups, and names the reads that
/// prevent specialization.
static void warnNothingAhead(SharedExecutorOp executor,
                             ArrayRef<StagedPhase> plans, const Target &target,
                             int64_t slots) {
  constexpr unsigned mostNotes = 3;
  InFlightDiagnostic warning =
      executor.emitWarning()
      << "nothing can be copied ahead: no step of a loop reads a vector of "
         "global memory that the kernel does not write and that fits into "
      << target.name << "'s shared memory " << slots
      << " times; the kernel is compiled as without --specialize";
  unsigned notes = 0;
  for (const StagedPhase &plan : plans)
    for (auto [read, why] : plan.left)
      if (notes++ < mostNotes)
        warning.attachNote(read->getLoc()) << why;
}

/// Warns of reads that are not copied ahead because so many panels do not fit,
/// although others are copied ahead or clusters alternate.
static void warnNoRoom(ArrayRef<StagedPhase> plans, const Target &target,
                       int64_t slots) {
  for (const StagedPhase &plan : plans) {
    if (!isa<scf::ForOp>(plan.phase->getParentOp()))
      continue;
    for (auto [read, why] : plan.left)
      if (why == tooFewBytes)
        read->emitWarning()
            << "vector is not copied ahead: its "
            << bytesOf(cast<VectorType>(read->getResult(0).getType()))
            << " bytes do not fit " << slots
            << " times into what is left of the "
            << target.dynamicSharedMemoryBytes << " bytes of " << target.name
            << "'s shared memory; the phase that computes with it "
               "reads memory, and smaller steps would fit";
  }
}

namespace {
struct StageReads final : distaff::impl::StageReadsBase<StageReads> {
  using StageReadsBase::StageReadsBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    SmallVector<SharedExecutorOp> executors;
    getOperation()->walk([&](SharedExecutorOp executor) {
      if (isa<iree::SubgroupScopeAttr>(executor.getScope()))
        executors.push_back(executor);
    });
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : executors) {
      SmallVector<StagedPhase> plans;
      executor.getExecute().walk([&](RunClusterOp phase) {
        if (isa<ThreadgroupType>(phase.getGroupType()))
          plans.push_back(planPhase(phase, executor, all));
      });
      PanelPool pool(/*isShared=*/slots == 1);
      dropWhatStepsShare(plans);
      // Conversions that stay need memory, too.
      while (dropWhatDoesNotFit(
          plans, memoryForPanels(executor, plans, *machine) / slots, pool))
        ;
      llvm::for_each(plans, dropWhatCopiesRepeat);
      for (const StagedPhase &plan : plans)
        if (!plan.reads.empty())
          stage(plan, executor, pool, rewriter);
      if (ahead && !plans.empty() && !hasPanels(executor))
        warnNothingAhead(executor, plans, *machine, slots);
      else if (all)
        warnNoRoom(plans, *machine, slots);
    }
  }
};
} // namespace
