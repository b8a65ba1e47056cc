//===- Scopes.h - Levels of the machine -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a scope is: the level of the machine whose workers run a region. Here
// without the types and ops that mention scopes, for whoever provides one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_SCOPES_H
#define DISTAFF_DIALECT_PCF_SCOPES_H

#include "distaff/LLVM.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpImplementation.h"

#include "distaff/Dialect/PCF/FenceKind.h.inc"
#include "distaff/Dialect/PCF/PCFScopes.h.inc"

namespace distaff::pcf {

/// A dialect whose scopes create ops of other dialects says which, so that
/// passes can load them before they start: none may be loaded while passes run
/// in parallel.
class PCFConversionDialectInterface
    : public DialectInterface::Base<PCFConversionDialectInterface> {
public:
  PCFConversionDialectInterface(Dialect *dialect) : Base(dialect) {}

  /// For `SyncScopeAttrInterface`.
  virtual void loadTokenLoweringDependentDialects(MLIRContext *) const {}
  /// For `getAllocMemSpace`.
  virtual void loadSRefLoweringDependentDialects(MLIRContext *) const {}
  /// For ids, counts, barriers and fences.
  virtual void loadStructuralLoweringDependentDialects(MLIRContext *) const {}
};

using LoadScopeDialects =
    void (PCFConversionDialectInterface::*)(MLIRContext *) const;

/// Asks every dialect, as it is loaded, to load what `load` says.
template <LoadScopeDialects load>
class ScopeDialectsExtension final : public DialectExtensionBase {
public:
  ScopeDialectsExtension() : DialectExtensionBase(/*dialectNames=*/{}) {}

  void apply(MLIRContext *context,
             MutableArrayRef<Dialect *> dialects) const override {
    for (Dialect *dialect : dialects)
      if (auto *scopes =
              dialect->getRegisteredInterface<PCFConversionDialectInterface>())
        (scopes->*load)(context);
  }
  std::unique_ptr<DialectExtensionBase> clone() const override {
    return std::make_unique<ScopeDialectsExtension>(*this);
  }
};

/// What a pass that asks scopes for code adds to its dependent dialects.
template <LoadScopeDialects load>
void registerScopeDialects(DialectRegistry &registry) {
  registry.addExtensions<ScopeDialectsExtension<load>>();
}

/// The `n` worker ids that a scope with these native ids and counts answers
/// with (getWorkerIDs): the slowest linearized into the last, or zeros added.
SmallVector<Value> foldWorkerIDs(OpBuilder &builder, Location loc,
                                 ValueRange nativeIds, ValueRange nativeCounts,
                                 int64_t n);

/// The counts that belong to foldWorkerIDs.
SmallVector<Value> foldWorkerCounts(OpBuilder &builder, Location loc,
                                    ValueRange nativeCounts, int64_t n);

} // namespace distaff::pcf

#endif // DISTAFF_DIALECT_PCF_SCOPES_H
