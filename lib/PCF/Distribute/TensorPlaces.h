//===- TensorPlaces.h - Memory locations of collective tensors --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of a group hold parts of a tensor. A member reads elements of
// other members' parts from memory: from the memory that the tensor is a slice
// of, if that is only read, and else from memory to which the tensor is written
// for that purpose.
//
//   %a = pcf.read_slice %p[%i, 0] ...    %a is at %p[%i, 0]
//   %b = arith.addf %a, %a               %b is written to %m, and is there
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_TENSORPLACES_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_TENSORPLACES_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

using MixedSizes = SmallVector<OpFoldResult>;

/// Describes the memory of a tensor: its element `i` is at
/// `offsets + i * strides`.
struct TensorPlace {
  Value ref;
  MixedSizes offsets, strides;
};

/// Describes a part of a tensor, or of memory of its shape, with some
/// dimensions of extent 1 dropped.
struct TensorPart {
  MixedSizes offsets, sizes, strides;
  llvm::SmallBitVector dropped;

  static TensorPart whole(MixedSizes sizes);
};

class TensorPlaces {
public:
  TensorPlaces(SharedExecutorOp executor, RewriterBase &rewriter)
      : executor(executor), rewriter(rewriter) {}

  /// Returns the extents of a tensor as numbers that dominate `at`.
  FailureOr<MixedSizes> getExtents(Value tensor, Operation *at);

  /// Returns the upper bounds of extents. Failure: an extent has none; a
  /// diagnostic at `at` names it.
  FailureOr<SmallVector<int64_t>> getBounds(ArrayRef<OpFoldResult> extents,
                                            Operation *at);

  /// Returns the place of a tensor of rank 1 at least in memory. Writes the
  /// tensor to memory after its definition if needed.
  FailureOr<TensorPlace> find(Value tensor, Operation *at);

  /// Allocates memory of that shape, to which `at` writes a tensor later.
  FailureOr<TensorPlace> allocate(RankedTensorType type, Operation *at);

  /// Returns the same elements in a shape whose dimensions are groups of those
  /// of `shape`, row-major.
  /// \pre  the memory was returned by `allocate`, and has the products of the
  ///       groups as extents
  TensorPlace expand(const TensorPlace &place,
                     ArrayRef<ReassociationIndices> groups,
                     ArrayRef<int64_t> shape, Location loc);

  // The functions below create ops at the rewriter's insertion point.
  Value read(const TensorPlace &place, const TensorPart &part, Type element,
             Location loc);
  void write(Value tensor, const TensorPlace &place, const TensorPart &part,
             Location loc);

  /// Loads the element at a position, as a number for all members.
  Value load(const TensorPlace &place, ArrayRef<OpFoldResult> position,
             Location loc);

private:
  bool isUnwritten(Value ref);
  /// Returns a ref of the part, in which no dimension is dropped any more.
  TensorPlace select(const TensorPlace &place, TensorPart &part, Location loc);

  SharedExecutorOp executor;
  RewriterBase &rewriter;
  llvm::DenseMap<Value, TensorPlace> known;
};

/// Creates a part of a tensor that is empty or has one number in all elements;
/// returns null for other tensors.
Value makeUniformPart(tensor::ExtractSliceOp op, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_TENSORPLACES_H
