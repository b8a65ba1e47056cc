//===- Candidates.h - Who enumerates candidates -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per kind of kernel, each in the file of its name, and the price
// that they share.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_CANDIDATES_H
#define DISTAFF_LIB_CONFIGURE_CANDIDATES_H

#include "TileRegisters.h"
#include "distaff/Configure/Search.h"

namespace distaff {

class DecisionLog;

/// What one more launch costs, in issue slots: it starts when the one before
/// has ended on all units.
inline constexpr int64_t slotsPerLaunch = 4000;

/// The price of `count` workgroups of `lanes` lanes and `registers` registers
/// per lane: `throughput` slots of its compute unit and `latency` slots that
/// only other workgroups can fill.
int64_t priceLaunch(const Target &target, int64_t count, int64_t lanes,
                    int64_t registers, int64_t throughput, int64_t latency);

/// Logs a choice for a kernel and what lost; nothing where a user has chosen.
void recordChoice(DecisionLog &log, func::FuncOp kernel, StringRef subject,
                  const Ranking &ranking);

/// Completes the kernel's translation_info; what the user wrote stays, but for
/// the pipeline, if one is given.
void setLaunchShape(func::FuncOp kernel, int64_t workgroupSize,
                    int64_t subgroupSize, StringRef pipeline = "");

/// Divisors of `extent`, smallest first.
SmallVector<int64_t> divisors(int64_t extent);

/// Between each two powers of two the lower one, up to the first that has all
/// of `extent`, and the divisor with most factors of two, if lanes share it
/// well: 960 has 64, 128, 192, 256, 320, 512, itself and 1024; of 1000 no other
/// one than itself is as good as a power of two.
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
