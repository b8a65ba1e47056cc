//===- TensorBox.h - Boxes of tensors ---------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, pads and concatenations copy boxes between dense arrays of cells;
// their offsets and sizes are constants or registers, read when the op runs.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_TENSORBOX_H
#define DISTAFF_LIB_SIMT_OPS_TENSORBOX_H

#include "../Translate/OpRegistry.h"
#include "../Values/IndexSpace.h"

namespace distaff::simt {

/// A constant index, or one in a register.
class IndexValue {
public:
  IndexValue(int64_t constant) : constant(constant) {}
  IndexValue(OpFoldResult value, Translator &t);

  int64_t get(Agent &agent) const {
    return reg ? agent.integer(*reg) : constant;
  }

private:
  int64_t constant = 0;
  std::optional<Reg> reg;
};

SmallVector<IndexValue> indexValues(ArrayRef<OpFoldResult> values,
                                    Translator &t);
Shape valuesOf(ArrayRef<IndexValue> values, Agent &agent);

/// Copies the cells of a box from one array to another.
void copyBox(ArrayRef<int64_t> box, const uint8_t *from,
             const LinearAccess &source, uint8_t *to,
             const LinearAccess &destination, int64_t cellBytes);

/// Returns a tensor of unwritten elements: a pattern that is no useful number.
Tensor emptyTensor(const Domain &domain, Kind kind, ArrayRef<int64_t> shape);

/// Returns a tensor with one value everywhere.
Tensor splatTensor(ArrayRef<int64_t> shape, const uint8_t *cell,
                   int64_t cellBytes);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_TENSORBOX_H
