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

#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"

namespace distaff {

/// Rows that some instruction of every target multiplies.
inline constexpr int64_t mmaRows = 16;

/// Elements of one tile of an attention that a core has in its second cache,
/// besides others.
inline int64_t attentionElements(const Target &target) {
  return target.simd.level2Bytes / 16;
}

/// Features of queries and of values of the attention that `root` ends, of
/// which a core takes all, its keys in steps; none where it ends none, or only
/// a launch knows.
std::optional<int64_t> featuresOfAttention(Operation *root);

/// At most so many of an extent at a time, about the same each time, in whole
/// tiles of registers as far as they go.
int64_t evenTile(int64_t extent, int64_t most, int64_t granule);

/// What other contractions of the group, such as the one that makes an
/// attention's scores, compute in a step of `held` per axis, in multiples of
/// the root's work.
int64_t productsBeside(const FusedGroup &group, ArrayRef<int64_t> held);

struct AttentionTile {
  int64_t rows, keys;
};

/// What a core has in memory at a time: as many rows and keys as were measured
/// to be best, multiples of what registers hold; fewer where their features are
/// more than fits on the stack, and none where nothing does.
std::optional<AttentionTile> tileInMemory(int64_t features,
                                          const Target &target);

/// A product on a tile, by extents of its loops.
ContractionProblem problemOf(const GroupOp &groupOp,
                             const ContractionBody &body,
                             ArrayRef<int64_t> tile);

/// Returns the instruction that computes a product of a group in a step of
/// `held` per axis, or null. What the root has no loop along is reduced whole,
/// and padded for it.
const MmaRow *instructionOf(const FusedGroup &group, const GroupOp &groupOp,
                            ArrayRef<int64_t> held, const Target &target);

/// Whether an instruction computes an attention's scores in a step of `held`
/// per axis, or none would in a step that was rounded up: plain products keep
/// more than a lane has.
bool suitsScores(const FusedGroup &group, ArrayRef<int64_t> held,
                 const Target &target);

/// 32-bit registers per lane of an attention whose rows subgroups share.
struct AttentionWords {
  int64_t sums;      // the result so far, and the scores of one step
  int64_t fragments; // of keys and of values
  int64_t others;    // queries, powers of the scores, what is being copied
};

/// Returns the registers of a step, which is by loops of the root. Operands of
/// an instruction that several lanes hold take as many registers more. Each
/// subgroup has fragments of a few keys or values at a time, or with
/// `holdsSteps` those of all in a step.
AttentionWords attentionWords(const FusedGroup &group,
                              const ContractionBody &body,
                              ArrayRef<int64_t> step, const MmaRow &row,
                              int64_t lanes, bool holdsSteps);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_ATTENTIONSTEPS_H
