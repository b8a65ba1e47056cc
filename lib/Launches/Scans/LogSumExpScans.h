//===- LogSumExpScans.h - Log-sum-exp scans ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-202. With c for the value before the first position and x for the
// elements, a position of a short row is
//
//   m[i] = max(c, max over j <= i of x[j])         a reduction with a mask
//   h[i] = |m[i]| < inf ? m[i] : 0
//   s[i] = exp(c - h[i]) + sum over j <= i of exp(x[j] - h[i])      the same
//   r[i] = h[i] + log s[i]
//
// A long row is split into parts: each is scanned like this, from nothing, then
// the results at their ends, and each part is combined with the result before
// it. As each position has a maximum of its own, no exponential overflows, and
// no small one is lost next to larger ones that come later.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_SCANS_LOGSUMEXPSCANS_H
#define DISTAFF_LIB_LAUNCHES_SCANS_LOGSUMEXPSCANS_H

#include "ScanKernels.h"

namespace distaff {

/// Scans `source` along a static dim, at the builder's insertion point. `start`
/// is a scalar or a tensor of the other dims.
Scanned scanByLogSumExp(OpBuilder &b, Location loc, Value source, Value start,
                        unsigned dim, bool isExclusive);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_SCANS_LOGSUMEXPSCANS_H
