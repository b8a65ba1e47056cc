//===- Clocks.cpp - What happened before what -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Clocks.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace distaff::simt;

static void join(Knowledge &into, const Knowledge &from) {
  into.resize(std::max(into.size(), from.size()), 0);
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

void Clocks::release(int64_t first, uint64_t lanes, Knowledge &into) {
  if (!isPartial())
    return;
  for (; lanes; lanes &= lanes - 1) {
    int64_t thread = first + llvm::countr_zero(lanes);
    known[thread][thread] = times[thread]++;
    join(into, known[thread]);
  }
}

void Clocks::acquire(int64_t first, uint64_t lanes, const Knowledge &from) {
  if (!isPartial())
    return;
  for (; lanes; lanes &= lanes - 1)
    join(known[first + llvm::countr_zero(lanes)], from);
}
