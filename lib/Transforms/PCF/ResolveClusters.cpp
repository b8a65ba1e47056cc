//===- ResolveClusters.cpp - From clusters to a switch on the worker id ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Transforms/PCF/Passes.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff {
#define GEN_PASS_DEF_PCFRESOLVECLUSTERS
#include "distaff/Transforms/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
struct ResolveClusters final
    : distaff::impl::PCFResolveClustersBase<ResolveClusters> {
  void runOnOperation() override {}
};
} // namespace
