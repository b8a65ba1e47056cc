//===- RefUsers.cpp - Reads and writes of a ref ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RefUsers.h"

#include "MixedSlice.h"

using namespace distaff;
using namespace distaff::pcf;

FailureOr<RefUsers> pcf::getTileUsers(RefOwnerOpInterface owner,
                                      BlockArgument ref) {
  if (!isReadonlyRef(ref) && !cast<SRefType>(ref.getType()).isReturnOnlySync())
    return failure();
  RefUsers users;
  for (Operation *user : ref.getUsers()) {
    auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(user);
    if (!slice || !MixedSlice::of(slice).hasUnitStrides())
      return failure();
    if (auto read = dyn_cast<ReadSliceOp>(user))
      users.reads.push_back(read);
    else if (auto write = dyn_cast<WriteSliceOp>(user))
      users.writes.push_back(write);
    else
      return failure();
  }
  // MLIR lists uses in reverse order.
  std::reverse(users.reads.begin(), users.reads.end());
  std::reverse(users.writes.begin(), users.writes.end());
  return users;
}

bool pcf::areTensorWrites(ArrayRef<WriteSliceOp> writes) {
  return !writes.empty() && llvm::all_of(writes, [](WriteSliceOp write) {
    return isa<RankedTensorType>(write.getSource().getType());
  });
}
