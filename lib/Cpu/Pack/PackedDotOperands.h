//===- PackedDotOperands.h - Operands packed for dot products ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CPU multiplies bytes and halves several at a time: the parts of a 32-bit
// word by those of another, and adds up the products (Target.h, PackedDot). So
// neighbouring steps of a product are packed as the parts of one word, and its
// loop iterates over words; the last one may have fewer steps and is padded
// with zeros:
//
//   for k { acc += A[m, k] * B[k, n] }
//   =>  for w { acc += packed_dot(rows[m, w], panel[w, n]) }
//
// Registers that hold matrices (Target.h, MatrixUnit) take the words of several
// rows, and as many words of each, at once (MatrixProducts.h).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_PACK_PACKEDDOTOPERANDS_H
#define DISTAFF_LIB_CPU_PACK_PACKEDDOTOPERANDS_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <optional>

namespace distaff {

struct Panel;

/// Describes how the elements of a panel become parts of words.
struct WordParts {
  ScalarKind kind;
  bool isUnsigned; // whether elements are zero-extended to the kind
  /// Whether the elements differ from the kind in signedness, so that each has
  /// 128 added or subtracted.
  bool isBiased = false;

  int64_t perWord() const { return 32 / bitWidthOf(kind); }

  /// Packs the values of several steps, which are the last dim, into words.
  Value packSteps(OpBuilder &b, Value part) const;
  /// Packs values of one step each into words, the first one in the lowest
  /// part.
  Value packEach(OpBuilder &b, ArrayRef<Value> steps) const;

private:
  Value extend(OpBuilder &b, Value part) const;
  Value bias(OpBuilder &b, Value words) const;
};

struct PackedDotOperands {
  const PackedDot *dot = nullptr;
  WordParts panel = {}, left = {};
  bool panelIsLhs = false; // whether the panel is the products' lhs
  /// The ops that take both panels' parts, one in each loop.
  SmallVector<vector::ContractionOp, 2> products;
  /// The unit that multiplies several words of a row at once, or null; with it
  /// the left side stays in rows.
  const MatrixUnit *matrices = nullptr;
  /// The dim of the left side's parts that goes along the steps.
  int64_t leftStepDim = 0;

  int64_t steps() const { return panel.perWord(); }
  int64_t wordsAtOnce() const { return matrices ? matrices->words : 1; }
  /// Returns the number of words of the steps `from` to before `to`.
  Value countOf(OpBuilder &b, Location loc, Value from, Value to) const;

  /// Returns, if the left side is biased, the excess that a word of the panel
  /// contributes to the sums of its products.
  Value excessOf(OpBuilder &b, Value word) const;
  /// Subtracts the excess of a loop's words from its initial values, in
  /// elements as the panel's part has them.
  void takeOff(scf::ForOp loop, vector::ContractionOp product,
               Value excess) const;

  /// Makes the products take words, which their operands already are, and the
  /// loops around them count words from 0.
  void formDots(ArrayRef<scf::ForOp> loops) const;
};

/// Matches loops in which both panels are read, multiplied and summed up, and
/// nothing else depends on the step. With `strictFp` floats are multiplied one
/// by one.
std::optional<PackedDotOperands> matchPackedDotOperands(const Panel &panel,
                                                        const Panel &left,
                                                        const Target &target,
                                                        bool strictFp);

/// Matches the same for matrix registers: the panel lies along the rows of the
/// sums, which fill whole registers.
std::optional<PackedDotOperands> matchMatrixWords(const Panel &panel,
                                                  const Panel &left,
                                                  const Target &target,
                                                  bool strictFp);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_PACK_PACKEDDOTOPERANDS_H
