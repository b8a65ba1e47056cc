//===- CompleteLaunch.cpp - The subgroup size of kernels with phases ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of phases is written for any number of subgroups, so that one text
// is for targets of 32 and of 64 lanes. The number of subgroups is the number
// of lanes, which the kernel specifies, divided by the target's subgroup size.
//
//===----------------------------------------------------------------------===//
#include "Candidates.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Configure/Phases.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Kernel/Kernel.h"

namespace distaff {
#define GEN_PASS_DEF_COMPLETELAUNCH
#include "distaff/Configure/Passes.h.inc"
} // namespace distaff

using namespace distaff;

void distaff::completeLaunch(func::FuncOp kernel, const Target &machine) {
  UserChoices user = UserChoices::get(kernel);
  if (startsWorkers(kernel) && user.workgroupSize && !user.subgroupSize)
    setLaunchShape(kernel, user.workgroupSize, machine.subgroupSize);
}

/// Checks that workers that are subgroups have all of their lanes: a
/// distribution to 32 lanes is not computed by 4.
static LogicalResult verifyWholeSubgroups(func::FuncOp kernel) {
  LaunchSizes sizes = launchSizesOf(kernel);
  if (!sizes.workgroup || !sizes.subgroup ||
      sizes.numLanes() % *sizes.subgroup == 0)
    return success();
  WalkResult result = kernel.walk([&](pcf::RefOwnerOpInterface owner) {
    return isa<iree::SubgroupScopeAttr>(owner.getScope())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!result.wasInterrupted())
    return success();
  return kernel.emitOpError("has workgroups of ")
         << sizes.numLanes() << " lanes, which are not subgroups of "
         << *sizes.subgroup
         << "; give it a workgroup_size that is a multiple of "
         << *sizes.subgroup;
}

namespace {
struct CompleteLaunch final
    : distaff::impl::CompleteLaunchBase<CompleteLaunch> {
  using CompleteLaunchBase::CompleteLaunchBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isKernel(kernel)) {
        completeLaunch(kernel, *machine);
        if (failed(verifyWholeSubgroups(kernel)))
          return signalPassFailure();
      }
  }
};
} // namespace
