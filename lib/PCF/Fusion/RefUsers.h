//===- RefUsers.h - Reads and writes of a ref -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FUSION_REFUSERS_H
#define DISTAFF_LIB_PCF_FUSION_REFUSERS_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

struct RefUsers {
  SmallVector<ReadSliceOp> reads;
  SmallVector<WriteSliceOp> writes;
};

/// Returns the reads and writes of a ref that its owner synchronizes, or that
/// is readonly, in the order of the body. Failure: it is another kind of ref,
/// it has other users, or their slices are strided.
FailureOr<RefUsers> getTileUsers(RefOwnerOpInterface owner, BlockArgument ref);

/// Returns whether the writes, at least one, are all of tensors.
bool areTensorWrites(ArrayRef<WriteSliceOp> writes);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_REFUSERS_H
