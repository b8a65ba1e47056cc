//===- ExtentBounds.h - Upper bounds of dynamic extents ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic dimensions of tensors that one op requires to be equal, or that
// control flow carries as one value, form one class. The bound of a class is
// the largest bound of its sources: slices, whose extents are ranges of numbers
// and fit into the sliced memory, and `tensor.empty`.
//
//   %s = arith.minui %rows, %left              // at most 256
//   %a = pcf.read_slice %p[%o, 0] [%s, 32]     // tensor<?x32xf16>: at most 256
//   %e = tensor.empty(%s)                      // tensor<?x128xf32>
//   linalg.matmul ins(%a, %b) outs(%e)         // one class: at most 256
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_EXTENTBOUNDS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_EXTENTBOUNDS_H

#include "distaff/Analysis/Access/NumberBounds.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

namespace distaff::pcf {

class ExtentBounds {
public:
  /// Computes the bounds for `ops`, the ops of collective code. Failure: an
  /// extent has no bound, or an op no rule; a diagnostic names it.
  static FailureOr<ExtentBounds> compute(ArrayRef<Operation *> ops,
                                         NumberBounds &numbers);

  /// Returns the tensor's type with the bounds as extents in place of dynamic
  /// ones, rounded up so that they divide among the members.
  RankedTensorType typeOf(Value tensor) const;

  /// Returns the class of a dimension of a tensor; none for static extents.
  std::optional<unsigned> classOf(Value tensor, unsigned dim) const;
  /// Returns the largest extent of a class, and the granule in which an
  /// instruction consumes it.
  int64_t mostOf(unsigned extent) const;
  int64_t granuleOf(unsigned extent) const;
  unsigned getNumClasses() const { return classes.getNumClasses(); }

private:
  using Dim = std::pair<Value, unsigned>;

  LogicalResult visit(Operation *op, NumberBounds &numbers);
  LogicalResult visitLinalg(Operation *op);
  void addGranules(Operation *op);
  LogicalResult visitReshape(Operation *op);
  void visitSlice(Operation *op, NumberBounds &numbers);
  void visitEmpty(tensor::EmptyOp op, NumberBounds &numbers);
  unsigned nodeOf(Dim dim);
  void join(Value a, Value b);
  void join(Dim a, Dim b);
  void bound(Dim dim, std::optional<int64_t> most);
  LogicalResult verifyBounded() const;

  /// Accumulates the sources of the extents of a class, any number of them.
  struct Sources {
    bool isNone = true;
    /// The largest bound; none if a source has none.
    std::optional<int64_t> most;
    /// Number of elements that an instruction consumes at a time.
    int64_t granule = 1;

    void add(std::optional<int64_t> other) {
      most = isNone          ? other
             : most && other ? std::optional(std::max(*most, *other))
                             : std::nullopt;
      isNone = false;
    }
  };

  llvm::MapVector<Dim, unsigned> nodes;
  SmallVector<Sources> sources; // by node
  llvm::IntEqClasses classes;
  llvm::DenseMap<unsigned, Sources> bounds; // by class
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_EXTENTBOUNDS_H
