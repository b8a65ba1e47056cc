//===- Machine.h - What bounds the tiles of n-D vectors ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The little that tile-vectors has to know of who computes a workgroup's
// vectors: one core with vector registers, or many lanes with scalar ones. A
// *piece* is what one instruction computes: of a core a register, of a
// workgroup one element per lane.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_TILEVECTORS_MACHINE_H
#define DISTAFF_LIB_TRANSFORMS_TILEVECTORS_MACHINE_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff {
struct Target;
} // namespace distaff

namespace distaff::vectortiles {

struct Machine {
  int64_t pieceElements = 8; ///< elements of a piece
  int64_t registers = 16;    ///< pieces that are held at once
  int64_t codePieces = 512;  ///< pieces that straight code may compute
  int64_t bufferBytes = 0;   ///< for values that exist as a whole
  /// Workgroups that share a loop, at most, and what each has to have to do.
  int64_t workgroups = 1, workgroupPieces = 8192;
  bool isHost = true;
  bool strictFp = false;

  /// Of a core, or of a workgroup of so many lanes.
  static Machine get(const Target &target, int64_t lanes, bool strictFp);

  /// Instructions that an op on such a vector is, fully unrolled.
  int64_t pieces(ArrayRef<int64_t> shape) const;
  int64_t pieces(Type type) const;
};

/// The largest divisor of `extent` that is at most `most`.
int64_t largestDivisor(int64_t extent, int64_t most);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TRANSFORMS_TILEVECTORS_MACHINE_H
