//===- Boxes.h - Boxes of elements that ops access --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy may be in flight while ops access other places of the same array. An
// access is a box in the array that its views refer to: per dim a first index,
// which is a sum over values, and an extent:
//
//   %slot = arith.remui %k, %c2
//   %view = memref.subview %ring[%slot, %row, 0] [1, 8, 64] [1, 1, 1]
//   vector.transfer_read %view[%c0, %c0, %c8], ... : vector<8x8xf16>
//   box: (%k mod 2) + [0, 1), %row + [0, 8), 8 + [0, 8)
//
// Two boxes are disjoint if in some dim their firsts differ by a known number,
// at least an extent, or if two slots of a ring differ: k mod 2 is not (k + 1)
// mod 2. For a later iteration, the loop's counter is larger by that many
// steps.
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

/// Converts index values to sums; a value that is not a sum is a dim of the
/// expressions. Equal sums are one expression. Index arithmetic is assumed not
/// to wrap.
class IndexSums {
public:
  IndexSums(MLIRContext *context, IndexFacts &facts)
      : context(context), facts(facts) {}

  AffineExpr of(OpFoldResult number);
  AffineExpr simplified(AffineExpr expr);
  /// Returns the expression in an iteration of `loop`, where `now` is that many
  /// iterations earlier; the loops iterate over the same numbers, or are one.
  AffineExpr later(AffineExpr expr, scf::ForOp loop, scf::ForOp now,
                   int64_t iterations);
  /// Returns `factor` in factor * counter + a loop-invariant sum; nullopt where
  /// the expression is not such a sum.
  std::optional<int64_t> factorOf(AffineExpr expr, scf::ForOp loop);
  /// Returns whether the expression is uniform in the workgroup.
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

/// A box is a range of elements per dim of an array.
struct Box {
  Value array;
  SmallVector<AffineExpr> first; // per dim of the array
  SmallVector<int64_t> extents;
};

/// Returns the box that begins at these indices of a memref, in the array that
/// its views refer to.
Box boxAt(Value memref, ValueRange indices, ArrayRef<int64_t> extents,
          IndexSums &sums);

/// The address of an element in the array under subviews. An index is the sum
/// of its parts.
struct Address {
  Value array;
  SmallVector<SmallVector<OpFoldResult, 2>> indices;
  SmallVector<unsigned> dims; // of the array, per dim of the memref
};

/// Returns the array under subviews of unit strides.
Value arrayBehind(Value memref);

/// Resolves the subviews of an address.
Address addressOf(Value memref, ValueRange indices);

/// Returns the box that a load, store, transfer or copy to memory accesses;
/// nullopt for other ops, and where the box is not known.
std::optional<Box> boxOf(Operation *op, IndexSums &sums);

/// Returns whether the boxes, of one array, have no element in common. `isSeen`
/// returns which expressions may be compared.
bool areApart(const Box &lhs, const Box &rhs, IndexSums &sums,
              llvm::function_ref<bool(AffineExpr)> isSeen);

} // namespace distaff::async_copies

#endif // DISTAFF_LIB_STAGING_ASYNCCOPIES_BOXES_H
