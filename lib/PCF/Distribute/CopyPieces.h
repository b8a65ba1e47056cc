//===- CopyPieces.h - Distribution of a copy over the members ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy is cut into chunks that are distributed to the members. A chunk is
// what one access moves, 16 bytes of a row at most:
//
//   tensor<32x64xf16>, 64 lanes       chunks of 1x8, 8x8 lanes, four each
//
// A transposing copy has rows on both sides. Its chunk is then as wide as an
// access in both directions, as far as every member has such a chunk: the chunk
// is read by rows of one side and written by rows of the other.
//
//   linalg.transpose of tensor<64x32xf16>
//     to tensor<32x64xf16>, 64 lanes  chunks of 8x4, 4x16 lanes, one each:
//                                     four reads of 16 bytes, eight writes of 8
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_COPYPIECES_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_COPYPIECES_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace distaff::pcf {

/// Returns the shape of the widest access to a tensor's rows that divides them.
SmallVector<int64_t> widestAccess(RankedTensorType type);

/// Returns the shape of a chunk of `written` for `members` members.
/// \pre  the type of `written` has a static shape and elements
SmallVector<int64_t> piecesOfCopy(Value written, int64_t members);

/// Returns the number of members along each dimension if neighboring members
/// take neighboring chunks.
SmallVector<int64_t> spreadPieces(ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> piece, int64_t members);

/// Returns the number of members along each dimension if each has whole rows.
SmallVector<int64_t> spreadRows(ArrayRef<int64_t> shape, int64_t members);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_COPYPIECES_H
