//===- WorkgroupLoop.cpp - Forming a pcf.loop over workgroups -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tiled kernel on memrefs has one scf.forall over workgroups, or is the
// program of one workgroup; either becomes a pcf.loop. Ops that a workgroup
// computes or allocates before the forall move into the loop.
//
// With `steps` a workgroup whose program has no loop gets one, along several
// neighboring tiles, so that there are steps to copy ahead:
//
//   forall (%i) in (%n) { f(%i) }
//     => loop count(%n ceildiv 4) { for %t = 0 to min(4, %n - 4 * %id) {
//          f(4 * %id + %t) } }
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace distaff {
#define GEN_PASS_DEF_WORKGROUPLOOP
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether an op before the loop over workgroups stays outside: it
/// computes numbers or memrefs from such.
static bool isOfGrid(Operation *op) {
  auto isOfAll = [](Type type) {
    return type.isIntOrIndexOrFloat() || isa<BaseMemRefType>(type);
  };
  return op->hasTrait<mlir::OpTrait::ConstantLike>() ||
         (isPure(op) && op->getNumRegions() == 0 &&
          llvm::all_of(op->getResultTypes(), isOfAll) &&
          llvm::all_of(op->getOperandTypes(), isOfAll));
}

/// Returns the ops before `end` that move into the loop.
static SmallVector<Operation *> collectInner(Block &body, Operation *end) {
  SmallVector<Operation *> inner;
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (Operation &op : body) {
    if (&op == end)
      break;
    bool depends = llvm::any_of(op.getOperands(), [&](Value operand) {
      return seen.contains(operand.getDefiningOp());
    });
    if (isOfGrid(&op) && !depends)
      continue;
    inner.push_back(&op);
    seen.insert(&op);
  }
  return inner;
}

/// Returns the forall that distributes a kernel to workgroups; null without
/// one.
static FailureOr<scf::ForallOp> findWorkgroupForall(func::FuncOp kernel) {
  scf::ForallOp found;
  for (auto forall : kernel.getBody().front().getOps<scf::ForallOp>()) {
    if (found)
      return forall.emitOpError("is a second loop over workgroups, and a "
                                "launch has one grid; make a kernel of each");
    found = forall;
  }
  return found;
}

/// Wraps the kernel's whole body in a loop of one iteration.
static LoopOp wrapWhole(func::FuncOp kernel, ScopeAttrInterface scope,
                        IRRewriter &rewriter) {
  Block &body = kernel.getBody().front();
  rewriter.setInsertionPoint(body.getTerminator());
  Location loc = kernel.getLoc();
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop =
      LoopOp::create(rewriter, loc, RefOwnerParts{scope, false, {}}, one);
  rewriter.setInsertionPointToEnd(loop.getBody());
  ReturnOp::create(rewriter, loc);
  return loop;
}

/// Returns the id of the first dimension that may have several tiles, or of the
/// first.
static unsigned findWalkedId(LoopOp loop) {
  for (auto [number, count] : llvm::enumerate(loop.getCounts()))
    if (getConstantIntValue(count).value_or(2) > 1)
      return number;
  return 0;
}

/// Divides the number of workgroups along a dimension of the grid by `steps`.
static void divideGrid(func::FuncOp kernel, unsigned dimension, int64_t steps) {
  func::FuncOp grid = findGridFunction(kernel);
  Operation *end = grid.getBody().front().getTerminator();
  OpBuilder builder(end);
  end->setOperand(
      dimension,
      affine::AffineApplyOp::create(
          builder, grid.getLoc(),
          AffineMap::get(0, 1, builder.getAffineSymbolExpr(0).ceilDiv(steps)),
          end->getOperand(dimension)));
}

/// Adds a loop in which a workgroup computes several tiles, one after the
/// other.
static void walkTiles(func::FuncOp kernel, LoopOp loop, int64_t steps,
                      IRRewriter &rewriter) {
  unsigned walked = findWalkedId(loop);
  Block *body = loop.getBody();
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value count = loop.getCounts()[walked];
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  auto apply = [&](AffineExpr expr, ValueRange operands) -> Value {
    return affine::AffineApplyOp::create(
        rewriter, loc, AffineMap::get(0, operands.size(), expr), operands);
  };
  loop.getCountsMutable()[walked].set(apply(s0.ceilDiv(steps), count));
  divideGrid(kernel, walked, steps);
  SmallVector<Operation *> work;
  for (Operation &op : body->without_terminator())
    if (!isa<memref::AllocOp>(op))
      work.push_back(&op);
  rewriter.setInsertionPoint(body->getTerminator());
  Value id = loop.getIds()[walked];
  Value first = apply(s0 * steps, id);
  Value left = affine::AffineMinOp::create(
      rewriter, loc,
      AffineMap::get(0, 2, {rewriter.getAffineConstantExpr(steps), s0 - s1},
                     rewriter.getContext()),
      ValueRange{count, first});
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto tiles = scf::ForOp::create(rewriter, loc, zero, left, one);
  rewriter.setInsertionPointToStart(tiles.getBody());
  Value tile = apply(s0 + s1, {first, tiles.getInductionVar()});
  for (Operation *op : work)
    rewriter.moveOpBefore(op, tiles.getBody()->getTerminator());
  rewriter.replaceUsesWithIf(id, tile, [&](OpOperand &use) {
    return tiles->isProperAncestor(use.getOwner()) &&
           use.getOwner() != tile.getDefiningOp();
  });
}

static LogicalResult makeLoop(func::FuncOp kernel, int64_t steps,
                              bool anyProgram) {
  if (startsWorkers(kernel) || !kernel.getBody().hasOneBlock())
    return success();
  Block &body = kernel.getBody().front();
  FailureOr<scf::ForallOp> forall = findWorkgroupForall(kernel);
  if (failed(forall))
    return failure();
  IRRewriter rewriter(kernel.getContext());
  auto scope = cast<ScopeAttrInterface>(
      iree::WorkgroupScopeAttr::get(kernel.getContext(), false));
  Operation *end = *forall ? forall->getOperation() : body.getTerminator();
  SmallVector<Operation *> inner = collectInner(body, end);
  FailureOr<LoopOp> loop =
      *forall ? convertForallToPCFLoop(rewriter, *forall, scope)
              : FailureOr<LoopOp>(wrapWhole(kernel, scope, rewriter));
  if (failed(loop))
    return failure();
  Block *into = loop->getBody();
  Operation *first = &into->front();
  for (Operation *op : inner)
    rewriter.moveOpBefore(op, first);
  bool mayWalk = anyProgram || into->getOps<scf::ForOp>().empty();
  if (steps > 1 && mayWalk && findGridFunction(kernel))
    walkTiles(kernel, *loop, steps, rewriter);
  return success();
}

namespace {
struct WorkgroupLoop final : distaff::impl::WorkgroupLoopBase<WorkgroupLoop> {
  using WorkgroupLoopBase::WorkgroupLoopBase;

  void runOnOperation() override {
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>())
      if (isKernel(kernel) && failed(makeLoop(kernel, steps, anyProgram)))
        return signalPassFailure();
  }
};
} // namespace
