//===- VerifyUnpartitioned.cpp - Reject partitioned workgroups ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VerifyUnpartitioned.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"

namespace distaff {

namespace {
struct VerifyUnpartitionedPass final
    : PassWrapper<VerifyUnpartitionedPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyUnpartitionedPass)

  StringRef getName() const final { return "VerifyUnpartitioned"; }

  void runOnOperation() final {
    markAllAnalysesPreserved();
    WalkResult result =
        getOperation()->walk([](pcf::TileGroupOp group) -> WalkResult {
          auto executor = group->getParentOfType<pcf::SharedExecutorOp>();
          if (!executor || !isa<iree::SubgroupScopeAttr>(executor.getScope()))
            return WalkResult::advance();
          return group.emitOpError(
              "partitions the workgroup already, and --specialize would "
              "partition it again");
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> createVerifyUnpartitioned() {
  return std::make_unique<VerifyUnpartitionedPass>();
}

} // namespace distaff
