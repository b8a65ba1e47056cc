//===- BankModel.cpp - Bank conflicts of shared memory --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Layout/BankModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cassert>

using namespace distaff;

int64_t BankModel::wavefronts(llvm::ArrayRef<int64_t> byteOffsets,
                              int64_t accessBytes) const {
  assert(banks > 0 && bankBytes > 0 && accessBytes > 0 &&
         "memory has banks of bytes, and an access moves some");
  assert(
      llvm::all_of(byteOffsets, [](int64_t offset) { return offset >= 0; }) &&
      "accesses are within the memory");
  // An aligned access takes whole words of neighbouring banks, so such banks
  // count as one.
  bool isAligned =
      accessBytes % bankBytes == 0 && banks * bankBytes % accessBytes == 0 &&
      llvm::all_of(byteOffsets,
                   [&](int64_t offset) { return offset % accessBytes == 0; });
  int64_t unitBytes = isAligned ? accessBytes : bankBytes;
  int64_t columns = banks * bankBytes / unitBytes;

  // Lists the distinct units of each column.
  struct Unit {
    int64_t unit;
    int32_t next;
  };
  llvm::SmallVector<int32_t, 64> first(columns, -1);
  llvm::SmallVector<Unit, 64> units;
  int64_t most = 0;
  auto enter = [&](int64_t unit) {
    int32_t &head = first[unit % columns];
    int64_t wanted = 1;
    for (int32_t at = head; at >= 0; at = units[at].next, ++wanted)
      if (units[at].unit == unit)
        return;
    units.push_back({unit, head});
    head = units.size() - 1;
    most = std::max(most, wanted);
  };
  for (int64_t offset : byteOffsets)
    for (int64_t unit = offset / unitBytes,
                 last = (offset + accessBytes - 1) / unitBytes;
         unit <= last; ++unit)
      enter(unit);
  return most;
}
