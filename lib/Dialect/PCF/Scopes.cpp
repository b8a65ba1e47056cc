//===- Scopes.cpp - Scopes of pcf and common helpers ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/ErrorHandling.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns `lhs * rhs` of ids and counts, which does not wrap; likewise `+`.
static Value multiply(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  auto flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  return arith::MulIOp::create(builder, loc, lhs, rhs, flags);
}
static Value add(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  auto flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  return arith::AddIOp::create(builder, loc, lhs, rhs, flags);
}

/// Returns the first `n` values of `native`, padded with constants.
static SmallVector<Value> fit(OpBuilder &builder, Location loc,
                              ValueRange native, int64_t n, int64_t filler) {
  SmallVector<Value> values(native.take_front(n));
  while (static_cast<int64_t>(values.size()) < n)
    values.push_back(arith::ConstantIndexOp::create(builder, loc, filler));
  return values;
}

SmallVector<Value> pcf::foldWorkerIDs(OpBuilder &builder, Location loc,
                                      ValueRange nativeIds,
                                      ValueRange nativeCounts, int64_t n) {
  assert(n >= 1 && "a worker has at least one id");
  SmallVector<Value> ids = fit(builder, loc, nativeIds, n, 0);
  if (n >= static_cast<int64_t>(nativeIds.size()))
    return ids;
  // Slowest first: id[n-1] + count[n-1] * (id[n] + count[n] * (...)).
  Value linear = nativeIds.back();
  for (int64_t dim = nativeIds.size() - 2; dim >= n - 1; --dim)
    linear = add(builder, loc, nativeIds[dim],
                 multiply(builder, loc, nativeCounts[dim], linear));
  ids.back() = linear;
  return ids;
}

SmallVector<Value> pcf::foldWorkerCounts(OpBuilder &builder, Location loc,
                                         ValueRange nativeCounts, int64_t n) {
  assert(n >= 1 && "a worker has at least one id");
  SmallVector<Value> counts = fit(builder, loc, nativeCounts, n, 1);
  for (Value further :
       nativeCounts.drop_front(std::min<int64_t>(n, nativeCounts.size())))
    counts.back() = multiply(builder, loc, counts.back(), further);
  return counts;
}

// #pcf.sequential: one worker, which always executes in program order.

int64_t SequentialAttr::getNativeNumProcessorIds() const { return 1; }

SmallVector<Value> SequentialAttr::getWorkerIDs(OpBuilder &builder,
                                                Location loc, int64_t n) const {
  return fit(builder, loc, {}, n, 0);
}

SmallVector<Value> SequentialAttr::getWorkerCounts(OpBuilder &builder,
                                                   Location loc,
                                                   int64_t n) const {
  return fit(builder, loc, {}, n, 1);
}

LogicalResult SequentialAttr::addBarrier(OpBuilder &, Location,
                                         ArrayRef<Attribute>) const {
  return success();
}

LogicalResult SequentialAttr::addFence(OpBuilder &, Location, FenceKind,
                                       ArrayRef<Attribute>) const {
  return success();
}

int64_t SequentialAttr::getNestingLevel() const { return 3; }

// #pcf.test_scope: for tests of verifiers, which need only the rank.

LogicalResult
TestScopeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t rank) {
  if (rank < 1)
    return emitError() << "a scope has at least one worker id, got " << rank;
  return success();
}

int64_t TestScopeAttr::getNativeNumProcessorIds() const { return getRank(); }

SmallVector<Value> TestScopeAttr::getWorkerIDs(OpBuilder &, Location,
                                               int64_t) const {
  llvm::report_fatal_error("#pcf.test_scope has no workers");
}

SmallVector<Value> TestScopeAttr::getWorkerCounts(OpBuilder &, Location,
                                                  int64_t) const {
  llvm::report_fatal_error("#pcf.test_scope has no workers");
}

int64_t TestScopeAttr::getNestingLevel() const { return 0; }

// #pcf.sync_on_return: the owner's `sync` flag implements it.

SmallVector<Type> SyncOnReturnAttr::getConcreteTypes(MLIRContext *) const {
  return {};
}
