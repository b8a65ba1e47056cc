//===- CopyPieces.cpp - Distribution of a copy over the members -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CopyPieces.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <numeric>

using namespace distaff;

/// Returns the largest common divisor of `extent` and `members`, and divides
/// `members` by it.
static int64_t takeWorkers(int64_t extent, int64_t &members) {
  // An empty extent needs no workers.
  int64_t workers = extent > 0 && members > 0 ? std::gcd(extent, members) : 1;
  members /= workers;
  return workers;
}

/// Returns the number of elements of the widest access, up to 16 bytes, that
/// divides an extent.
static int64_t widthAlong(int64_t extent, Type element) {
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  int64_t width = std::max<int64_t>(128 / std::max<int64_t>(bits, 8), 1);
  return extent > 0 ? std::gcd(extent, width) : 1;
}

SmallVector<int64_t> pcf::widestAccess(RankedTensorType type) {
  SmallVector<int64_t> access(type.getRank(), 1);
  if (!access.empty())
    access.back() = widthAlong(type.getShape().back(), type.getElementType());
  return access;
}

SmallVector<int64_t> pcf::piecesOfCopy(Value written, int64_t members) {
  auto type = cast<RankedTensorType>(written.getType());
  SmallVector<int64_t> piece = widestAccess(type);
  auto transpose = written.getDefiningOp<linalg::TransposeOp>();
  if (!transpose)
    return piece;
  unsigned row = llvm::find(transpose.getPermutation(), type.getRank() - 1) -
                 transpose.getPermutation().begin();
  if (row + 1 == type.getRank())
    return piece;
  // Halve the longer side of a chunk that is too large for a member.
  int64_t &reads = piece[row] =
      widthAlong(type.getDimSize(row), type.getElementType());
  int64_t &writes = piece.back();
  int64_t most = std::max<int64_t>(1, type.getNumElements() / members);
  while (reads * writes > most) {
    int64_t &longer = reads > writes ? reads : writes;
    longer /= 2;
  }
  return piece;
}

SmallVector<int64_t> pcf::spreadPieces(ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> piece,
                                       int64_t members) {
  SmallVector<int64_t> workers(shape.size(), 1);
  for (unsigned dim : llvm::reverse(llvm::seq<unsigned>(shape.size())))
    workers[dim] = takeWorkers(shape[dim] / piece[dim], members);
  return workers;
}

SmallVector<int64_t> pcf::spreadRows(ArrayRef<int64_t> shape, int64_t members) {
  return llvm::map_to_vector(
      shape, [&](int64_t extent) { return takeWorkers(extent, members); });
}
