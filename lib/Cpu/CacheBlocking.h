//===- CacheBlocking.h - Tile loops in cache blocks of K --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup of a CPU walks over its tiles, and each tile over the dim that it
// reduces. What all tiles read in one step is in the caches for the next tile
// only if few steps lie between. So the steps are done in blocks, of all tiles
// one block before the next; what a tile has summed up waits in memory:
//
//   for i { acc = start; for k { acc = f(acc, i, k) }; end(acc, i) }
//   =>  for b { for i { acc = b is first ? start : waiting[i]
//                       for k of b { acc = f(acc, i, k) }
//                       b is last ? end(acc, i) : waiting[i] = acc } }
//
// The order in which each tile reduces stays as it was.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_CACHEBLOCKING_H
#define DISTAFF_LIB_CPU_CACHEBLOCKING_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace distaff {

/// How often a loop of constant bounds runs; none of another one.
std::optional<int64_t> constantSteps(scf::ForOp loop);

/// Whether two loops have the same bounds and the same step.
bool haveSameBounds(scf::ForOp loop, scf::ForOp other);

/// Whether an op, with what is in it, can be done any number of times.
bool isRepeatable(Operation &op);

/// Loops of the same bounds, one in a tile's code, or one on each side of a
/// branch in it. They begin at a constant, and go on by another.
struct CacheBlocking {
  SmallVector<scf::ForOp, 2> loops;
  std::optional<int64_t> steps; // none: only a launch knows

  /// What one tile has summed up, in bytes; of two sides one is taken.
  int64_t bytesPerTile() const;
};

/// Checks that a tile's loops can be done in blocks: each carries vectors, only
/// the code behind it writes, and the tile's code is done with behind them.
std::optional<CacheBlocking> findCacheBlocking(Block &tile,
                                               ArrayRef<scf::ForOp> loops);

/// Where one block of steps is.
struct StepBlock {
  Value number;          // what the loop over blocks counts
  int64_t stepsPerBlock; // of the last one as many as are left
  Value last;            // the number of the last one

  /// Before the loop over blocks.
  OpBuilder outside() const {
    return OpBuilder(Value(number).getParentBlock()->getParentOp());
  }
};

/// Builds a loop over blocks of a loop's steps, one at least, and enters it.
StepBlock buildBlocks(OpBuilder &b, scf::ForOp loop, int64_t stepsPerBlock);

/// The bounds of a loop's steps that are in a block.
std::pair<Value, Value> boundsOfBlock(OpBuilder &b, scf::ForOp loop,
                                      const StepBlock &block);

/// A loop over tiles by steps of 1, and how many it goes over at most.
struct TileWalk {
  scf::ForOp loop;
  int64_t mostTiles;

  /// Which of its tiles it is at, from 0.
  Value number(OpBuilder &b) const;
};

/// A loop that does one block at a time.
struct LoopOfBlock {
  scf::ForOp loop;
  scf::IfOp start, end; // whether the block is the first, or the last, one
  SmallVector<Value> waiting;             // memories, of all tiles
  SmallVector<SmallVector<Value>> places; // in them, of one tile
};

/// Has the loops do one block at a time, inside of `walks`, outermost first,
/// which are inside of the loop over blocks. What is read to start with is read
/// in the first one only.
SmallVector<LoopOfBlock, 2> doInBlocks(const CacheBlocking &loops,
                                       ArrayRef<TileWalk> walks,
                                       const StepBlock &block);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_CACHEBLOCKING_H
