//===- BankModel.h - Bank conflicts of shared memory ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory is `banks` columns of `bankBytes` bytes. An access of w bytes
// per lane is served in *phases* of consecutive lanes that together access at
// most `phaseBytes`; within a phase every bank delivers one of its words per
// *wavefront*, and equal words are broadcast. So (spec 4.4, VX-45)
//
//     wavefronts of a phase = max over banks of the distinct words of the bank
//
// With the default 32 banks of 4 bytes: 4-byte accesses run in phases of 32
// lanes, 8-byte ones of 16, 16-byte ones of 8; narrower ones like 4-byte ones.
// 32 lanes that read a column of a 32x32 f32 tile need 32 words of one bank: 32
// wavefronts; with rows padded to 33 words they need one of each: 1.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_BANKMODEL_H
#define DISTAFF_LAYOUT_BANKMODEL_H

#include "distaff/Layout/TransposingLoad.h"
#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>

namespace distaff {

struct BankModel {
  int64_t banks = 32;
  int64_t bankBytes = 4;
  int64_t phaseBytes = 128;
  /// The widest access of one lane.
  int64_t maxAccessBytes = 16;
  /// Whether subgroups have instructions that load, store 8x8 tiles
  /// (MatrixTiles.h).
  bool loadsMatrices = false, storesMatrices = false;
  /// The load that transposes among their lanes, if they have one.
  TransposingLoad transposingLoad = {};

  /// Returns the number of lanes served together by an access of `accessBytes`
  /// per lane.
  int64_t lanesPerPhase(int64_t accessBytes) const {
    return std::max<int64_t>(1, phaseBytes / std::max(accessBytes, bankBytes));
  }

  /// Returns the wavefronts of one phase whose lanes access `accessBytes` bytes
  /// at each of the byte offsets; 0 for no lanes.
  int64_t wavefronts(llvm::ArrayRef<int64_t> byteOffsets,
                     int64_t accessBytes) const;
};

} // namespace distaff

#endif // DISTAFF_LAYOUT_BANKMODEL_H
