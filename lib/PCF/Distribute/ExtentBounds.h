//===- ExtentBounds.h - How large dynamic extents can be --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic dimensions of tensors that one op needs to be equal, or that control
// flow hands on as one value, are one class, and a class has the largest bound
// of where its tensors come from: slices, whose extents are ranges of numbers
// and fit into what is sliced, and `tensor.empty`.
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
  /// Looks at `ops`, which are those of collective code.
  /// Failure: an extent has no bound, or an op no rule; a diagnostic says so.
  static FailureOr<ExtentBounds> compute(ArrayRef<Operation *> ops,
                                         NumberBounds &numbers);

  /// The tensor's type with bounds in the place of dynamic extents, rounded up
  /// so that members can share them out.
  RankedTensorType typeOf(Value tensor) const;

  /// Which class a dimension of a tensor is in; none for extents that are
  /// known.
  std::optional<unsigned> classOf(Value tensor, unsigned dim) const;
  /// The largest extent of a class, and what an instruction takes of it at a
  /// time.
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

  /// Where the extents of a class come from: any number of places.
  struct Sources {
    bool isNone = true;
    /// The largest bound; none where a source has none.
    std::optional<int64_t> most;
    /// What an instruction takes of it at a time.
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
