//===- CacheBlocking.h - Cache blocking of tile loops along K ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup of a CPU iterates over its tiles, and each tile over the dim that
// it reduces. The data that all tiles read in one step are in the caches for
// the next tile only if few steps lie between. So steps are grouped in blocks:
// all tiles compute one block before the next; partial sums of a tile are kept
// in memory between blocks:
//
//   for i { acc = start; for k { acc = f(acc, i, k) }; end(acc, i) }
//   =>  for b { for i { acc = b is first ? start : waiting[i]
//                       for k of b { acc = f(acc, i, k) }
//                       b is last ? end(acc, i) : waiting[i] = acc } }
//
// The order in which each tile reduces stays as it was.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_PACK_CACHEBLOCKING_H
#define DISTAFF_LIB_CPU_PACK_CACHEBLOCKING_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace distaff {

/// Returns the trip count of a loop with constant bounds; none for another one.
std::optional<int64_t> constantSteps(scf::ForOp loop);

/// Returns whether two loops have the same bounds and the same step.
bool haveSameBounds(scf::ForOp loop, scf::ForOp other);

/// Returns whether an op, with its regions, can be executed any number of
/// times.
bool isRepeatable(Operation &op);

/// Describes loops of the same bounds, one in a tile's code, or one on each
/// side of a branch in it. They begin at a constant and have a constant step.
struct CacheBlocking {
  SmallVector<scf::ForOp, 2> loops;
  std::optional<int64_t> steps; // none: known only at launch

  /// Returns the bytes of one tile's partial sums; of two sides of a branch one
  /// counts.
  int64_t bytesPerTile() const;
};

/// Checks that a tile's loops can be blocked: each carries vectors, only the
/// code after it writes, and the tile's code ends after them.
std::optional<CacheBlocking> findCacheBlocking(Block &tile,
                                               ArrayRef<scf::ForOp> loops);

/// Describes one block of steps.
struct StepBlock {
  Value number;          // induction variable of the loop over blocks
  int64_t stepsPerBlock; // the last block has the remainder
  Value last;            // the number of the last block

  /// Returns a builder before the loop over blocks.
  OpBuilder outside() const {
    return OpBuilder(Value(number).getParentBlock()->getParentOp());
  }
};

/// Builds a loop over blocks of a loop's steps, at least one, and enters it.
StepBlock buildBlocks(OpBuilder &b, scf::ForOp loop, int64_t stepsPerBlock);

/// Returns the bounds of a loop's steps that are in a block.
std::pair<Value, Value> boundsOfBlock(OpBuilder &b, scf::ForOp loop,
                                      const StepBlock &block);

/// Describes a loop over tiles with step 1, and the largest number of its
/// tiles.
struct TileWalk {
  scf::ForOp loop;
  int64_t mostTiles;

  /// Returns the number of its current tile, from 0.
  Value number(OpBuilder &b) const;
};

/// A loop that computes one block at a time.
struct LoopOfBlock {
  scf::ForOp loop;
  scf::IfOp start, end;       // whether the block is the first or the last one
  SmallVector<Value> waiting; // buffers of all tiles
  SmallVector<SmallVector<Value>> places; // a tile's indices in them
};

/// Makes the loops compute one block at a time, inside of `walks`, outermost
/// first, which are inside of the loop over blocks. Initial values are read in
/// the first block only.
SmallVector<LoopOfBlock, 2> doInBlocks(const CacheBlocking &loops,
                                       ArrayRef<TileWalk> walks,
                                       const StepBlock &block);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_PACK_CACHEBLOCKING_H
