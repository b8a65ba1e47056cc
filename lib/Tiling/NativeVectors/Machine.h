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
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_MACHINE_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_MACHINE_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace distaff {
struct Target;
} // namespace distaff

namespace distaff::vectortiles {

struct Machine {
  const Target *target = nullptr;
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

  /// Pieces of one value that hide the latency of its instructions.
  static constexpr int64_t piecesInFlight() { return 4; }

  /// Lanes that read neighbours at once.
  int64_t subgroupLanes() const;

  /// An extent that lanes share out among them, not less than `extent`, of
  /// which it is at most an eighth more: of 241, 256.
  static int64_t evenExtent(int64_t extent);
  /// The tile of lanes along a dim, of about `most` elements, which may be more
  /// than the extent: all of it, or a large divisor, or a power of two.
  int64_t tileAlong(int64_t extent, int64_t most) const;

  /// Steps that the matrix instructions which compute a contraction take at a
  /// time; none where no instruction multiplies such types.
  std::optional<int64_t> matrixSteps(Operation *op) const;

  /// Registers that lanes hold an op's operands and result in, and how many
  /// instructions it is, if a matrix instruction fits all of it; else none.
  struct MatrixCode {
    int64_t registers, instructions;
  };
  std::optional<MatrixCode> matrixCode(Operation *op) const;

  /// Instructions that an op on such a vector is, fully unrolled.
  int64_t pieces(ArrayRef<int64_t> shape) const;
  int64_t pieces(Type type) const;

  /// Registers that hold an element: of lanes those of 32 bits, of which one of
  /// 64 bits takes two; of a core a piece has one whatever its elements are
  /// (VX-207).
  int64_t registersOfElement(Type element) const;
  /// Registers that hold a vector.
  int64_t registersOf(Type type) const;
};

/// The largest divisor of `extent` that is at most `most`.
int64_t largestDivisor(int64_t extent, int64_t most);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_MACHINE_H
