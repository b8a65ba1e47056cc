//===- Candidates.h - Enumeration of candidates -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kind of kernel has one function that enumerates its candidates, in the
// file of its name. They share one price.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_CANDIDATES_H
#define DISTAFF_LIB_CONFIGURE_CANDIDATES_H

#include "TileRegisters.h"
#include "distaff/Configure/Search.h"

namespace distaff {

class DecisionLog;

/// Returns the price of `count` workgroups of `lanes` lanes and `registers`
/// registers per lane: `throughput` slots of its compute unit and `latency`
/// slots that only other workgroups can fill.
int64_t priceLaunch(const Target &target, int64_t count, int64_t lanes,
                    int64_t registers, int64_t throughput, int64_t latency);

/// Logs a choice for a kernel and its losers; logs nothing where a user has
/// chosen.
void recordChoice(DecisionLog &log, func::FuncOp kernel, StringRef subject,
                  const Ranking &ranking);

/// Completes the kernel's translation_info. What the user wrote stays, except
/// for the pipeline, if one is given.
void setLaunchShape(func::FuncOp kernel, int64_t workgroupSize,
                    int64_t subgroupSize, StringRef pipeline = "");

/// Returns tile sizes for an extent: between each two powers of two the lower
/// one, up to the first that covers all of `extent`, and the divisor with most
/// factors of two, if lanes share it well. 960 has 64, 128, 192, 256, 320, 512,
/// itself and 1024; of 1000 no divisor but itself is as good as a power of two.
SmallVector<int64_t> sizesBetween(int64_t extent, int64_t most);

/// Adds candidates for a group whose root is a contraction.
void rankContraction(const FusedGroup &group, const Target &target,
                     const UserChoices &user, Ranking &ranking);

/// Adds candidates for a group of reductions and elementwise ops.
void rankRows(const FusedGroup &group, const Target &target,
              const UserChoices &user, Ranking &ranking);

/// Adds candidates for a kernel on vectors; only the launch shape is chosen.
void rankVectors(func::FuncOp kernel, const Target &target, Ranking &ranking);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_CANDIDATES_H
