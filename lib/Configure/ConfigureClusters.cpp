//===- ConfigureClusters.cpp - Choose tiles for run-cluster ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage configure of the run-cluster pipeline (stage 1 of chapter 8 of the pcf
// specification): rank the tiles of a kernel's contraction, write the best one
// down, and check it as if a user had written it.
//
//===----------------------------------------------------------------------===//
#include "ClusterTiles.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Legality/UserConfig.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Configure/Phases.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

namespace distaff {
#define GEN_PASS_DEF_CONFIGURECLUSTERS
#include "distaff/Configure/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using iree::LoweringConfigAttr;

/// Returns the tiles as an attribute, with the number of workgroups that share
/// them out, 0 for one each; what the user wrote stays.
static LoweringConfigAttr makeConfig(MLIRContext *context,
                                     const Candidate &candidate,
                                     int64_t resident,
                                     LoweringConfigAttr user) {
  Builder builder(context);
  SmallVector<int64_t> subgroup;
  for (auto [whole, count] :
       llvm::zip_equal(candidate.workgroupTiles, candidate.subgroups))
    subgroup.push_back(whole / count);
  NamedAttrList entries;
  entries.set("workgroup", builder.getI64ArrayAttr(candidate.workgroupTiles));
  entries.set("reduction", builder.getI64ArrayAttr(candidate.reductionTiles));
  entries.set("subgroup", builder.getI64ArrayAttr(subgroup));
  entries.set("promote_operands", builder.getI64ArrayAttr(candidate.promoted));
  if (candidate.mma)
    entries.set("mma_kind", candidate.mma);
  if (resident > 0)
    entries.set("resident", builder.getI64IntegerAttr(resident));
  if (user)
    for (NamedAttribute entry : user.getAttributes())
      entries.set(entry.getName(), entry.getValue());
  return LoweringConfigAttr::get(context, entries.getDictionary(context));
}

namespace {
class ConfigureClusters final
    : public distaff::impl::ConfigureClustersBase<ConfigureClusters> {
public:
  ConfigureClusters() = default;
  explicit ConfigureClusters(ConfigureClustersOptions options,
                             DecisionLog *log = nullptr)
      : ConfigureClustersBase(std::move(options)), log(log) {}

  void runOnOperation() override {
    const Target *found = requireTarget(getOperation()->getLoc(), target);
    if (!found)
      return signalPassFailure();
    Target machine = strictFp ? keepingFloatOrder(*found) : *found;
    if (panelSlots < 1) {
      getOperation()->emitError("panels have at least one slot, not ")
          << panelSlots.getValue();
      return signalPassFailure();
    }
    int64_t most = machine.maxWorkgroupSize / machine.subgroupSize;
    if (producers < 0 || producers >= most) {
      getOperation()->emitError("a workgroup of ")
          << target.getValue() << " has up to " << most
          << " subgroups, which leaves none besides " << producers.getValue()
          << " producers; give from 0 to " << most - 1;
      return signalPassFailure();
    }
    if (clusters < 1) {
      getOperation()->emitError("there is at least one cluster, not ")
          << clusters.getValue();
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isKernel(kernel) && failed(configure(kernel, machine)))
        return signalPassFailure();
  }

private:
  LogicalResult configure(func::FuncOp kernel, const Target &machine);
  LogicalResult choose(const ClusterProblem &problem, const UserChoices &user,
                       const Target &machine, Ranking &ranking);
  int64_t chooseResident(func::FuncOp kernel, const ClusterProblem &problem,
                         const UserChoices &user, const Candidate &winner,
                         const Target &machine);

  ClusterSchedule schedule() const { return {panelSlots, producers, clusters}; }

  DecisionLog *log = nullptr;
};
} // namespace

/// Completes the launch of a kernel that starts workers itself: it has its
/// tiles.
static LogicalResult configureStarted(func::FuncOp kernel,
                                      const Target &machine) {
  if (kernel->hasAttr(LoweringConfigAttr::attributeName))
    return kernel.emitOpError("has a `lowering_config` and starts workers "
                              "itself, on tiles of its own");
  if (!UserChoices::get(kernel).workgroupSize)
    return kernel.emitOpError(
        "starts workers itself and does not say how many; give it a "
        "translation_info with workgroup_size");
  completeLaunch(kernel, machine);
  return success();
}

/// Diagnoses why there are no tiles for the user's choices.
static LogicalResult diagnoseNoTiles(const ClusterProblem &problem,
                                     const UserChoices &user,
                                     const Target &machine,
                                     const ClusterSchedule &schedule) {
  if (user.config &&
      failed(checkFixedTiles(problem, ClusterTiles::get(user.config), machine,
                             schedule, user.workgroupSize)))
    return failure();
  linalg::LinalgOp op = problem.op;
  InFlightDiagnostic diagnostic =
      op.emitOpError("has no tiles that fit into the ")
      << machine.vectorRegistersFor(machine.subgroupSize)
      << " registers per lane and the " << machine.dynamicSharedMemoryBytes
      << " bytes of shared memory of " << machine.name;
  if (user.config || user.workgroupSize)
    diagnostic << " and agree with what its lowering_config and its "
                  "function's `workgroup_size` fix; leave one of them out";
  return diagnostic;
}

LogicalResult ConfigureClusters::choose(const ClusterProblem &problem,
                                        const UserChoices &user,
                                        const Target &machine,
                                        Ranking &ranking) {
  rankClusters(problem, machine, user, schedule(), ranking);
  if (ranking.empty())
    return diagnoseNoTiles(problem, user, machine, schedule());
  return success();
}

/// Returns how many workgroups the tiles are shared out among: as many as are
/// resident at a time. 0 where there are never more tiles, so that each has a
/// workgroup.
int64_t ConfigureClusters::chooseResident(func::FuncOp kernel,
                                          const ClusterProblem &problem,
                                          const UserChoices &user,
                                          const Candidate &winner,
                                          const Target &machine) {
  auto record = [&](int64_t resident, std::string why) {
    if (log)
      log->choices.push_back({lineOf(kernel.getLoc()),
                              kernel.getName().str(),
                              "resident workgroups",
                              {std::to_string(resident), 0, std::move(why)},
                              {}});
    return resident;
  };
  ClusterTiles tiles;
  tiles.promoted = winner.promoted;
  tiles.workgroup = winner.workgroupTiles;
  tiles.reduction = winner.reductionTiles;
  int64_t lanes = winner.workgroupSize + producers * machine.subgroupSize;
  int64_t registers = std::min(machine.registersFor(lanes),
                               winner.registers + machine.overheadRegisters);
  int64_t bytes = tiles.sharedBytes(problem, panelSlots);
  int64_t resident = machine.residentWorkgroups(lanes, registers, bytes);
  if (std::optional<int64_t> asked =
          user.config ? user.config.getResident() : std::nullopt)
    return record(*asked,
                  llvm::formatv("by the user's lowering_config; {0} run at a "
                                "time",
                                resident));
  linalg::LinalgOp op = problem.op;
  if (!llvm::is_contained(op.getStaticLoopRanges(), ShapedType::kDynamic) &&
      winner.workgroups <= resident)
    return 0;
  return record(
      resident,
      llvm::formatv("{0} on each of {1} compute units: {2} lanes of {3} "
                    "registers, {4} B of shared memory",
                    resident / machine.computeUnits, machine.computeUnits,
                    lanes, registers, bytes));
}

LogicalResult ConfigureClusters::configure(func::FuncOp kernel,
                                           const Target &machine) {
  if (startsWorkers(kernel))
    return configureStarted(kernel, machine);
  kernel->removeAttr(oneProductName);
  FailureOr<ContractionKernel> parts = ContractionKernel::match(kernel);
  if (failed(parts))
    return failure();
  ClusterProblem problem(*parts);
  UserChoices user = UserChoices::get(kernel);
  user.config = problem.op->getAttrOfType<LoweringConfigAttr>(
      LoweringConfigAttr::attributeName);
  Ranking ranking;
  if (failed(checkClusterKeys(problem, machine, schedule())) ||
      failed(choose(problem, user, machine, ranking)))
    return failure();
  const Candidate &winner = ranking.winner();
  setLaunchShape(kernel, winner.workgroupSize, machine.subgroupSize,
                 "RunClusterDistribute");
  if (log)
    recordChoice(*log, kernel, "tile sizes", ranking);
  int64_t resident = chooseResident(kernel, problem, user, winner, machine);
  problem.op->setAttr(
      LoweringConfigAttr::attributeName,
      makeConfig(kernel.getContext(), winner, resident, user.config));
  ClusterTiles tiles =
      ClusterTiles::get(problem.op->getAttrOfType<LoweringConfigAttr>(
          LoweringConfigAttr::attributeName));
  return checkClusterTiles(problem, tiles, machine, schedule(),
                           user.workgroupSize);
}

std::unique_ptr<Pass>
distaff::createConfigureClusters(ConfigureClustersOptions options,
                                 DecisionLog *log) {
  return std::make_unique<ConfigureClusters>(std::move(options), log);
}
