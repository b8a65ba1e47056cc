//===- Configure.cpp - Choose workgroup, tiles and instructions -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass ranks each kernel by Search.h, applies the winner, and records the
// losers in the log.
//
//===----------------------------------------------------------------------===//
#include "Candidates.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Legality/UserConfig.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Configure/Search.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {
#define GEN_PASS_DEF_CONFIGURE
#include "distaff/Configure/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
class ConfigurePass final : public distaff::impl::ConfigureBase<ConfigurePass> {
public:
  ConfigurePass() = default;
  explicit ConfigurePass(ConfigureOptions options, RankerSource rankers = {},
                         DecisionLog *log = nullptr)
      : ConfigureBase(std::move(options)), rankers(std::move(rankers)),
        log(log) {}

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    RankerSource source = rankers ? rankers : makeRankers();
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!isKernel(kernel))
        continue;
      // A workgroup size that the author gives is kept; the pass that adds
      // subgroups checks whether they fit in addition.
      int64_t reserved = UserChoices::get(kernel).workgroupSize != 0
                             ? 0
                             : int64_t(reservedSubgroups);
      std::shared_ptr<KernelRanker> ranker =
          source(withReservedSubgroups(*machine, reserved), strictFp);
      if (failed(configure(kernel, *ranker)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult configure(func::FuncOp kernel, KernelRanker &ranker);

  RankerSource rankers; // null: the pass makes its own
  DecisionLog *log = nullptr;
};
} // namespace

LogicalResult ConfigurePass::configure(func::FuncOp kernel,
                                       KernelRanker &ranker) {
  if (failed(checkLaunchShape(kernel, ranker.target())))
    return failure();
  UserChoices user = UserChoices::get(kernel);
  user.strictFp = strictFp;
  user.phases = {clusters, producers};
  FailureOr<Ranking> ranking = ranker.rank(kernel, user);
  if (failed(ranking))
    return failure();
  if (log)
    recordChoice(*log, kernel,
                 mentionsTensors(kernel) && !comesTiled(kernel)
                     ? "tile sizes"
                     : "workgroup size",
                 *ranking);
  return ranker.apply(kernel, ranking->winner(), strictFp);
}

std::unique_ptr<Pass> distaff::createConfigure(ConfigureOptions options,
                                               RankerSource rankers,
                                               DecisionLog *log) {
  return std::make_unique<ConfigurePass>(std::move(options), std::move(rankers),
                                         log);
}
