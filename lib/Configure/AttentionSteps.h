//===- AttentionSteps.h - Tiles along the keys of an attention --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch of several products is tiled by one of them. In an attention that is
// the product that computes the result. The product before it, which computes
// the scores, has the same rows and iterates over the same keys, which are its
// columns.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_ATTENTIONSTEPS_H
#define DISTAFF_LIB_CONFIGURE_ATTENTIONSTEPS_H

#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"

namespace distaff {

/// Rows of some MMA instruction of every target.
inline constexpr int64_t mmaRows = 16;

/// Returns the elements of one tile of an attention that a core has in its
/// second-level cache, besides other data.
inline int64_t attentionElements(const Target &target) {
  return target.simd.level2Bytes / 16;
}

/// Returns a tile of at most `most` that splits an extent about evenly, in
/// whole register tiles as far as they fit.
int64_t evenTile(int64_t extent, int64_t most, int64_t granule);

/// Returns the work that other contractions of the group, such as the one that
/// computes an attention's scores, do in a step of `held` per axis, in
/// multiples of the root's work.
int64_t productsBeside(const FusedGroup &group, ArrayRef<int64_t> held);

struct AttentionTile {
  int64_t rows, keys;
};

/// Returns the tile that a core has in memory at a time: the number of rows and
/// keys that was measured to be best, multiples of what registers hold; fewer
/// where their features need more than fits on the stack, and none where
/// nothing fits.
std::optional<AttentionTile> tileInMemory(int64_t features,
                                          const Target &target);

/// Returns a product on a tile, by extents of its loops.
ContractionProblem problemOf(const GroupOp &groupOp,
                             const ContractionBody &body,
                             ArrayRef<int64_t> tile);

/// Returns the instruction that computes a product of a group in a step of
/// `held` per axis, or null. Dimensions along which the root has no loop are
/// reduced whole, and padded for the instruction.
const MmaRow *instructionOf(const FusedGroup &group, const GroupOp &groupOp,
                            ArrayRef<int64_t> held, const Target &target);

/// Returns whether an instruction computes an attention's scores in a step of
/// `held` per axis, or none would in a step that was rounded up: plain products
/// keep more than a lane has.
bool suitsScores(const FusedGroup &group, ArrayRef<int64_t> held,
                 const Target &target);

/// 32-bit registers per lane of an attention whose rows subgroups share.
struct AttentionWords {
  int64_t sums;      // result so far, and scores of one step
  int64_t fragments; // fragments of keys and of values
  int64_t others;    // queries, powers of the scores, data that is being copied
};

/// Returns the registers of a step, which is given by loops of the root.
/// Operands of an instruction that several lanes hold take as many registers
/// more. Each subgroup has fragments of a few keys or values at a time, or with
/// `holdsSteps` those of all in a step.
AttentionWords attentionWords(const FusedGroup &group,
                              const ContractionBody &body,
                              ArrayRef<int64_t> step, const MmaRow &row,
                              int64_t lanes, bool holdsSteps);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_ATTENTIONSTEPS_H
