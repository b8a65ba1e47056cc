//===- CopyPlan.h - Planning of asynchronous copies -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate is a read of global memory whose only use is a write to workgroup
// memory in the same block. It is copied in chunks of as many bytes as both
// addresses are multiples of, one instruction each. If the chunk depends on the
// length of an array's rows, which is known at run time only, the code tests
// that number once:
//
//   memref<?x?xf16>, vector<8x8xf16>, columns multiples of 8:
//     16 bytes where the rows' length is a multiple of 8, else a plain copy
//   memref<?x?xf32>, vector<8x8xf32>, the same columns:
//     16 bytes where it is a multiple of 4, else 4 bytes
//
// Rows begin where the kernel ABI specifies, so a base needs no test.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_STAGING_ASYNCCOPIES_COPYPLAN_H
#define DISTAFF_LIB_STAGING_ASYNCCOPIES_COPYPLAN_H

#include "Boxes.h"
#include "distaff/Target/Target.h"
#include "mlir/Analysis/AliasAnalysis.h"

namespace distaff::async_copies {

/// Describes one side of a copy.
struct Side {
  Operation *op;
  Value memref;
  SmallVector<Value> indices;
  SmallVector<unsigned> dims; // of the memref, per dim of the vector
  Address address;
  int64_t alignment = 1; // in bytes, as the op promises
};

/// A copy is a read and the write of its result.
struct Copy {
  Side from, to;
  VectorType type;
  /// Whether the read stays inside the memref, per dim of the vector.
  SmallVector<bool> isInside;
  /// Elements per instruction, and elements per instruction if the length of
  /// the source's rows is a multiple of them. 0 for none.
  int64_t width = 0, testedWidth = 0;
  Box target;

  int64_t rank() const { return type.getRank(); }
};

/// Returns the dim of a side's array that the vector's dim lies along.
inline unsigned arrayDimOf(const Side &side, int64_t vectorDim) {
  return side.address.dims[side.dims[vectorDim]];
}

/// Finds the ops across which a copy must not move.
class Hazards {
public:
  Hazards(AliasAnalysis &aliases, IndexSums &sums)
      : aliases(aliases), sums(sums) {}

  /// Returns whether the op, or one in its regions, may wait for other lanes,
  /// publish memory, write what the copy reads or access what it writes.
  /// `isApart` compares the copy with other copies of the plan.
  bool stops(Operation *op, const Copy &copy,
             llvm::function_ref<bool(const Box &)> isApart);
  /// Returns whether the op may write what the copy reads, or wait.
  bool mayChangeSource(Operation *op, const Copy &copy);
  bool mayAlias(Value lhs, Value rhs);

private:
  bool stopsItself(Operation *op, const Copy &copy,
                   llvm::function_ref<bool(const Box &)> isApart);

  AliasAnalysis &aliases;
  IndexSums &sums;
};

/// A callback for copies that stay plain ones, with the reason.
using Report = llvm::function_ref<void(Operation *op, const Twine &why)>;

/// Returns the copies of a kernel, in the order of its ops.
SmallVector<Copy, 0> planCopies(Operation *kernel, const Target &target,
                                IndexFacts &facts, IndexSums &sums,
                                Hazards &hazards, Report report);

/// Returns whether a memref is in workgroup memory.
bool isWorkgroupMemory(Value memref);

} // namespace distaff::async_copies

#endif // DISTAFF_LIB_STAGING_ASYNCCOPIES_COPYPLAN_H
