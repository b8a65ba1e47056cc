//===- ExchangeMemory.cpp - Workgroup memory for exchanges ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Phases/ExchangeMemory.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

/// Returns the subgroups of the workgroup that run the code at the same time.
static int64_t countSubgroups(Operation *op) {
  LaunchSizes sizes = launchSizesOf(op->getParentOfType<FunctionOpInterface>());
  if (!sizes.workgroup || !sizes.subgroup || *sizes.subgroup <= 0)
    return 1;
  auto [x, y, z] = *sizes.workgroup;
  return std::max<int64_t>(1, x * y * z / *sizes.subgroup);
}

/// Returns the block in which a workgroup's memory is allocated: the body of
/// the loop over workgroups, or the kernel's if it is one workgroup's program.
static Block &memoryOwnerOf(Operation *op) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  Block *body = &kernel.getFunctionBody().front();
  for (Operation *inner = op; inner != kernel; inner = inner->getParentOp())
    if (auto owner = dyn_cast<pcf::RefOwnerOpInterface>(inner->getParentOp());
        owner && isa<iree::WorkgroupScopeAttr>(owner.getScope()))
      body = inner->getBlock();
  return *body;
}

/// Returns the cluster whose members run a phase; null if all workers do.
static Value clusterOf(Operation *phase) {
  Type group = llvm::TypeSwitch<Operation *, Type>(phase)
                   .Case<pcf::RunClusterOp, pcf::RunThreadOp>(
                       [](auto op) { return op.getGroupType(); })
                   .Default([](Operation *) { return Type(); });
  auto cluster = dyn_cast_or_null<pcf::ClusterType>(group);
  return cluster ? pcf::lookupCluster(phase, cluster.getId()) : Value();
}

/// Returns whether a phase computes with vectors, so that members may need
/// values of others. A phase that only copies has one layout.
static bool mayExchange(pcf::RunClusterOp phase) {
  return phase.getBody()
      .walk([](Operation *op) {
        bool computes =
            llvm::any_of(op->getOperandTypes(), llvm::IsaPred<VectorType>) &&
            op->getNumResults() > 0;
        return computes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

ExchangeMemory::Key ExchangeMemory::keyOf(Operation *phase) const {
  return {&memoryOwnerOf(phase),
          clustersWaitAlone ? clusterOf(phase) : Value()};
}

void ExchangeMemory::countTaken(FunctionOpInterface kernel) {
  if (!target)
    return;
  taken = workgroupMemoryWithPanels(kernel, target->workgroupAlignment());
  // Memory in which clusters of another executor exchange data is separate.
  for (auto &[key, shared] : sharedIn)
    if (!key.second && kernel->isAncestor(shared.alloc))
      taken -= shared.alloc.getType().getNumElements();
}

void ExchangeMemory::countGroups(pcf::SharedExecutorOp executor) {
  llvm::SmallDenseSet<Key> groups;
  executor.getExecute().walk([&](pcf::RunClusterOp phase) {
    if (mayExchange(phase))
      groups.insert(keyOf(phase));
  });
  Key ofAll = {&memoryOwnerOf(executor), Value()};
  if (sharedIn.contains(ofAll))
    groups.insert(ofAll);
  numGroups = std::max<int64_t>(1, groups.size());
}

int64_t ExchangeMemory::getLimit(Operation *phase, bool areLanes) const {
  if (!target)
    return 0;
  int64_t alignment = target->workgroupAlignment();
  int64_t left = target->dynamicSharedMemoryBytes - taken;
  left =
      areLanes ? left / countSubgroups(phase) : (left - left / 4) / numGroups;
  return std::max<int64_t>(1, left - left % alignment);
}

ExchangeMemory::Shared &
ExchangeMemory::getShared(OpBuilder &builder, Operation *phase, MemRefType type,
                          int64_t alignment, int64_t parts) {
  Key key = keyOf(phase);
  Location loc = phase->getLoc();
  int64_t bytes = type.getDimSize(0);
  OpBuilder::InsertionGuard guard(builder);
  auto [known, isNew] = sharedIn.try_emplace(key);
  Shared &shared = known->second;
  if (isNew) {
    builder.setInsertionPointToStart(key.first);
    shared.alloc = memref::AllocOp::create(
        builder, loc, MemRefType::Builder(type).setShape({bytes * parts}),
        builder.getI64IntegerAttr(alignment));
    if (parts > 1)
      shared.stride = arith::ConstantIndexOp::create(builder, loc, bytes);
    return shared;
  }
  if (bytes * parts <= shared.alloc.getType().getNumElements())
    return shared;
  // Each part of it is a view, which may be of a larger buffer.
  shared.alloc.getResult().setType(
      MemRefType::Builder(type).setShape({bytes * parts}));
  if (shared.stride)
    cast<arith::ConstantOp>(shared.stride)
        .setValueAttr(builder.getIndexAttr(bytes));
  return shared;
}

Value ExchangeMemory::getBuffer(OpBuilder &builder, Operation *phase,
                                MemRefType type, int64_t alignment,
                                bool areLanes) {
  int64_t parts = areLanes ? countSubgroups(phase) : 1;
  Shared &shared = getShared(builder, phase, type, alignment, parts);
  Location loc = phase->getLoc();
  Value begin;
  if (parts > 1) {
    auto subgroups = iree::SubgroupScopeAttr::get(builder.getContext());
    Value id = subgroups.getWorkerIDs(builder, loc, 1).front();
    begin =
        arith::MulIOp::create(builder, loc, id, shared.stride->getResult(0));
  } else {
    begin = arith::ConstantIndexOp::create(builder, loc, 0);
  }
  return memref::ViewOp::create(builder, loc, type, shared.alloc, begin,
                                /*sizes=*/ValueRange());
}
