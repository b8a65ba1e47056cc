//===- ConversionBound.cpp - Lower bounds of conversion costs -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planning the rounds of a lane shuffle takes long where lanes hold thousands
// of elements. To rank layouts this bound is enough: the words that a lane
// lacks must reach it, one per shuffle, or through shared memory, in wavefronts
// without conflicts.
//
//===----------------------------------------------------------------------===//

#include "PlaceTables.h"
#include "distaff/Layout/Conversion.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

using namespace distaff;

/// Returns the most elements that a lane of the first subgroup needs and does
/// not hold.
static int64_t mostLacking(const Layout &src, const Layout &dst,
                           HardwareShape hardware) {
  PlaceTables held(src, hardware), wanted(dst, hardware);
  Holders own(src.numElements());
  for (auto [reg, position] : llvm::enumerate(held.reg))
    own.enter(position, reg);
  int64_t most = 0;
  llvm::DenseSet<int64_t> seen; // equal differences lack equally many
  for (auto [from, to] : llvm::zip_equal(held.lane, wanted.lane)) {
    if (!seen.insert(to - from).second)
      continue;
    int64_t lacking = 0;
    for (int64_t position : wanted.reg)
      lacking +=
          own[to - from + position + wanted.subgroup[0] - held.subgroup[0]] < 0;
    most = std::max(most, lacking);
  }
  return most;
}

/// Returns the wavefronts of a subgroup that stores its part of the elements,
/// each of them once, and loads all its registers.
static int64_t leastWavefronts(const Layout &src, const Layout &dst,
                               HardwareShape hardware, int64_t elementBytes,
                               const BankModel &banks) {
  int64_t perWavefront =
      std::min(banks.phaseBytes, banks.banks * banks.bankBytes);
  int64_t stores =
      llvm::divideCeil(src.numElements() * elementBytes, perWavefront);
  // A phase is at least one wavefront, also where its lanes load the same.
  int64_t loads = llvm::divideCeil(
      dst.numRegisters() * hardware.lanes * elementBytes, banks.phaseBytes);
  return llvm::divideCeil(stores + hardware.subgroups * loads,
                          hardware.subgroups);
}

int64_t distaff::leastConversionCost(Tier tier, const Layout &src,
                                     const Layout &dst, HardwareShape hardware,
                                     int64_t elementBits,
                                     const MoveCosts &costs,
                                     const BankModel &banks) {
  assert(src.shape() == dst.shape() && "a conversion keeps the shape");
  if (tier < Tier::LaneShuffle)
    return 0;
  int64_t bytes = llvm::PowerOf2Ceil(llvm::divideCeil(elementBits, 8));
  int64_t shared =
      2 * costs.barrier +
      leastWavefronts(src, dst, hardware, bytes, banks) * costs.sharedWavefront;
  if (tier == Tier::SharedMemory)
    return shared;
  int64_t shuffles = wordsFor(mostLacking(src, dst, hardware), elementBits);
  return std::min(shared, shuffles * costs.shuffle);
}
