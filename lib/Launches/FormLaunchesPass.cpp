//===- FormLaunchesPass.cpp - Normalization and dispatch formation --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kernel: normalize, split reductions, form launches, and give each
// launch the choices that a user made for it.
//
//===----------------------------------------------------------------------===//
#include "FormLaunches.h"
#include "InheritedConfig.h"
#include "NativeVector.h"
#include "SplitReductions.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Legality/UserConfig.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Launches/Passes.h"
#include "distaff/Launches/PrepareKernel.h"
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
#define GEN_PASS_DEF_FORMLAUNCHES
#include "distaff/Launches/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using iree::LoweringConfigAttr;

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

/// Moves the `lowering_config` and the native vector of a prepared kernel's
/// function to its root, and converts the native vectors of ops to tiles.
static LogicalResult moveChoicesToRoot(func::FuncOp kernel) {
  if (kernel->hasAttr(LoweringConfigAttr::attributeName) &&
      failed(moveConfigToRoot(kernel, findRoot(kernel))))
    return failure();
  return applyNativeVectors(kernel, findRoot(kernel));
}

/// Sets the attributes that the user has for each launch.
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
    if (failed(moveChoicesToRoot(kernel)))
      return failure();
  }
  return success();
}

/// Drops the launch shape of a kernel that was written for GPUs, and its
/// configs of subgroups, of lanes or of shared memory, and layouts.
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

namespace {
class FormLaunchesPass final
    : public distaff::impl::FormLaunchesBase<FormLaunchesPass> {
public:
  FormLaunchesPass(FormLaunchesOptions options, RankerSource rankers,
                   DecisionLog *log)
      : FormLaunchesBase(std::move(options)), rankers(std::move(rankers)),
        log(log) {}

  // Branches over tensors compare extents.
  void getDependentDialects(DialectRegistry &registry) const override {
    FormLaunchesBase::getDependentDialects(registry);
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
    scf::registerValueBoundsOpInterfaceExternalModels(registry);
    tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    std::shared_ptr<KernelRanker> whole = rankers(*machine, strictFp),
                                  reduced =
                                      rankers(withReservedSubgroups(
                                                  *machine, reservedSubgroups),
                                              strictFp);
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!isKernel(kernel))
        continue;
      settleInherited(kernel, *whole);
      // A workgroup size that the author gives is kept; the pass that adds
      // subgroups checks whether they fit in addition.
      bool isGiven = UserChoices::get(kernel).workgroupSize != 0;
      if (failed(formLaunchesOf(kernel, isGiven ? *whole : *reduced, log)))
        return signalPassFailure();
    }
  }

private:
  void settleInherited(func::FuncOp kernel, KernelRanker &ranker);
  LogicalResult choose(func::FuncOp launch, KernelRanker &ranker);
  UserChoices choicesFor(func::FuncOp kernel);
  FailureOr<SmallVector<func::FuncOp>>
  formLaunchesOf(func::FuncOp kernel, KernelRanker &ranker, DecisionLog *log);

  RankerSource rankers;
  DecisionLog *log;
};
} // namespace

/// Keeps those tiles of another compiler that can be carried out; tiles for a
/// GPU do not apply to a CPU.
void FormLaunchesPass::settleInherited(func::FuncOp kernel,
                                       KernelRanker &ranker) {
  if (!hasInheritedConfig(kernel))
    return;
  if (ranker.target().isHost())
    return dropInheritedConfig(kernel);
  settleInheritedConfig(
      kernel, ranker.target(), [&](func::FuncOp tried) -> LogicalResult {
        FailureOr<SmallVector<func::FuncOp>> launches =
            formLaunchesOf(tried, ranker, /*log=*/nullptr);
        if (failed(launches))
          return failure();
        return success(llvm::all_of(*launches, [&](func::FuncOp launch) {
          return succeeded(choose(launch, ranker));
        }));
      });
}

/// Configures a launch, as the next stage does.
LogicalResult FormLaunchesPass::choose(func::FuncOp launch,
                                       KernelRanker &ranker) {
  FailureOr<Ranking> ranking = ranker.rank(launch, choicesFor(launch));
  return success(succeeded(ranking) &&
                 succeeded(ranker.apply(launch, ranking->winner(), strictFp)));
}

UserChoices FormLaunchesPass::choicesFor(func::FuncOp kernel) {
  UserChoices user = UserChoices::get(kernel);
  user.strictFp = strictFp;
  user.phases = {clusters, producers};
  return user;
}

FailureOr<SmallVector<func::FuncOp>>
FormLaunchesPass::formLaunchesOf(func::FuncOp kernel, KernelRanker &ranker,
                                 DecisionLog *log) {
  const Target &machine = ranker.target();
  if (machine.isHost())
    dropLaunch(kernel);
  auto prepare = [&] { return prepareKernel(kernel, machine, strictFp); };
  bool isOnTensors = mentionsTensors(kernel) && !comesTiled(kernel);
  if (failed(isOnTensors ? withNativeVectors(kernel, prepare) : prepare()))
    return failure();
  UserChoices user = choicesFor(kernel);
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
    return SmallVector<func::FuncOp>{kernel};
  }
  if (failed(moveChoicesToRoot(kernel)) ||
      failed(splitReductions(kernel, ranker, user, log)))
    return failure();
  FailureOr<SmallVector<func::FuncOp>> launches =
      formLaunches(kernel, ranker, user, log);
  if (failed(launches) ||
      (ofLaunches && failed(overrideLaunches(*launches, ofLaunches))))
    return failure();
  for (func::FuncOp each : *launches)
    if (failed(checkLaunchShape(each, machine)))
      return failure();
  return launches;
}

std::unique_ptr<Pass> distaff::createFormLaunches(FormLaunchesOptions options,
                                                  RankerSource rankers,
                                                  DecisionLog *log) {
  return std::make_unique<FormLaunchesPass>(std::move(options),
                                            std::move(rankers), log);
}
