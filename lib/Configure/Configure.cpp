//===- Configure.cpp - Choose workgroup, tiles and instructions -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: for each kernel the three steps of Search.h with the winner, and
// the losers to the log.
//
//===----------------------------------------------------------------------===//
#include "Candidates.h"
#include "FormLaunches.h"
#include "InheritedConfig.h"
#include "InputLegality.h"
#include "NativeVector.h"
#include "RankedKernels.h"
#include "SplitReductions.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Configure/Search.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_CONFIGURE
#include "distaff/Configure/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using iree::LoweringConfigAttr;

namespace {
class ConfigurePass final : public distaff::impl::ConfigureBase<ConfigurePass> {
public:
  ConfigurePass() = default;
  explicit ConfigurePass(ConfigureOptions options, DecisionLog *log = nullptr)
      : ConfigureBase(std::move(options)), log(log) {}

  // Branches over tensors ask whether extents are equal.
  void getDependentDialects(DialectRegistry &registry) const override {
    ConfigureBase::getDependentDialects(registry);
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
    scf::registerValueBoundsOpInterfaceExternalModels(registry);
    tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    const Target *found = requireTarget(getOperation()->getLoc(), target);
    if (!found)
      return signalPassFailure();
    Target machine = strictFp ? keepingFloatOrder(*found) : *found;
    Target withReserve = machine;
    withReserve.maxWorkgroupSize = std::max(
        machine.subgroupSize,
        machine.maxWorkgroupSize - reservedSubgroups * machine.subgroupSize);
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!isKernel(kernel))
        continue;
      settleInherited(kernel, machine);
      // A size that the author gives is kept; who adds subgroups says whether
      // they fit beside it.
      bool isGiven = UserChoices::get(kernel).workgroupSize != 0;
      if (failed(configure(kernel, isGiven ? machine : withReserve)))
        return signalPassFailure();
    }
  }

private:
  void settleInherited(func::FuncOp kernel, const Target &machine);
  LogicalResult configure(func::FuncOp kernel, const Target &machine);
  LogicalResult choose(func::FuncOp kernel, const Target &machine,
                       const UserChoices &user, RankedKernels &ranked);

  DecisionLog *log = nullptr;
};
} // namespace

static LogicalResult unknownLaunch(func::FuncOp at, StringRef name,
                                   ArrayRef<func::FuncOp> launches) {
  InFlightDiagnostic diagnostic =
      at.emitOpError("has no launch ")
      << name << " to configure; "
      << (launches.size() == 1 ? "there is one, " : "there are ");
  llvm::interleaveComma(launches, diagnostic, [&](func::FuncOp launch) {
    diagnostic << launch.getName();
  });
  return diagnostic;
}

/// Obeys the `lowering_config` and the native vector of a prepared kernel's
/// function, if it has them, and the native vectors of ops.
static LogicalResult configureRoot(func::FuncOp kernel) {
  if (kernel->hasAttr(LoweringConfigAttr::attributeName) &&
      failed(moveConfigToRoot(kernel, findRoot(kernel))))
    return failure();
  return applyNativeVectors(kernel, findRoot(kernel));
}

/// Gives each launch the attributes that the user has for it.
static LogicalResult overrideLaunches(ArrayRef<func::FuncOp> launches,
                                      DictionaryAttr ofLaunches) {
  for (NamedAttribute entry : ofLaunches) {
    auto launch = llvm::find_if(launches, [&](func::FuncOp each) {
      return each.getName() == entry.getName();
    });
    if (launch == launches.end())
      return unknownLaunch(launches.front(), entry.getName(), launches);
    func::FuncOp kernel = *launch;
    for (NamedAttribute attribute : cast<DictionaryAttr>(entry.getValue()))
      kernel->setAttr(attribute.getName(), attribute.getValue());
    if (failed(configureRoot(kernel)))
      return failure();
  }
  return success();
}

/// Drops the launch of a kernel that was written for GPUs, and its configs that
/// speak of subgroups, of lanes or of shared memory, and layouts.
static void dropLaunch(func::FuncOp kernel) {
  kernel->removeAttr(iree::TranslationInfoAttr::attributeName);
  kernel->walk([](Operation *op) {
    if (auto anchor = dyn_cast<vector_ext::ToLayoutOp>(op)) {
      anchor.replaceAllUsesWith(anchor.getInput());
      anchor.erase();
      return;
    }
    auto config = op->getAttrOfType<LoweringConfigAttr>(
        LoweringConfigAttr::attributeName);
    if (config && llvm::any_of(config.getAttributes(), [](NamedAttribute key) {
          return key.getName() != "workgroup" && key.getName() != "reduction" &&
                 key.getName() != "native_vector";
        }))
      op->removeAttr(LoweringConfigAttr::attributeName);
  });
}

/// Tiles that were chosen for a GPU say nothing about a CPU.
void ConfigurePass::settleInherited(func::FuncOp kernel,
                                    const Target &machine) {
  if (!hasInheritedConfig(kernel))
    return;
  if (machine.isHost())
    return dropInheritedConfig(kernel);
  DecisionLog *kept = std::exchange(log, nullptr);
  settleInheritedConfig(kernel, machine, [&](func::FuncOp tried) {
    return configure(tried, machine);
  });
  log = kept;
}

LogicalResult ConfigurePass::configure(func::FuncOp kernel,
                                       const Target &machine) {
  if (machine.isHost())
    dropLaunch(kernel);
  auto prepare = [&] { return prepareKernel(kernel, machine, strictFp); };
  bool isOnTensors = mentionsTensors(kernel) && !comesTiled(kernel);
  if (failed(isOnTensors ? withNativeVectors(kernel, prepare) : prepare()))
    return failure();
  RankedKernels ranked(machine);
  UserChoices user = UserChoices::get(kernel);
  user.strictFp = strictFp;
  user.phases = {clusters, producers};
  auto ofLaunches = dyn_cast_if_present<DictionaryAttr>(
      kernel->removeAttr(LoweringConfigAttr::launchesName));
  if (!mentionsTensors(kernel) || comesTiled(kernel)) {
    if (ofLaunches && !ofLaunches.empty())
      return unknownLaunch(kernel, ofLaunches.begin()->getName(), {kernel});
    if (comesTiled(kernel) &&
        failed(refuseNativeVectors(
            kernel, "in a kernel whose author has written the loops over "
                    "workgroups, whose tiles are its vectors; leave it out")))
      return failure();
    return choose(kernel, machine, user, ranked);
  }
  if (failed(configureRoot(kernel)) ||
      failed(splitReductions(kernel, machine, user, ranked, log)))
    return failure();
  FailureOr<SmallVector<func::FuncOp>> launches =
      formLaunches(kernel, machine, user, ranked, log);
  if (failed(launches) ||
      (ofLaunches && failed(overrideLaunches(*launches, ofLaunches))))
    return failure();
  for (func::FuncOp each : *launches) {
    UserChoices choices = UserChoices::get(each);
    choices.strictFp = strictFp;
    choices.phases = user.phases;
    if (failed(checkLaunchShape(each, machine)) ||
        failed(choose(each, machine, choices, ranked)))
      return failure();
  }
  return success();
}

LogicalResult ConfigurePass::choose(func::FuncOp kernel, const Target &machine,
                                    const UserChoices &user,
                                    RankedKernels &ranked) {
  FailureOr<Ranking> ranking = rankKernel(kernel, machine, user, ranked);
  if (failed(ranking))
    return failure();
  if (log)
    recordChoice(*log, kernel,
                 mentionsTensors(kernel) && !comesTiled(kernel)
                     ? "tile sizes"
                     : "workgroup size",
                 *ranking);
  return applyCandidate(kernel, ranking->winner(), machine, strictFp);
}

std::unique_ptr<Pass> distaff::createConfigure(ConfigureOptions options,
                                               DecisionLog *log) {
  return std::make_unique<ConfigurePass>(std::move(options), log);
}
