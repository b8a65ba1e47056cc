//===- MemoryAccess.h - What an op of the source touches --------*- C++ -*-===//
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

/// The part of a memref that an op touches: per dim the first index, where it
/// is constant, how that moves, and how many. Empty means all of it.
struct MemoryBox {
  SmallVector<std::optional<int64_t>> start;
  SmallVector<std::optional<LoopMotion>> motion;
  SmallVector<int64_t> extent;

  void add(Value first, int64_t count, const LoopMotions &motions);
  /// True if executions of one op in different iterations of `outermost`, a
  /// loop around `op`, touch different places or the same place alike.
  bool staysApart(Operation *op, Operation *outermost) const;
};

struct MemoryAccess {
  Value memref;
  bool writes;
  int64_t group;
  MemoryBox box;
  /// Each place is always accessed by one and the same thread.
  bool isOrdered = false;
  /// Accesses with one number, if they have one: each place is accessed by the
  /// same thread in all of them.
  std::optional<int64_t> holders = std::nullopt;
};

/// Bytes of an array that several buffers share.
struct ByteRange {
  int64_t offset, bytes;

  bool overlaps(const ByteRange &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};
/// Where buffers lie in the array. What is not in here lies elsewhere.
using BufferPlaces = llvm::DenseMap<Value, ByteRange>;

/// The allocation, argument or global that `memref` is a view of, as far as
/// views are seen through.
Value rootOf(Value memref);

/// Whether `root` is known to be memory of its own: no other root is the same.
bool isRoot(Value root);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_MEMORYACCESS_H
