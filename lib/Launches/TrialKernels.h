//===- TrialKernels.h - Kernels that are only ranked ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_TRIALKERNELS_H
#define DISTAFF_LIB_LAUNCHES_TRIALKERNELS_H

#include "distaff/Analysis/Ranking/Ranking.h"

namespace distaff {

/// The kernel whose ops are priced, and the ranker that prices them.
struct Pricing {
  func::FuncOp kernel;
  KernelRanker &ranker;
  const UserChoices &user;
};

inline constexpr int64_t anyCost = std::numeric_limits<int64_t>::max();

/// Returns the ranking of a kernel of one op, which `create` makes of arguments
/// of these types; nullopt if it does not fit or costs more than `most`.
std::optional<Ranking>
rankAlone(const Pricing &pricing, ArrayRef<Type> arguments,
          llvm::function_ref<Value(OpBuilder &, ValueRange)> create,
          int64_t most = anyCost);

/// Returns the price of the best candidate of that ranking.
std::optional<int64_t>
priceAlone(const Pricing &pricing, ArrayRef<Type> arguments,
           llvm::function_ref<Value(OpBuilder &, ValueRange)> create,
           int64_t most = anyCost);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_TRIALKERNELS_H
