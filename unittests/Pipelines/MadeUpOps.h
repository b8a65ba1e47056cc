//===- MadeUpOps.h - A machine with permuting instructions ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target of 32 or 64 lanes with instructions that leave results elsewhere,
// what they compute on the SIMT machine, and kernels for it.
//
//   MADE_UP_SWAP_EXP2   the outer and the inner digit of the lane change places
//   MADE_UP_TURN_EXP2   the bits of the lane turn by two
//   MADE_UP_UNTURN_NEG  they turn back
//   MADE_UP_PAIR_EXP2   two registers per issue, which swap lanes
//   MADE_UP_CROSS_ADD   reads the second operand from swapped lanes
//   MADE_UP_TRANSPOSE   a tile of 8 rows, one element per lane, row by row
//   MADE_UP_TILE_EXP2   8 x 8 halves, two per lane; leaves them transposed
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_MADEUPOPS_H
#define DISTAFF_UNITTESTS_PIPELINES_MADEUPOPS_H

#include "distaff/LLVM.h"
#include "distaff/Simt/TargetOps.h"
#include "distaff/Target/Target.h"
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace distaff::made_up {

class Machine {
public:
  explicit Machine(int64_t lanes);

  /// Leaves the target those instructions, in the order of its table.
  void withOnly(llvm::ArrayRef<llvm::StringRef> names);

  /// Ops on a vector of `registers` x lanes, which the named layout lays out
  /// before and after: `rows` or `swapped`.
  std::string kernel(int64_t registers, llvm::ArrayRef<llvm::StringRef> ops,
                     llvm::StringRef first, llvm::StringRef last) const;
  /// x + exp2(x).
  std::string crossed() const;
  /// Of so many tiles of 8 rows, both sides row by row.
  std::string transposition(int64_t tiles) const;
  /// Halves in tiles of 8 x 8, laid out by `rows` or `columns` in the end.
  std::string tiles(int64_t tiles, llvm::StringRef op, int64_t length,
                    llvm::StringRef last) const;
  /// Three trips of so many x = exp2(-x).
  std::string loop(int64_t length) const;
  /// exp2(y) + exp2(-y) of y = exp2(x).
  std::string branches() const;
  /// exp2 of x in a vector that nothing lays out.
  std::string unanchored(llvm::StringRef shape, int64_t length) const;
  /// A body on vectors of random extents, between anchors or without.
  std::string
  random(std::mt19937 &random,
         llvm::function_ref<std::string(const std::string &, std::mt19937 &)>
             body) const;
  /// exp2 by an instruction that the kernel names.
  std::string demanding(llvm::StringRef name) const;

  int64_t lanes;
  Target target;
  std::vector<TargetOp> rows;
  /// Of x = exp2(-x), so that long chains stay small.
  bool exp2IsDamped = false;

private:
  std::string rowsLayout(int64_t registers) const;
  std::string swappedLayout(int64_t registers) const;
  std::string head() const;
  /// Between a read and a write of a memref, laid out before and after.
  std::string around(const std::string &from, const std::string &to,
                     const std::string &first, const std::string &last,
                     const std::string &body) const;

  std::unique_ptr<TargetRegistration> known;
  std::vector<std::unique_ptr<simt::TargetOpRegistration>> meanings;
};

} // namespace distaff::made_up

#endif // DISTAFF_UNITTESTS_PIPELINES_MADEUPOPS_H
