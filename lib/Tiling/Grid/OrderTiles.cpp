//===- OrderTiles.cpp - Barriers between tiles of a workgroup -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OrderTiles.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

static bool isWorkgroupMemory(Value value) {
  auto type = dyn_cast<BaseMemRefType>(value.getType());
  auto space =
      type ? dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace())
           : gpu::AddressSpaceAttr();
  return space && space.getValue() == gpu::AddressSpace::Workgroup;
}

/// Returns whether an op, apart from its regions, may access the workgroup's
/// memory.
static bool mayAccess(Operation &op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return op.getNumRegions() == 0 &&
           !op.hasTrait<::mlir::OpTrait::IsTerminator>() &&
           !isMemoryEffectFree(&op);
  return (effects.hasEffect<MemoryEffects::Read>() ||
          effects.hasEffect<MemoryEffects::Write>()) &&
         llvm::any_of(op.getOperands(), isWorkgroupMemory);
}

static bool isFence(Operation *op, pcf::FenceKind kind) {
  auto fence = dyn_cast_or_null<iree::FenceOp>(op);
  return fence && fence.getKind() == kind &&
         fence.getLevel() != iree::FenceLevel::subgroup;
}

/// Returns whether an op orders all earlier memory accesses of the workgroup
/// before all later ones. A barrier of subgroups alone orders no memory.
static bool ordersAll(Operation &op) {
  auto barrier = dyn_cast<iree::GlobalSubgroupBarrierOp>(op);
  return isa<gpu::BarrierOp>(op) ||
         (barrier && !barrier.getId() &&
          isFence(op.getPrevNode(), pcf::FenceKind::release) &&
          isFence(op.getNextNode(), pcf::FenceKind::acquire));
}

namespace {
/// Describes the memory accesses at the end of a region.
enum class Ending {
  Untouched, // no access after the last barrier; there may be no barrier
  Barrier,   // no access after the last barrier, which is certain
  Access     // there may be an access after the last barrier
};
} // namespace

static Ending endingOf(Region &region);

/// Returns the ending of an op with regions of which one, several or none may
/// run.
static Ending endingOf(Operation &op) {
  bool isOneOf = isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op);
  bool isCertain = isOneOf;
  for (Region &region : op.getRegions()) {
    Ending ending = region.empty() ? Ending::Untouched : endingOf(region);
    if (ending == Ending::Access)
      return ending;
    isCertain &= ending == Ending::Barrier;
  }
  return isCertain ? Ending::Barrier : Ending::Untouched;
}

static Ending endingOf(Region &region) {
  if (!region.hasOneBlock()) {
    WalkResult walked = region.walk([](Operation *op) {
      return mayAccess(*op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return walked.wasInterrupted() ? Ending::Access : Ending::Untouched;
  }
  for (Operation &op : llvm::reverse(region.front())) {
    if (ordersAll(op))
      return Ending::Barrier;
    if (mayAccess(op))
      return Ending::Access;
    if (Ending ending = endingOf(op); ending != Ending::Untouched)
      return ending;
  }
  return Ending::Untouched;
}

static bool goesBySizeOfGrid(scf::ForOp loop) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [](Operation *op) { return op->getNumRegions() == 0; };
  llvm::SetVector<Operation *> slice;
  return succeeded(getBackwardSlice(loop.getStep(), &slice, options)) &&
         llvm::any_of(slice, llvm::IsaPred<gpu::GridDimOp>);
}

SmallVector<Operation *> distaff::orderTiles(FunctionOpInterface kernel) {
  SmallVector<scf::ForOp> loops;
  kernel->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!goesBySizeOfGrid(loop))
      return;
    // Loops along several dimensions are one iteration over the tiles.
    if (!loops.empty() && loops.back()->isAncestor(loop))
      loops.pop_back();
    loops.push_back(loop);
  });
  SmallVector<Operation *> created;
  MLIRContext *context = kernel->getContext();
  auto scope = cast<pcf::ScopeAttrInterface>(
      Attribute(iree::SubgroupScopeAttr::get(context)));
  Attribute space =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  for (scf::ForOp loop : loops) {
    if (endingOf(loop.getRegion()) != Ending::Access)
      continue;
    Operation *end = loop.getBody()->getTerminator();
    Operation *last = end->getPrevNode();
    OpBuilder builder(end);
    [[maybe_unused]] LogicalResult added =
        scope.addBarrier(builder, end->getLoc(), space);
    assert(succeeded(added) && "subgroups of a workgroup have a barrier");
    for (Operation *op = last ? last->getNextNode() : &loop.getBody()->front();
         op != end; op = op->getNextNode())
      created.push_back(op);
  }
  return created;
}
