//===- PhaseSlices.h - What phases read and write ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The slices that a phase reads and writes, and where they lie in the memory
// behind them, whatever views are in between. What is not known is said to be
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

/// Accesses of a phase.
struct PhaseSlices {
  SmallVector<ReadSliceOp> reads;
  SmallVector<WriteSliceOp> writes;
  /// Memrefs that ops on vectors read and write.
  llvm::SetVector<Value> readMemrefs, writtenMemrefs;
  /// The first op that may access memory and is neither; null without one.
  Operation *unknown = nullptr;

  static PhaseSlices of(RunClusterOp phase);

  /// The accesses to the memory of one ref that is no view.
  SmallVector<WriteSliceOp> writesTo(Value ref) const;
  SmallVector<ReadSliceOp> readsOf(Value ref) const;
};

/// A box of elements of a ref that is no view, with a static shape.
struct ElementBox {
  SmallVector<int64_t> offsets, sizes;
  /// Whether it is just these elements; else some of them.
  bool isExact = true;

  /// The box that a slice lies in.
  static ElementBox of(ReadSliceOp read);
  static ElementBox of(WriteSliceOp write);

  bool isEmpty() const { return llvm::is_contained(sizes, 0); }
};

/// Whether every element of `box` is in one of `by`, of which inexact ones do
/// not count.
bool isCovered(const ElementBox &box, ArrayRef<ElementBox> by);

/// Whether a read and a write of one ref, in the same iteration of every loop
/// around both, share no element: their boxes are apart, or they are in
/// different slots, `(i + a) mod d` and `(i + b) mod d` of one dimension.
bool areDisjoint(ReadSliceOp read, WriteSliceOp write);
/// The same of two slices of `refA` and `refB`, whatever they do.
bool areDisjoint(OffsetSizeAndStrideOpInterface a, Value refA,
                 OffsetSizeAndStrideOpInterface b, Value refB);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_PHASESLICES_H
