//===- PackedDotOperands.h - Operands packed for dot products ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CPU multiplies bytes and halves several at a time: the parts of a word of
// 32 bits by those of another, and adds up the products (Target.h, PackedDot).
// So neighbouring steps of a product are copied as the parts of one word, and
// its loop goes over words, the last of which may have fewer steps; zeros are
// in their place:
//
//   for k { acc += A[m, k] * B[k, n] }
//   =>  for w { acc += packed_dot(rows[m, w], panel[w, n]) }
//
// Registers that hold matrices (Target.h, MatrixUnit) take the words of several
// rows, and as many words of each, at once (MatrixProducts.h).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_PACKEDDOTOPERANDS_H
#define DISTAFF_LIB_CPU_PACKEDDOTOPERANDS_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <optional>

namespace distaff {

struct Panel;

/// How the elements of a panel become parts of words.
struct WordParts {
  ScalarKind kind;
  bool isUnsigned; // of the elements, which are extended to the kind
  /// The elements have a sign that the kind lacks, or lack the one it has: each
  /// has 128 added, or taken away.
  bool isBiased = false;

  int64_t perWord() const { return 32 / bitWidthOf(kind); }

  /// Words of what was read of several steps, which are the last dim.
  Value packSteps(OpBuilder &b, Value part) const;
  /// Words of one step each, the first one in the lowest part.
  Value packEach(OpBuilder &b, ArrayRef<Value> steps) const;

private:
  Value extend(OpBuilder &b, Value part) const;
  Value bias(OpBuilder &b, Value words) const;
};

struct PackedDotOperands {
  const PackedDot *dot = nullptr;
  WordParts panel = {}, left = {};
  bool panelIsLhs = false; // of the products
  /// What takes both panels' parts, one in each loop.
  SmallVector<vector::ContractionOp, 2> products;
  /// What multiplies several words of a row at once, if anything does: the left
  /// side stays in rows then.
  const MatrixUnit *matrices = nullptr;
  /// The dim of the left side's parts that goes along the steps.
  int64_t leftStepDim = 0;

  int64_t steps() const { return panel.perWord(); }
  int64_t wordsAtOnce() const { return matrices ? matrices->words : 1; }
  /// Words of the steps `from` to before `to`.
  Value countOf(OpBuilder &b, Location loc, Value from, Value to) const;

  /// Where the left side is biased: what a word of the panel has too much of it
  /// in the sums of its products.
  Value excessOf(OpBuilder &b, Value word) const;
  /// What a loop starts with, less the excess of its words, in elements as the
  /// panel's part has them.
  void takeOff(scf::ForOp loop, vector::ContractionOp product,
               Value excess) const;

  /// Has the products take words, of which their operands are already, and the
  /// loops around them count words from 0.
  void formDots(ArrayRef<scf::ForOp> loops) const;
};

/// Matches loops in which both panels are read, multiplied and summed up, and
/// nothing else is done that depends on the step. With `strictFp` floats are
/// multiplied one by one.
std::optional<PackedDotOperands> matchPackedDotOperands(const Panel &panel,
                                                        const Panel &left,
                                                        const Target &target,
                                                        bool strictFp);

/// The same for registers that hold matrices: the panel lies along the rows of
/// the sums, which fill whole registers.
std::optional<PackedDotOperands> matchMatrixWords(const Panel &panel,
                                                  const Panel &left,
                                                  const Target &target,
                                                  bool strictFp);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_PACKEDDOTOPERANDS_H
