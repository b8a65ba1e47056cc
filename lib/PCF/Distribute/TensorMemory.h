//===- TensorMemory.h - Memory for a tensor between phases ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data that the members of a group exchange between phases goes through memory
// that all of them can access. A group of subgroups has a panel of its
// executor. Lanes have none of their own: the lanes of each subgroup have a
// slot of a panel of all subgroups, which the code of the subgroups allocates.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_TENSORMEMORY_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_TENSORMEMORY_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Describes a slice of memory that holds one tensor.
struct TensorMemory {
  /// Allocates memory for a value of `type`, a tensor or a vector, that phases
  /// of `executor` pass on. Returns none if no enclosing scope can allocate, or
  /// if the number of workers that share the memory is not known. Keeps the
  /// rewriter's insertion point.
  /// \pre  the type has a static shape of rank 1 at least
  static std::optional<TensorMemory>
  allocate(SharedExecutorOp executor, ShapedType type, RewriterBase &rewriter);

  void write(Value tensor, Location loc, RewriterBase &rewriter) const;
  Value read(ShapedType type, Location loc, RewriterBase &rewriter) const;

  Value ref;
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_TENSORMEMORY_H
