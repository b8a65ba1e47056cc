//===- TileTrial.h - Whether an op can be tiled -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FUSION_TILETRIAL_H
#define DISTAFF_LIB_PCF_FUSION_TILETRIAL_H

#include "distaff/LLVM.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace distaff::pcf {

/// A copy of an op in a block of its own, to ask what its tiles would be: the
/// answers create ops. All of it disappears with this object.
class TileTrial {
public:
  TileTrial(TilingInterface op) : builder(op.getContext()) {
    builder.setInsertionPointToEnd(&block);
    copy = cast<TilingInterface>(builder.clone(*op));
    // Extents are computed in front of the op that asks for them.
    builder.setInsertionPoint(copy);
  }
  ~TileTrial() { block.dropAllReferences(); }

private:
  Block block;

public:
  OpBuilder builder;
  TilingInterface copy;
};

/// Whether an op computes tensors from tensors and nothing else, and its tiles
/// can be computed.
bool isTilable(Operation *op);

/// Whether the op can say which tile belongs to a tile of the operand; asking
/// it would be an error else.
bool mapsTiles(OpOperand &operand);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_TILETRIAL_H
