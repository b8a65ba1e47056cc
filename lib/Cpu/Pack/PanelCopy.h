//===- PanelCopy.h - Packing of a panel into workgroup memory ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory has a panel's parts by tile and step, as one tile reads them in one
// step. Reads along rows of memory take several steps at a time: the right side
// is transposed on the way, the left side stays in rows.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_PACK_PANELCOPY_H
#define DISTAFF_LIB_CPU_PACK_PANELCOPY_H

#include "PanelPlan.h"
#include "mlir/IR/IRMapping.h"

namespace distaff {

/// Copies one panel, or a block of it, and replaces its reads by reads of the
/// copy.
class PanelCopy {
public:
  PanelCopy(scf::ForallOp grid, const Panel &panel, const TileGroup &group,
            const std::optional<StepBlock> &block);

  /// Copies what the tiles of the workgroup with these ids read.
  void copy(OpBuilder &b, ValueRange ids,
            ArrayRef<std::pair<Value, Value>> tiles);
  /// Replaces the panel's reads, or the conversions of them, by parts of the
  /// copy.
  void redirect(ArrayRef<TileWalk> walks);
  void eraseReads();

  /// Sums up the excess of the copied words, where the left side is biased.
  void sumUpExcess(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles);
  Value excessOf(OpBuilder &b, ArrayRef<TileWalk> walks);

private:
  Value allocateEach(OpBuilder &b, ArrayRef<int64_t> dims);
  void allocate(OpBuilder &b);
  SmallVector<std::pair<Value, Value>> stepBounds(OpBuilder &b);
  void copyTiles(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles,
                 function_ref<void(OpBuilder &, ValueRange)> body);
  SmallVector<Value> stepsOf(OpBuilder &b, ValueRange counters);
  SmallVector<Value> placeOf(OpBuilder &b, ValueRange tiles, ValueRange steps);
  void copyRows(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles);
  void copyColumns(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles);
  void copyWords(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles);
  Value readPart(OpBuilder &b, ValueRange counters);
  void copyPart(OpBuilder &b, ValueRange counters, ValueRange tiles);
  void copyWord(OpBuilder &b, Value at, Value end, ValueRange tiles);
  void fillUp(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles);
  void copySteps(OpBuilder &b, Value at, int64_t steps, ValueRange tiles);
  Value convert(OpBuilder &b, Value part);
  AffineMap mapOf(OpBuilder &b, Value from, ArrayRef<int64_t> dims,
                  bool hasSteps);
  void writeMemory(OpBuilder &b, Value part, Value into, ValueRange place);
  Value readMemory(OpBuilder &b, Value from, ValueRange place);
  SmallVector<Value> numbersOf(OpBuilder &b, ArrayRef<TileWalk> walks);
  const WordParts *words() const;

  scf::ForallOp grid; // valid until it is replaced
  const Panel &panel;
  const TileGroup &group;
  const std::optional<StepBlock> &block;
  bool isFirst; // whether it is the group's first panel
  /// Whether memory has it as in its rows: `stepDim` of a part goes along the
  /// steps.
  bool staysInRows;
  int64_t stepDim = 0;
  SmallVector<unsigned> walked; // the group's walks that it depends on
  VectorType type;
  /// The dims of a part in the order of memory: those of one element first, so
  /// that its rows are contiguous, and a matrix's steps last.
  SmallVector<int64_t> order;
  Location loc;
  IRMapping map; // maps the grid's ids
  Value memory, excess;
};

} // namespace distaff

#endif // DISTAFF_LIB_CPU_PACK_PANELCOPY_H
