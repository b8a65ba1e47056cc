//===- DistributePass.cpp - Hands a workgroup to the distributor ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass knows what the distributor does not: that the threads are those of a
// whole workgroup, with ids from gpu.thread_id, and that they wait for each
// other at a gpu.barrier.
//
//===----------------------------------------------------------------------===//
#include "Records.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Distribution/Distribution.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_DISTRIBUTEPASS
#include "distaff/Distribution/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
struct Launch {
  std::array<int64_t, 3> threads; ///< along x, y and z
  int64_t subgroupSize;

  int64_t numThreads() const { return threads[0] * threads[1] * threads[2]; }
};
} // namespace

static FailureOr<Launch> readLaunch(FunctionOpInterface function,
                                    int64_t mostThreads) {
  LaunchSizes sizes = launchSizesOf(function);
  if (!sizes.workgroup || !sizes.subgroup)
    return function.emitError(
        "needs a translation_info with workgroup_size and "
        "subgroup_size to be distributed; give it one like "
        "#iree_codegen.translation_info<workgroup_size = [64, 1, 1] "
        "subgroup_size = 32>");
  Launch launch{*sizes.workgroup, *sizes.subgroup};
  if (launch.numThreads() % launch.subgroupSize != 0)
    return function.emitError("has a workgroup of ")
           << launch.numThreads()
           << " threads, which is no multiple of its subgroup size "
           << launch.subgroupSize << "; round its workgroup_size up to one";
  if (launch.numThreads() > mostThreads)
    return function.emitError("has workgroups of ")
           << launch.numThreads() << " lanes, GPUs have up to " << mostThreads
           << "; lower its workgroup_size, and spread the layouts over fewer "
              "subgroups";
  return launch;
}

namespace {
struct DistributePass : distaff::impl::DistributePassBase<DistributePass> {
  using DistributePassBase::DistributePassBase;
  DistributePass(DistributePassOptions options, DecisionLog *log)
      : DistributePassBase(std::move(options)), log(log) {}

  void runOnOperation() override {
    bool failedAny = false;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (isKernel(function))
        failedAny |= failed(distribute(function));
    if (failedAny)
      signalPassFailure();
  }

  /// The workgroups of a launch; none where the run decides.
  static std::optional<int64_t> countAll(FunctionOpInterface function) {
    std::optional<std::array<int64_t, 3>> grid = fixedGridOf(function);
    return grid ? std::optional(saturatingProduct(*grid)) : std::nullopt;
  }

  LogicalResult distribute(FunctionOpInterface function) {
    const Target *known = lookupTarget(target);
    if (!known && !target.empty())
      return function.emitError("has unknown target '") << target << "'";
    FailureOr<Launch> launch = readLaunch(
        function, known ? known->maxWorkgroupSize : largestWorkgroupSize());
    if (failed(launch))
      return failure();

    DistributionOptions options;
    options.strictFp = strictFp;
    options.verifiesRules = verifyRules;
    options.log = log;
    options.targetName = target;
    options.subgroupSize = launch->subgroupSize;
    options.numSubgroups = launch->numThreads() / launch->subgroupSize;
    WorkgroupSync sync;
    options.sync = &sync;
    std::optional<Target> machine;
    if (known) {
      options.costs = known->costs;
      options.banks = known->banks;
      options.globalTransposingLoad = known->globalTransposingLoad;
      options.globalAlignment = known->globalMemory.baseAlignmentBytes;
      options.indexesRegisters = known->indexesRegisters;
      options.sharedMemoryBytes = known->dynamicSharedMemoryBytes;
      options.workgroupAlignment = known->workgroupAlignment();
      options.idleMemory = [known, lanes = launch->numThreads(),
                            workgroups = countAll(function)](int64_t held) {
        return known->idleSharedMemory(lanes, held + known->overheadRegisters,
                                       workgroups);
      };
      machine = strictFp ? keepingFloatOrder(*known) : *known;
    }
    if (failed(verifyAnchors(function, machine ? &*machine : nullptr)))
      return failure();
    if (failed(recordKernel(function, options)))
      return failure();
    Block &entry = function.getFunctionBody().front();
    OpBuilder b = OpBuilder::atBlockBegin(&entry);
    Location loc = function.getLoc();
    options.laneId = linearLaneId(b, loc, launch->threads);
    if (options.numSubgroups > 1) {
      auto split = affine::AffineDelinearizeIndexOp::create(
          b, loc, options.laneId,
          ArrayRef<int64_t>{options.numSubgroups, options.subgroupSize});
      options.subgroupId = split.getResult(0);
      options.laneId = split.getResult(1);
    }
    return distributeVectors(function, options);
  }

  DecisionLog *log = nullptr;
};
} // namespace

std::unique_ptr<Pass>
distaff::createDistributePass(DistributePassOptions options, DecisionLog *log) {
  return std::make_unique<DistributePass>(std::move(options), log);
}
