//===- PhaseSlices.h - Slices that phases read and write --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file finds the slices that a phase reads and writes, and their boxes in
// the underlying memory, through all views. Unknown boxes are marked as
// unknown, or made larger; nothing is assumed.
//
// Example: `pcf.write_slice %x into %v[0, %i] [4, 8] [1, 1]`, where %v is
// `pcf.subview %ref[8, 0] [4, 64] [1, 1]`, lies in the box [8, 0] [4, 64] of
// %ref, but not exactly: %i may be any.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_PHASESLICES_H
#define DISTAFF_LIB_PCF_ORDER_PHASESLICES_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Holds the accesses of a phase.
struct PhaseSlices {
  SmallVector<ReadSliceOp> reads;
  SmallVector<WriteSliceOp> writes;
  /// Memrefs that ops on vectors read and write.
  llvm::SetVector<Value> readMemrefs, writtenMemrefs;
  /// The first op that may access memory in another way; null without one.
  Operation *unknown = nullptr;

  static PhaseSlices of(RunClusterOp phase);

  /// Returns the accesses to the memory of one ref that is no view.
  SmallVector<WriteSliceOp> writesTo(Value ref) const;
  SmallVector<ReadSliceOp> readsOf(Value ref) const;
};

/// Describes a box of elements of a ref that is no view, with a static shape.
struct ElementBox {
  SmallVector<int64_t> offsets, sizes;
  /// True if the access touches all elements of the box; else only some of
  /// them.
  bool isExact = true;

  /// Returns the box that a slice lies in.
  static ElementBox of(ReadSliceOp read);
  static ElementBox of(WriteSliceOp write);

  bool isEmpty() const { return llvm::is_contained(sizes, 0); }
};

/// Returns whether every element of `box` is in one of `by`, of which inexact
/// boxes do not count.
bool isCovered(const ElementBox &box, ArrayRef<ElementBox> by);

/// Returns whether a read and a write of one ref, in the same iteration of
/// every loop around both, share no element: their boxes are disjoint, or they
/// are in different slots, `(i + a) mod d` and `(i + b) mod d` of one
/// dimension.
bool areDisjoint(ReadSliceOp read, WriteSliceOp write);
/// Returns the same for any two slices of `refA` and `refB`.
bool areDisjoint(OffsetSizeAndStrideOpInterface a, Value refA,
                 OffsetSizeAndStrideOpInterface b, Value refB);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_PHASESLICES_H
