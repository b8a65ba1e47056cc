//===- WorkgroupLoop.cpp - One pcf.loop over workgroups -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel on memrefs that is tiled has one scf.forall over workgroups, or is
// the program of one workgroup; either becomes a pcf.loop. What a workgroup
// computes or allocates in front of the forall is done in the loop.
//
//===----------------------------------------------------------------------===//
#include "distaff/Transforms/PCF/Passes.h"
#include "distaff/Transforms/PCF/Transforms.h"

#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace distaff {
#define GEN_PASS_DEF_WORKGROUPLOOP
#include "distaff/Transforms/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Whether an op in front of the loop over workgroups is the grid's: it
/// computes numbers, or says which memory there is.
static bool isOfGrid(Operation *op) {
  auto isOfAll = [](Type type) {
    return type.isIntOrIndexOrFloat() || isa<BaseMemRefType>(type);
  };
  return op->hasTrait<mlir::OpTrait::ConstantLike>() ||
         (isPure(op) && op->getNumRegions() == 0 &&
          llvm::all_of(op->getResultTypes(), isOfAll) &&
          llvm::all_of(op->getOperandTypes(), isOfAll));
}

/// What is to be in the loop of what stands in front of `end`.
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

/// The forall that shares out a kernel among workgroups; null without one.
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

/// Makes the kernel's whole body that of a loop of one iteration.
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

static LogicalResult makeLoop(func::FuncOp kernel) {
  if (startsWorkers(kernel) || !kernel.getBody().hasOneBlock())
    return success();
  Block &body = kernel.getBody().front();
  FailureOr<scf::ForallOp> forall = findWorkgroupForall(kernel);
  if (failed(forall))
    return failure();
  IRRewriter rewriter(kernel.getContext());
  auto scope = cast<ScopeAttrInterface>(
      compat::WorkgroupScopeAttr::get(kernel.getContext(), false));
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
  return success();
}

namespace {
struct WorkgroupLoop final : distaff::impl::WorkgroupLoopBase<WorkgroupLoop> {
  void runOnOperation() override {
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>())
      if (isKernel(kernel) && failed(makeLoop(kernel)))
        return signalPassFailure();
  }
};
} // namespace
