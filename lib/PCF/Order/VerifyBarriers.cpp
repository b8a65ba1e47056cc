//===- VerifyBarriers.cpp - Verifying equal barrier sequences -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "BarrierSequence.h"
#include "distaff/Dialect/PCF/PCF.h"

namespace distaff {
#define GEN_PASS_DEF_PCFVERIFYBARRIERS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
struct VerifyBarriers final
    : distaff::impl::PCFVerifyBarriersBase<VerifyBarriers> {
  using PCFVerifyBarriersBase::PCFVerifyBarriersBase;

  void runOnOperation() override {
    auto remark =
        [](Operation *user, Value value) {
          user->emitRemark()
              << "assumes that all workers agree on a value that is read from "
                 "memory";
        };
    pcf::UniformityRemark report;
    if (reportUniformity)
      report = remark;
    if (failed(pcf::verifyBarrierSequences(getOperation(), report)))
      signalPassFailure();
  }
};
} // namespace
