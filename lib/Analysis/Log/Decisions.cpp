//===- Decisions.cpp - Log of compilation decisions -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Layout/Conversion.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;

Trips distaff::tripsKnownAround(Operation *op) {
  Trips trips;
  for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    Block *block = op->getBlock();
    trips.areAll &= block && block->isEntryBlock();
    auto loop = dyn_cast_or_null<scf::ForOp>(op->getParentOp());
    if (!loop) {
      trips.areAll &= !isa_and_nonnull<scf::WhileOp>(op->getParentOp());
      continue;
    }
    std::optional<llvm::APInt> count = loop.getStaticTripCount();
    int64_t product = 0;
    if (count && count->getActiveBits() < 63 &&
        !llvm::MulOverflow(trips.known, int64_t(count->getZExtValue()),
                           product))
      trips.known = product;
    else
      trips.areAll = false;
  }
  return trips;
}

std::vector<Alternative> distaff::losersOf(const ConversionPlan &plan) {
  std::vector<Alternative> losers;
  for (const TierReport &tier : plan.tiers)
    if (tier.tier != plan.tier && !tier.reason.empty())
      losers.push_back(
          {stringifyTier(tier.tier).str(), tier.cost, tier.reason});
  return losers;
}
