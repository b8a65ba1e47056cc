//===- MultiBufferPlan.cpp - Panels that can be multi-buffered ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MultiBufferPlan.h"

#include "../Order/BarriersBetween.h"
#include "../Order/MovedOps.h"
#include "../Order/PhaseSlices.h"
#include "../Order/RefAccess.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Proves that one panel can be multi-buffered, from the phases that access it.
class PanelProof {
public:
  PanelProof(SharedExecutorOp executor, BlockArgument panel)
      : executor(executor), panel(panel), alloc(getAllocation(panel)) {}

  /// Returns whether a loop of the executor writes the panel.
  bool isFilledInLoop() const;

  LogicalResult prove();

  scf::ForOp loop;
  RunClusterOp filler;
  llvm::SetVector<RunClusterOp> readers;
  bool waitsBefore = false;

private:
  InFlightDiagnostic refuse(Operation *where, const Twine &why);
  LogicalResult collectUsers();
  LogicalResult addPhase(Operation *access);
  LogicalResult proveFilledFirst();
  LogicalResult proveCovered();
  LogicalResult proveOrdered();

  SharedExecutorOp executor;
  BlockArgument panel;
  AllocOp alloc;
  llvm::SetVector<RunClusterOp> writers;
};
} // namespace

/// Returns the ops that use a ref, through its views: reads, writes, barriers
/// and others.
static SmallVector<Operation *> collectRefUsers(Value ref) {
  SmallVector<Operation *> users;
  SmallVector<Value> refs{ref};
  while (!refs.empty())
    for (Operation *user : refs.pop_back_val().getUsers()) {
      if (isa<SubviewOp, ExpandShapeOp>(user))
        refs.push_back(user->getResult(0));
      else
        users.push_back(user);
    }
  return users;
}

InFlightDiagnostic PanelProof::refuse(Operation *where, const Twine &why) {
  InFlightDiagnostic error = where->emitError()
                             << "cannot multi-buffer a panel: " << why;
  if (alloc)
    error.attachNote(alloc.getLoc()) << "the panel";
  return error;
}

bool PanelProof::isFilledInLoop() const {
  return llvm::any_of(collectRefUsers(panel), [&](Operation *user) {
    if (!isa<WriteSliceOp>(user))
      return false;
    // A loop inside a phase does not count.
    Operation *phase = user->getParentOfType<RunClusterOp>();
    auto loop = (phase ? phase : user)->getParentOfType<LoopLikeOpInterface>();
    return loop && executor->isAncestor(loop);
  });
}

/// Records the phase of a read or write, which must be in the loop's body.
LogicalResult PanelProof::addPhase(Operation *access) {
  auto phase = access->getParentOfType<RunClusterOp>();
  if (!phase || !executor->isAncestor(phase))
    return refuse(access, "it is accessed outside the phases of groups");
  auto parent = dyn_cast<scf::ForOp>(phase->getParentOp());
  if (isa<WriteSliceOp>(access) && !parent)
    return refuse(phase, "it is filled outside the body of an scf.for");
  if (loop && parent != loop)
    return refuse(phase, "it is accessed outside the body of the loop that "
                         "fills it");
  if (isa<WriteSliceOp>(access)) {
    loop = parent;
    writers.insert(phase);
  } else {
    readers.insert(phase);
  }
  return success();
}

LogicalResult PanelProof::collectUsers() {
  SmallVector<Operation *> users = collectRefUsers(panel);
  for (Operation *user : users)
    if (!isa<ReadSliceOp, WriteSliceOp, BarrierOp, FenceOp>(user))
      return refuse(user, "what " + user->getName().getStringRef() +
                              " does with it is not known");
  // Writes come first: they determine the loop.
  for (Operation *user : users)
    if (isa<WriteSliceOp>(user) && failed(addPhase(user)))
      return failure();
  for (Operation *user : users)
    if (isa<ReadSliceOp>(user) && failed(addPhase(user)))
      return failure();
  return success();
}

/// Proves that one phase fills the panel, and that others read it later in the
/// iteration.
LogicalResult PanelProof::proveFilledFirst() {
  filler = writers.front();
  for (RunClusterOp writer : writers)
    if (writer != filler)
      return refuse(filler->isBeforeInBlock(writer) ? writer : filler,
                    "two phases fill it");
  if (readers.contains(filler))
    return refuse(filler, "the phase that fills it reads it");
  if (readers.empty())
    return refuse(filler, "nothing reads it");
  for (RunClusterOp reader : readers)
    if (reader->isBeforeInBlock(filler))
      return refuse(reader, "it is read before it is filled, so one iteration "
                            "passes it on to the next");
  return success();
}

/// Proves that an iteration reads only elements that it has filled itself.
LogicalResult PanelProof::proveCovered() {
  SmallVector<ElementBox> filled;
  for (WriteSliceOp write : PhaseSlices::of(filler).writesTo(panel))
    if (write->getParentOp() == filler)
      filled.push_back(ElementBox::of(write));
  for (RunClusterOp reader : readers)
    for (ReadSliceOp read : PhaseSlices::of(reader).readsOf(panel))
      if (!isCovered(ElementBox::of(read), filled)) {
        InFlightDiagnostic error = refuse(
            read, "not all that is read of it is known to be filled in every "
                  "iteration");
        error.attachNote(filler.getLoc()) << "the phase that fills it";
        return error;
      }
  return success();
}

/// Proves that barriers are between the fill and the reads, and between these
/// and the next fill.
LogicalResult PanelProof::proveOrdered() {
  Block *body = loop.getBody();
  Block::iterator fill = filler->getIterator();
  RunClusterOp last = readers.front();
  for (RunClusterOp reader : readers) {
    if (!hasBarrier(fill, reader->getIterator(), panel))
      return refuse(reader, "no barrier that fences it stands between the "
                            "phase that fills it and this one");
    if (last->isBeforeInBlock(reader))
      last = reader;
  }
  if (hasBarrier(last->getIterator(), body->end(), panel))
    return success();
  waitsBefore = true;
  if (hasBarrier(body->begin(), fill, panel))
    return success();
  return refuse(last, "no barrier that fences it stands between this phase and "
                      "the next one that fills it");
}

LogicalResult PanelProof::prove() {
  if (!cast<SRefType>(panel.getType()).hasStaticShape())
    return refuse(alloc, "its size is not static");
  if (failed(collectUsers()) || failed(proveFilledFirst()) ||
      failed(proveCovered()))
    return failure();
  return proveOrdered();
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

static LogicalResult refuseFiller(Operation *where, RunClusterOp filler,
                                  const Twine &why) {
  InFlightDiagnostic error = where->emitError()
                             << "cannot multi-buffer a panel: " << why;
  if (where != filler)
    error.attachNote(filler.getLoc()) << "the phase that fills it";
  return error;
}

/// Returns whether a value is defined outside the loop.
static bool isOutside(Value value, scf::ForOp loop) {
  return !loop->isAncestor(value.getParentBlock()->getParentOp());
}

/// Returns an op outside of the loop that may write a ref without a certain
/// barrier between it and the loop; null if there is none. A barrier in the
/// loop would come too late.
static Operation *findWriteBefore(scf::ForOp loop, Value ref) {
  Operation *found = nullptr;
  loop->getParentOfType<SharedExecutorOp>().getExecute().walk(
      [&](Operation *op) {
        bool isLeaf = op->getNumRegions() == 0;
        if (isLeaf && !loop->isAncestor(op) && mayWrite(op, ref) &&
            (mayMeet(op, loop, getViewedRef(ref)) ||
             mayMeetAround(op, loop, getViewedRef(ref))))
          found = op;
      });
  return found;
}

/// Proves that the phase has no effect but filling panels.
static LogicalResult proveOnlyFills(RunClusterOp filler,
                                    ArrayRef<BlockArgument> panels,
                                    scf::ForOp loop) {
  if (filler.getResult() || !filler.getPayloadArgs().empty())
    return refuseFiller(filler, filler, "the phase that fills it has payload");
  for (Value operand : filler->getOperands())
    if (!isOutside(operand, loop))
      return refuseFiller(filler, filler,
                          "the group of the phase that fills it is made in the "
                          "loop");
  PhaseSlices memory = PhaseSlices::of(filler);
  if (memory.unknown)
    return refuseFiller(memory.unknown, filler,
                        "what " + memory.unknown->getName().getStringRef() +
                            " does to memory is not known");
  for (WriteSliceOp write : memory.writes)
    if (!llvm::is_contained(panels, getViewedRef(write.getDest())))
      return refuseFiller(write, filler,
                          "the phase that fills it writes other memory, too");
  if (!memory.writtenMemrefs.empty())
    return refuseFiller(filler, filler,
                        "the phase that fills it writes other memory, too");
  SmallVector<std::pair<Operation *, Value>> sources;
  for (ReadSliceOp read : memory.reads)
    sources.push_back({read, read.getSource()});
  for (Value memref : memory.readMemrefs)
    sources.push_back({filler, memref});
  for (auto [read, source] : sources)
    if (mayWrite(loop, source))
      return refuseFiller(read, filler,
                          "the phase that fills it reads what the loop may "
                          "write");
  for (auto [read, source] : sources)
    if (Operation *write = findWriteBefore(loop, source))
      return refuseFiller(write, filler,
                          "no barrier stands between this and the loop, where "
                          "the phase that fills it reads what is written here");
  return success();
}

/// Collects the ops of the loop's body that the phase needs; fails if they
/// cannot be cloned for another iteration.
static LogicalResult collectNeeded(PanelFiller &filler, scf::ForOp loop) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(filler.phase.getBody(), captured);
  for (Value value : captured)
    if (!collectOps(
            value,
            [&](Value there) {
              return there == loop.getInductionVar() || isOutside(there, loop);
            },
            filler.needed))
      return refuseFiller(filler.phase, filler.phase,
                          "the phase that fills it depends on what the loop "
                          "computes from one iteration to the next");
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Returns whether a barrier of the loop's body orders only fills before reads
/// of one iteration: it is after the fill, and before the last read, of every
/// panel that it fences.
static bool isRedundant(BarrierOp barrier, ArrayRef<PanelProof> proofs,
                        ArrayRef<BlockArgument> panels) {
  if (!isOfEverybody(barrier) || barrier.getRefs().empty())
    return false;
  return llvm::all_of(barrier.getRefs(), [&](Value ref) {
    auto it = llvm::find(panels, getViewedRef(ref));
    if (it == panels.end())
      return false;
    const PanelProof &proof = proofs[it - panels.begin()];
    return proof.filler->isBeforeInBlock(barrier) &&
           llvm::any_of(proof.readers, [&](RunClusterOp reader) {
             return barrier->isBeforeInBlock(reader);
           });
  });
}

/// Returns whether fences of the executor order, with some barrier, memory
/// other than panels.
static bool hasOtherFences(SharedExecutorOp executor,
                           ArrayRef<BlockArgument> panels) {
  return executor.getExecute()
      .walk([&](FenceOp fence) {
        bool isOfPanels = llvm::all_of(fence.getRefs(), [&](Value ref) {
          return llvm::is_contained(panels, getViewedRef(ref));
        });
        return isOfPanels ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

static FailureOr<RingPlan> planRing(SharedExecutorOp executor, scf::ForOp loop,
                                    ArrayRef<PanelProof> proofs,
                                    ArrayRef<BlockArgument> panels) {
  RingPlan plan;
  plan.executor = executor;
  plan.loop = loop;
  plan.panels = llvm::to_vector(panels);
  llvm::SetVector<Operation *> fillers;
  for (const PanelProof &proof : proofs) {
    fillers.insert(proof.filler);
    plan.readers.insert_range(proof.readers);
    plan.waitsBefore |= proof.waitsBefore;
  }
  bool keepsBarriers = hasOtherFences(executor, panels);
  for (Operation &op : *loop.getBody()) {
    if (auto barrier = dyn_cast<BarrierOp>(op);
        barrier && !keepsBarriers && isRedundant(barrier, proofs, panels))
      plan.redundant.insert(barrier);
    if (!fillers.contains(&op))
      continue;
    plan.fillers.push_back({cast<RunClusterOp>(op), {}});
    if (failed(proveOnlyFills(plan.fillers.back().phase, panels, loop)) ||
        failed(collectNeeded(plan.fillers.back(), loop)))
      return failure();
  }
  return plan;
}

FailureOr<SmallVector<RingPlan>> pcf::planRings(SharedExecutorOp executor) {
  struct OfLoop {
    SmallVector<PanelProof> proofs;
    SmallVector<BlockArgument> panels;
  };
  llvm::MapVector<Operation *, OfLoop> loops;
  for (BlockArgument panel : executor.getLeadingArgs()) {
    PanelProof proof(executor, panel);
    if (!getAllocation(panel) || !proof.isFilledInLoop())
      continue;
    if (failed(proof.prove()))
      return failure();
    OfLoop &entry = loops[proof.loop];
    entry.proofs.push_back(proof);
    entry.panels.push_back(panel);
  }
  if (loops.empty())
    return executor.emitError()
           << "cannot multi-buffer a panel: no phase of a "
              "loop fills one that the executor allocates; "
              "copy what a step reads to such a panel, in "
              "a phase of its own";
  SmallVector<RingPlan> plans;
  for (auto &[loop, entry] : loops) {
    FailureOr<RingPlan> plan =
        planRing(executor, cast<scf::ForOp>(loop), entry.proofs, entry.panels);
    if (failed(plan))
      return failure();
    plans.push_back(std::move(*plan));
  }
  return plans;
}
