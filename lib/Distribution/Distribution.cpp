//===- Distribution.cpp - From a workgroup's vectors to a lane's ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver. Reads top to bottom: lay out, visit every op in dominance order,
// clean up, report.
//
//===----------------------------------------------------------------------===//
#include "distaff/Distribution/Distribution.h"
#include "Boundary.h"
#include "Distributor.h"
#include "Records.h"
#include "Rules/Rules.h"
#include "Sync/DoubleBufferExchanges.h"
#include "Sync/MergeExchanges.h"
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::ToSimdOp;
using vector_ext::ToSimtOp;

/// \pre  what crosses the boundary is known
static LogicalResult distributeInside(Region &region,
                                      const RegionBoundary &boundary,
                                      const DistributionOptions &options) {
  assert(options.laneId && options.sync && "members have ids and a barrier");
  assert(options.numSubgroups > 0 && options.subgroupSize > 0 &&
         (options.numSubgroups == 1 || options.subgroupId) &&
         "one of several subgroups is known by its id");
  assert((!options.keepsBlocks || options.subgroupSize == 1) &&
         "the lanes of a block have their turn later");
  FailureOr<LayoutMap> layouts = propagateLayouts(region, boundary);
  if (failed(layouts))
    return failure();
  Distributor out(region, options, std::move(*layouts));
  if (failed(out.verifyLayouts(boundary)))
    return failure();
  out.distribute(boundary);
  return out.finish();
}

LogicalResult distaff::distributeRegion(Region &region,
                                        const RegionBoundary &boundary,
                                        const DistributionOptions &options) {
  if (region.empty())
    return success();
  if (failed(verifyBoundary(region, boundary)))
    return failure();
  return distributeInside(region, boundary, options);
}

LogicalResult distaff::distributeVectors(FunctionOpInterface function,
                                         const DistributionOptions &options) {
  return distributeInside(function.getFunctionBody(), {}, options);
}

//===----------------------------------------------------------------------===//
// Visiting
//===----------------------------------------------------------------------===//

static bool hasVectors(Operation *op) {
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector);
}

static bool isLayoutFree(Operation *op) {
  return op->getNumResults() == 1 && LayoutMap::isLayoutFree(op->getResult(0));
}

void Distributor::distribute(const RegionBoundary &boundary) {
  SmallVector<const Placement *> arguments(region.getNumArguments());
  for (auto [value, layout] : boundary.inputs)
    if (isInside(value))
      arguments[cast<BlockArgument>(value).getArgNumber()] = place(layout);
  SmallVector<const Placement *> outputs = llvm::map_to_vector(
      boundary.outputs,
      [&](vector_ext::VectorLayoutInterface layout) -> const Placement * {
        return layout ? place(layout) : nullptr;
      });
  distributeBody(region, arguments, outputs, *this);
}

void Distributor::distribute(Region &inner) {
  for (Block &block : inner)
    for (Operation &op : llvm::make_early_inc_range(block))
      distribute(&op);
}

void Distributor::distribute(Operation *op) {
  // Layout-free values are built where they are used; the terminators of loops
  // and branches are rewritten with them.
  if (isa<ToSimdOp, ToSimtOp>(op) || isLayoutFree(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return;
  // Of an op with a name that is gone, should its rule break the IR (VX-66).
  OperationName name = op->getName();
  Location loc = op->getLoc();
  bool wasRight = rulesAreRight;
  if (failed(dispatch(op)))
    note(op, "cannot be distributed");
  if (!options.verifiesRules || !wasRight || !rulesAreRight)
    return;
  rulesAreRight = succeeded(verify(function));
  if (!rulesAreRight)
    emitError(loc) << "the rule of '" << name << "' leaves invalid IR";
}

/// True if `op`, done by every thread, is what it is once.
bool Distributor::isSafeForAll(Operation *op) {
  return isMemoryEffectFree(op) || options.sync->isWait(op) ||
         isa<memref::AllocOp, memref::DeallocOp, memref::AssumeAlignmentOp,
             cf::AssertOp, pcf::BarrierOp, pcf::FenceOp, iree::FenceOp,
             iree::LaneBarrierOp, iree::GlobalSubgroupBarrierOp>(op);
}

/// Why `op` concerns more threads than the members; empty if it does not.
StringRef Distributor::reachBeyondMembers(Operation *op) {
  if (isa<gpu::BarrierOp>(op) && !options.sync->isWait(op))
    return "synchronizes the whole workgroup, but only a subset executes this "
           "region; hoist it out of the region";
  if (isa<memref::AllocOp>(op) && options.allocate)
    return "is one buffer for all who run this code at the same time, each on "
           "a tile of its own; allocate it outside, and take a part of it";
  return {};
}

/// Every thread does what the one thread of the source did: right where that
/// is the same however often it is done.
LogicalResult Distributor::distributeScalars(Operation *op) {
  if (StringRef why = reachBeyondMembers(op); !why.empty())
    return refuse(op, why);
  if (isa<memref::AllocaOp>(op))
    return refuse(op,
                  "is memory of each lane's own, which the lanes that share "
                  "this kernel's values cannot share; take memref.alloc, "
                  "which is memory of the workgroup");
  if (op->getNumRegions() == 0 && !isSafeForAll(op))
    return refuse(op, "has no distribution rule, and would be done by every "
                      "lane of the workgroup; read and write memory by "
                      "vector.transfer_read and write, memref.load and store");
  if (op->getNumRegions() != 0 &&
      !isa_and_present<scf::SCFDialect>(op->getDialect()))
    return refuse(op, "has no distribution rule; loops and branches are those "
                      "of scf");
  for (Region &inner : op->getRegions())
    distribute(inner);
  return success();
}

LogicalResult Distributor::requirePlacements(Operation *op) {
  bool all = true;
  for (OpOperand &operand : op->getOpOperands())
    all &= !isa<VectorType>(operand.get().getType()) || placementOf(operand);
  for (OpResult result : op->getResults())
    all &= !isa<VectorType>(result.getType()) || placementOf(result);
  return all ? success()
             : refuseOwnMistake(op, "has a vector that no layout places");
}

LogicalResult Distributor::dispatch(Operation *op) {
  // A vector.mask is asked with the op that it masks.
  if (!isa<vector::MaskOp>(op) && failed(requirePlacements(op)))
    return failure();
  if (core::TargetOpAttr kind = targetOpOf(op))
    return distributeTargetOp(op, kind, *this);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ToLayoutOp, core::ContractOp, vector_ext::ArgCompareOp,
            vector_ext::TransferGatherOp, vector_ext::TransferScatterOp,
            vector::ScanOp, vector::BroadcastOp, vector::TransposeOp,
            vector::ShapeCastOp, vector::ExtractOp, vector::InsertOp,
            vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
            vector::BitCastOp, vector::InterleaveOp, vector::DeinterleaveOp,
            vector::ShuffleOp, vector::FromElementsOp, vector::ToElementsOp,
            vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp, vector::ExpandLoadOp,
            vector::CompressStoreOp, vector::ScatterOp, vector::MaskOp,
            scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp,
            scf::ExecuteRegionOp, memref::LoadOp, memref::StoreOp,
            pcf::ReadSliceOp, pcf::WriteSliceOp>(
          [&](auto op) { return distaff::distribute(op, *this); })
      .Case<vector::TransferReadOp, vector::TransferWriteOp,
            vector::MultiDimReductionOp, vector::ReductionOp,
            vector::ContractionOp, vector::GatherOp, vector::OuterProductOp>(
          [&](auto op) {
            return distaff::distribute(op, /*mask=*/nullptr, *this);
          })
      .Default([&](Operation *op) -> LogicalResult {
        if (!hasVectors(op))
          return distributeScalars(op);
        if (OpTrait::hasElementwiseMappableTraits(op))
          return distributeElementwise(op, *this);
        return refuseOwnMistake(op, "has no distribution rule");
      });
}

//===----------------------------------------------------------------------===//
// Finishing
//===----------------------------------------------------------------------===//

void Distributor::eraseDeadCasts() {
  SmallVector<Operation *> candidates;
  region.walk([&](Operation *op) {
    if (isa<ToSimdOp, ToSimtOp>(op) || isLayoutFree(op))
      candidates.push_back(op);
  });
  for (Operation *op : llvm::reverse(candidates))
    if (op->use_empty())
      op->erase();
}

LogicalResult Distributor::reportLeftovers() {
  for (auto &[op, refusal] : refusals) {
    InFlightDiagnostic diagnostic =
        refusal.source ? emitError(op->getLoc())
                             << "'" << *refusal.source << "' op " << refusal.why
                       : op->emitOpError(refusal.why);
    if (refusal.origin)
      diagnostic.attachNote(*refusal.origin) << "the layout comes from here";
  }
  if (!refusals.empty())
    return failure();
  WalkResult walked = region.walk([&](Operation *op) {
    if (!isa<ToLayoutOp, ToSimdOp, ToSimtOp>(op) || kept.contains(op))
      return WalkResult::advance();
    op->emitOpError("is left after distribution");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Erases dead ops that rules left, such as an extension that an instruction
/// computes, and the buffers that nothing uses any more.
static void eraseDead(Region &region, SmallVector<WorkgroupBuffer> &buffers,
                      Hazards &hazards) {
  llvm::DenseSet<Operation *> allocs;
  for (WorkgroupBuffer &buffer : buffers)
    allocs.insert(buffer.alloc);
  SmallVector<Operation *> ops;
  region.walk([&](Operation *op) {
    if (op->getNumRegions() == 0 && !allocs.contains(op))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op)) {
      hazards.forget(op);
      op->erase();
    }
  llvm::erase_if(buffers, [](WorkgroupBuffer &buffer) {
    if (!buffer.alloc->use_empty())
      return false;
    buffer.alloc.erase();
    return true;
  });
}

/// What exchanges have for nothing of what they may use.
int64_t Distributor::idleMemory() const {
  if (!options.idleMemory)
    return 0;
  int64_t own = options.sharedMemoryBytes - sharedMemoryLeft;
  return std::max<int64_t>(0,
                           options.idleMemory(registersCarried(region)) - own);
}

LogicalResult Distributor::finish() {
  eraseDeadCasts();
  if (!rulesAreRight)
    return failure();
  if (failed(reportLeftovers()))
    return failure();
  eraseDead(region, buffers, hazards);
  mergeExchanges(region, buffers, sharedMemoryLeft, hazards);
  doubleBufferExchanges(region, buffers, sharedMemoryLeft, hazards);
  FailureOr<BufferPlan> plan = planBuffers(region, buffers, sharedMemoryLeft,
                                           idleMemory(), uniformity, hazards);
  if (failed(plan))
    return failure();
  // Each exchange is given no more than is left, and all may share it.
  if (sharedMemoryLeft != 0 && plan->bytes > sharedMemoryLeft)
    return function.emitError()
           << "exchanges take " << plan->bytes
           << " bytes of workgroup memory, of which " << sharedMemoryLeft
           << " are left; this is a bug in Distaff";
  recordExchanges(function, *plan, buffers, options.log);
  for (auto &[op, reason] : plan->syncs) {
    OpBuilder builder(op);
    options.sync->wait(builder, op->getLoc());
  }
  emitBuffers(std::move(*plan), buffers, options.workgroupAlignment,
              options.allocate);
  recordDistributed(function, ids, options);
  return success();
}
