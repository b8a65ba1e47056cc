//===- Covering.h - Whether all of a result is written ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rewrite that puts something in the place of a ref's first value is right
// only if the body writes every element. Callers may know that; here it is
// proved by marking each element that slices write whose places are computed of
// constants, of the ids of loops, and of those of workers whose number is
// known.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FUSION_COVERING_H
#define DISTAFF_LIB_PCF_FUSION_COVERING_H

#include "distaff/Dialect/PCF/PCF.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff::pcf {

/// Whether the writes of a ref, all in the op's body, write all of it. A ref
/// without writes is not covered, whatever is assumed.
bool isCovered(RefOwnerOpInterface owner, BlockArgument ref, bool assumed);

/// Whether slices are written to a ref, or to views of it, and workers wait for
/// that, and that is all. `isWritten` becomes true with the first one.
bool seesNoValue(Value ref, bool &isWritten);

/// Has a result begin as nothing in the place of `init`, its first value, of
/// which nothing is seen.
void dropInit(OpBuilder &builder, RefOwnerOpInterface owner, OpOperand &init);

/// Whether an insert of `forall` that is repeated for each iteration fills its
/// destination.
bool fillsDestination(scf::ForallOp forall, Operation *insert, bool assumed);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_COVERING_H
