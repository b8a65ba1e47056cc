//===- ResolveClusters.cpp - Lowering clusters to a switch on the id ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cluster resolution (chapter 5 of the pcf specification) is registered as two
// passes, whose intermediate state can be inspected, and as one.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Order/BarrierSequence.h"
#include "ConvertClusters.h"
#include "ReplicateClusters.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff {
#define GEN_PASS_DEF_PCFCONVERTCLUSTERS
#define GEN_PASS_DEF_PCFREPLICATECLUSTERS
#define GEN_PASS_DEF_PCFRESOLVECLUSTERS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Collects ops from the inside out: inner executors are resolved first, so
/// that their workers' code is plain code of a phase.
template <typename OpT>
static SmallVector<OpT> collectInnerFirst(Operation *root) {
  SmallVector<OpT> ops;
  root->walk<WalkOrder::PostOrder>([&](OpT op) { ops.push_back(op); });
  return ops;
}

/// Parses the option `telescope-to`, which may be empty.
static LogicalResult parseFinerScope(StringRef text, MLIRContext *context,
                                     Attribute &scope) {
  if (text.empty())
    return success();
  scope = parseAttribute(text, context);
  if (isa_and_nonnull<ScopeAttrInterface>(scope))
    return success();
  return emitError(UnknownLoc::get(context))
         << "'telescope-to' must be a scope, got '" << text << "'";
}

namespace {
struct ReplicateClusters final
    : distaff::impl::PCFReplicateClustersBase<ReplicateClusters> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto executor : collectInnerFirst<SharedExecutorOp>(getOperation())) {
      if (failed(verifyReplicable(executor)))
        return signalPassFailure();
      replicateClusters(executor, rewriter);
    }
  }
};

/// Implements the common options of the passes that convert clusters.
template <typename BaseT> struct ConvertingPass : BaseT {
  using BaseT::BaseT;

  void getDependentDialects(DialectRegistry &registry) const override {
    BaseT::getDependentDialects(registry);
    registerScopeDialects<&PCFConversionDialectInterface::
                              loadStructuralLoweringDependentDialects>(
        registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    return parseFinerScope(this->telescopeTo, context, finerScope);
  }

protected:
  LogicalResult convert(GenericOp generic) {
    if (failed(convertClusters(generic, finerScope)))
      return failure();
    return success(!this->verifyBarriers ||
                   succeeded(verifyBarrierSequences(generic)));
  }

  Attribute finerScope;
};

struct ConvertClusters final
    : ConvertingPass<distaff::impl::PCFConvertClustersBase<ConvertClusters>> {
  using ConvertingPass::ConvertingPass;

  void runOnOperation() override {
    for (auto generic : collectInnerFirst<GenericOp>(getOperation()))
      if (failed(convert(generic)))
        return signalPassFailure();
  }
};

struct ResolveClusters final
    : ConvertingPass<distaff::impl::PCFResolveClustersBase<ResolveClusters>> {
  using ConvertingPass::ConvertingPass;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto executor : collectInnerFirst<SharedExecutorOp>(getOperation()))
      if (failed(verifyIsFiner(executor, executor.getScope(), finerScope)) ||
          failed(verifyReplicable(executor)) ||
          failed(convert(replicateClusters(executor, rewriter))))
        return signalPassFailure();
  }
};
} // namespace
