//===- Scopes.h - Levels of the machine -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scope is the level of the machine whose workers run a region. This header
// has no types and ops that refer to scopes, for code that implements a scope.
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

/// A dialect whose scopes create ops of other dialects lists these, so that
/// passes can load them before they start: none may be loaded while passes run
/// in parallel.
class PCFConversionDialectInterface
    : public DialectInterface::Base<PCFConversionDialectInterface> {
public:
  PCFConversionDialectInterface(Dialect *dialect) : Base(dialect) {}

  /// Loads the dialects for `SyncScopeAttrInterface`.
  virtual void loadTokenLoweringDependentDialects(MLIRContext *) const {}
  /// Loads the dialects for `getAllocMemSpace`.
  virtual void loadSRefLoweringDependentDialects(MLIRContext *) const {}
  /// Loads the dialects for ids, counts, barriers and fences.
  virtual void loadStructuralLoweringDependentDialects(MLIRContext *) const {}
};

using LoadScopeDialects =
    void (PCFConversionDialectInterface::*)(MLIRContext *) const;

/// Calls `load` of every dialect that has the interface when it is loaded.
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

/// Adds the dependent dialects of a pass that calls methods of scopes.
template <LoadScopeDialects load>
void registerScopeDialects(DialectRegistry &registry) {
  registry.addExtensions<ScopeDialectsExtension<load>>();
}

/// Returns the `n` worker ids of a scope with these native ids and counts
/// (getWorkerIDs): the slowest linearized into the last, or zeros added.
SmallVector<Value> foldWorkerIDs(OpBuilder &builder, Location loc,
                                 ValueRange nativeIds, ValueRange nativeCounts,
                                 int64_t n);

/// Returns the counts that belong to foldWorkerIDs.
SmallVector<Value> foldWorkerCounts(OpBuilder &builder, Location loc,
                                    ValueRange nativeCounts, int64_t n);

} // namespace distaff::pcf

#endif // DISTAFF_DIALECT_PCF_SCOPES_H
