//===- LogSumExpValues.h - log(exp x + exp y) of values ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_NORMALIZE_LOGSUMEXPVALUES_H
#define DISTAFF_LIB_LAUNCHES_NORMALIZE_LOGSUMEXPVALUES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace distaff::log_sum_exp {

/// Returns `number` where a maximum is finite, and 0 elsewhere.
Value ifFinite(ImplicitLocOpBuilder &b, Value largest, Value number);

/// Returns log(exp x + exp y) so that nothing overflows, and infinities are
/// right: adding any finite number to a maximum that is infinite or NaN changes
/// nothing.
Value combine(ImplicitLocOpBuilder &b, Value x, Value y);

/// Returns exp(number - shift).
Value exponential(ImplicitLocOpBuilder &b, Value number, Value shift);

} // namespace distaff::log_sum_exp

#endif // DISTAFF_LIB_LAUNCHES_NORMALIZE_LOGSUMEXPVALUES_H
