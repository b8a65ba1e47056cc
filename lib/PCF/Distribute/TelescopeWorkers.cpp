//===- TelescopeWorkers.cpp - Running workers' code on finer scopes -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resolution runs a member's phase on a group of the finer scope (5.5 of the
// pcf specification). Code that is written for each subgroup gets such a group
// here:
//
//   pcf.generic scope(#sg) ... {          pcf.generic scope(#sg) ... {
//     %t = pcf.read_slice ...               shared_executor scope(#ln) ... {
//     ...                                     %t = pcf.read_slice ...
//   }                                         ... } }
//
// A control-flow graph becomes the region of an scf.execute_region, which ends
// where the worker returned.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Form/ScopeOption.h"
#include "CollectiveOps.h"
#include "WorkerGrids.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace distaff {
#define GEN_PASS_DEF_PCFTELESCOPEWORKERS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether the workers themselves compute with tensors.
static bool worksOnTensors(Region &code) {
  bool found = false;
  walkCollectiveCode(code, [&](Operation *op) {
    found |= isCollectiveOp(op) &&
             (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
              llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>));
  });
  return found;
}

/// Returns the first op of a block that is no arithmetic on positions.
static Operation *findFirstWork(Block &block) {
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  for (Operation &op : block.without_terminator())
    if (!isPure(&op) || op.getNumRegions() != 0 ||
        !llvm::all_of(op.getOperandTypes(), isNumber) ||
        !llvm::all_of(op.getResultTypes(), isNumber))
      return &op;
  return block.getTerminator();
}

/// Moves a control-flow graph into an op of the entry block, in which its
/// blocks end by yielding nothing.
static void moveGraph(Region &code, RewriterBase &rewriter) {
  Block *entry = &code.front();
  Location loc = code.getLoc();
  Block *rest =
      rewriter.splitBlock(entry, findFirstWork(*entry)->getIterator());
  rewriter.setInsertionPointToEnd(entry);
  auto graph = scf::ExecuteRegionOp::create(rewriter, loc, TypeRange());
  ReturnOp::create(rewriter, loc);
  Region &inner = graph.getRegion();
  inner.getBlocks().splice(inner.end(), code.getBlocks(), rest->getIterator(),
                           code.end());
  Block *exit = rewriter.createBlock(&inner, inner.end());
  scf::YieldOp::create(rewriter, loc);
  for (Block &block : inner) {
    Operation *end = block.getTerminator();
    rewriter.setInsertionPoint(end);
    if (auto leave = dyn_cast<CondReturnOp>(end))
      rewriter.replaceOpWithNewOp<cf::CondBranchOp>(
          leave, leave.getCondition(), exit, ValueRange(), leave.getDest(),
          leave.getDestOperands());
    else if (isa<ReturnOp>(end))
      rewriter.replaceOpWithNewOp<scf::YieldOp>(end);
  }
}

/// Replaces the number of workers by a constant if the launch fixes it: extents
/// that are computed from it are then bounded.
static void replaceCount(GenericOp generic, RewriterBase &rewriter) {
  std::optional<int64_t> count = getLaunchCount(generic, generic.getScope());
  if (!count || generic.getNumIds() != 1)
    return;
  rewriter.setInsertionPointToStart(&generic.getExecute().front());
  Value number =
      arith::ConstantIndexOp::create(rewriter, generic.getLoc(), *count);
  rewriter.replaceAllUsesWith(generic.getCounts().front(), number);
}

/// Returns the memory that an op captures from outside of it.
static llvm::SetVector<Value> collectCapturedRefs(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  captured.remove_if(
      [](Value value) { return !isa<SRefType>(value.getType()); });
  return captured;
}

/// Converts the code that every worker of the group ran for itself to a phase.
static void makeThreads(GenericOp generic, SharedExecutorOp executor,
                        RewriterBase &rewriter) {
  Location loc = generic.getLoc();
  rewriter.setInsertionPoint(generic);
  SmallVector<Value> counts =
      cast<ScopeAttrInterface>(generic.getScope())
          .getWorkerCounts(rewriter, loc, generic.getNumIds());
  auto phase = RunThreadOp::create(rewriter, loc, Type(),
                                   executor.getThreadgroup(), ValueRange());
  Block *body = &phase.getBody().front();
  SmallVector<Value> arguments(phase.getIds());
  llvm::append_range(arguments, counts);
  rewriter.eraseOp(generic.getExecute().front().getTerminator());
  rewriter.inlineBlockBefore(&generic.getExecute().front(), body, body->end(),
                             arguments);
  rewriter.setInsertionPointToEnd(body);
  ClusterYieldOp::create(rewriter, loc);
  rewriter.setInsertionPoint(generic);
  if (generic.getSyncOnReturn())
    BarrierOp::create(rewriter, loc, generic.getScope(), ValueRange(),
                      ValueRange(), collectCapturedRefs(phase).getArrayRef());
  rewriter.eraseOp(generic);
}

/// Returns whether an op only starts the workers of the group: it has no memory
/// and no results of its own.
static bool startsThreads(GenericOp generic, SharedExecutorOp executor) {
  return generic.getScope() == executor.getScope() &&
         generic.getInitializer().empty() && generic.getRefArgs().empty() &&
         generic->getNumResults() == 0 && generic.getExecute().hasOneBlock() &&
         generic.getNumIds() == cast<ScopeAttrInterface>(generic.getScope())
                                    .getNativeNumProcessorIds();
}

/// Converts a worker's code to that of a group of the finer scope.
static void telescope(Region &code, Attribute finer, RewriterBase &rewriter) {
  if (!code.hasOneBlock())
    moveGraph(code, rewriter);
  Block &body = code.front();
  Operation *first = findFirstWork(body), *end = body.getTerminator();
  rewriter.setInsertionPoint(end);
  auto executor = SharedExecutorOp::create(rewriter, first->getLoc(),
                                           RefOwnerParts{finer, false, {}});
  Block *target = executor.getBody();
  target->getOperations().splice(target->end(), body.getOperations(),
                                 first->getIterator(),
                                 Block::iterator(executor));
  rewriter.setInsertionPointToEnd(target);
  ReturnOp::create(rewriter, first->getLoc());
  SmallVector<GenericOp> threads;
  walkCollectiveCode(executor.getExecute(), [&](Operation *op) {
    if (auto generic = dyn_cast<GenericOp>(op);
        generic && startsThreads(generic, executor))
      threads.push_back(generic);
  });
  for (GenericOp generic : threads)
    makeThreads(generic, executor, rewriter);
}

namespace {
struct TelescopeWorkers final
    : distaff::impl::PCFTelescopeWorkersBase<TelescopeWorkers> {
  using PCFTelescopeWorkersBase::PCFTelescopeWorkersBase;

  void runOnOperation() override {
    FailureOr<ScopeAttrInterface> finer = parseScope(to, &getContext());
    if (failed(finer))
      return signalPassFailure();
    SmallVector<Region *> codes;
    getOperation()->walk([&](Operation *op) {
      auto owner = dyn_cast<RefOwnerOpInterface>(op);
      if (isa<GenericOp, LoopOp>(op) && isTelescoped(owner, *finer) &&
          worksOnTensors(owner.getExecute()))
        codes.push_back(&owner.getExecute());
    });
    IRRewriter rewriter(&getContext());
    for (Region *code : codes) {
      if (auto generic = dyn_cast<GenericOp>(code->getParentOp()))
        replaceCount(generic, rewriter);
      telescope(*code, *finer, rewriter);
    }
  }

private:
  /// Returns whether the owner's workers consist of those of the finer scope.
  static bool isTelescoped(RefOwnerOpInterface owner,
                           ScopeAttrInterface finer) {
    auto scope = cast<ScopeAttrInterface>(owner.getScope());
    return scope.getNestingLevel() + 1 == finer.getNestingLevel();
  }
};
} // namespace
