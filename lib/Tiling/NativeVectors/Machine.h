//===- Machine.h - Limits of the tiles of n-D vectors -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes the machine that computes a workgroup's vectors: one core with
// vector registers, or many lanes with scalar ones. A *piece* is a native
// vector chunk, the result of one instruction: a register of a core, or one
// element per lane of a workgroup.
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
  int64_t pieceElements = 8; ///< elements of a native vector chunk
  int64_t registers = 16;    ///< chunks that are live at once
  int64_t codePieces = 512;  ///< chunks that unrolled code may compute
  int64_t bufferBytes = 0;   ///< for values that are kept as a whole
  /// The most workgroups that share a loop, and the least work of each.
  int64_t workgroups = 1, workgroupPieces = 8192;
  bool isHost = true;
  bool strictFp = false;

  /// Creates the limits of a core, or of a workgroup of `lanes` lanes.
  static Machine get(const Target &target, int64_t lanes, bool strictFp);

  /// The number of chunks of one value that hides the latency of its
  /// instructions.
  static constexpr int64_t piecesInFlight() { return 4; }

  /// Returns the number of lanes that read neighbours at once.
  int64_t subgroupLanes() const;

  /// Returns the next extent from `extent` on that lanes share evenly; it is at
  /// most an eighth larger: 256 for 241.
  static int64_t evenExtent(int64_t extent);
  /// Returns the tile of lanes along a dim, of about `most` elements, possibly
  /// more than the extent: the whole extent, a large divisor, or a power of
  /// two.
  int64_t tileAlong(int64_t extent, int64_t most) const;

  /// Returns the number of K steps that the MMA instructions of a contraction
  /// take at a time; none where no instruction multiplies such types.
  std::optional<int64_t> matrixSteps(Operation *op) const;

  /// Holds the registers of a lane for an op's operands and result, and the
  /// number of instructions, if an MMA instruction fits the whole op.
  struct MatrixCode {
    int64_t registers, instructions;
  };
  std::optional<MatrixCode> matrixCode(Operation *op) const;

  /// Returns the number of instructions of a fully unrolled op on such a
  /// vector.
  int64_t pieces(ArrayRef<int64_t> shape) const;
  int64_t pieces(Type type) const;

  /// Returns the registers that hold an element: a lane takes two of 32 bits
  /// for 64 bits; a core takes one register per chunk for any element type
  /// (VX-207).
  int64_t registersOfElement(Type element) const;
  /// Returns the registers that hold a vector.
  int64_t registersOf(Type type) const;
};

/// Returns the largest divisor of `extent` that is at most `most`.
int64_t largestDivisor(int64_t extent, int64_t most);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_MACHINE_H
