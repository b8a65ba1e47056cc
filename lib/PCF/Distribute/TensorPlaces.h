//===- TensorPlaces.h - Where tensors of groups are in memory ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of a group hold parts of a tensor. Elements at other places than
// the member's own are read from memory: from that of which the tensor is a
// slice, where that is only read, and else from memory to which the tensor is
// written for that purpose.
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

/// The memory of a tensor: its element `i` is at `offsets + i * strides`.
struct TensorPlace {
  Value ref;
  MixedSizes offsets, strides;
};

/// A part of a tensor, or of memory of its shape, without some dimensions of
/// extent 1.
struct TensorPart {
  MixedSizes offsets, sizes, strides;
  llvm::SmallBitVector dropped;

  static TensorPart whole(MixedSizes sizes);
};

class TensorPlaces {
public:
  TensorPlaces(SharedExecutorOp executor, RewriterBase &rewriter)
      : executor(executor), rewriter(rewriter) {}

  /// The extents of a tensor, as numbers that are there where `at` runs.
  FailureOr<MixedSizes> getExtents(Value tensor, Operation *at);

  /// The largest that extents can be. Failure: one has no upper bound, which a
  /// diagnostic of `at` says.
  FailureOr<SmallVector<int64_t>> getBounds(ArrayRef<OpFoldResult> extents,
                                            Operation *at);

  /// Where a tensor of rank 1 at least is in memory; it is written where it is
  /// made, if need be.
  FailureOr<TensorPlace> find(Value tensor, Operation *at);

  /// Memory of that shape, of no tensor yet, in which `at` arranges one.
  FailureOr<TensorPlace> allocate(RankedTensorType type, Operation *at);

  /// The same elements in a shape whose dimensions are groups of those of
  /// `shape`, row-major.
  /// \pre  the memory was returned by `allocate`, and has the products of the
  ///       groups as extents
  TensorPlace expand(const TensorPlace &place,
                     ArrayRef<ReassociationIndices> groups,
                     ArrayRef<int64_t> shape, Location loc);

  // Where the rewriter stands.
  Value read(const TensorPlace &place, const TensorPart &part, Type element,
             Location loc);
  void write(Value tensor, const TensorPlace &place, const TensorPart &part,
             Location loc);

  /// The element at a position, as a number for all members.
  Value load(const TensorPlace &place, ArrayRef<OpFoldResult> position,
             Location loc);

private:
  bool isUnwritten(Value ref);
  /// A ref of the part, in which no dimension is dropped any more.
  TensorPlace select(const TensorPlace &place, TensorPart &part, Location loc);

  SharedExecutorOp executor;
  RewriterBase &rewriter;
  llvm::DenseMap<Value, TensorPlace> known;
};

/// A part of a tensor that is empty, or of one number all over, made as such;
/// null of others.
Value makeUniformPart(tensor::ExtractSliceOp op, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_TENSORPLACES_H
