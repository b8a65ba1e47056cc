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
#include "Distributor.h"
#include "Rules.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::ToSimdOp;
using vector_ext::ToSimtOp;

LogicalResult distaff::distributeVectors(FunctionOpInterface function,
                                         const DistributionOptions &options) {
  FailureOr<LayoutMap> layouts = propagateLayouts(function);
  if (failed(layouts))
    return failure();
  Distributor out(function, options, std::move(*layouts));
  if (failed(out.verifyLayouts()))
    return failure();
  out.distribute(function.getFunctionBody());
  return out.finish();
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

void Distributor::distribute(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      distribute(&op);
}

void Distributor::distribute(Operation *op) {
  // Layout-free values are built where they are used; the terminators of loops
  // and branches are rewritten with them.
  if (isa<ToSimdOp, ToSimtOp>(op) || isLayoutFree(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return;
  if (failed(dispatch(op)))
    note(op, "cannot be distributed");
}

/// Every thread does what the one thread of the source did: right where that
/// is the same however often it is done.
LogicalResult Distributor::distributeScalars(Operation *op) {
  if (isa<memref::AllocaOp>(op))
    return refuse(op,
                  "is memory of each lane's own, which the lanes that share "
                  "this kernel's values cannot share; take memref.alloc, "
                  "which is memory of the workgroup");
  bool isSafe =
      isMemoryEffectFree(op) ||
      isa<memref::AllocOp, memref::DeallocOp, memref::AssumeAlignmentOp,
          gpu::BarrierOp, cf::AssertOp>(op);
  if (op->getNumRegions() == 0 && !isSafe)
    return refuse(op, "has no distribution rule, and would be done by every "
                      "lane of the workgroup; read and write memory by "
                      "vector.transfer_read and write, memref.load and store");
  if (op->getNumRegions() != 0 && !isa<scf::SCFDialect>(op->getDialect()))
    return refuse(op, "has no distribution rule; loops and branches are those "
                      "of scf");
  for (Region &region : op->getRegions())
    distribute(region);
  return success();
}

LogicalResult Distributor::dispatch(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ToLayoutOp, vector_ext::ArgCompareOp, vector_ext::TransferGatherOp,
            vector_ext::TransferScatterOp, vector::ScanOp, vector::BroadcastOp,
            vector::TransposeOp, vector::ShapeCastOp, vector::ExtractOp,
            vector::InsertOp, vector::MaskOp, scf::ForOp, scf::IfOp,
            memref::LoadOp, memref::StoreOp>(
          [&](auto op) { return distaff::distribute(op, *this); })
      .Case<vector::TransferReadOp, vector::TransferWriteOp,
            vector::MultiDimReductionOp, vector::ReductionOp,
            vector::ContractionOp>([&](auto op) {
        return distaff::distribute(op, /*mask=*/nullptr, *this);
      })
      .Default([&](Operation *op) -> LogicalResult {
        if (!hasVectors(op))
          return distributeScalars(op);
        if (OpTrait::hasElementwiseMappableTraits(op))
          return distributeElementwise(op, *this);
        return refuse(op, "has no distribution rule");
      });
}

//===----------------------------------------------------------------------===//
// Finishing
//===----------------------------------------------------------------------===//

void Distributor::eraseDeadCasts() {
  SmallVector<Operation *> candidates;
  function.walk([&](Operation *op) {
    if (isa<ToSimdOp, ToSimtOp>(op) || isLayoutFree(op))
      candidates.push_back(op);
  });
  for (Operation *op : llvm::reverse(candidates))
    if (op->use_empty())
      op->erase();
}

LogicalResult Distributor::reportLeftovers() {
  for (auto &[op, refusal] : refusals) {
    InFlightDiagnostic diagnostic = op->emitOpError(refusal.why);
    if (refusal.origin)
      diagnostic.attachNote(*refusal.origin) << "the layout comes from here";
  }
  if (!refusals.empty())
    return failure();
  WalkResult walked = function.walk([](Operation *op) {
    if (!isa<ToLayoutOp, ToSimdOp, ToSimtOp>(op))
      return WalkResult::advance();
    op->emitOpError("is left after distribution");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Rules leave behind what nobody asks for: the extension that an instruction
/// took over, the view that a transpose saw through.
static void eraseDead(FunctionOpInterface function,
                      SmallVector<WorkgroupBuffer> &buffers) {
  llvm::DenseSet<Operation *> allocs;
  for (WorkgroupBuffer &buffer : buffers)
    allocs.insert(buffer.alloc);
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (op->getNumRegions() == 0 && !allocs.contains(op))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
  llvm::erase_if(buffers, [](WorkgroupBuffer &buffer) {
    if (!buffer.alloc->use_empty())
      return false;
    buffer.alloc.erase();
    return true;
  });
}

LogicalResult Distributor::finish() {
  eraseDeadCasts();
  if (failed(reportLeftovers()))
    return failure();
  eraseDead(function, buffers);
  FailureOr<BufferPlan> plan =
      planBuffers(function, buffers, sharedMemoryLeft, uniformity, hazards);
  if (failed(plan))
    return failure();
  // Each exchange is given no more than is left, and all may share it.
  if (sharedMemoryLeft != 0 && plan->bytes > sharedMemoryLeft)
    return function.emitError()
           << "exchanges take " << plan->bytes
           << " bytes of workgroup memory, of which " << sharedMemoryLeft
           << " are left; this is a bug in Distaff";
  for (Operation *op : plan->syncs) {
    OpBuilder builder(op);
    options.sync(builder, op->getLoc());
  }
  emitBuffers(*plan, buffers);
  return success();
}
