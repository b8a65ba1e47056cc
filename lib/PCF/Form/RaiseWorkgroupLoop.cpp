//===- RaiseWorkgroupLoop.cpp - Raising pcf.loop to scf.forall ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pcf.loop over workgroups whose body reads slices of tensors, computes with
// tensors, and writes slices of results is an scf.forall that inserts them, so
// that a pipeline without phases can compile it. The grid is then derived from
// the forall, and the kernel's own grid function is erased.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace distaff {
#define GEN_PASS_DEF_RAISEWORKGROUPLOOP
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Returns whether a ref is of a tensor, and only read or only written by
/// slices of computed values: a slice that is only copied is no tile of an op.
static bool hasSlicesOnly(LoopOp loop, unsigned number) {
  RefOwnerParts parts = RefOwnerParts::of(loop);
  const RefOwnerParts::Ref &ref = parts.refs[number];
  if (!ref.source || !isa<RankedTensorType>(ref.source.getType()))
    return false;
  return llvm::all_of(loop.getRefArgs()[number].getUsers(), [&](Operation *op) {
    if (auto read = dyn_cast<ReadSliceOp>(op))
      return ref.isReadonly && isStaticTensor(read.getType());
    auto write = dyn_cast<WriteSliceOp>(op);
    return write && !ref.isReadonly && op->getBlock() == loop.getBody() &&
           isStaticTensor(write.getSource().getType()) &&
           !write.getSource().getDefiningOp<ReadSliceOp>();
  });
}

static bool canRaise(LoopOp loop) {
  if (!isa<iree::WorkgroupScopeAttr>(loop.getScope()) ||
      loop.getIds().empty() || loop.getIds().size() > 3)
    return false;
  for (unsigned number : llvm::seq<unsigned>(0, loop.getRefArgs().size()))
    if (!hasSlicesOnly(loop, number))
      return false;
  return !loop.getBody()
              ->walk([&](Operation *op) {
                bool isOther = isa<PCFDialect>(op->getDialect()) &&
                               !isa<ReadSliceOp, WriteSliceOp, ReturnOp>(op);
                bool isDynamic =
                    llvm::any_of(op->getResultTypes(), [](Type type) {
                      return isa<TensorType>(type) && !isStaticTensor(type);
                    });
                return isOther || isDynamic ? WalkResult::interrupt()
                                            : WalkResult::advance();
              })
              .wasInterrupted();
}

static LoopOp findOnlyLoop(func::FuncOp kernel) {
  LoopOp found;
  for (Operation &op : kernel.getBody().front())
    if (auto loop = dyn_cast<LoopOp>(op)) {
      if (found)
        return {};
      found = loop;
    } else if (isa<PCFDialect>(op.getDialect())) {
      return {};
    }
  return found;
}

bool pcf::isRaisable(func::FuncOp kernel) {
  LoopOp loop =
      kernel.getBody().hasOneBlock() ? findOnlyLoop(kernel) : LoopOp();
  return loop && canRaise(loop);
}

static void raise(LoopOp loop, IRRewriter &rewriter) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  RefOwnerParts parts = RefOwnerParts::of(loop);
  SmallVector<Value> inits;
  for (const RefOwnerParts::Ref &ref : parts.refs)
    if (!ref.isReadonly)
      inits.push_back(ref.source);
  // The fastest id comes last, and is x.
  SmallVector<OpFoldResult> bounds;
  SmallVector<Attribute> mapping;
  for (auto [number, count] : llvm::enumerate(loop.getCounts())) {
    bounds.insert(bounds.begin(), getAsOpFoldResult(count));
    mapping.insert(mapping.begin(),
                   gpu::GPUBlockMappingAttr::get(rewriter.getContext(),
                                                 gpu::MappingId(number)));
  }
  auto forall = scf::ForallOp::create(rewriter, loc, bounds, inits,
                                      rewriter.getArrayAttr(mapping));
  for (auto [id, variable] :
       llvm::zip_equal(loop.getIds(), llvm::reverse(forall.getInductionVars())))
    rewriter.replaceAllUsesWith(id, variable);
  Block *inserts = forall.getTerminator().getBody();
  unsigned next = 0;
  for (auto [ref, argument] : llvm::zip_equal(parts.refs, loop.getRefArgs())) {
    Value shared =
        ref.isReadonly ? Value() : forall.getRegionIterArgs()[next++];
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      if (auto read = dyn_cast<ReadSliceOp>(user)) {
        rewriter.setInsertionPoint(read);
        rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
            read, cast<RankedTensorType>(read.getType()), ref.source,
            read.getMixedOffsets(), read.getMixedSizes(),
            read.getMixedStrides());
        continue;
      }
      auto write = cast<WriteSliceOp>(user);
      rewriter.setInsertionPointToEnd(inserts);
      tensor::ParallelInsertSliceOp::create(
          rewriter, write.getLoc(), write.getSource(), shared,
          write.getMixedOffsets(), write.getMixedSizes(),
          write.getMixedStrides());
      rewriter.eraseOp(write);
    }
  }
  for (Operation &op :
       llvm::make_early_inc_range(loop.getBody()->without_terminator()))
    rewriter.moveOpBefore(&op, forall.getTerminator());
  rewriter.replaceOp(loop, forall);
}

namespace {
struct RaiseWorkgroupLoop final
    : distaff::impl::RaiseWorkgroupLoopBase<RaiseWorkgroupLoop> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (func::FuncOp kernel :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!isKernel(kernel) || !isRaisable(kernel))
        continue;
      if (func::FuncOp grid = findGridFunction(kernel))
        rewriter.eraseOp(grid);
      raise(findOnlyLoop(kernel), rewriter);
    }
  }
};
} // namespace
