//===- BankModel.cpp - How shared memory serves a subgroup ----------------===//
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
  llvm::SmallVector<int64_t, 64> words;
  for (int64_t offset : byteOffsets)
    for (int64_t word = offset / bankBytes,
                 last = (offset + accessBytes - 1) / bankBytes;
         word <= last; ++word)
      words.push_back(word);
  llvm::sort(words);
  words.erase(llvm::unique(words), words.end());

  llvm::SmallVector<int64_t, 64> wanted(banks, 0);
  int64_t most = 0;
  for (int64_t word : words)
    most = std::max(most, ++wanted[word % banks]);
  return most;
}
