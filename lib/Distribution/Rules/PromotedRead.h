//===- PromotedRead.h - Reads of asynchronous copies ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value with an asynchronous promotion attribute is stored in the chunks in
// which it was read: `lower` converts a lane's read of a row, and the store of
// that row, to an asynchronous copy.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RULES_PROMOTEDREAD_H
#define DISTAFF_LIB_DISTRIBUTION_RULES_PROMOTEDREAD_H

#include "../Exchange/Placement.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

namespace distaff {

/// Returns whether the value must be copied to workgroup memory without
/// registers.
bool isAsynchronous(vector_ext::ToLayoutOp op);

/// Maps the offset of the first element of each chunk, in the index space, to a
/// lane's read of the chunk.
class PromotedRead {
public:
  /// Returns nothing if `value`, laid out as `placement`, is not in the form of
  /// a distributed transfer_read.
  static std::optional<PromotedRead> get(Value value,
                                         const Placement &placement);

  /// Emits another read of the row of `width` elements that begins at `offset`,
  /// as a vector of one dim.
  vector::TransferReadOp emitRow(OpBuilder &b, Location loc,
                                 ArrayRef<int64_t> offset, int64_t width) const;

private:
  std::map<SmallVector<int64_t>, vector::TransferReadOp> reads;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RULES_PROMOTEDREAD_H
