//===- ConeHazards.cpp - Loop-carried hazards of a cone -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BufferAccess.h"
#include "Cone.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::vectortiles;

static bool areSame(ValueRange indices, ValueRange others) {
  return llvm::all_of(llvm::zip_equal(indices, others), [](auto pair) {
    auto [index, other] = pair;
    return index == other ||
           isEqualConstantIntOrValue(getAsOpFoldResult(index),
                                     getAsOpFoldResult(other));
  });
}

/// Returns whether a read and a write access the same elements in the same
/// tile.
static bool isSamePlace(Operation *read, Operation *write) {
  auto from = dyn_cast<vector::TransferReadOp>(read);
  auto to = dyn_cast<vector::TransferWriteOp>(write);
  if (from && to)
    return from.getBase() == to.getBase() &&
           areSame(from.getIndices(), to.getIndices()) &&
           from.getPermutationMap() == to.getPermutationMap();
  auto load = dyn_cast<vector::LoadOp>(read);
  auto store = dyn_cast<vector::StoreOp>(write);
  return load && store && load.getBase() == store.getBase() &&
         areSame(load.getIndices(), store.getIndices());
}

Operation *vectortiles::findHazard(const Cone &cone, Operation *writer,
                                   Hazards &hazards) {
  for (auto [read, isInPlace] : cone.reads)
    if (hazards.mayAlias(memoryOf(read), memoryOf(writer)) &&
        !(isInPlace && isSamePlace(read, writer)))
      return read;
  return nullptr;
}
