//===- SharedDims.h - Dimensions that can be distributed --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of a group distribute tensors dimension by dimension, and an op
// ties dimensions of its tensors together: its loop `i` is one dimension of
// each. Tied dimensions are a class, which is either split for all of them or
// whole. A class is whole if an op reduces along it, since no member sees the
// others' parts, or if it has two dimensions of one tensor.
//
//   %s = reduce(%a) along 1      a.0 = s.0        a.1 is whole
//   %t = broadcast(%s)           s.0 = t.0
//   %u = addf %a, %t             a.0 = t.0 = u.0  a.1 = t.1 = u.1: whole
//
// An op whose loops would all be whole is computed redundantly by every member.
// A matrix product loses more: its instruction splits all its loops.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_SHAREDDIMS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_SHAREDDIMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff::pcf {

class SharedDims {
public:
  using OperandTest = llvm::function_ref<bool(OpOperand &)>;

  /// Ties the dimensions of the tensors of an op. An op that does not compute
  /// on tensors ties none.
  void add(Operation *op);

  /// Ties the dimensions of an op's tensors, and treats each operand for which
  /// `isFresh` holds as a tensor that no other op has.
  void add(Operation *op, OperandTest isFresh);

  /// Ties two tensors of one rank, dimension by dimension.
  void tie(Value a, Value b);

  /// Records that the result of a product is split along all its dimensions,
  /// even before the product itself is added.
  void addProductResult(linalg::LinalgOp product);

  /// Returns whether every member has all of the tensor along a dimension.
  bool isWhole(Value tensor, unsigned dim) const;

  /// Returns whether an op reduces along a dimension, or along one that is tied
  /// to it.
  bool isReduced(Value tensor, unsigned dim) const;

  /// Returns whether two dimensions are of one class.
  bool areTied(Value a, unsigned dimA, Value b, unsigned dimB) const;

  /// Returns the number of ops that every member computes redundantly, or that
  /// cannot be split like a product, because their dimensions are tied to those
  /// of others.
  unsigned countConflicts() const;

private:
  /// A dimension of a tensor, or a loop of an op.
  using Node = std::pair<void *, unsigned>;
  struct Loop {
    unsigned node;
    int64_t extent;
    bool isReduced;
  };
  struct TiedOp {
    Operation *op;
    SmallVector<Loop> loops;
    bool isProduct;
  };
  /// Holds the known properties of a class.
  struct Facts {
    bool isDiagonal = false;
    bool isReduced = false;
    bool isReducedByProduct = false;
    bool isProductDim = false;

    bool isWhole() const {
      return isDiagonal || isReduced || isReducedByProduct;
    }
  };
  using ClassFacts = llvm::DenseMap<unsigned, Facts>;

  unsigned getNode(void *key, unsigned number);
  unsigned getNode(Value tensor, unsigned dim) {
    return getNode(tensor.getAsOpaquePointer(), dim);
  }
  unsigned find(unsigned node) const;
  /// Returns the class of a dimension; none if no op has the tensor.
  std::optional<unsigned> findClass(Value tensor, unsigned dim) const;
  void join(unsigned a, unsigned b) { parents[find(a)] = find(b); }
  void addLinalg(linalg::LinalgOp op, OperandTest isFresh);
  void addElementwise(Operation *op, OperandTest isFresh);
  void tieOperand(const TiedOp &tied, Value tensor, AffineMap map, void *key);
  ClassFacts collectFacts() const;
  bool isInConflict(const TiedOp &tied, const ClassFacts &facts) const;

  llvm::DenseMap<Node, unsigned> numbers;
  SmallVector<Node> nodes;
  SmallVector<unsigned> parents;
  SmallVector<TiedOp, 0> ops;
  SmallVector<unsigned> productDims;
};

/// Returns whether an op is a product of matrices, whose result has a dimension
/// of each of the two.
bool isMatrixProduct(Operation *op);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_SHAREDDIMS_H
