//===- PcfScopes.cpp - Worker ids and counts of a scope -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PcfScopes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

static std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// Loads dialects of ops that a scope may build and the kernel does not
/// contain.
static void loadDialectsOf(Attribute scope) {
  if (const auto *hooks =
          dyn_cast<pcf::PCFConversionDialectInterface>(&scope.getDialect()))
    hooks->loadStructuralLoweringDependentDialects(scope.getContext());
}

FailureOr<WorkerRegs> simt::emitWorkers(Operation *op, Attribute scope,
                                        int64_t n, Translator &t) {
  if (n == 0)
    return WorkerRegs();
  if (isa<pcf::TestScopeAttr>(scope))
    return t.notModelled(op, "workers of " + textOf(scope));
  loadDialectsOf(scope);
  auto workers = cast<pcf::ScopeAttrInterface>(scope);
  auto code = std::make_unique<Block>();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(code.get());
  SmallVector<Value> ids = workers.getWorkerIDs(builder, op->getLoc(), n);
  SmallVector<Value> counts = workers.getWorkerCounts(builder, op->getLoc(), n);
  if (failed(t.translateAside(std::move(code), op)))
    return failure();
  WorkerRegs registers;
  for (Value id : ids)
    registers.ids.push_back(t.reg(id));
  for (Value count : counts)
    registers.counts.push_back(t.reg(count));
  return registers;
}

FailureOr<Buffer::Space> simt::allocationSpace(Operation *op, Attribute scope,
                                               Translator &t) {
  FailureOr<Attribute> space =
      cast<pcf::ScopeAttrInterface>(scope).getAllocMemSpace(op->getContext());
  if (failed(space))
    return t.notModelled(op, "scope " + textOf(scope) + " cannot allocate");
  auto address = dyn_cast_or_null<gpu::AddressSpaceAttr>(*space);
  bool inWorkgroup =
      address && address.getValue() == gpu::AddressSpace::Workgroup;
  return inWorkgroup ? Buffer::Space::Workgroup : Buffer::Space::Private;
}

bool simt::isSequential(Attribute scope) {
  return isa<pcf::SequentialAttr>(scope);
}
