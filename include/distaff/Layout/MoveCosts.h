//===- MoveCosts.h - Cost model of layout conversion ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of the conversion cost model, in issue slots per subgroup (spec
// 4.5):
//
//     cost = moves, selects, shuffles, wavefronts, barriers, address
//            operations, each times its weight
//
// They only rank alternatives. The defaults are those of sm_80 .. sm_90; each
// target has its own in Target's tables.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_MOVECOSTS_H
#define DISTAFF_LAYOUT_MOVECOSTS_H

#include <cstdint>

namespace distaff {

struct MoveCosts {
  /// Renaming of a whole 32-bit register: free after register allocation.
  int64_t move = 0;
  /// Assembling a 32-bit register from parts of two.
  int64_t bytePermute = 2;
  int64_t select = 2;
  /// Exchange of 32 bits between the lanes of a subgroup.
  int64_t shuffle = 4;
  /// A pass of the shared memory over its banks.
  int64_t sharedWavefront = 4;
  int64_t barrier = 40;
  /// An integer operation of an address.
  int64_t addressOp = 2;
};

} // namespace distaff

#endif // DISTAFF_LAYOUT_MOVECOSTS_H
