//===- LogSumExpScans.h - Scans by log(exp + exp) ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-202. With c for what comes before the first place and x for the elements,
// a place of a short row is
//
//   m[i] = max(c, max over j <= i of x[j])         a reduction with a mask
//   h[i] = |m[i]| < inf ? m[i] : 0
//   s[i] = exp(c - h[i]) + sum over j <= i of exp(x[j] - h[i])      the same
//   r[i] = h[i] + log s[i]
//
// A long row is cut into parts: each is scanned so, from nothing, then the
// results at their ends, and each part is combined with what was before it. As
// a place has a maximum of its own, no exponential overflows, and no small one
// is lost beside larger ones that come later.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_LOGSUMEXPSCANS_H
#define DISTAFF_LIB_CONFIGURE_LOGSUMEXPSCANS_H

#include "ScanKernels.h"

namespace distaff {

/// Scans `source` along a static dim, at the builder's place. `start`: a scalar
/// or a tensor of the other dims.
Scanned scanByLogSumExp(OpBuilder &b, Location loc, Value source, Value start,
                        unsigned dim, bool isExclusive);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_LOGSUMEXPSCANS_H
