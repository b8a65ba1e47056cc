//===- BlockLiveness.h - Liveness across blocks -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes which values are live after a block, without a set of them per
// block: such sets take the square of the size of a function with a branch per
// element. Blocks are numbered in their order, definitions before uses, and a
// value is live after those from its own to the one before its last use, or to
// the end of the loop that its last use is in:
//
//   ^0: a, b   ^1: use a   ^2: use b -> ^1   ^3: use a
//   a: 0 to 2   b: 0 to 2, for it is used again after the branch back
//
// A value that a loop's first block defines and the code after the loop uses is
// dead from its last use in the loop to the loop's end, if the first block is
// the only one to leave the loop:
//
//   ^0: -> ^1   ^1: args c, -> ^2 or ^3   ^2: use c -> ^1   ^3: use c
//   c: 1, not 2, where the next c takes its place
//
// If the arm of a branch does not use a value that a later arm uses, the value
// is counted in both.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_BLOCKLIVENESS_H
#define DISTAFF_LIB_CONVERSION_BLOCKLIVENESS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff {

/// The liveness of a region; valid as long as its blocks, definitions and uses
/// do not change.
class BlockLiveness {
public:
  using Values = SmallVector<Value, 4>;
  /// If `standsFor` is given, a use of a value is a use of the values that it
  /// returns.
  explicit BlockLiveness(Region &region,
                         llvm::function_ref<Values(Value)> standsFor = nullptr);

  /// Returns whether `value`, which `block` defines or uses, is live-out of it.
  bool isLiveBehind(Value value, Block &block) const;

  /// Returns, per block, in their order, the sum of `sizeOf` over the values
  /// that are live-out of it.
  SmallVector<int64_t>
  sizesBehind(llvm::function_ref<int64_t(Value)> sizeOf) const;

  /// Returns whether the block is in a loop.
  bool isInLoop(Block &block) const {
    assert(numbers.contains(&block) && "a block is one of the region");
    return !loops[numbers.lookup(&block)].empty();
  }

private:
  /// A back edge: from the last block of a loop to its first one.
  struct Loop {
    unsigned first, last;
  };
  /// The blocks that a value is live-out of: those from its own to the one
  /// before `firstDead`, but not those from `firstGap` to the one before
  /// `behindGap`.
  struct Range {
    unsigned firstDead, firstGap = 0, behindGap = 0;
  };
  void findExits(Region &region);
  unsigned firstDeadAfter(unsigned defined, unsigned use) const;
  unsigned numberOf(Value value) const;
  void use(Value value, unsigned block);

  llvm::DenseMap<Block *, unsigned> numbers;
  SmallVector<SmallVector<Loop, 2>> loops; // the loops that contain each block
  /// The first block after the loop that each block begins; 0 for a block that
  /// begins no loop, or a loop that other blocks leave.
  SmallVector<unsigned> behindLoop;
  llvm::DenseMap<Value, Range> ranges; // of values that cross blocks
};

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_BLOCKLIVENESS_H
