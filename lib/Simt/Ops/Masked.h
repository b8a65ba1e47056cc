//===- Masked.h - Vector operations with a mask -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `vector.mask %m { op }` runs an op on some of its elements. The translators
// of the ops that it may contain take the mask's register, if there is one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_MASKED_H
#define DISTAFF_LIB_SIMT_OPS_MASKED_H

#include "../Translate/OpRegistry.h"

namespace distaff::simt {

using Mask = std::optional<Reg>;

LogicalResult translateMasked(vector::TransferReadOp op, Mask mask,
                              Translator &t);
LogicalResult translateMasked(vector::TransferWriteOp op, Mask mask,
                              Translator &t);
LogicalResult translateMasked(vector::GatherOp op, Mask mask, Translator &t);
LogicalResult translateMasked(vector::MultiDimReductionOp op, Mask mask,
                              Translator &t);
LogicalResult translateMasked(vector::ReductionOp op, Mask mask, Translator &t);
LogicalResult translateMasked(vector::ContractionOp op, Mask mask,
                              Translator &t);
LogicalResult translateMasked(vector::OuterProductOp op, Mask mask,
                              Translator &t);

/// Copies one element of a register to an element of another register, in all
/// lanes.
inline void copyElement(Agent &agent, Reg from, int64_t fromElement, Reg to,
                        int64_t toElement) {
  int64_t bytes = agent.lanes() * to.cellBytes;
  std::memcpy(agent.cells(to) + toElement * bytes,
              agent.cells(from) + fromElement * bytes, bytes);
}

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_MASKED_H
