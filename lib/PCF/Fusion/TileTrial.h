//===- TileTrial.h - Trial tiling of an op ----------------------*- C++ -*-===//
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

/// Holds a copy of an op in a block of its own, on which tiling is tried: the
/// interface's queries create ops. The destructor erases all of it.
class TileTrial {
public:
  TileTrial(TilingInterface op) : builder(op.getContext()) {
    builder.setInsertionPointToEnd(&block);
    copy = cast<TilingInterface>(builder.clone(*op));
    // The ops that compute extents are inserted before the copy.
    builder.setInsertionPoint(copy);
  }
  ~TileTrial() { block.dropAllReferences(); }

private:
  Block block;

public:
  OpBuilder builder;
  TilingInterface copy;
};

/// Returns whether an op computes tensors from tensors and nothing else, and
/// its tiles can be computed.
bool isTilable(Operation *op);

/// Returns whether the op can map a tile of the operand to a tile of its
/// iteration domain; the query would emit an error otherwise.
bool mapsTiles(OpOperand &operand);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_TILETRIAL_H
