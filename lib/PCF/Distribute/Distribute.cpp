//===- Distribute.cpp - Distributing phases to members --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file has the driver of distribution (6.3 of the pcf specification). It
// works on a copy of the executor: captures are made part of the phases,
// payload fields are grouped into classes, and every phase proposes
// distributions until a fixed point is reached. Only when all agree are types
// changed and bodies rewritten, and the copy replaces the executor.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "ClusterWaits.h"
#include "CollectiveOps.h"
#include "MergeGroups.h"
#include "NormalizeCaptures.h"
#include "OperandReads.h"
#include "Relayout.h"
#include "SeparatePayload.h"
#include "VirtualMembers.h"
#include "WorkerGrids.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Phases/ExchangeMemory.h"
#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/Distribution.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_PCFDISTRIBUTE
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Holds the options of the pass for an executor.
struct DistributeChoices {
  DistributionAttrInterface way;
  bool insertsRelayouts;
  bool takesTurns;
  ClusterBarrier clusterBarrier;
};

class ExecutorDistributor {
public:
  ExecutorDistributor(SharedExecutorOp executor,
                      const DistributeChoices &choices, PayloadClasses classes,
                      VirtualMembers &members, ExchangeMemory &exchange,
                      RewriterBase &rewriter)
      : executor(executor), way(choices.way),
        clusterBarrier(choices.clusterBarrier), classes(std::move(classes)),
        members(members), exchange(exchange), rewriter(rewriter),
        phases(collectPhases(executor)) {}

  /// Finds a distribution of every class. Leaves the IR unchanged and reports
  /// no conflict.
  LogicalResult plan();
  std::optional<ClassConflict> conflict;
  LogicalResult reportConflict();
  /// Rewrites the phases. Fails, with an error and after partial changes, if
  /// members of a cluster cannot wait.
  LogicalResult commit();

private:
  LogicalResult matchAll();
  bool findConflict(RunClusterOp phase, const WorkerGrid &grid);
  LogicalResult fix(RunClusterOp phase, const ClassProposal &proposal);
  void takeOffer();
  LogicalResult verifyAllFixed();
  void retype(Value handle);
  LogicalResult rewritePhase(RunClusterOp phase);
  WorkerGrid getGrid(RunClusterOp phase);

  SharedExecutorOp executor;
  DistributionAttrInterface way;
  ClusterBarrier clusterBarrier;
  PayloadClasses classes;
  VirtualMembers &members;
  ExchangeMemory &exchange;
  RewriterBase &rewriter;
  SmallVector<RunClusterOp> phases;
  FixedClasses fixed;
  /// The phase that determined the distribution of each class.
  llvm::DenseMap<unsigned, RunClusterOp> fixers;
  SmallVector<std::pair<RunClusterOp, ClassProposal>> offers;
  bool changed = false;
};
} // namespace

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

LogicalResult ExecutorDistributor::fix(RunClusterOp phase,
                                       const ClassProposal &proposal) {
  auto [it, isNew] = fixed.try_emplace(proposal.cls, proposal.distribution);
  changed |= isNew;
  if (isNew)
    fixers[proposal.cls] = phase;
  if (it->second == proposal.distribution)
    return success();
  conflict = {phase, fixers.lookup(proposal.cls), proposal.cls,
              proposal.distribution, it->second};
  return failure();
}

LogicalResult ExecutorDistributor::reportConflict() {
  InFlightDiagnostic error = conflict->phase.emitError()
                             << "conflicting distributions for payload class: "
                             << conflict->needed.perWorker << " required here";
  error.attachNote(conflict->fixer.getLoc())
      << conflict->fixed.perWorker << " required here";
  return error;
}

WorkerGrid ExecutorDistributor::getGrid(RunClusterOp phase) {
  WorkerGrid grid = members.getGrid(phase);
  grid.exchange = &exchange;
  return grid;
}

/// Returns whether a phase would be distributed if one class of its payload
/// were not fixed by another phase; that is the conflict then.
bool ExecutorDistributor::findConflict(RunClusterOp phase,
                                       const WorkerGrid &grid) {
  SmallVector<unsigned> touched;
  for (BlockArgument argument : phase.getPayloadArgs())
    touched.push_back(classes.of(argument));
  for (OpOperand &operand : phase.getYield()->getOpOperands())
    touched.push_back(classes.of(operand));
  for (unsigned cls : touched) {
    auto it = fixed.find(cls);
    if (it == fixed.end() || !fixers.contains(cls) ||
        fixers.lookup(cls) == phase)
      continue;
    FixedClasses others = fixed;
    others.erase(cls);
    SmallVector<ClassProposal> proposals;
    Refusal refusal;
    if (failed(way.match(phase, grid, classes, others, proposals, refusal)))
      continue;
    // The map that a tensor needs is found when the class is split.
    ClassDistribution needed{classes.sharedType(cls), Attribute()};
    auto proposal = llvm::find_if(
        proposals, [&](const ClassProposal &each) { return each.cls == cls; });
    if (proposal != proposals.end())
      needed = proposal->distribution;
    // A distribution that the class already has is no conflict (PCF-214).
    if (proposal != proposals.end() && needed == it->second)
      continue;
    else if (!isa<TensorType>(needed.perWorker))
      continue;
    conflict = {phase, fixers.lookup(cls), cls, needed, it->second};
    return true;
  }
  return false;
}

LogicalResult ExecutorDistributor::matchAll() {
  for (RunClusterOp phase : phases) {
    SmallVector<ClassProposal> proposals;
    Refusal refusal;
    WorkerGrid grid = getGrid(phase);
    if (failed(way.match(phase, grid, classes, fixed, proposals, refusal))) {
      if (findConflict(phase, grid))
        return failure();
      InFlightDiagnostic error =
          emitError(refusal.where.value_or(phase.getLoc()))
          << "cannot distribute this phase: " << refusal.why;
      for (const auto &[where, what] : refusal.notes)
        error.attachNote(where) << what;
      return error;
    }
    for (const ClassProposal &proposal : proposals)
      if (proposal.kind != ProposalKind::Demand)
        offers.push_back({phase, proposal});
      else if (failed(fix(phase, proposal)))
        return failure();
  }
  return success();
}

/// Fixes the best optional proposal, one class at a time: the distribution of
/// other classes may follow from it.
void ExecutorDistributor::takeOffer() {
  std::pair<RunClusterOp, ClassProposal> *best = nullptr;
  for (auto &offer : offers)
    if (!fixed.contains(offer.second.cls) &&
        (!best || offer.second.kind < best->second.kind))
      best = &offer;
  if (best)
    (void)fix(best->first, best->second);
}

LogicalResult ExecutorDistributor::verifyAllFixed() {
  for (unsigned cls : llvm::seq(classes.numClasses())) {
    if (fixed.contains(cls))
      continue;
    PayloadField field = classes.fields(cls).front();
    return emitError(field.handle.getLoc())
           << "no phase determines the distribution of payload field "
           << field.index << " of a handle of type " << field.handle.getType();
  }
  return success();
}

LogicalResult ExecutorDistributor::plan() {
  // Every member has its own copy of a number, and of private payload.
  for (unsigned cls : llvm::seq(classes.numClasses()))
    if (isScalar(classes.sharedType(cls)) ||
        hasPrivatePayload(classes.fields(cls).front().handle.getType()))
      fixed[cls] = {classes.sharedType(cls), Attribute()};
  do {
    changed = false;
    offers.clear();
    if (failed(matchAll()))
      return failure();
    if (!changed)
      takeOffer();
  } while (changed);
  return verifyAllFixed();
}

/// Sets the type of a handle to the distribution of its classes; two handles of
/// one type may differ afterwards.
void ExecutorDistributor::retype(Value handle) {
  ArrayRef<Type> payload = getPayload(handle.getType());
  SmallVector<Type> types;
  for (unsigned i : llvm::seq<unsigned>(0, payload.size()))
    types.push_back(fixed.at(classes.of(PayloadField{handle, i})).perWorker);
  handle.setType(withPayload(handle.getType(), types, /*isPrivate=*/true));
}

LogicalResult ExecutorDistributor::rewritePhase(RunClusterOp phase) {
  rewriter.setInsertionPoint(phase);
  Type result = phase.getResult() ? phase.getResult().getType() : Type();
  auto thread = RunThreadOp::create(rewriter, phase.getLoc(), result,
                                    phase.getSources(), phase.getRanges());
  thread->setDiscardableAttrs(phase->getDiscardableAttrDictionary());
  SmallVector<Value> ids(thread.getIds());
  way.rewrite(phase, thread, ids, getGrid(phase), classes, fixed, rewriter);
  members.realize(phase, thread, rewriter);
  if (isa<ClusterType>(phase.getGroupType())) {
    FailureOr<RunThreadOp> last =
        splitAtWaits(thread, clusterBarrier, rewriter);
    if (failed(last))
      return failure();
    thread = *last;
  }
  if (phase.getResult())
    rewriter.replaceAllUsesWith(phase.getResult(), thread.getResult());
  return success();
}

LogicalResult ExecutorDistributor::commit() {
  llvm::SetVector<Value> handles;
  for (unsigned cls : llvm::seq(classes.numClasses()))
    for (PayloadField field : classes.fields(cls))
      handles.insert(field.handle);
  for (Value handle : handles)
    retype(handle);
  // Bodies refer to classes by their old ops, which are erased last.
  for (RunClusterOp phase : phases)
    if (failed(rewritePhase(phase)))
      return failure();
  for (RunClusterOp phase : llvm::reverse(phases))
    rewriter.eraseOp(phase);
  return success();
}

/// Distributes an executor whose phases capture nothing that is shaped. Each
/// relayout gives one phase another class, so their number is limited.
static LogicalResult distributeInPlace(SharedExecutorOp executor,
                                       const DistributeChoices &choices,
                                       VirtualMembers &members,
                                       ExchangeMemory &exchange,
                                       RewriterBase &rewriter) {
  int64_t numFields = 0;
  for (RunClusterOp phase : collectPhases(executor))
    numFields +=
        phase.getPayloadArgs().size() + phase.getYield().getValues().size();
  for (int64_t relayouts = 0;; ++relayouts) {
    FailureOr<PayloadClasses> classes = PayloadClasses::compute(executor);
    if (failed(classes))
      return failure();
    ExecutorDistributor distributor(executor, choices, *classes, members,
                                    exchange, rewriter);
    if (succeeded(distributor.plan()))
      return distributor.commit();
    if (!distributor.conflict)
      return failure();
    if (!choices.insertsRelayouts || relayouts > numFields)
      return distributor.reportConflict();
    if (failed(insertRelayout(*distributor.conflict, *classes, choices.way,
                              rewriter)))
      return failure();
  }
}

/// Distributes a copy of the executor, which replaces it on success.
static LogicalResult distribute(SharedExecutorOp executor,
                                const DistributeChoices &choices,
                                ExchangeMemory &exchange,
                                RewriterBase &rewriter) {
  // The copy has the same panels.
  if (auto kernel = executor->getParentOfType<FunctionOpInterface>())
    exchange.countTaken(kernel);
  rewriter.setInsertionPointAfter(executor);
  auto copy = cast<SharedExecutorOp>(rewriter.clone(*executor));
  auto giveUp = [&] {
    rewriter.eraseOp(copy);
    return failure();
  };
  if (failed(verifyMergeable(copy)))
    return giveUp();
  mergeGroups(copy, rewriter);
  if (failed(separatePayload(copy)))
    return giveUp();
  for (RunClusterOp phase : collectPhases(copy)) {
    if (failed(normalizeCaptures(phase, rewriter)))
      return giveUp();
    readForEachOperand(phase, rewriter);
  }
  exchange.countGroups(copy);
  VirtualMembers members;
  if (choices.takesTurns)
    members.prepare(copy, rewriter);
  if (failed(distributeInPlace(copy, choices, members, exchange, rewriter)))
    return giveUp();
  rewriter.replaceOp(executor, copy);
  return success();
}

static LogicalResult parseWay(StringRef option, StringRef text, Location loc,
                              DistributionAttrInterface &way) {
  way = dyn_cast_or_null<DistributionAttrInterface>(
      parseAttribute(text, loc.getContext()));
  if (way)
    return success();
  return emitError(loc) << "'" << option
                        << "' must be a way to distribute, got '" << text
                        << "'";
}

/// Returns whether an op of an executor produces or forwards a tensor.
static bool hasTensors(SharedExecutorOp executor) {
  auto isTensor = [](Type type) {
    return isa<TensorType>(type) ||
           llvm::any_of(getPayload(type), llvm::IsaPred<TensorType>);
  };
  return executor.getExecute()
      .walk([&](Operation *op) {
        return llvm::any_of(op->getResultTypes(), isTensor)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct Distribute final : distaff::impl::PCFDistributeBase<Distribute> {
  using PCFDistributeBase::PCFDistributeBase;

  LogicalResult initialize(MLIRContext *context) override {
    Location loc = UnknownLoc::get(context);
    if (failed(parseWay("impl", impl, loc, way)))
      return failure();
    wayOfVectors = way;
    if (!implOfVectors.empty() &&
        failed(parseWay("impl-of-vectors", implOfVectors, loc, wayOfVectors)))
      return failure();
    if (scope.empty())
      return success();
    wanted = parseAttribute(scope, context);
    if (!isa_and_nonnull<ScopeAttrInterface>(wanted))
      return emitError(loc) << "'scope' must be a scope, got '" << scope << "'";
    return success();
  }

  void runOnOperation() override {
    const Target *machine = nullptr;
    if (!target.empty()) {
      machine = requireTarget(getOperation()->getLoc(), target);
      if (!machine)
        return signalPassFailure();
    }
    SmallVector<SharedExecutorOp> executors;
    getOperation()->walk([&](SharedExecutorOp executor) {
      if (!wanted || executor.getScope() == wanted)
        executors.push_back(executor);
    });
    IRRewriter rewriter(&getContext());
    ExchangeMemory exchange(machine, /*clustersWaitAlone=*/!barriersOfAll);
    for (SharedExecutorOp executor : executors) {
      DistributeChoices choices{hasTensors(executor) ? way : wayOfVectors,
                                insertRelayout, virtualMembers,
                                barriersOfAll ? ClusterBarrier::OfAll
                                              : ClusterBarrier::OfCluster};
      if ((barriersOfAll && failed(waitWithAll(executor, rewriter))) ||
          failed(distribute(executor, choices, exchange, rewriter)))
        return signalPassFailure();
    }
  }

  DistributionAttrInterface way, wayOfVectors;
  Attribute wanted;
};
} // namespace
