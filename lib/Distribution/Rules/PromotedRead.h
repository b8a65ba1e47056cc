//===- PromotedRead.h - Reads that lanes need not hold ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that a promotion attribute has copied past the registers is stored
// piece by piece as it was read: a lane's read of a row, and the store of that
// row, are the pair that `lower` makes an asynchronous copy of.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RULES_PROMOTEDREAD_H
#define DISTAFF_LIB_DISTRIBUTION_RULES_PROMOTEDREAD_H

#include "../Exchange/Placement.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

namespace distaff {

/// Whether the value must get to workgroup memory past the registers.
bool isAsynchronous(vector_ext::ToLayoutOp op);

/// What a lane has read of a value, by the offset in the index space of the
/// first element of each piece.
class PromotedRead {
public:
  /// Nothing if `value`, laid out as `placement`, is not as a transfer_read's
  /// rule makes it.
  static std::optional<PromotedRead> get(Value value,
                                         const Placement &placement);

  /// Reads the row of `width` elements that begins at `offset` again, as a
  /// vector of one dim.
  vector::TransferReadOp emitRow(OpBuilder &b, Location loc,
                                 ArrayRef<int64_t> offset, int64_t width) const;

private:
  std::map<SmallVector<int64_t>, vector::TransferReadOp> reads;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RULES_PROMOTEDREAD_H
