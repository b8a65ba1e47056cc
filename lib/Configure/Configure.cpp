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
#include "Form.h"
#include "FormLaunches.h"
#include "SplitReductions.h"
#include "distaff/Analysis/Anchors.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/Analysis/UnknownTarget.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Configure/Search.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_CONFIGURE
#include "distaff/Configure/Passes.h.inc"
} // namespace distaff

using namespace distaff;

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
    tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    const Target *found = requireTarget(getOperation()->getLoc(), target);
    if (!found)
      return signalPassFailure();
    Target machine = strictFp ? keepingFloatOrder(*found) : *found;
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (isKernel(kernel) && failed(configure(kernel, machine)))
        return signalPassFailure();
  }

private:
  LogicalResult configure(func::FuncOp kernel, const Target &machine);
  LogicalResult choose(func::FuncOp kernel, const Target &machine,
                       const UserChoices &user);

  DecisionLog *log = nullptr;
};
} // namespace

LogicalResult ConfigurePass::configure(func::FuncOp kernel,
                                       const Target &machine) {
  if (failed(prepareKernel(kernel, machine)))
    return failure();
  UserChoices user = UserChoices::get(kernel);
  user.strictFp = strictFp;
  if (!mentionsTensors(kernel) || laysOutTensors(kernel))
    return choose(kernel, machine, user);
  if (failed(splitReductions(kernel, machine, user, log)))
    return failure();
  for (func::FuncOp each : formLaunches(kernel, machine, user, log))
    if (failed(choose(each, machine, user)))
      return failure();
  return success();
}

LogicalResult ConfigurePass::choose(func::FuncOp kernel, const Target &machine,
                                    const UserChoices &user) {
  FailureOr<Ranking> ranking = rankKernel(kernel, machine, user);
  if (failed(ranking))
    return failure();
  if (log)
    recordChoice(*log, kernel,
                 mentionsTensors(kernel) ? "tile sizes" : "workgroup size",
                 *ranking);
  return applyCandidate(kernel, ranking->winner(), machine, strictFp);
}

std::unique_ptr<Pass> distaff::createConfigure(ConfigureOptions options,
                                               DecisionLog *log) {
  return std::make_unique<ConfigurePass>(std::move(options), log);
}
