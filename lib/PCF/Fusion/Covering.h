//===- Covering.h - Proof that all of a result is written -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rewrite that replaces a ref's initial value is right only if the body
// writes every element. Callers may assume that; this file proves it by marking
// each element that a slice writes, for slices whose offsets are computed from
// constants, from ids of loops, and from ids of workers whose number is known.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FUSION_COVERING_H
#define DISTAFF_LIB_PCF_FUSION_COVERING_H

#include "distaff/Dialect/PCF/PCF.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff::pcf {

/// Returns whether the writes of a ref, all in the op's body, write all of it.
/// A ref without writes is not covered, whatever is assumed.
bool isCovered(RefOwnerOpInterface owner, BlockArgument ref, bool assumed);

/// Returns whether the only uses of a ref and of its views are writes of
/// slices, and waits for them, so that its value is never read. `isWritten`
/// becomes true with the first write.
bool seesNoValue(Value ref, bool &isWritten);

/// Replaces `init`, the initial value of a result that is never read, by a
/// `tensor.empty`.
void dropInit(OpBuilder &builder, RefOwnerOpInterface owner, OpOperand &init);

/// Returns whether an insert of `forall` that is repeated for each iteration
/// fills its destination.
bool fillsDestination(scf::ForallOp forall, Operation *insert, bool assumed);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_COVERING_H
