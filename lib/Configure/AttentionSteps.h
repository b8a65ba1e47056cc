//===- AttentionSteps.h - Steps of keys of an attention ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch of several products is tiled by one of them. In an attention that is
// the one that makes the result: the one before, which makes scores, has the
// same rows and walks the same keys, which are its columns.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_ATTENTIONSTEPS_H
#define DISTAFF_LIB_CONFIGURE_ATTENTIONSTEPS_H

#include "distaff/Analysis/ContractionBody.h"
#include "distaff/Analysis/ContractionChoice.h"
#include "distaff/Analysis/FusedGroup.h"

namespace distaff {

/// Rows that some instruction of every target multiplies.
inline constexpr int64_t mmaRows = 16;

/// A product on a tile, by extents of its loops.
ContractionProblem problemOf(const GroupOp &groupOp,
                             const ContractionBody &body,
                             ArrayRef<int64_t> tile);

/// Whether an instruction computes a product of a group in a step of `held` per
/// axis. What the root has no loop along is reduced whole, and padded for it.
bool hasInstruction(const FusedGroup &group, const GroupOp &groupOp,
                    ArrayRef<int64_t> held, const Target &target);

/// Whether an instruction computes an attention's scores in a step of `held`
/// per axis, or none would in a step that was rounded up: plain products keep
/// more than a lane has.
bool suitsScores(const FusedGroup &group, ArrayRef<int64_t> held,
                 const Target &target);

/// 32-bit registers per lane of an attention whose rows subgroups share: the
/// result so far, the scores of one step and their powers, the queries, and a
/// fragment of keys and one of values. `step` is by loops of the root.
int64_t attentionWords(const FusedGroup &group, const ContractionBody &body,
                       ArrayRef<int64_t> step, int64_t lanes);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_ATTENTIONSTEPS_H
