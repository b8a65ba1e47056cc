//===- SharedDims.h - Dimensions that members share out ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of a group share out tensors dimension by dimension, and an op
// ties dimensions of its tensors together: its loop `i` is one dimension of
// each. Dimensions that are tied are a class, which is split for all of them or
// is whole. A class is whole where an op reduces along it, since no member sees
// the others' parts, and where it has two dimensions of one tensor.
//
//   %s = reduce(%a) along 1      a.0 = s.0        a.1 is whole
//   %t = broadcast(%s)           s.0 = t.0
//   %u = addf %a, %t             a.0 = t.0 = u.0  a.1 = t.1 = u.1: whole
//
// An op whose loops would all be whole is computed by every member, in vain. A
// product of matrices has more to lose: its instruction splits all its loops.
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

  /// Ties the dimensions of the tensors of an op. An op that computes nothing
  /// of the kind ties none.
  void add(Operation *op);

  /// The same, with operands for which `isFresh` holds as tensors that no other
  /// op has.
  void add(Operation *op, OperandTest isFresh);

  /// Ties two tensors of one rank, dimension by dimension.
  void tie(Value a, Value b);

  /// Says that the result of a product is split along all its dimensions, also
  /// before the product itself is added.
  void addProductResult(linalg::LinalgOp product);

  /// Whether every member has all of the tensor along a dimension.
  bool isWhole(Value tensor, unsigned dim) const;

  /// Whether an op reduces along a dimension, or along one that is tied to it.
  bool isReduced(Value tensor, unsigned dim) const;

  /// Whether two dimensions are of one class.
  bool areTied(Value a, unsigned dimA, Value b, unsigned dimB) const;

  /// How many ops every member computes, or cannot be split as a product is,
  /// since their dimensions are tied to those of others.
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
  /// What is known of a class.
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
  /// The class of a dimension, none if no op has the tensor.
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

/// Whether an op is a product of matrices, whose result has a dimension of
/// each of the two.
bool isMatrixProduct(Operation *op);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_SHAREDDIMS_H
