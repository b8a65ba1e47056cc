//===- Boxes.h - Where in its array an access lies --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy may be in flight while others access other places of the same array.
// An access is a box in the array behind its views: per dim a first index,
// which is a sum over values, and an extent:
//
//   %slot = arith.remui %k, %c2
//   %view = memref.subview %ring[%slot, %row, 0] [1, 8, 64] [1, 1, 1]
//   vector.transfer_read %view[%c0, %c0, %c8], ... : vector<8x8xf16>
//   box: (%k mod 2) + [0, 1), %row + [0, 8), 8 + [0, 8)
//
// Two boxes are apart where in some dim their firsts differ by a known number,
// at least an extent, or where two slots of a ring differ: k mod 2 is not
// (k + 1) mod 2. Asked of another iteration, a loop's counter is so many steps
// larger.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_STAGING_ASYNCCOPIES_BOXES_H
#define DISTAFF_LIB_STAGING_ASYNCCOPIES_BOXES_H

#include "distaff/Analysis/Access/IndexFacts.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff::async_copies {

/// Index values as sums; what is no sum is a dim of the expressions. Equal
/// sums are one expression. Index arithmetic is taken not to wrap.
class IndexSums {
public:
  IndexSums(MLIRContext *context, IndexFacts &facts)
      : context(context), facts(facts) {}

  AffineExpr of(OpFoldResult number);
  AffineExpr simplified(AffineExpr expr);
  /// The expression of an iteration of `loop`, where `now` is that many
  /// iterations earlier; two loops over the same numbers, or one.
  AffineExpr later(AffineExpr expr, scf::ForOp loop, scf::ForOp now,
                   int64_t iterations);
  /// `factor` in factor * counter + what the loop does not change; nullopt
  /// where the expression is no such sum.
  std::optional<int64_t> factorOf(AffineExpr expr, scf::ForOp loop);
  /// True if every value of it is the same for all lanes of a workgroup.
  bool isUniform(AffineExpr expr);

private:
  AffineExpr leaf(Value value);
  AffineExpr ofOperation(Operation *op);
  bool isUniform(Value value);

  MLIRContext *context;
  IndexFacts &facts;
  SmallVector<Value> leaves;
  llvm::DenseMap<Value, AffineExpr> known;
  llvm::DenseMap<Value, bool> uniform;
};

/// A box of an array.
struct Box {
  Value array;
  SmallVector<AffineExpr> first; // per dim of the array
  SmallVector<int64_t> extents;
};

/// The box that begins at these indices of a memref, in the array behind its
/// views.
Box boxAt(Value memref, ValueRange indices, ArrayRef<int64_t> extents,
          IndexSums &sums);

/// An element of the array behind subviews. An index is the sum of its parts.
struct Address {
  Value array;
  SmallVector<SmallVector<OpFoldResult, 2>> indices;
  SmallVector<unsigned> dims; // of the array, per dim of the memref
};

/// The array behind subviews of unit strides.
Value arrayBehind(Value memref);

/// Resolves those subviews.
Address addressOf(Value memref, ValueRange indices);

/// The box that a load, store, transfer or copy to memory accesses; nullopt
/// for other ops, and where the box is not known.
std::optional<Box> boxOf(Operation *op, IndexSums &sums);

/// True if the boxes, of one array, have no element in common. `isSeen` says
/// which expressions may be compared.
bool areApart(const Box &lhs, const Box &rhs, IndexSums &sums,
              llvm::function_ref<bool(AffineExpr)> isSeen);

} // namespace distaff::async_copies

#endif // DISTAFF_LIB_STAGING_ASYNCCOPIES_BOXES_H
