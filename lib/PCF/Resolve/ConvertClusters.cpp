//===- ConvertClusters.cpp - Lowering handles to members' values ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This is the second step of cluster resolution (5.1, steps 4 and 5): in each
// case that replication has created, the handles of the case's own cluster
// become their payload, those of others are erased, and phases become plain
// code or are erased. Nested cases are converted first. Data is not touched,
// and no value is invented.
//
//===----------------------------------------------------------------------===//
#include "ConvertClusters.h"

#include "HandleCasts.h"
#include "HandleConversion.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;
using namespace distaff::pcf;

LogicalResult pcf::verifyIsFiner(Operation *op, Attribute scope,
                                 Attribute telescopeTo) {
  if (!telescopeTo || cast<ScopeAttrInterface>(telescopeTo).getNestingLevel() >
                          cast<ScopeAttrInterface>(scope).getNestingLevel())
    return success();
  return op->emitOpError() << "members at " << scope
                           << " are no groups of workers at " << telescopeTo
                           << "; 'telescope-to' needs a finer scope, or the "
                              "phases a coarser one";
}

namespace {
/// Holds the handles that a block gets by casts of its own: the clusters of a
/// case.
struct CaseHandles {
  Block *block;
  SmallVector<UnrealizedConversionCastOp> casts;
  /// The case around it; null for an outermost one.
  CaseHandles *around = nullptr;
  /// The group of the finer scope that runs the code, if there is one.
  Value finerHandle;
};

class Conversion {
public:
  Conversion(GenericOp generic, Attribute telescopeTo)
      : generic(generic), telescopeTo(telescopeTo),
        rewriter(generic.getContext()) {}

  LogicalResult run();

private:
  LogicalResult verifyReplicated();
  void collectCases();
  CaseHandles *findCase(Operation *op);
  bool hasPhaseOfAll();
  Value startFiner(Block *block, Block::iterator at);
  LogicalResult convertCase(CaseHandles &handles);
  LogicalResult convertThreadgroup();
  void wrap(Block *body, Value placeholder);
  void inlineOnlyCase(Block *block);

  GenericOp generic;
  Attribute telescopeTo;
  IRRewriter rewriter;
  ClusterFrame frame;
  /// The cases, outer ones before those in them.
  std::vector<std::unique_ptr<CaseHandles>> cases;
  llvm::DenseMap<Block *, CaseHandles *> caseOf;
  UnrealizedConversionCastOp threadgroup;
  /// Set if there are phases of all workers: then the body is wrapped as a
  /// whole.
  Value wholeHandle;
};
} // namespace

CaseHandles *Conversion::findCase(Operation *op) {
  for (Block *block = op->getBlock(); block;
       block = block->getParentOp() == generic
                   ? nullptr
                   : block->getParentOp()->getBlock())
    if (CaseHandles *found = caseOf.lookup(block))
      return found;
  return nullptr;
}

void Conversion::collectCases() {
  generic.getExecute().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isHandleCast(op))
      return;
    auto cast = mlir::cast<UnrealizedConversionCastOp>(op);
    if (isa<ThreadgroupType>(cast.getType(0))) {
      threadgroup = cast;
      return;
    }
    CaseHandles *&handles = caseOf[op->getBlock()];
    if (!handles) {
      CaseHandles *around = findCase(op);
      cases.push_back(std::make_unique<CaseHandles>());
      handles = cases.back().get();
      handles->block = op->getBlock();
      handles->around = around;
    }
    handles->casts.push_back(cast);
  });
}

bool Conversion::hasPhaseOfAll() {
  return generic.getExecute()
      .walk([&](RunThreadOp phase) {
        return isa<ThreadgroupType>(phase.getGroupType())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Verifies that groups have become cases.
LogicalResult Conversion::verifyReplicated() {
  WalkResult result = generic.getExecute().walk([](TileGroupOp group) {
    group.emitOpError() << "is not replicated; run 'pcf-replicate-clusters' "
                           "before handles are converted";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return verifyHandleUsers(generic.getExecute());
}

/// Creates a placeholder for the group of the finer scope that will run the
/// code after it.
Value Conversion::startFiner(Block *block, Block::iterator at) {
  rewriter.setInsertionPoint(block, at);
  return makeHandleCast(rewriter, generic.getLoc(),
                        ThreadgroupType::get(telescopeTo));
}

LogicalResult Conversion::convertCase(CaseHandles &handles) {
  HandleConversion conversion(frame, telescopeTo);
  SmallVector<Value> ids;
  for (UnrealizedConversionCastOp cast : handles.casts) {
    auto type = mlir::cast<ClusterType>(cast.getType(0));
    conversion.clusters[type.getId()] = llvm::to_vector(cast.getInputs());
    llvm::append_range(ids, cast.getInputs());
  }
  conversion.handle = handles.finerHandle;
  if (failed(conversion.run(*handles.block)))
    return failure();
  if (telescopeTo && !handles.around && !wholeHandle)
    wrap(handles.block, handles.finerHandle);
  for (Value id : ids)
    if (Operation *op = id.getDefiningOp(); op && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  return success();
}

/// Converts phases of all workers, and remaining handles of theirs.
LogicalResult Conversion::convertThreadgroup() {
  HandleConversion conversion(frame, telescopeTo);
  conversion.handle = wholeHandle;
  conversion.threadgroupScope = generic.getScope();
  if (threadgroup)
    conversion.threadgroupIds = llvm::to_vector(threadgroup.getInputs());
  Block *body = &generic.getExecute().front();
  if (failed(conversion.run(*body)))
    return failure();
  if (wholeHandle)
    wrap(body, wholeHandle);
  return success();
}

/// Moves the code after a placeholder in a block, except the terminator, into
/// an executor of the finer scope, whose handle replaces the placeholder.
void Conversion::wrap(Block *body, Value placeholder) {
  Location loc = generic.getLoc();
  rewriter.setInsertionPoint(body->getTerminator());
  auto inner = SharedExecutorOp::create(rewriter, loc,
                                        RefOwnerParts{telescopeTo, false, {}});
  Block *target = inner.getBody();
  Operation *marker = placeholder.getDefiningOp();
  target->getOperations().splice(target->end(), body->getOperations(),
                                 std::next(marker->getIterator()),
                                 Block::iterator(inner));
  rewriter.setInsertionPointToEnd(target);
  ReturnOp::create(rewriter, loc);
  rewriter.replaceAllUsesWith(placeholder, inner.getThreadgroup());
  rewriter.eraseOp(marker);
}

/// Replaces a switch whose only case is one cluster of all workers by the code
/// of that case.
void Conversion::inlineOnlyCase(Block *block) {
  auto only = dyn_cast<scf::IndexSwitchOp>(block->getParentOp());
  if (!only || !only.getCases().empty())
    return;
  rewriter.eraseOp(block->getTerminator());
  rewriter.inlineBlockBefore(block, only);
  rewriter.eraseOp(only);
}

LogicalResult Conversion::run() {
  collectCases();
  if (cases.empty() && !threadgroup)
    return success();
  if (failed(verifyIsFiner(generic, generic.getScope(), telescopeTo)) ||
      failed(verifyReplicated()))
    return failure();
  frame.ids = llvm::to_vector_of<Value>(generic.getIds());
  frame.counts = llvm::to_vector_of<Value>(generic.getCounts());
  Block *body = &generic.getExecute().front();
  if (telescopeTo && (cases.empty() || hasPhaseOfAll()))
    wholeHandle = startFiner(body, body->begin());
  for (std::unique_ptr<CaseHandles> &handles : cases) {
    if (!telescopeTo)
      break;
    handles->finerHandle =
        wholeHandle ? wholeHandle
        : handles->around
            ? handles->around->finerHandle
            // Ids of members stay outside.
            : startFiner(handles->block, handles->casts.front()->getIterator());
  }
  SmallVector<Block *> blocks;
  for (std::unique_ptr<CaseHandles> &handles : llvm::reverse(cases)) {
    blocks.push_back(handles->block);
    if (failed(convertCase(*handles)))
      return failure();
  }
  if (failed(convertThreadgroup()))
    return failure();
  for (Block *block : blocks)
    inlineOnlyCase(block);
  return success();
}

LogicalResult pcf::convertClusters(GenericOp generic, Attribute telescopeTo) {
  return Conversion(generic, telescopeTo).run();
}
