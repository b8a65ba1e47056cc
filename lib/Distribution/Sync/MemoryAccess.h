//===- MemoryAccess.h - Memory accesses of an op ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_MEMORYACCESS_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_MEMORYACCESS_H

#include "LoopMotion.h"
#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"

namespace distaff {

/// A box is the part of a memref that an op accesses: per dim the first index,
/// where it is constant, its motion, and the extent. Empty means all of it.
struct MemoryBox {
  SmallVector<std::optional<int64_t>> start;
  SmallVector<std::optional<LoopMotion>> motion;
  SmallVector<int64_t> extent;

  void add(Value first, int64_t count, const LoopMotions &motions);
  /// Returns whether executions of one op in different iterations of
  /// `outermost`, a loop around `op`, access different places or the same
  /// places alike.
  bool staysApart(Operation *op, Operation *outermost) const;
};

struct MemoryAccess {
  Value memref;
  bool writes;
  int64_t group;
  MemoryBox box;
  /// Whether each place is always accessed by one and the same thread.
  bool isOrdered = false;
  /// A number, if any: in all accesses with one number, each place is accessed
  /// by the same thread.
  std::optional<int64_t> holders = std::nullopt;
};

/// The bytes of a buffer in an array that several buffers share.
struct ByteRange {
  int64_t offset, bytes;

  bool overlaps(const ByteRange &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};
/// Maps buffers to their place in the array. Other memory lies elsewhere.
using BufferPlaces = llvm::DenseMap<Value, ByteRange>;

/// Returns the allocation, argument or global that `memref` is a view of,
/// through known view ops.
Value rootOf(Value memref);

/// Returns whether `root` is known not to alias other roots.
bool isRoot(Value root);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_MEMORYACCESS_H
